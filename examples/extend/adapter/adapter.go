// Package adapter connects the code tools to an editor that holds documents in memory: the tools read and change its open
// documents, and get diagnostics from it.
//
// Copy it to connect another editor: replace Editor by the connection to it, and implement the further interfaces of package
// tools/editor/adapter that the editor can serve. The test runs the conformance kit, and calls the tools.
package adapter

import (
	"context"
	"fmt"
	"os"
	"regexp"
	"sync"

	"github.com/dougu-go/dougu/tools/editor/adapter"
)

// Editor is an editor in this process. It reports each TODO as a warning. The zero value is an editor that is not running. Its
// methods may be called concurrently.
type Editor struct {
	watchers adapter.Watchers

	mu      sync.Mutex
	running bool
	docs    map[string]adapter.Document // open documents by path
}

var (
	_ adapter.Adapter   = (*Editor)(nil)
	_ adapter.Buffers   = (*Editor)(nil)
	_ adapter.Diagnoser = (*Editor)(nil)
)

// Start starts the editor.
func (e *Editor) Start() {
	e.mu.Lock()
	e.running, e.docs = true, make(map[string]adapter.Document)
	e.mu.Unlock()
	e.watchers.Notify() // the tools of the editor are listed now
}

// Load opens a file in the editor, as its user does.
func (e *Editor) Load(path string) error {
	text, err := os.ReadFile(path)
	if err != nil {
		return fmt.Errorf("opening a document: %w", err)
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	if !e.running {
		return adapter.ErrNotRunning
	}
	e.docs[path] = adapter.Document{Path: path, Text: string(text), Version: 1}
	return nil
}

// Name implements adapter.Adapter.
func (e *Editor) Name() string { return "memory" }

// State implements adapter.Adapter.
func (e *Editor) State() adapter.State {
	e.mu.Lock()
	defer e.mu.Unlock()
	if !e.running {
		return adapter.State{Start: "start the editor"}
	}
	return adapter.State{Running: true, Detail: fmt.Sprintf("%d open documents", len(e.docs))}
}

// Watch implements adapter.Adapter.
func (e *Editor) Watch(changed func()) (stop func()) { return e.watchers.Watch(changed) }

// Close implements adapter.Adapter. The editor has been started by its user, and would keep running if it were a program.
func (e *Editor) Close(context.Context) error {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.running = false
	return nil
}

// check returns the reason why a call cannot be served. Callers hold mu.
func (e *Editor) check(ctx context.Context) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	if !e.running {
		return adapter.ErrNotRunning
	}
	return nil
}

// Unsaved implements adapter.Buffers.
func (e *Editor) Unsaved(ctx context.Context) ([]string, error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	var paths []string
	for path, doc := range e.docs {
		if doc.Dirty {
			paths = append(paths, path)
		}
	}
	return paths, e.check(ctx)
}

// Document implements adapter.Buffers.
func (e *Editor) Document(ctx context.Context, path string) (adapter.Document, bool, error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	doc, open := e.docs[path]
	return doc, open, e.check(ctx)
}

// Edit implements adapter.Buffers.
func (e *Editor) Edit(ctx context.Context, path string, version int, edits []adapter.TextEdit, save bool) (adapter.Document, error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if err := e.check(ctx); err != nil {
		return adapter.Document{}, err
	}
	doc, open := e.docs[path]
	if !open {
		return adapter.Document{}, fmt.Errorf("%s is not open: %w", path, adapter.ErrUnsupported)
	}
	if doc.Version != version {
		return adapter.Document{}, adapter.ErrStale
	}
	text, err := adapter.Apply(doc.Text, edits) // converts UTF-16 columns, and refuses ranges outside of the document
	if err != nil {
		return adapter.Document{}, err
	}
	doc.Text, doc.Version, doc.Dirty = text, doc.Version+1, true
	if save {
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			return adapter.Document{}, fmt.Errorf("saving a document: %w", err)
		}
		doc.Dirty = false
	}
	e.docs[path] = doc
	return doc, nil
}

var todo = regexp.MustCompile(`\bTODO\b`)

// Diagnose implements adapter.Diagnoser for open documents. Covered has only these: the tools report other files as unchecked, or
// ask the next adapter.
func (e *Editor) Diagnose(ctx context.Context, paths []string) (adapter.Diagnostics, error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	d := adapter.Diagnostics{Fresh: true, Covered: []string{}}
	if len(paths) == 0 { // the project
		for path := range e.docs {
			paths = append(paths, path)
		}
	}
	for _, path := range paths {
		doc, open := e.docs[path]
		if !open {
			continue
		}
		d.Covered = append(d.Covered, path)
		text := adapter.NewText(doc.Text)
		for _, at := range todo.FindAllStringIndex(doc.Text, -1) {
			d.Items = append(d.Items, adapter.Diagnostic{
				Path: path, Range: adapter.Range{Start: text.Position(at[0]), End: text.Position(at[1])},
				Severity: adapter.Warning, Message: "something is left to do", Source: "memory",
			})
		}
	}
	return d, e.check(ctx)
}
