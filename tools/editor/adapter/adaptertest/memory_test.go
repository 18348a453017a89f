package adaptertest_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/dougu-go/dougu/tools/editor/adapter"
)

// memory is an editor in this process with all interfaces of package adapter. The word FIXME is an error, which a fix
// removes. fault selects a violation of the contract; empty is none.
type memory struct {
	adapter.Watchers
	fault string

	mu      sync.Mutex
	running bool
	docs    map[string]adapter.Document
	active  adapter.Active
	symbols int // number of calls of Symbols
}

func newMemory(fault string, running bool) *memory {
	return &memory{fault: fault, running: running, docs: make(map[string]adapter.Document)}
}

func (m *memory) Name() string { return "memory" }

func (m *memory) State() adapter.State {
	m.mu.Lock()
	defer m.mu.Unlock()
	if !m.running && m.fault != "state" {
		return adapter.State{Start: "start it"}
	}
	return adapter.State{Running: true, Detail: "in memory"}
}

func (m *memory) Watch(changed func()) (stop func()) {
	if m.fault == "watch" {
		changed()
	}
	return m.Watchers.Watch(changed)
}

func (m *memory) Close(context.Context) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.running = m.fault == "closed"
	return nil
}

// check returns an error without an editor, or after the end of the context.
func (m *memory) check(ctx context.Context) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if !m.running {
		if m.fault == "not running" {
			return errors.New("no editor")
		}
		return adapter.ErrNotRunning
	}
	return nil
}

// open opens a file as the user does.
func (m *memory) open(t *testing.T, path string) {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	content := string(text)
	if m.fault == "line ends" {
		content = strings.ReplaceAll(content, "\r\n", "\n")
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.docs[path] = adapter.Document{Path: path, Text: content, Version: 1}
}

func (m *memory) Unsaved(ctx context.Context) ([]string, error) {
	if err := m.check(ctx); err != nil {
		return nil, err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	var paths []string
	for path, doc := range m.docs {
		if doc.Dirty && m.fault != "unsaved" {
			paths = append(paths, path)
		}
	}
	return paths, nil
}

func (m *memory) Document(ctx context.Context, path string) (adapter.Document, bool, error) {
	if err := m.check(ctx); err != nil {
		return adapter.Document{}, false, err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	doc, open := m.docs[path]
	return doc, open, nil
}

func (m *memory) Edit(ctx context.Context, path string, version int, edits []adapter.TextEdit, save bool) (adapter.Document, error) {
	if err := m.check(ctx); err != nil && m.fault != "ended edit" {
		return adapter.Document{}, err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	doc, open := m.docs[path]
	switch {
	case !open:
		return adapter.Document{}, adapter.ErrUnsupported
	case version != doc.Version && m.fault != "stale":
		return adapter.Document{}, adapter.ErrStale
	}
	if m.fault == "columns" { // counts bytes
		for i := range edits {
			edits[i].Range.Start.Column--
		}
	}
	text, err := adapter.Apply(doc.Text, edits)
	if err != nil {
		return adapter.Document{}, err
	}
	doc.Text, doc.Version, doc.Dirty = text, doc.Version+1, true
	if save || m.fault == "disk" {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			return adapter.Document{}, err
		}
		doc.Dirty = !save
	}
	m.docs[path] = doc
	return doc, nil
}

func (m *memory) Open(ctx context.Context, path string, at *adapter.Position, _ bool) error {
	if err := m.check(ctx); err != nil {
		return err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.active = adapter.Active{Path: path, Cursor: adapter.Position{Line: 1, Column: 1}}
	if at != nil && m.fault != "cursor" {
		m.active.Cursor = *at
	}
	return nil
}

func (m *memory) Active(ctx context.Context) (adapter.Active, bool, error) {
	if err := m.check(ctx); err != nil {
		return adapter.Active{}, false, err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.active, m.active.Path != "", nil
}

func (m *memory) Diagnose(ctx context.Context, paths []string) (adapter.Diagnostics, error) {
	if err := m.check(ctx); err != nil && m.fault != "fresh" {
		return adapter.Diagnostics{}, err
	}
	d := adapter.Diagnostics{Fresh: true, Covered: []string{}}
	for _, path := range paths {
		text, err := os.ReadFile(path)
		if err != nil {
			continue
		}
		d.Covered = append(d.Covered, path)
		for _, l := range find(path, string(text), "FIXME") {
			d.Items = append(d.Items, adapter.Diagnostic{Path: path, Range: l.Range, Severity: adapter.Error, Message: "FIXME is left"})
		}
	}
	switch m.fault {
	case "covered":
		d.Covered = nil
	case "range":
		for i := range d.Items {
			d.Items[i].Range.End.Line = 100
		}
	}
	return d, nil
}

func (m *memory) Fixes(ctx context.Context, doc adapter.Document, d adapter.Diagnostic) ([]adapter.Fix, error) {
	if err := m.check(ctx); err != nil || d.Message != "FIXME is left" {
		return nil, err
	}
	if m.fault == "fix" {
		d.Range.End.Line = 100
	}
	return []adapter.Fix{{Title: "Remove it", Kind: "quickfix", Ref: adapter.FileEdit{Path: doc.Path, Edits: []adapter.TextEdit{{Range: d.Range}}}}}, nil
}

func (m *memory) Resolve(_ context.Context, f adapter.Fix) ([]adapter.FileEdit, error) {
	return []adapter.FileEdit{f.Ref.(adapter.FileEdit)}, nil
}

func (m *memory) Refactorings(ctx context.Context, doc adapter.Document, part adapter.Range, kinds []string) ([]adapter.Refactoring, error) {
	if err := m.check(ctx); err != nil {
		return nil, err
	}
	all := []adapter.Refactoring{{Title: "Extract it", Kind: "refactor.extract.function", Ref: doc.Path}, {Title: "Inline it", Kind: "refactor.inline", Ref: doc.Path}}
	return slices.DeleteFunc(all, func(r adapter.Refactoring) bool {
		return m.fault != "kinds" && !slices.ContainsFunc(kinds, func(kind string) bool { return strings.HasPrefix(r.Kind, kind) })
	}), nil
}

func (m *memory) Refactor(_ context.Context, r adapter.Refactoring) ([]adapter.FileEdit, error) {
	return []adapter.FileEdit{{Path: r.Ref.(string)}}, nil
}

func (m *memory) Format(ctx context.Context, doc adapter.Document, part *adapter.Range) ([]adapter.TextEdit, error) {
	if err := m.check(ctx); err != nil {
		return nil, err
	}
	var edits []adapter.TextEdit
	for _, l := range find(doc.Path, doc.Text, "  ") {
		edits = append(edits, adapter.TextEdit{Range: l.Range, NewText: " "})
	}
	if m.fault == "format" {
		edits = append(edits, edits...)
	}
	return edits, nil
}

func (m *memory) Definition(ctx context.Context, doc adapter.Document, at adapter.Position) ([]adapter.Location, error) {
	all, err := m.References(ctx, doc, at)
	if m.fault == "definition" {
		return nil, err
	}
	return all[:min(1, len(all))], err
}

func (m *memory) References(ctx context.Context, doc adapter.Document, at adapter.Position) ([]adapter.Location, error) {
	if err := m.check(ctx); err != nil {
		return nil, err
	}
	offset, err := adapter.NewText(doc.Text).Offset(at)
	if err != nil && m.fault == "outside" {
		offset, err = 0, nil
	}
	if err != nil {
		return nil, err
	}
	word := regexp.MustCompile(`^\w+`).FindString(doc.Text[offset:])
	if word == "" {
		return nil, nil
	}
	return find(doc.Path, doc.Text, word), nil
}

func (m *memory) Rename(ctx context.Context, doc adapter.Document, at adapter.Position, name string) ([]adapter.FileEdit, error) {
	all, err := m.References(ctx, doc, at)
	if m.fault == "rename" {
		all = all[:min(1, len(all))]
	}
	e := adapter.FileEdit{Path: doc.Path}
	for _, l := range all {
		e.Edits = append(e.Edits, adapter.TextEdit{Range: l.Range, NewText: name})
	}
	if m.fault == "write" {
		_ = os.WriteFile(doc.Path, []byte("renamed"), 0o600)
	}
	return []adapter.FileEdit{e}, err
}

func (m *memory) Symbols(ctx context.Context, doc adapter.Document) ([]adapter.Symbol, error) {
	if err := m.check(ctx); err != nil {
		return nil, err
	}
	m.mu.Lock()
	m.symbols++
	call := m.symbols
	m.mu.Unlock()
	switch {
	case call > 1 && m.fault == "mixed":
		return nil, nil
	case call == 2 && m.fault == "panic":
		panic("a second call")
	}
	var all []adapter.Symbol
	for _, l := range find(doc.Path, doc.Text, "count")[:1] {
		all = append(all, adapter.Symbol{Name: "count", Kind: "variable", Location: l, Selection: l.Range})
	}
	return all, nil
}

func (m *memory) FindSymbols(ctx context.Context, query string) ([]adapter.Symbol, error) {
	return nil, errors.Join(m.check(ctx), adapter.ErrUnsupported)
}

func (m *memory) FilesChanged([]string) {
	if m.fault == "listener" {
		time.Sleep(time.Hour)
	}
}

func (m *memory) CoversProject() bool { return true }

func (m *memory) WhyUnchecked(path string) (reason, next string) {
	if m.fault == "reason" {
		return "", "do it"
	}
	return "there is no checker for " + filepath.Ext(path), ""
}

func (m *memory) Unindexed(string) (reason, next string) { return "", "" }

// find returns the places of a text.
func find(path, content, word string) (all []adapter.Location) {
	text := adapter.NewText(content)
	for _, at := range regexp.MustCompile(regexp.QuoteMeta(word)).FindAllStringIndex(content, -1) {
		all = append(all, adapter.Location{Path: path, Range: adapter.Range{Start: text.Position(at[0]), End: text.Position(at[1])}})
	}
	return all
}
