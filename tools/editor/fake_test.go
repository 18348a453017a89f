package editor_test

import (
	"context"
	"os"
	"strings"
	"sync"

	"github.com/dougu-go/dougu/tools/editor/adapter"
)

// fakeAdapter is the common part of the fakes.
type fakeAdapter struct {
	name string

	mu       sync.Mutex
	state    adapter.State
	watchers map[int]func()
	next     int
	closed   bool
}

func (b *fakeAdapter) Name() string { return b.name }

func (b *fakeAdapter) State() adapter.State {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.state
}

func (b *fakeAdapter) Watch(changed func()) func() {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.watchers == nil {
		b.watchers = make(map[int]func())
	}
	b.next++
	n := b.next
	b.watchers[n] = changed
	return func() {
		b.mu.Lock()
		defer b.mu.Unlock()
		delete(b.watchers, n)
	}
}

func (b *fakeAdapter) Close(context.Context) error {
	b.closed = true
	return nil
}

// setState changes the state and notifies the watchers.
func (b *fakeAdapter) setState(s adapter.State) {
	b.mu.Lock()
	b.state = s
	var all []func()
	for _, w := range b.watchers {
		all = append(all, w)
	}
	b.mu.Unlock()
	for _, w := range all {
		w()
	}
}

// fakeEditor is an editor with documents and a window.
type fakeEditor struct {
	fakeAdapter
	docs       map[string]*adapter.Document
	active     adapter.Active
	front      bool // active is valid
	opened     []string
	cursor     *adapter.Position
	asked      int
	unsavedErr error // of Unsaved
	// onDocument and onEdit replace the normal behaviour if the last result is true.
	onDocument func(path string) (adapter.Document, bool, error, bool)
	onEdit     func(ctx context.Context, path string, version int, edits []adapter.TextEdit, save bool) (adapter.Document, error, bool)
	onOpen     func(path string) error
}

func newFakeEditor(folders ...string) *fakeEditor {
	return &fakeEditor{fakeAdapter: fakeAdapter{name: "fake", state: adapter.State{Running: true, Folders: folders}}, docs: make(map[string]*adapter.Document)}
}

// addDocument opens a document.
func (e *fakeEditor) addDocument(path, text string, dirty bool) {
	e.docs[path] = &adapter.Document{Path: path, Text: text, Version: 1, Dirty: dirty}
}

func (e *fakeEditor) Unsaved(context.Context) ([]string, error) {
	var paths []string
	for path, doc := range e.docs {
		if doc.Dirty {
			paths = append(paths, path)
		}
	}
	return paths, e.unsavedErr
}

func (e *fakeEditor) Document(ctx context.Context, path string) (adapter.Document, bool, error) {
	if ctx.Err() != nil {
		return adapter.Document{}, false, ctx.Err()
	}
	e.asked++
	if e.onDocument != nil {
		if doc, open, err, did := e.onDocument(path); did {
			return doc, open, err
		}
	}
	if d, ok := e.docs[path]; ok {
		return *d, true, nil
	}
	return adapter.Document{}, false, nil
}

func (e *fakeEditor) Edit(ctx context.Context, path string, version int, edits []adapter.TextEdit, save bool) (adapter.Document, error) {
	if e.onEdit != nil {
		if doc, err, did := e.onEdit(ctx, path, version, edits, save); did {
			return doc, err
		}
	}
	return e.edit(path, version, edits, save)
}

// edit applies the edits correctly.
func (e *fakeEditor) edit(path string, version int, edits []adapter.TextEdit, save bool) (adapter.Document, error) {
	d, ok := e.docs[path]
	switch {
	case !ok:
		return adapter.Document{}, adapter.ErrNotRunning
	case d.Version != version:
		return adapter.Document{}, adapter.ErrStale
	}
	text, err := adapter.Apply(d.Text, edits)
	if err != nil {
		return adapter.Document{}, err
	}
	d.Text, d.Version, d.Dirty = text, version+1, true
	if save {
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			return *d, err
		}
		d.Dirty = false
	}
	return *d, nil
}

func (e *fakeEditor) Open(_ context.Context, path string, at *adapter.Position, _ bool) error {
	if e.onOpen != nil {
		return e.onOpen(path)
	}
	e.opened, e.cursor = append(e.opened, path), at
	return nil
}

func (e *fakeEditor) Active(context.Context) (adapter.Active, bool, error) {
	return e.active, e.front, nil
}

// fakeServer is a language server whose results are set by the test.
type fakeServer struct {
	fakeAdapter
	diagnose     func(ctx context.Context, paths []string) (adapter.Diagnostics, error)
	fixes        func(doc adapter.Document, d adapter.Diagnostic) ([]adapter.Fix, error)
	resolve      func(f adapter.Fix) ([]adapter.FileEdit, error)
	refactorings func(doc adapter.Document, part adapter.Range, kinds []string) ([]adapter.Refactoring, error)
	refactor     func(r adapter.Refactoring) ([]adapter.FileEdit, error)
	format       func(doc adapter.Document, part *adapter.Range) ([]adapter.TextEdit, error)
	definition   func(doc adapter.Document, at adapter.Position) ([]adapter.Location, error)
	references   func(doc adapter.Document, at adapter.Position) ([]adapter.Location, error)
	rename       func(doc adapter.Document, at adapter.Position, name string) ([]adapter.FileEdit, error)
	symbols      func(doc adapter.Document) ([]adapter.Symbol, error)
	findSymbols  func(query string) ([]adapter.Symbol, error)

	changed      []string // paths of FilesChanged
	readsUnsaved bool
}

func (b *fakeServer) ReadsUnsaved() bool { return b.readsUnsaved }

func newFakeServer() *fakeServer {
	return &fakeServer{fakeAdapter: fakeAdapter{name: "brain", state: adapter.State{Running: true}}}
}

func (b *fakeServer) Diagnose(ctx context.Context, paths []string) (adapter.Diagnostics, error) {
	if b.diagnose == nil {
		return adapter.Diagnostics{}, adapter.ErrUnsupported
	}
	return b.diagnose(ctx, paths)
}

func (b *fakeServer) Fixes(_ context.Context, doc adapter.Document, d adapter.Diagnostic) ([]adapter.Fix, error) {
	if b.fixes == nil {
		return nil, adapter.ErrUnsupported
	}
	return b.fixes(doc, d)
}

func (b *fakeServer) Resolve(_ context.Context, f adapter.Fix) ([]adapter.FileEdit, error) {
	if b.resolve == nil {
		return nil, adapter.ErrUnsupported
	}
	return b.resolve(f)
}

func (b *fakeServer) Refactorings(_ context.Context, doc adapter.Document, part adapter.Range, kinds []string) ([]adapter.Refactoring, error) {
	if b.refactorings == nil {
		return nil, adapter.ErrUnsupported
	}
	return b.refactorings(doc, part, kinds)
}

func (b *fakeServer) Refactor(_ context.Context, r adapter.Refactoring) ([]adapter.FileEdit, error) {
	if b.refactor == nil {
		return nil, adapter.ErrUnsupported
	}
	return b.refactor(r)
}

func (b *fakeServer) Format(_ context.Context, doc adapter.Document, part *adapter.Range) ([]adapter.TextEdit, error) {
	if b.format == nil {
		return nil, adapter.ErrUnsupported
	}
	return b.format(doc, part)
}

func (b *fakeServer) Definition(_ context.Context, doc adapter.Document, at adapter.Position) ([]adapter.Location, error) {
	if b.definition == nil {
		return nil, adapter.ErrUnsupported
	}
	return b.definition(doc, at)
}

func (b *fakeServer) References(_ context.Context, doc adapter.Document, at adapter.Position) ([]adapter.Location, error) {
	if b.references == nil {
		return nil, adapter.ErrUnsupported
	}
	return b.references(doc, at)
}

func (b *fakeServer) Rename(_ context.Context, doc adapter.Document, at adapter.Position, name string) ([]adapter.FileEdit, error) {
	if b.rename == nil {
		return nil, adapter.ErrUnsupported
	}
	return b.rename(doc, at, name)
}

func (b *fakeServer) Symbols(_ context.Context, doc adapter.Document) ([]adapter.Symbol, error) {
	if b.symbols == nil {
		return nil, adapter.ErrUnsupported
	}
	return b.symbols(doc)
}

func (b *fakeServer) FindSymbols(_ context.Context, query string) ([]adapter.Symbol, error) {
	if b.findSymbols == nil {
		return nil, adapter.ErrUnsupported
	}
	return b.findSymbols(query)
}

func (b *fakeServer) FilesChanged(paths []string) { b.changed = append(b.changed, paths...) }

// span returns a range in one line.
func span(line, from, to int) adapter.Range {
	return adapter.Range{Start: adapter.Position{Line: line, Column: from}, End: adapter.Position{Line: line, Column: to}}
}

// replaceAll returns the edits that replace a name in a text.
func replaceAll(content, name, by string) []adapter.TextEdit {
	text := adapter.NewText(content)
	var edits []adapter.TextEdit
	for at := 0; ; {
		i := strings.Index(content[at:], name)
		if i < 0 {
			return edits
		}
		i += at
		at = i + len(name)
		edits = append(edits, adapter.TextEdit{Range: adapter.Range{Start: text.Position(i), End: text.Position(at)}, NewText: by})
	}
}

// diagnoseThen calls do and returns no diagnostics.
func diagnoseThen(do func()) func(context.Context, []string) (adapter.Diagnostics, error) {
	return func(context.Context, []string) (adapter.Diagnostics, error) {
		do()
		return adapter.Diagnostics{Fresh: true}, nil
	}
}
