package emacs

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/dougu-go/dougu/tools/editor/adapter"
	"github.com/dougu-go/dougu/tools/editor/internal/buffer"
	"github.com/dougu-go/dougu/tools/editor/internal/relay"
)

// document is the state of a buffer, as Emacs reports it. Lines of Text end with LF, independent of the file.
type document struct {
	Buffer   string         `json:"buffer"` // name; empty if the file has no buffer
	Tick     int            `json:"tick"`
	Text     string         `json:"text"`
	Ending   string         `json:"ending"` // line ending in the file
	Dirty    bool           `json:"dirty"`
	Editable bool           `json:"editable"`
	Mode     string         `json:"mode"`
	Tab      int            `json:"tab"`
	Spaces   bool           `json:"spaces"`
	Trouble  string         `json:"trouble"` // reason why the buffer could not be saved
	Servers  []relay.Server `json:"servers"`
}

// languages maps names of major modes to language identifiers of the Language Server Protocol, where the names differ.
var languages = map[string]string{
	"sh": "shellscript", "bash": "shellscript", "js": "javascript", "js2": "javascript", "js-json": "json", "text": "plaintext", "fundamental": "",
	"c++": "cpp", "objc": "objective-c", "csharp": "csharp", "mhtml": "html", "makefile-gmake": "makefile", "conf-toml": "toml", "emacs-lisp": "elisp",
	"typescript-tsx": "typescriptreact", "tsx": "typescriptreact", "latex": "latex", "LaTeX": "latex", "diff": "diff", "lisp-interaction": "elisp",
}

// content returns the text with the line endings of the file.
func (d document) content() string {
	if d.Ending == "\n" {
		return d.Text
	}
	return strings.ReplaceAll(d.Text, "\n", d.Ending)
}

// Describe implements buffer.Described.
func (d document) Describe() buffer.Buffer {
	mode := strings.TrimSuffix(strings.TrimSuffix(d.Mode, "-mode"), "-ts")
	language, known := languages[mode]
	if !known {
		language = mode
	}
	return buffer.Buffer{
		ID: d.Buffer, Tick: d.Tick, Text: d.content(), Ending: d.Ending, Dirty: d.Dirty, Editable: d.Editable, Language: language, Trouble: d.Trouble,
	}
}

// document reads the buffer of a file. ok is false if there is none. If provider is set, Servers are the language servers with this
// capability.
func (s *session) document(ctx context.Context, path, provider string) (d document, ok bool, err error) {
	args := map[string]any{"path": path}
	if provider != "" {
		args["provider"] = provider
	}
	if err := s.ask(ctx, "document", args, &d); err != nil {
		return d, false, err
	}
	if d.Buffer == "" {
		return d, false, nil
	}
	return d, true, d.Describe().Check()
}

// Document implements buffer.Session.
func (s *session) Document(ctx context.Context, path string) (document, bool, error) {
	return s.document(ctx, path, "")
}

// Unsaved implements buffer.Session.
func (s *session) Unsaved(ctx context.Context) ([]string, error) {
	var found struct {
		Paths []string `json:"paths"`
	}
	err := s.ask(ctx, "unsaved", map[string]any{}, &found)
	return found.Paths, err
}

// Change implements buffer.Session.
func (s *session) Change(ctx context.Context, path string, before document, text string, save bool) (now document, err error) {
	change, err := before.change(text)
	if err != nil {
		return now, err
	}
	change.Path, change.Save = path, save
	if err := s.ask(ctx, "edit", change, &now); err != nil {
		if ctx.Err() != nil {
			err = fmt.Errorf("%w; the edit may have been made", err)
		}
		return now, err
	}
	return now, now.Describe().Check()
}

// Process implements buffer.Session.
func (s *session) Process() int { return s.pid }

// Unsaved returns the paths of the buffers with unsaved changes in all Emacs. It returns nothing, without an error, if no Emacs runs.
// An Emacs that listens and does not answer is an error.
func (e *Emacs) Unsaved(ctx context.Context) ([]string, error) {
	sessions, missing := e.present(ctx)
	paths, err := e.documents.Unsaved(ctx, sessions)
	return paths, cmp.Or(missing, err)
}

// Document returns the document of a file that is open in a buffer; ok is false if it is not. If several Emacs have it, the one
// with unsaved changes is preferred. It fails with adapter.ErrNotRunning if no Emacs runs. An Emacs that listens and does not answer
// is an error; it comes with the document of another one.
func (e *Emacs) Document(ctx context.Context, path string) (doc adapter.Document, ok bool, err error) {
	sessions, missing := e.present(ctx)
	if len(sessions) == 0 && missing == nil {
		return doc, false, fmt.Errorf("reading %s in Emacs: %w", path, adapter.ErrNotRunning)
	}
	doc, ok, err = e.documents.Read(ctx, path, sessions)
	return doc, ok, cmp.Or(err, missing)
}

// Edit changes a document that Document returned, as one undo step. The result includes changes that Emacs makes on saving, for
// example formatting. If the document could not be saved, the result is Dirty and there is no error. It fails with adapter.ErrStale
// if version is outdated.
func (e *Emacs) Edit(ctx context.Context, path string, version int, edits []adapter.TextEdit, save bool) (adapter.Document, error) {
	return e.documents.Edit(ctx, path, version, edits, save)
}

// sortByIdle sorts sessions by idle time, the shortest first.
func sortByIdle(idle map[*session]int, all []*session) []*session {
	sorted := slices.Clone(all)
	slices.SortStableFunc(sorted, func(a, b *session) int { return cmp.Compare(idle[a], idle[b]) })
	return sorted
}
