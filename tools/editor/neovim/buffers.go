package neovim

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/dougu-go/dougu/tools/editor/adapter"
	"github.com/dougu-go/dougu/tools/editor/internal/buffer"
	"github.com/dougu-go/dougu/tools/editor/internal/presence"
	"github.com/dougu-go/dougu/tools/editor/internal/relay"
)

// document is the state of a buffer, as Neovim reports it. It is the result of lua/document.lua.
type document struct {
	Buf      int            `msgpack:"buf"` // number of the buffer; 0 if the file has none
	Tick     int            `msgpack:"tick"`
	Text     string         `msgpack:"text"`
	Same     bool           `msgpack:"same"`   // the known text is left out
	Ending   string         `msgpack:"ending"` // line ending
	EOL      bool           `msgpack:"eol"`    // whether the last line has a line ending
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
	known, isKnown := s.texts.get(path)
	if isKnown {
		args["known"] = map[string]any{"buf": known.Buf, "tick": known.Tick, "ending": known.Ending, "eol": known.EOL}
	}
	if err := s.run(ctx, "document", args, &d); err != nil {
		return d, false, err
	}
	if d.Buf == 0 {
		return d, false, nil
	}
	if d.Same && !isKnown {
		return d, false, errors.New("Neovim left out a text that was not read before")
	}
	if d.Same {
		d.Text = known.Text
		return d, true, nil
	}
	if err := d.Describe().Check(); err != nil {
		return d, true, err
	}
	s.texts.put(path, d)
	return d, true, nil
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
	if err == nil {
		s.mu.Lock()
		s.unsaved = found.Paths
		s.mu.Unlock()
	}
	return found.Paths, err
}

// Process implements buffer.Session.
func (s *session) Process() int { return s.pid }

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

// mayHave reports whether a session that does not answer may have files of the project open: because of its working directory, or
// because it has listed unsaved text of such a file before.
func (n *Neovim) mayHave(s *session) bool {
	if n.concerns(s) {
		return true
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.ContainsFunc(s.unsaved, n.inProject)
}

// unanswered returns an error that names a Neovim which listens, does not answer, and may have files of the project open.
func (n *Neovim) unanswered() error {
	for _, pid := range n.connections.Unanswered(answerTime) {
		if n.address != "" || presence.MayConcern(pid, n.dirs()) {
			return presence.NoAnswer("Neovim", pid)
		}
	}
	return nil
}

// present looks for new Neovims and returns all sessions, since a Neovim can have any file open. The error names a Neovim that
// does not answer, or says that some sockets were not examined.
func (n *Neovim) present(ctx context.Context) ([]*session, error) {
	n.refresh(ctx)
	if ctx.Err() != nil {
		return n.sessions(), fmt.Errorf("looking for Neovim: %w", context.Cause(ctx))
	}
	err := n.unanswered()
	if err == nil && n.tooMany.Load() {
		err = fmt.Errorf("there are more than %d sockets of Neovim: remove the sockets of Neovims that have ended", maxEndpoints)
	}
	return n.sessions(), err
}

// Unsaved returns the paths of the buffers with unsaved changes in all Neovims of the user, for files in any directory. It returns
// nothing, without an error, if no Neovim runs. A Neovim of the project that listens and does not answer is an error.
func (n *Neovim) Unsaved(ctx context.Context) ([]string, error) {
	all, missing := n.present(ctx)
	paths, err := n.documents.Unsaved(ctx, all)
	return paths, cmp.Or(missing, err)
}

// Document returns the document of a file that is open in a buffer of any Neovim of the user; ok is false if it is not. If several
// Neovims have it, the one with unsaved changes is preferred. It fails with adapter.ErrNotRunning if no Neovim runs. A Neovim of the
// project that listens and does not answer is an error; it comes with the document of another one.
func (n *Neovim) Document(ctx context.Context, path string) (doc adapter.Document, ok bool, err error) {
	all, missing := n.present(ctx)
	if len(all) == 0 && missing == nil {
		return doc, false, fmt.Errorf("reading %s in Neovim: %w", path, adapter.ErrNotRunning)
	}
	slices.SortStableFunc(all, func(a, b *session) int { return n.coverage(b, path) - n.coverage(a, path) })
	doc, ok, err = n.documents.Read(ctx, path, all)
	return doc, ok, cmp.Or(err, missing)
}

// Edit changes a document that Document returned, as one undo step. The result includes changes that Neovim makes on saving, for
// example formatting. If the document could not be saved, the result is Dirty and there is no error. It fails with adapter.ErrStale
// if version is outdated.
func (n *Neovim) Edit(ctx context.Context, path string, version int, edits []adapter.TextEdit, save bool) (adapter.Document, error) {
	return n.documents.Edit(ctx, path, version, edits, save)
}
