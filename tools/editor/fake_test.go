package editor_test

import (
	"context"
	"os"
	"strings"
	"sync"

	"github.com/dougu-go/dougu/tools/editor/adapter"
)

// base is what all fakes have.
type base struct {
	name string

	mu       sync.Mutex
	state    adapter.State
	watchers map[int]func()
	next     int
	closed   bool
}

func (b *base) Name() string { return b.name }

func (b *base) State() adapter.State {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.state
}

func (b *base) Watch(changed func()) func() {
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

func (b *base) Close(context.Context) error {
	b.closed = true
	return nil
}

// become changes the state and tells those who watch it.
func (b *base) become(s adapter.State) {
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

// ide is an editor with documents and a window.
type ide struct {
	base
	docs   map[string]*adapter.Document
	active adapter.Active
	front  bool // active is one
	opened []string
	cursor *adapter.Position
	asked  int
	// onDocument and onEdit do something else than what is right; they say whether they did.
	onDocument func(path string) (adapter.Document, bool, error, bool)
	onEdit     func(ctx context.Context, path string, version int, edits []adapter.TextEdit, save bool) (adapter.Document, error, bool)
	onOpen     func(path string) error
}

func newIDE(folders ...string) *ide {
	return &ide{base: base{name: "fake", state: adapter.State{Running: true, Folders: folders}}, docs: make(map[string]*adapter.Document)}
}

// holds opens a document.
func (e *ide) holds(path, text string, dirty bool) {
	e.docs[path] = &adapter.Document{Path: path, Text: text, Version: 1, Dirty: dirty}
}

func (e *ide) Document(_ context.Context, path string) (adapter.Document, bool, error) {
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

func (e *ide) Edit(ctx context.Context, path string, version int, edits []adapter.TextEdit, save bool) (adapter.Document, error) {
	if e.onEdit != nil {
		if doc, err, did := e.onEdit(ctx, path, version, edits, save); did {
			return doc, err
		}
	}
	return e.edit(path, version, edits, save)
}

// edit does what is right.
func (e *ide) edit(path string, version int, edits []adapter.TextEdit, save bool) (adapter.Document, error) {
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

func (e *ide) Open(_ context.Context, path string, at *adapter.Position, _ bool) error {
	if e.onOpen != nil {
		return e.onOpen(path)
	}
	e.opened, e.cursor = append(e.opened, path), at
	return nil
}

func (e *ide) Active(context.Context) (adapter.Active, bool, error) { return e.active, e.front, nil }

// brain knows of the code what a test tells it.
type brain struct {
	base
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

	told []string // FilesChanged
}

func newBrain() *brain {
	return &brain{base: base{name: "brain", state: adapter.State{Running: true}}}
}

func (b *brain) Diagnose(ctx context.Context, paths []string) (adapter.Diagnostics, error) {
	if b.diagnose == nil {
		return adapter.Diagnostics{}, adapter.ErrUnsupported
	}
	return b.diagnose(ctx, paths)
}

func (b *brain) Fixes(_ context.Context, doc adapter.Document, d adapter.Diagnostic) ([]adapter.Fix, error) {
	if b.fixes == nil {
		return nil, adapter.ErrUnsupported
	}
	return b.fixes(doc, d)
}

func (b *brain) Resolve(_ context.Context, f adapter.Fix) ([]adapter.FileEdit, error) {
	if b.resolve == nil {
		return nil, adapter.ErrUnsupported
	}
	return b.resolve(f)
}

func (b *brain) Refactorings(_ context.Context, doc adapter.Document, part adapter.Range, kinds []string) ([]adapter.Refactoring, error) {
	if b.refactorings == nil {
		return nil, adapter.ErrUnsupported
	}
	return b.refactorings(doc, part, kinds)
}

func (b *brain) Refactor(_ context.Context, r adapter.Refactoring) ([]adapter.FileEdit, error) {
	if b.refactor == nil {
		return nil, adapter.ErrUnsupported
	}
	return b.refactor(r)
}

func (b *brain) Format(_ context.Context, doc adapter.Document, part *adapter.Range) ([]adapter.TextEdit, error) {
	if b.format == nil {
		return nil, adapter.ErrUnsupported
	}
	return b.format(doc, part)
}

func (b *brain) Definition(_ context.Context, doc adapter.Document, at adapter.Position) ([]adapter.Location, error) {
	if b.definition == nil {
		return nil, adapter.ErrUnsupported
	}
	return b.definition(doc, at)
}

func (b *brain) References(_ context.Context, doc adapter.Document, at adapter.Position) ([]adapter.Location, error) {
	if b.references == nil {
		return nil, adapter.ErrUnsupported
	}
	return b.references(doc, at)
}

func (b *brain) Rename(_ context.Context, doc adapter.Document, at adapter.Position, name string) ([]adapter.FileEdit, error) {
	if b.rename == nil {
		return nil, adapter.ErrUnsupported
	}
	return b.rename(doc, at, name)
}

func (b *brain) Symbols(_ context.Context, doc adapter.Document) ([]adapter.Symbol, error) {
	if b.symbols == nil {
		return nil, adapter.ErrUnsupported
	}
	return b.symbols(doc)
}

func (b *brain) FindSymbols(_ context.Context, query string) ([]adapter.Symbol, error) {
	if b.findSymbols == nil {
		return nil, adapter.ErrUnsupported
	}
	return b.findSymbols(query)
}

func (b *brain) FilesChanged(paths []string) { b.told = append(b.told, paths...) }

// span is a range in one line.
func span(line, from, to int) adapter.Range {
	return adapter.Range{Start: adapter.Position{Line: line, Column: from}, End: adapter.Position{Line: line, Column: to}}
}

// replaceAll are the edits that put one name for another in a text.
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

// diagnoseThen finds nothing wrong, and does something before.
func diagnoseThen(do func()) func(context.Context, []string) (adapter.Diagnostics, error) {
	return func(context.Context, []string) (adapter.Diagnostics, error) {
		do()
		return adapter.Diagnostics{Fresh: true}, nil
	}
}
