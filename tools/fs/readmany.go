package fs

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"strings"

	"github.com/dougu-go/dougu/internal/punctuation"
	"github.com/dougu-go/dougu/security"
)

// maxPaths is the most files that one call reads.
const maxPaths = 50

// ReadManyResult is the result of read_file for several files, in the order of the paths.
type ReadManyResult struct {
	Files []FileRead `json:"files"` // one entry for each path
}

// FileRead is the result for one of several files: ReadResult or Error is set.
type FileRead struct {
	// Path is ReadResult.Path, or on an error the requested path, truncated to 300 bytes.
	Path string `json:"path"`
	*ReadResult
	Error *ReadError `json:"error,omitempty"`
}

// ReadError is the error for one of several files.
type ReadError struct {
	Code    string `json:"code"`           // error code, for example FILE_NOT_FOUND
	Message string `json:"message"`        // at most 300 bytes
	Next    string `json:"next,omitempty"` // advice, at most 300 bytes
}

// ReadMany implements read_file for several files, at most 50. Encoding, MaxSize and lines apply to each. The files share the
// budget of one answer: small files are complete, the others get equal shares of the rest. Images are omitted.
func (f *Files) ReadMany(ctx context.Context, args ReadArgs) (ReadManyResult, error) {
	r, err := f.request(args)
	if err == nil && len(r.Paths) > maxPaths {
		err = invalid("read the others in further calls", "%d paths are more than %d", len(r.Paths), maxPaths)
	}
	if err == nil && len(r.Paths) == 0 {
		err = invalid("call Read, or give paths", "one path is one file, and ReadMany returns several")
	}
	if err != nil {
		return ReadManyResult{}, err
	}
	r.multiple = true
	m := manyRead{files: f, request: r, room: f.limits.Answer, result: make([]FileRead, len(r.Paths))}
	if err := m.read(ctx); err != nil {
		return ReadManyResult{}, err
	}
	return ReadManyResult{Files: m.result}, nil
}

// manyRead is the state of one ReadMany call.
type manyRead struct {
	files *Files
	request
	room   int // bytes of the budget that are left
	result []FileRead
}

// sizedFile is a file to read, with its size.
type sizedFile struct {
	index int
	size  int64
}

// read reads the smallest files first, so that larger files get the budget that small files leave.
func (m *manyRead) read(ctx context.Context) error {
	var todo []sizedFile
	for i, path := range m.Paths {
		info, err := m.files.root.Stat(ctx, path)
		if err != nil {
			if err := m.fail(ctx, i, wrapPath("reading", path, err)); err != nil {
				return err
			}
			continue
		}
		todo = append(todo, sizedFile{i, info.Size})
	}
	slices.SortStableFunc(todo, func(a, b sizedFile) int { return cmp.Compare(a.size, b.size) })
	for n, file := range todo {
		if err := m.readOne(ctx, file.index, m.room/(len(todo)-n)); err != nil {
			return err
		}
	}
	return nil
}

// readOne reads one file within a share of the budget. An error ends the call; errors of the file are recorded in the result.
func (m *manyRead) readOne(ctx context.Context, i, share int) error {
	r := m.request
	r.Path, r.budget = m.Paths[i], share-headerBytes(m.Paths[i])
	if r.budget < minBudget {
		return m.fail(ctx, i, &security.Error{Code: codeResultTooLarge, AttemptedPath: r.Path, Message: "There is no room for the file in this answer.",
			Next: "Read it with fewer others."})
	}
	got, err := m.files.readFile(ctx, r)
	if err != nil {
		return m.fail(ctx, i, err)
	}
	m.result[i] = FileRead{Path: got.Path, ReadResult: &got}
	m.room -= headerBytes(got.Path) + len(got.Content)
	if got.numbered {
		m.room -= (got.EndLine - got.StartLine + 1) * (len(number(int64(got.EndLine))) + len("\t"))
	}
	return nil
}

// codeResultTooLarge is the code for a file that does not fit the answer.
const codeResultTooLarge = "RESULT_TOO_LARGE"

// fail records the error of one file. It returns err only if the context has ended.
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

// clip truncates a text to 300 bytes.
func clip(s string) string {
	const most = 300
	if len(s) <= most {
		return s
	}
	return strings.ToValidUTF8(s[:most], "") + "…"
}

// TextContent returns the text for the model: the files one below the other, each with its header line in brackets.
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
				text = punctuation.Sentences(text, file.Error.Next)
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
