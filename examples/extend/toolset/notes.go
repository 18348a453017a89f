// Package toolset is a tool set with two tools: count_words reads a file of the project, and append_note changes one. Both reach files
// through the Root of their environment alone. The Root refuses paths outside of the project, and records each change in the audit log.
package toolset

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/dougu-go/dougu/mcp"
	"github.com/dougu-go/dougu/security"
	"github.com/dougu-go/dougu/tools"
)

// Options configures the set. The zero value works.
type Options struct {
	// File is the path of the notes in the project. Default: NOTES.md.
	File string
}

// Notes is the tool set. It implements tools.Set. Its methods are the tools, for programs without the protocol.
type Notes struct {
	root     *security.Root
	limits   tools.Limits
	file     string
	features mcp.Features
}

// New makes the set. env must have a Root, which the caller closes after the set.
func New(env tools.Env, o Options) (*Notes, error) {
	if env.Root == nil {
		return nil, errors.New("make the notes: the environment has no root")
	}
	n := &Notes{root: env.Root, limits: env.Limits.WithDefaults(), file: o.File}
	if n.file == "" {
		n.file = "NOTES.md"
	}
	defined, err := tools.Define(mcp.ToolOptions{Timeout: 10 * time.Second, MaxResult: n.limits.MaxResult()},
		mcp.NewTool(mcp.Tool{
			Name: "count_words", Description: "Counts the lines and words of a text file.", Annotations: mcp.ReadOnly(),
		}, n.CountWords),
		mcp.NewTool(mcp.Tool{
			Name: "append_note", Description: "Appends a line to the notes of the project.", Annotations: mcp.Additive(),
		}, n.AppendNote),
	)
	if err != nil {
		return nil, fmt.Errorf("make the notes: %w", err)
	}
	n.features = mcp.Features{Tools: env.WithNotices(defined...)}
	return n, nil
}

// Features implements tools.Set.
func (n *Notes) Features() mcp.Features { return n.features }

// Close implements tools.Set. The set has no goroutine, no connection and no open file, so Close does nothing.
func (n *Notes) Close(context.Context) error { return nil }

// CountArgs are the arguments of count_words.
type CountArgs struct {
	Path string `json:"path" jsonschema:"minLength=1,description=The file\\, relative to the project or absolute"`
}

// CountResult is the result of count_words.
type CountResult struct {
	Lines int `json:"lines"`
	Words int `json:"words"`
}

// TextContent returns the text for the model.
func (r CountResult) TextContent() string { return fmt.Sprintf("%d lines, %d words", r.Lines, r.Words) }

// CountWords implements count_words. The errors of the Root have a code and a next step already.
func (n *Notes) CountWords(ctx context.Context, args CountArgs) (CountResult, error) {
	text, _, err := n.root.ReadFile(ctx, args.Path, n.limits.MaxFile)
	if err != nil {
		return CountResult{}, err
	}
	if bytes.IndexByte(text, 0) >= 0 {
		return CountResult{}, &mcp.ToolError{Code: "BINARY_FILE", Message: "the file is no text", Next: "Give the path of a text file."}
	}
	return CountResult{Lines: bytes.Count(text, []byte("\n")), Words: len(bytes.Fields(text))}, nil
}

// NoteArgs are the arguments of append_note.
type NoteArgs struct {
	Note string `json:"note" jsonschema:"minLength=1,maxLength=2000,description=One line"`
}

// NoteResult is the result of append_note.
type NoteResult struct {
	Path  string `json:"path"`
	Notes int    `json:"notes"` // number of notes in the file
}

// TextContent returns the text for the model.
func (r NoteResult) TextContent() string { return fmt.Sprintf("%s: note %d", r.Path, r.Notes) }

// AppendNote implements append_note. The Root locks the file, so two calls at once lose no note. A change of something else than
// files of the Root, for example of a database, would call Begin of env.Audit before it and End after it.
func (n *Notes) AppendNote(ctx context.Context, args NoteArgs) (NoteResult, error) {
	note := strings.Join(strings.Fields(args.Note), " ")
	if note == "" {
		return NoteResult{}, &mcp.ToolError{Code: "INVALID_PARAMS", Message: "the note is empty", Next: "Give a text."}
	}
	var notes int
	done, err := n.root.Update(ctx, n.file, security.UpdateOptions{Create: true, MaxSize: n.limits.MaxFile}, func(old []byte, _ security.FileInfo) ([]byte, error) {
		changed := fmt.Appendf(bytes.Clone(old), "- %s\n", note)
		notes = bytes.Count(changed, []byte("\n"))
		return changed, nil
	})
	if err != nil {
		return NoteResult{}, err
	}
	return NoteResult{Path: done.Path, Notes: notes}, nil
}
