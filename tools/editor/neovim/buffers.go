package neovim

import (
	"cmp"
	"context"
	"fmt"

	"github.com/dougu-go/dougu/tools/editor/adapter"
	"github.com/dougu-go/dougu/tools/editor/internal/buffer"
	"github.com/dougu-go/dougu/tools/editor/internal/relay"
)

// document is the state of a buffer, as Neovim reports it. It is the result of lua/document.lua.
type document struct {
	Buf      int            `msgpack:"buf"` // number of the buffer; 0 if the file has none
	Tick     int            `msgpack:"tick"`
	Text     string         `msgpack:"text"`
	Ending   string         `msgpack:"ending"` // line ending
	Dirty    bool           `msgpack:"dirty"`
	Editable bool           `msgpack:"editable"`
	Filetype string         `msgpack:"filetype"`
	Clients  []relay.Server `msgpack:"clients"`
	Tab      int            `msgpack:"tab"`
	Spaces   bool           `msgpack:"spaces"`
	Trouble  string         `msgpack:"trouble"` // reason why the buffer could not be saved
}

// languages maps Neovim's file types to language identifiers of the Language Server Protocol, where the names differ.
var languages = map[string]string{
	"sh": "shellscript", "bash": "shellscript", "cs": "csharp", "objc": "objective-c", "objcpp": "objective-cpp", "make": "makefile", "text": "plaintext",
}

// Describe implements buffer.Described.
func (d document) Describe() buffer.Buffer {
	language := cmp.Or(languages[d.Filetype], d.Filetype)
	return buffer.Buffer{
		ID: d.Buf, Tick: d.Tick, Text: d.Text, Ending: d.Ending, Dirty: d.Dirty, Editable: d.Editable, Language: language, Trouble: d.Trouble,
	}
}

// document reads the buffer of a file. ok is false if there is none. If method is set, Clients are the language servers that
// support it.
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
	return d, true, d.Describe().Check()
}

// Document implements buffer.Session.
func (s *session) Document(ctx context.Context, path string) (document, bool, error) {
	return s.document(ctx, path, "")
}

// Unsaved implements buffer.Session.
func (s *session) Unsaved(ctx context.Context) ([]string, error) {
	var found struct {
		Paths []string `msgpack:"paths"`
	}
	err := s.run(ctx, "unsaved", map[string]any{}, &found)
	return found.Paths, err
}

// Change implements buffer.Session.
func (s *session) Change(ctx context.Context, _ string, before document, text string, save bool) (now document, err error) {
	change, err := before.change(text)
	if err != nil {
		return now, err
	}
	change.Save = save
	if err := s.run(ctx, "edit", change, &now); err != nil {
		if ctx.Err() != nil {
			err = fmt.Errorf("%w; the edit may have been made", err)
		}
		return now, err
	}
	if err := now.Describe().Check(); err != nil {
		return now, err
	}
	s.recordTick(now.Buf, now.Tick)
	return now, nil
}

// Unsaved returns the paths of the buffers with unsaved changes in all Neovims of the project. It returns nothing, without an error,
// if no Neovim runs.
func (n *Neovim) Unsaved(ctx context.Context) ([]string, error) {
	all := n.connected()
	if len(all) == 0 {
		n.lookout.Refresh(ctx)
		all = n.connected()
	}
	return n.documents.Unsaved(ctx, all)
}

// Document returns the document of a file that is open in a buffer; ok is false if it is not. If several Neovims have it, the one
// with unsaved changes is preferred. It fails with adapter.ErrNotRunning if no Neovim covers the file.
func (n *Neovim) Document(ctx context.Context, path string) (adapter.Document, bool, error) {
	sessions, err := n.covering(ctx, path)
	if err != nil {
		return adapter.Document{}, false, fmt.Errorf("reading %s in Neovim: %w", path, err)
	}
	return n.documents.Read(ctx, path, sessions)
}

// Edit changes a document that Document returned, as one undo step. The result includes changes that Neovim makes on saving, for
// example formatting. If the document could not be saved, the result is Dirty and there is no error. It fails with adapter.ErrStale
// if version is outdated.
func (n *Neovim) Edit(ctx context.Context, path string, version int, edits []adapter.TextEdit, save bool) (adapter.Document, error) {
	return n.documents.Edit(ctx, path, version, edits, save)
}
