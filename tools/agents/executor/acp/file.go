package acp

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"time"

	"github.com/dougu-go/dougu/internal/punctuation"
	"github.com/dougu-go/dougu/security"
	"github.com/dougu-go/dougu/tools/agents/executor"
	"github.com/dougu-go/dougu/tools/internal/textfile"
)

const (
	maxFile = 10 << 20 // limit of a file, in bytes
	maxSeen = 10_000   // digests kept in talk.seen
	// fileTimeout limits one request for a file. The lock of the file may be held by
	// another process.
	fileTimeout = 20 * time.Second
)

// files returns the Root of the run, and opens it at the first call.
func (t *talk) files() (*security.Root, *wireError) {
	if t.root == nil {
		root, err := t.p.o.OpenRoot(t.p.spec.Dir, t.p.spec.ReadOnly)
		if err != nil {
			return nil, &wireError{Code: codeInternal, Message: "open the directory of the agent: " + err.Error()}
		}
		t.root = root
	}
	return t.root, nil
}

// refused converts an error of the Root into a response, with the next step. A missing file
// gets the code for a missing resource.
func refused(err error) *wireError {
	w := &wireError{Code: codeInternal, Message: err.Error()}
	if security.CodeOf(err) == security.FileNotFound {
		w.Code, w.Message = codeNotFound, "Resource not found: "+w.Message // some programs recognize a missing file by this text only
	}
	var next interface{ NextStep() string }
	if errors.As(err, &next) && next.NextStep() != "" {
		w.Message = punctuation.Sentences(w.Message, next.NextStep())
	}
	return w
}

// readFile implements fs/read_text_file (section "File System", "Reading Files"). It
// returns the decoded text, or the requested lines of it.
func (t *talk) readFile(params json.RawMessage) (any, *wireError) {
	var asked struct {
		Path  string `json:"path"`
		Line  int    `json:"line"`
		Limit *int   `json:"limit"`
	}
	if json.Unmarshal(params, &asked) != nil || asked.Line < 0 || asked.Limit != nil && *asked.Limit < 0 {
		return nil, &wireError{Code: codeInvalidParams, Message: "expected path, and optionally line and limit, which must not be negative"}
	}
	root, wrong := t.files()
	if wrong != nil {
		return nil, wrong
	}
	ctx, cancel := context.WithTimeout(t.p.ctx, fileTimeout)
	defer cancel()
	data, _, err := root.ReadFile(ctx, asked.Path, maxFile)
	if err != nil {
		return nil, refused(err)
	}
	text, err := textfile.Decode(data, textfile.Auto)
	if err != nil {
		return nil, refused(fmt.Errorf("reading %s: %w", asked.Path, err))
	}
	t.recordDigest(asked.Path, digest(data))
	return map[string]string{"content": cutLines(text.Content, asked.Line, asked.Limit)}, nil
}

// cutLines returns at most limit lines of text, from a line number that counts from 1. Line
// 0 is the first line, too; a nil limit means all lines.
func cutLines(text string, line int, limit *int) string {
	for ; line > 1; line-- {
		end := strings.IndexByte(text, '\n')
		if end < 0 {
			return ""
		}
		text = text[end+1:]
	}
	if limit == nil {
		return text
	}
	end := 0
	for range *limit {
		n := strings.IndexByte(text[end:], '\n')
		if n < 0 {
			return text
		}
		end += n + 1
	}
	return text[:end]
}

// recordDigest records the digest of a file that the program has read or written. It ignores new
// files when maxSeen is reached.
func (t *talk) recordDigest(path, sum string) {
	path = filepath.Clean(path)
	if _, known := t.seen[path]; known || len(t.seen) < maxSeen {
		t.seen[path] = sum
	}
}

// digest returns the SHA-256 digest of data in hexadecimal form.
func digest(data []byte) string {
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}

// errStale reports that a file has changed since the program read or wrote it.
var errStale = errors.New("the file has changed since you have read it; read it again and repeat the change")

// writeFile implements fs/write_text_file (section "File System", "Writing Files"). It
// checks the permissions like an edit, keeps the encoding of an existing file, and refuses
// to overwrite a file that has changed since it was read.
func (t *talk) writeFile(params json.RawMessage, tell func(executor.Event)) (any, *wireError) {
	var asked struct {
		Path    string `json:"path"`
		Content string `json:"content"`
	}
	if json.Unmarshal(params, &asked) != nil {
		return nil, &wireError{Code: codeInvalidParams, Message: "expected path and content"}
	}
	if t.cancelled || !t.prompting {
		return nil, &wireError{Code: codeInvalidRequest, Message: "files can be written only during a prompt turn"}
	}
	if why := t.forbidden(&call{kind: "edit"}); why != "" {
		return nil, &wireError{Code: codeInternal, Message: "refused: " + why}
	}
	if len(asked.Content) > maxFile {
		return nil, &wireError{Code: codeInternal, Message: fmt.Sprintf("the content has %d bytes; the limit is %d", len(asked.Content), maxFile)}
	}
	root, wrong := t.files()
	if wrong != nil {
		return nil, wrong
	}
	ctx, cancel := context.WithTimeout(t.p.ctx, fileTimeout)
	defer cancel()
	known := t.seen[filepath.Clean(asked.Path)]
	done, err := root.Update(ctx, asked.Path, security.UpdateOptions{MaxSize: maxFile, Create: true, CreateDirs: true}, func(old []byte, info security.FileInfo) ([]byte, error) {
		if info.Kind == 0 {
			return []byte(asked.Content), nil
		}
		if known != "" && digest(old) != known {
			return nil, errStale
		}
		was, err := textfile.Decode(old, textfile.Auto)
		if err != nil {
			return nil, err
		}
		return textfile.Encode(strings.TrimPrefix(asked.Content, "\uFEFF"), was.Encoding, was.BOM)
	})
	if err != nil {
		return nil, refused(err)
	}
	t.recordDigest(asked.Path, done.SHA256)
	if !done.Unchanged {
		t.reportWrite(asked.Path, done.Created, tell)
	}
	return struct{}{}, nil
}

// reportWrite reports a written file as a tool call of its own. The program may report the
// same change again under another ID.
func (t *talk) reportWrite(path string, created bool, tell func(executor.Event)) {
	t.wrote++
	tool := executor.Tool{CallID: fmt.Sprintf("fs/write_text_file %d", t.wrote), Type: "fs/write_text_file"}
	begun := tool
	begun.Args, _ = json.Marshal(map[string]string{"path": path}) // a string is always encoded
	tell(executor.Event{Kind: executor.ToolStarted, Session: t.session, Tool: &begun})
	tool.Changes = []executor.FileChange{{Path: path, Kind: "edited"}}
	if created {
		tool.Changes[0].Kind = "created"
	}
	tell(executor.Event{Kind: executor.ToolCompleted, Session: t.session, Tool: &tool})
}
