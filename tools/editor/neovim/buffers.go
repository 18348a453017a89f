package neovim

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
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
	buf     int
}

// document is all that Neovim says about a buffer.
type document struct {
	Buf      int            `msgpack:"buf"` // 0 is none
	Tick     int            `msgpack:"tick"`
	Text     string         `msgpack:"text"`
	Ending   string         `msgpack:"ending"` // of its lines
	Dirty    bool           `msgpack:"dirty"`
	Editable bool           `msgpack:"editable"`
	Filetype string         `msgpack:"filetype"`
	Clients  []relay.Server `msgpack:"clients"`
	Tab      int            `msgpack:"tab"`
	Spaces   bool           `msgpack:"spaces"`
	Trouble  string         `msgpack:"trouble"` // why it was not saved
}

// languages are the identifiers of languages that Neovim names otherwise.
var languages = map[string]string{
	"sh": "shellscript", "bash": "shellscript", "cs": "csharp", "objc": "objective-c", "objcpp": "objective-cpp", "make": "makefile", "text": "plaintext",
}

// check refuses a document that cannot be.
func (d document) check() error {
	switch {
	case d.Tick < 1 || !slices.Contains([]string{"\n", "\r\n", "\r"}, d.Ending):
		return errors.New("Neovim answers a document without a version or line ends")
	case !utf8.ValidString(d.Text):
		return fmt.Errorf("its text is not UTF-8: %w", adapter.ErrUnsupported)
	}
	return nil
}

func (d document) as(path string) adapter.Document {
	language := truncate.Line(cmp.Or(languages[d.Filetype], d.Filetype), 64)
	return adapter.Document{Path: path, Text: d.Text, Version: d.Tick, Dirty: d.Dirty, Language: language}
}

// document reads the buffer of a file. ok is false if there is none. method asks for the language servers that know it.
func (s *session) document(ctx context.Context, path, method string) (d document, ok bool, err error) {
	args := map[string]any{"path": path}
	if method != "" {
		args["method"] = method
	}
	if err := s.run(ctx, "document", args, &d); err != nil {
		return d, false, err
	}
	if d.Buf == 0 {
		return d, false, nil
	}
	return d, true, d.check()
}

// Document answers the document of a file that has a buffer, see the package. If it has one in several Neovims, it is that with changes.
func (n *Neovim) Document(ctx context.Context, path string) (adapter.Document, bool, error) {
	fail := func(err error) (adapter.Document, bool, error) {
		return adapter.Document{}, false, fmt.Errorf("reading %s in Neovim: %w", path, err)
	}
	sessions, err := n.covering(ctx, path)
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
	if found == nil && failure != nil {
		return fail(failure)
	}
	if found == nil {
		return adapter.Document{}, false, nil
	}
	n.choose(path, choice{in, found.Buf})
	return found.as(path), true, nil
}

func (n *Neovim) choose(path string, c choice) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if len(n.chosen) >= maxChosen {
		clear(n.chosen)
	}
	n.chosen[path] = c
}

// Edit changes a document that Document has answered, as one step that the user can undo. What Neovim does when it writes a file, such
// as formatting, is in the answer. A document that could not be saved is answered Dirty, without an error.
func (n *Neovim) Edit(ctx context.Context, path string, version int, edits []adapter.TextEdit, save bool) (adapter.Document, error) {
	fail := func(err error) (adapter.Document, error) {
		return adapter.Document{}, fmt.Errorf("editing %s in Neovim: %w", path, err)
	}
	n.mu.Lock()
	c, known := n.chosen[path]
	n.mu.Unlock()
	if !known {
		return fail(fmt.Errorf("%w: it must be read first", adapter.ErrStale))
	}
	before, ok, err := c.session.document(ctx, path, "")
	switch {
	case err != nil:
		return fail(err)
	case !ok || before.Buf != c.buf || before.Tick != version:
		return fail(adapter.ErrStale)
	}
	after, err := adapter.Apply(before.Text, edits)
	if err != nil {
		return fail(err)
	}
	change, err := before.change(after)
	if err != nil {
		return fail(err)
	}
	change.Save = save
	var now document
	if err := c.session.run(ctx, "edit", change, &now); err != nil {
		if ctx.Err() != nil {
			err = fmt.Errorf("%w; the edit may have been made", err)
		}
		return fail(err)
	}
	if err := now.check(); err != nil {
		return fail(err)
	}
	c.session.seen(now.Buf, now.Tick)
	if now.Trouble != "" {
		n.options.Log.Warn("Neovim has not saved a file", "file", path, "error", truncate.Line(now.Trouble, maxErrorText))
	}
	return now.as(path), nil
}
