package emacs

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/dougu-go/dougu/internal/truncate"
	"github.com/dougu-go/dougu/tools/editor/adapter"
	"github.com/dougu-go/dougu/tools/editor/internal/relay"
)

// maxChosen is for how many documents it is remembered where they were read.
const maxChosen = 1000

// choice is where a document was read: its version means nothing elsewhere.
type choice struct {
	session *session
	buffer  string
}

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

// check refuses a document that cannot be.
func (d document) check() error {
	switch {
	case d.Tick < 1 || !slices.Contains([]string{"\n", "\r\n", "\r"}, d.Ending):
		return errors.New("Emacs answers a document without a version or line ends")
	case !utf8.ValidString(d.Text):
		return fmt.Errorf("its text is not UTF-8: %w", adapter.ErrUnsupported)
	}
	return nil
}

// content is the text with the line ends of the file.
func (d document) content() string {
	if d.Ending == "\n" {
		return d.Text
	}
	return strings.ReplaceAll(d.Text, "\n", d.Ending)
}

func (d document) as(path string) adapter.Document {
	mode := strings.TrimSuffix(strings.TrimSuffix(d.Mode, "-mode"), "-ts")
	language, known := languages[mode]
	if !known {
		language = mode
	}
	return adapter.Document{Path: path, Text: d.content(), Version: d.Tick, Dirty: d.Dirty, Language: truncate.Line(language, 64)}
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
	return d, true, d.check()
}

// Document answers the document of a file that has a buffer, see the package. If it has one in several Emacs, it is that with changes.
func (e *Emacs) Document(ctx context.Context, path string) (adapter.Document, bool, error) {
	fail := func(err error) (adapter.Document, bool, error) {
		return adapter.Document{}, false, fmt.Errorf("reading %s in Emacs: %w", path, err)
	}
	sessions, err := e.running(ctx)
	if err != nil {
		return fail(err)
	}
	var found *document
	var in *session
	var failure error
	for _, s := range sessions {
		d, ok, err := s.document(ctx, path, "")
		if err != nil {
			failure = err // another one may have it nevertheless
			continue
		}
		if ok && (d.Dirty || d.Editable && found == nil) && (found == nil || !found.Dirty) {
			found, in = &d, s
		}
	}
	switch {
	case found == nil && failure != nil:
		return fail(failure)
	case found == nil:
		return adapter.Document{}, false, nil
	}
	e.choose(path, choice{in, found.Buffer})
	return found.as(path), true, nil
}

func (e *Emacs) choose(path string, c choice) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if len(e.chosen) >= maxChosen {
		clear(e.chosen)
	}
	e.chosen[path] = c
}

// Edit changes a document that Document has answered, as one step that the user can undo. What Emacs does when it writes a file, such
// as formatting, is in the answer. A document that could not be saved is answered Dirty, without an error.
func (e *Emacs) Edit(ctx context.Context, path string, version int, edits []adapter.TextEdit, save bool) (adapter.Document, error) {
	fail := func(err error) (adapter.Document, error) {
		return adapter.Document{}, fmt.Errorf("editing %s in Emacs: %w", path, err)
	}
	e.mu.Lock()
	c, known := e.chosen[path]
	e.mu.Unlock()
	if !known {
		return fail(fmt.Errorf("%w: it must be read first", adapter.ErrStale))
	}
	before, ok, err := c.session.document(ctx, path, "")
	switch {
	case err != nil:
		return fail(err)
	case !ok || before.Buffer != c.buffer || before.Tick != version:
		return fail(adapter.ErrStale)
	}
	after, err := adapter.Apply(before.content(), edits)
	if err != nil {
		return fail(err)
	}
	change, err := before.change(after)
	if err != nil {
		return fail(err)
	}
	change.Path, change.Save = path, save
	var now document
	if err := c.session.ask(ctx, "edit", change, &now); err != nil {
		if ctx.Err() != nil {
			err = fmt.Errorf("%w; the edit may have been made", err)
		}
		return fail(err)
	}
	if err := now.check(); err != nil {
		return fail(err)
	}
	if now.Trouble != "" {
		e.options.Log.Warn("Emacs has not saved a file", "file", path, "error", truncate.Line(now.Trouble, maxErrorText))
	}
	return now.as(path), nil
}

// nearest puts those of some sessions first that were used last.
func nearest(idle map[*session]int, all []*session) []*session {
	sorted := slices.Clone(all)
	slices.SortStableFunc(sorted, func(a, b *session) int { return cmp.Compare(idle[a], idle[b]) })
	return sorted
}
