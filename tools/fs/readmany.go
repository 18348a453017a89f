package fs

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"strings"

	"github.com/dougu-go/dougu/security"
)

// maxPaths is how many files one call reads.
const maxPaths = 50

// ReadManyResult is what read_file answers for several files, in the order in which they were asked for.
type ReadManyResult struct {
	Files []FileRead `json:"files"`
}

// FileRead is one of several files: it has been read, or Error says why not.
type FileRead struct {
	// Path is that of ReadResult, or without one the path that was asked for, of which an answer repeats 300 bytes.
	Path string `json:"path"`
	*ReadResult
	Error *ReadError `json:"error,omitempty"`
}

// ReadError tells why one of several files could not be read.
type ReadError struct {
	Code    string `json:"code"`
	Message string `json:"message"`
	Next    string `json:"next,omitempty"`
}

// ReadMany is read_file for several files, at most 50. Encoding, MaxSize and lines apply to each. The budget of an answer is for all
// of them: small files come whole, the others have equal shares of the rest. An image among them is not shown.
func (f *Files) ReadMany(ctx context.Context, args ReadArgs) (ReadManyResult, error) {
	r, err := f.request(args)
	if err == nil && len(r.Paths) > maxPaths {
		err = invalid("read the others in further calls", "%d paths are more than %d", len(r.Paths), maxPaths)
	}
	if err == nil && len(r.Paths) == 0 {
		err = invalid("call Read, or give paths", "one path is one file, and ReadMany answers several")
	}
	if err != nil {
		return ReadManyResult{}, err
	}
	r.several = true
	m := manyRead{files: f, request: r, room: f.limits.Answer, result: make([]FileRead, len(r.Paths))}
	if err := m.read(ctx); err != nil {
		return ReadManyResult{}, err
	}
	return ReadManyResult{Files: m.result}, nil
}

// manyRead is one call of ReadMany.
type manyRead struct {
	files *Files
	request
	room   int // that is left of the budget
	result []FileRead
}

// sized is a file that is to be read.
type sized struct {
	index int
	size  int64
}

// read reads the smallest files first, so that what they leave of their shares is for the larger ones.
func (m *manyRead) read(ctx context.Context) error {
	var todo []sized
	for i, path := range m.Paths {
		info, err := m.files.root.Stat(ctx, path)
		if err != nil {
			if err := m.fail(ctx, i, about("reading", path, err)); err != nil {
				return err
			}
			continue
		}
		todo = append(todo, sized{i, info.Size})
	}
	slices.SortStableFunc(todo, func(a, b sized) int { return cmp.Compare(a.size, b.size) })
	for n, file := range todo {
		if err := m.readOne(ctx, file.index, m.room/(len(todo)-n)); err != nil {
			return err
		}
	}
	return nil
}

// readOne reads a file that may take a share of the answer. The error is the end of the call.
func (m *manyRead) readOne(ctx context.Context, i, share int) error {
	r := m.request
	r.Path, r.budget = m.Paths[i], share-around(m.Paths[i])
	if r.budget < minBudget {
		return m.fail(ctx, i, &security.Error{Code: codeResultTooLarge, AttemptedPath: r.Path, Message: "There is no room for the file in this answer.",
			Next: "Read it with fewer others."})
	}
	got, err := m.files.readFile(ctx, r)
	if err != nil {
		return m.fail(ctx, i, err)
	}
	m.result[i] = FileRead{Path: got.Path, ReadResult: &got}
	m.room -= around(got.Path) + len(got.Content)
	if got.numbered {
		m.room -= (got.EndLine - got.StartLine + 1) * (len(number(int64(got.EndLine))) + len("\t"))
	}
	return nil
}

// codeResultTooLarge is for what has no room in an answer.
const codeResultTooLarge = "RESULT_TOO_LARGE"

// fail notes why a file could not be read.
func (m *manyRead) fail(ctx context.Context, i int, err error) error {
	if ctx.Err() != nil {
		return err
	}
	e := &ReadError{Code: string(security.CodeOf(err)), Message: clip(err.Error())}
	var advice interface{ NextStep() string }
	if errors.As(err, &advice) {
		e.Next = clip(advice.NextStep())
	}
	m.result[i] = FileRead{Path: clip(m.Paths[i]), Error: e}
	m.room -= len(m.result[i].Path) + len(e.Code) + len(e.Message) + len(e.Next) + len(`{"path":"","error":{"code":"","message":"","next":""}}`)
	return nil
}

// clip bounds what an answer repeats of what it was asked.
func clip(s string) string {
	const most = 300
	if len(s) <= most {
		return s
	}
	return strings.ToValidUTF8(s[:most], "") + "…"
}

// TextContent is what a model reads: the files, one below the other, each with its line in brackets.
func (r ReadManyResult) TextContent() string {
	var b strings.Builder
	for i, file := range r.Files {
		if i > 0 {
			b.WriteByte('\n')
		}
		var text string
		if file.Error != nil {
			text = "[" + file.Path + ": " + file.Error.Code + ": " + file.Error.Message
			if file.Error.Next != "" {
				text += " " + file.Error.Next
			}
			text += "]"
		} else {
			text = file.TextContent()
		}
		b.WriteString(text)
		if !strings.HasSuffix(text, "\n") {
			b.WriteByte('\n')
		}
	}
	return b.String()
}
