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

// document is all that Emacs says about a buffer. Its text ends lines with LF, whatever they end with in the file.
type document struct {
	Buffer   string         `json:"buffer"` // its name; empty is none
	Tick     int            `json:"tick"`
	Text     string         `json:"text"`
	Ending   string         `json:"ending"` // of its lines in the file
	Dirty    bool           `json:"dirty"`
	Editable bool           `json:"editable"`
	Mode     string         `json:"mode"`
	Tab      int            `json:"tab"`
	Spaces   bool           `json:"spaces"`
	Trouble  string         `json:"trouble"` // why it was not saved
	Servers  []relay.Server `json:"servers"`
}

// languages are the identifiers of languages whose modes are called otherwise.
var languages = map[string]string{
	"sh": "shellscript", "bash": "shellscript", "js": "javascript", "js2": "javascript", "js-json": "json", "text": "plaintext", "fundamental": "",
	"c++": "cpp", "objc": "objective-c", "csharp": "csharp", "mhtml": "html", "makefile-gmake": "makefile", "conf-toml": "toml", "emacs-lisp": "elisp",
	"typescript-tsx": "typescriptreact", "tsx": "typescriptreact", "latex": "latex", "LaTeX": "latex", "diff": "diff", "lisp-interaction": "elisp",
}

// content is the text with the line ends of the file.
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

// document reads the buffer of a file. ok is false if there is none. provider asks for a language server that has this capability.
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

// Document answers the document of a file that has a buffer, see the package. If it has one in several Emacs, it is that with changes.
func (e *Emacs) Document(ctx context.Context, path string) (adapter.Document, bool, error) {
	sessions, err := e.running(ctx)
	if err != nil {
		return adapter.Document{}, false, fmt.Errorf("reading %s in Emacs: %w", path, err)
	}
	return e.documents.Read(ctx, path, sessions)
}

// Edit changes a document that Document has answered, as one step that the user can undo. What Emacs does when it writes a file, such
// as formatting, is in the answer. A document that could not be saved is answered Dirty, without an error.
func (e *Emacs) Edit(ctx context.Context, path string, version int, edits []adapter.TextEdit, save bool) (adapter.Document, error) {
	return e.documents.Edit(ctx, path, version, edits, save)
}

// nearest puts those of some sessions first that were used last.
func nearest(idle map[*session]int, all []*session) []*session {
	sorted := slices.Clone(all)
	slices.SortStableFunc(sorted, func(a, b *session) int { return cmp.Compare(idle[a], idle[b]) })
	return sorted
}
