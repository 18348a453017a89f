package adaptertest

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"testing"

	"github.com/dougu-go/dougu/internal/group"
	"github.com/dougu-go/dougu/tools/editor/adapter"
)

// span returns a range.
func span(line, column, endLine, endColumn int) adapter.Range {
	return adapter.Range{Start: adapter.Position{Line: line, Column: column}, End: adapter.Position{Line: endLine, Column: endColumn}}
}

// show opens a file in the editor.
func (s *session) show(t *testing.T, path string) {
	t.Helper()
	if s.Open != nil {
		s.Open(t, s.adapter, path)
		return
	}
	w, ok := s.adapter.(adapter.Windows)
	if !ok {
		t.Skip("Harness.Open is nil, and the adapter does not implement Windows")
	}
	if err := w.Open(s.context(t), path, nil, false); err != nil {
		t.Fatalf("Open returned %v", err)
	}
}

func testBuffers(t *testing.T, s *session) {
	buffers := s.adapter.(adapter.Buffers)
	path := s.path(plainFile)
	s.show(t, path)
	s.show(t, s.path(crlfFile))
	b := buffer{t, s, buffers, path}
	doc := b.document()
	if doc.Path != path || doc.Text != plainText || doc.Dirty {
		t.Fatalf("the open document is %+v, want the path %s, the text %q and no changes", doc, path, plainText)
	}
	for _, name := range []string{closedFile, "adaptertest-missing.txt"} {
		if doc, open, err := buffers.Document(s.context(t), s.path(name)); err != nil || open {
			t.Errorf("for a file that is not open, Document returned %+v, %t, %v", doc, open, err)
		}
	}
	b.checkEdits(doc)
	b.checkRefusals()
	b.checkSave()
	b.checkConcurrent()
	b.checkLineEnds()
}

// buffer is an open document of the editor.
type buffer struct {
	t       *testing.T
	s       *session
	buffers adapter.Buffers
	path    string
}

// document returns the document, which must be open.
func (b buffer) document() adapter.Document {
	b.t.Helper()
	doc, open, err := b.buffers.Document(b.s.context(b.t), b.path)
	if err != nil || !open {
		b.t.Fatalf("Document of an open file returned %t, %v", open, err)
	}
	return doc
}

// change edits the document and checks the result.
func (b buffer) change(doc adapter.Document, save bool, edits ...adapter.TextEdit) adapter.Document {
	b.t.Helper()
	want, err := adapter.Apply(doc.Text, edits)
	if err != nil {
		b.t.Fatal(err)
	}
	got, err := b.buffers.Edit(b.s.context(b.t), b.path, doc.Version, edits, save)
	if err != nil {
		b.t.Fatalf("Edit returned %v", err)
	}
	if unsaved, err := b.buffers.Unsaved(b.s.context(b.t)); err != nil || slices.Contains(unsaved, b.path) != got.Dirty {
		b.t.Errorf("after an edit (save: %t) Unsaved returned %q, %v", save, unsaved, err)
	}
	if now := b.document(); got.Path != b.path || got.Text != want || got.Dirty == save || now != got {
		b.t.Errorf("after an edit (save: %t) Edit returned %+v and Document %+v; the text must be %q", save, got, now, want)
	}
	if got.Version == doc.Version {
		b.t.Errorf("the version is %d before and after an edit", doc.Version)
	}
	return got
}

// checkEdits changes the document at places that only UTF-16 columns describe correctly.
func (b buffer) checkEdits(doc adapter.Document) {
	b.t.Helper()
	doc = b.change(doc, false, adapter.TextEdit{Range: span(2, 4, 2, 6), NewText: "x😀y"}) // the emoji has two code units
	b.change(doc, false,
		adapter.TextEdit{Range: span(3, 2, 3, 6), NewText: "LAST"},
		adapter.TextEdit{Range: span(1, 1, 1, 1), NewText: "zeroth line\n"},
		adapter.TextEdit{Range: span(1, 6, 2, 1), NewText: " "})
	if onDisk, err := os.ReadFile(b.path); err != nil || string(onDisk) != plainText {
		b.t.Errorf("an edit without save changed the file to %q, %v", onDisk, err)
	}
}

// checkRefusals checks that a refused edit changes nothing.
func (b buffer) checkRefusals() {
	b.t.Helper()
	doc := b.document()
	insert := []adapter.TextEdit{{Range: span(1, 1, 1, 1), NewText: "stale"}}
	if _, err := b.buffers.Edit(b.s.context(b.t), b.path, doc.Version+1000, insert, false); !errors.Is(err, adapter.ErrStale) {
		b.t.Errorf("an edit of another version returned %v; the error must wrap ErrStale", err)
	}
	if _, err := b.buffers.Edit(b.s.context(b.t), b.path, doc.Version, []adapter.TextEdit{{Range: span(9000, 1, 9000, 5), NewText: "x"}}, false); err == nil {
		b.t.Error("an edit of a line that does not exist succeeded")
	}
	if _, err := b.buffers.Edit(b.s.context(b.t), b.s.path(closedFile), 1, insert, false); err == nil {
		b.t.Error("an edit of a document that is not open succeeded")
	}
	ended, cancel := context.WithCancel(b.t.Context())
	cancel()
	if _, err := b.buffers.Edit(ended, b.path, doc.Version, insert, false); err == nil {
		b.t.Error("an edit succeeded although its context had ended")
	}
	if now := b.document(); now.Text != doc.Text {
		b.t.Errorf("refused edits changed the text from %q to %q", doc.Text, now.Text)
	}
}

func (b buffer) checkSave() {
	b.t.Helper()
	doc := b.change(b.document(), true, adapter.TextEdit{Range: span(1, 1, 1, 1), NewText: "saved "})
	if onDisk, err := os.ReadFile(b.path); err != nil || string(onDisk) != doc.Text {
		b.t.Errorf("the saved file is %q, %v; want %q", onDisk, err, doc.Text)
	}
}

// checkConcurrent edits one version several times at once.
func (b buffer) checkConcurrent() {
	b.t.Helper()
	doc := b.document()
	errs := make([]error, 2*concurrency)
	var edits group.Group
	for i := range errs {
		edits.Go(func() {
			_, errs[i] = b.buffers.Edit(b.s.context(b.t), b.path, doc.Version, []adapter.TextEdit{{Range: span(1, 1, 1, 1), NewText: fmt.Sprint(i)}}, false)
		})
	}
	b.s.within(b.t, "a concurrent edit", edits.Wait)
	succeeded := 0
	for _, err := range errs {
		if err == nil {
			succeeded++
		} else if !errors.Is(err, adapter.ErrStale) {
			b.t.Errorf("a concurrent edit returned %v; the error must wrap ErrStale", err)
		}
	}
	if now := b.document(); succeeded != 1 || len(now.Text) != len(doc.Text)+1 {
		b.t.Errorf("%d of %d concurrent edits of one version succeeded, and the text became %q", succeeded, len(errs), now.Text)
	}
}

// checkLineEnds checks that a document keeps its CRLF line ends.
func (b buffer) checkLineEnds() {
	b.t.Helper()
	b.path = b.s.path(crlfFile)
	doc := b.document()
	if doc.Text != crlfText {
		b.t.Fatalf("a document with CRLF has the text %q, want %q", doc.Text, crlfText)
	}
	b.change(doc, true, adapter.TextEdit{Range: span(2, 5, 2, 9), NewText: "three"})
	if onDisk, err := os.ReadFile(b.path); err != nil || string(onDisk) != "one\r\ntwo three\r\nthree\r\n" {
		b.t.Errorf("the saved file with CRLF is %q, %v", onDisk, err)
	}
}

func testWindows(t *testing.T, s *session) {
	w := s.adapter.(adapter.Windows)
	path, at := s.path(plainFile), adapter.Position{Line: 2, Column: 6} // after the emoji
	if !supported(t, "Open", w.Open(s.context(t), path, &at, false)) {
		return
	}
	active, ok, err := w.Active(s.context(t))
	if supported(t, "Active", err) && (!ok || active.Path != path || active.Cursor != at || active.Dirty) {
		t.Errorf("after Open of %s at %+v, Active returned %+v, %t", path, at, active, ok)
	}
	far := adapter.Position{Line: 9000, Column: 9000}
	for what, open := range map[string]func() error{
		"at a line that does not exist": func() error { return w.Open(s.context(t), path, &far, true) },
		"of a missing file":             func() error { return w.Open(s.context(t), s.path("adaptertest-missing.txt"), nil, false) },
	} {
		s.within(t, "Open "+what, func() { _ = open() })
	}
	active, ok, err = w.Active(s.context(t))
	if err != nil && !errors.Is(err, adapter.ErrUnsupported) || ok && (active.Cursor.Line < 1 || active.Cursor.Column < 1) {
		t.Errorf("Active returned %+v, %t, %v", active, ok, err)
	}
	if onDisk := s.read(t, plainFile); onDisk != plainText {
		t.Errorf("showing a file changed it to %q", onDisk)
	}
}
