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

	"github.com/dougu-go/dougu/security"
	"github.com/dougu-go/dougu/tools/agents/executor"
	"github.com/dougu-go/dougu/tools/internal/textfile"
)

const (
	maxFile = 10 << 20 // bytes of a file that is read or written
	maxSeen = 10_000   // files whose content is remembered
	// patience bounds how long a file is worked on: somebody else may have its lock.
	patience = 20 * time.Second
)

// files opens what the agent may see and change.
func (t *talk) files() (*security.Root, *wireError) {
	if t.root == nil {
		root, err := t.p.o.OpenRoot(t.p.spec.Dir, t.p.spec.ReadOnly)
		if err != nil {
			return nil, &wireError{Code: codeInternal, Message: "opening the directory of the agent: " + err.Error()}
		}
		t.root = root
	}
	return t.root, nil
}

// refused is an error of a file for a program.
func refused(err error) *wireError {
	w := &wireError{Code: codeInternal, Message: err.Error()}
	if security.CodeOf(err) == security.FileNotFound {
		w.Code, w.Message = codeNotFound, "Resource not found: "+w.Message // by these words some know it
	}
	var next interface{ NextStep() string }
	if errors.As(err, &next) && next.NextStep() != "" {
		w.Message += " " + next.NextStep()
	}
	return w
}

// readFile answers fs/read_text_file (file system, reading files).
func (t *talk) readFile(params json.RawMessage) (any, *wireError) {
	var asked struct {
		Path  string `json:"path"`
		Line  int    `json:"line"`
		Limit *int   `json:"limit"`
	}
	if json.Unmarshal(params, &asked) != nil || asked.Line < 0 || asked.Limit != nil && *asked.Limit < 0 {
		return nil, &wireError{Code: codeInvalidParams, Message: "a file is named by path, its lines by line and limit, which are not negative"}
	}
	root, wrong := t.files()
	if wrong != nil {
		return nil, wrong
	}
	ctx, cancel := context.WithTimeout(t.p.ctx, patience)
	defer cancel()
	data, _, err := root.ReadFile(ctx, asked.Path, maxFile)
	if err != nil {
		return nil, refused(err)
	}
	text, err := textfile.Decode(data, textfile.Auto)
	if err != nil {
		return nil, refused(fmt.Errorf("reading %s: %w", asked.Path, err))
	}
	t.saw(asked.Path, digest(data))
	return map[string]string{"content": stretch(text.Content, asked.Line, asked.Limit)}, nil
}

// stretch is the lines from one on, whose number counts from 1; 0 is the first, too.
func stretch(text string, line int, limit *int) string {
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

// saw remembers the content of a file that the agent knows.
func (t *talk) saw(path, sum string) {
	path = filepath.Clean(path)
	if _, known := t.seen[path]; known || len(t.seen) < maxSeen {
		t.seen[path] = sum
	}
}

func digest(data []byte) string {
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}

// errStale is a file that somebody else has changed.
var errStale = errors.New("the file has changed since you have read it; read it again, and change what is there now")

// writeFile answers fs/write_text_file (file system, writing files), and tells of the change.
func (t *talk) writeFile(params json.RawMessage, tell func(executor.Event)) (any, *wireError) {
	var asked struct {
		Path    string `json:"path"`
		Content string `json:"content"`
	}
	if json.Unmarshal(params, &asked) != nil {
		return nil, &wireError{Code: codeInvalidParams, Message: "a file is named by path, and what it is to have is content"}
	}
	if t.cancelled || !t.prompting {
		return nil, &wireError{Code: codeInvalidRequest, Message: "there is no turn in which a file could be written"}
	}
	if why := t.forbidden(&call{kind: "edit"}); why != "" {
		return nil, &wireError{Code: codeInternal, Message: "refused: " + why}
	}
	if len(asked.Content) > maxFile {
		return nil, &wireError{Code: codeInternal, Message: fmt.Sprintf("a file of %d bytes is not written; %d are the most", len(asked.Content), maxFile)}
	}
	root, wrong := t.files()
	if wrong != nil {
		return nil, wrong
	}
	ctx, cancel := context.WithTimeout(t.p.ctx, patience)
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
	t.saw(asked.Path, done.SHA256)
	if !done.Unchanged {
		t.tellWrite(asked.Path, done.Created, tell)
	}
	return struct{}{}, nil
}

// tellWrite tells of a change that was made here, whatever the agent tells of it.
func (t *talk) tellWrite(path string, created bool, tell func(executor.Event)) {
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
