package viewtest

import (
	"context"
	"os"
	"sync"
	"testing"

	"github.com/dougu-go/dougu/tools/editor/adapter"
)

// user is the person at an editor. Paths are absolute.
type user interface {
	// write opens a file, if need be, and replaces its text in the editor.
	write(t *testing.T, path, text string)
	save(t *testing.T, path string)
	undo(t *testing.T, path string)
	// reload discards the unsaved text of a file.
	reload(t *testing.T, path string)
	closeAll(t *testing.T)
	// look returns the text in the editor.
	look(t *testing.T, path string) (text string, open, dirty bool)
}

// memory is an editor in memory.
type memory struct {
	adapter.Watchers
	mu   sync.Mutex
	docs map[string]*memoryDoc
}

type memoryDoc struct {
	adapter.Document
	saved  string
	former []string // texts before changes, for undo
}

func newMemory() *memory { return &memory{docs: make(map[string]*memoryDoc)} }

func (m *memory) Name() string                { return "memory" }
func (m *memory) State() adapter.State        { return adapter.State{Running: true} }
func (m *memory) Close(context.Context) error { return nil }

// refresh reads a document without changes again, as editors do.
func (d *memoryDoc) refresh() {
	if raw, err := os.ReadFile(d.Path); !d.Dirty && err == nil && string(raw) != d.Text {
		d.set(string(raw))
		d.saved, d.Dirty = d.Text, false
	}
}

func (d *memoryDoc) set(text string) {
	d.former = append(d.former, d.Text)
	d.Text, d.Version, d.Dirty = text, d.Version+1, text != d.saved
}

func (m *memory) doc(path string) *memoryDoc {
	d, ok := m.docs[path]
	if !ok {
		raw, _ := os.ReadFile(path)
		d = &memoryDoc{Document: adapter.Document{Path: path, Text: string(raw), Version: 1}, saved: string(raw)}
		m.docs[path] = d
	}
	return d
}

func (m *memory) Unsaved(context.Context) ([]string, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	var paths []string
	for path, d := range m.docs {
		if d.Dirty {
			paths = append(paths, path)
		}
	}
	return paths, nil
}

func (m *memory) Document(_ context.Context, path string) (adapter.Document, bool, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	d, ok := m.docs[path]
	if !ok {
		return adapter.Document{}, false, nil
	}
	d.refresh()
	return d.Document, true, nil
}

func (m *memory) Edit(_ context.Context, path string, version int, edits []adapter.TextEdit, save bool) (adapter.Document, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	d, ok := m.docs[path]
	if !ok || d.Version != version {
		return adapter.Document{}, adapter.ErrStale
	}
	text, err := adapter.Apply(d.Text, edits)
	if err != nil {
		return adapter.Document{}, err
	}
	d.set(text)
	d.Dirty = true
	if save {
		err = os.WriteFile(path, []byte(text), 0o644)
		d.saved, d.Dirty = text, false
	}
	return d.Document, err
}

func (m *memory) write(_ *testing.T, path, text string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.doc(path).set(text)
}

func (m *memory) save(t *testing.T, path string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	d := m.doc(path)
	if err := os.WriteFile(path, []byte(d.Text), 0o644); err != nil {
		t.Fatal(err)
	}
	d.saved, d.Dirty = d.Text, false
}

func (m *memory) undo(_ *testing.T, path string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if d := m.doc(path); len(d.former) > 0 {
		d.Text, d.Version = d.former[len(d.former)-1], d.Version+1
		d.former, d.Dirty = d.former[:len(d.former)-1], d.Text != d.saved
	}
}

func (m *memory) reload(t *testing.T, path string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	raw, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	d := m.doc(path)
	d.set(string(raw))
	d.saved, d.Dirty = d.Text, false
}

func (m *memory) closeAll(*testing.T) {
	m.mu.Lock()
	defer m.mu.Unlock()
	clear(m.docs)
}

func (m *memory) look(_ *testing.T, path string) (text string, open, dirty bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	d, ok := m.docs[path]
	if !ok {
		return "", false, false
	}
	return d.Text, true, d.Dirty
}
