//go:build unix

package vscode_test

import (
	"encoding/json"
	"os"
	"strings"
	"sync"
	"testing"

	"github.com/sourcegraph/jsonrpc2"

	"github.com/dougu-go/dougu/tools/editor/adapter"
	"github.com/dougu-go/dougu/tools/editor/adapter/adaptertest"
	"github.com/dougu-go/dougu/tools/editor/vscode"
)

func TestContract(t *testing.T) {
	adaptertest.Run(t, adaptertest.Harness{
		New: func(t *testing.T, dir string) adapter.Adapter {
			m := &memory{docs: make(map[string]adapter.Document)}
			f := (&fake{dir: rendezvous(t), folders: []string{dir}, answers: m.answers()}).open(t)
			v := vscode.New(vscode.Options{Dir: f.dir})
			soon(t, "a window is found", func() bool { return v.State().Running })
			return v
		},
		NotRunning: func(t *testing.T, _ string) adapter.Adapter { return vscode.New(vscode.Options{Dir: rendezvous(t)}) },
		Files:      map[string]string{"a.x": "let a = FIXME 😀\n"}, Code: "a.x", Diagnostic: "FIXME is left",
	})
}

// memory is the state of a window with documents. Each FIXME in a file is an error.
type memory struct {
	mu     sync.Mutex
	docs   map[string]adapter.Document
	active map[string]any
}

// request has the parameters of all calls of the window.
type request struct {
	Path    string
	Paths   []string
	Version int
	Edits   []struct {
		Range   protocolRange
		NewText string
	}
	Save bool
	At   protocolPosition
}

// protocolPosition counts lines and columns from 0.
type protocolPosition struct {
	Line      int `json:"line"`
	Character int `json:"character"`
}

type protocolRange struct {
	Start protocolPosition `json:"start"`
	End   protocolPosition `json:"end"`
}

func (p protocolPosition) position() adapter.Position { return at(p.Line+1, p.Character+1) }

// answers returns the handlers of the window.
func (m *memory) answers() answers {
	all := make(answers)
	for method, handle := range map[string]func(request) (any, error){"open": m.open, "active": m.front, "document": m.document, "unsaved": m.unsaved, "edit": m.edit, "diagnostics": m.diagnose} {
		all[method] = func(params json.RawMessage) (any, error) {
			var r request
			if err := json.Unmarshal(params, &r); err != nil {
				return nil, &jsonrpc2.Error{Code: jsonrpc2.CodeInvalidParams, Message: err.Error()}
			}
			m.mu.Lock()
			defer m.mu.Unlock()
			return handle(r)
		}
	}
	return all
}

func (m *memory) open(r request) (any, error) {
	text, err := os.ReadFile(r.Path)
	if err != nil {
		return nil, &jsonrpc2.Error{Code: -32603, Message: err.Error()}
	}
	if _, open := m.docs[r.Path]; !open {
		m.docs[r.Path] = adapter.Document{Path: r.Path, Text: string(text), Version: 1}
	}
	m.active = map[string]any{"path": r.Path, "version": 1, "cursor": r.At}
	return map[string]any{}, nil
}

func (m *memory) front(request) (any, error) { return map[string]any{"active": m.active}, nil }

// wire returns a document in the protocol of the window.
func wire(d adapter.Document) map[string]any {
	return map[string]any{"text": d.Text, "version": d.Version, "dirty": d.Dirty}
}

func (m *memory) document(r request) (any, error) {
	if d, open := m.docs[r.Path]; open {
		return map[string]any{"document": wire(d)}, nil
	}
	return map[string]any{}, nil
}

func (m *memory) unsaved(request) (any, error) {
	paths := []string{}
	for path, d := range m.docs {
		if d.Dirty {
			paths = append(paths, path)
		}
	}
	return map[string]any{"paths": paths}, nil
}

func (m *memory) edit(r request) (any, error) {
	d, open := m.docs[r.Path]
	if !open || d.Version != r.Version {
		return nil, &jsonrpc2.Error{Code: -32801, Message: "the document has another version"}
	}
	var edits []adapter.TextEdit
	for _, e := range r.Edits {
		edits = append(edits, adapter.TextEdit{Range: adapter.Range{Start: e.Range.Start.position(), End: e.Range.End.position()}, NewText: e.NewText})
	}
	text, err := adapter.Apply(d.Text, edits)
	if err == nil && r.Save {
		err = os.WriteFile(r.Path, []byte(text), 0o600)
	}
	if err != nil {
		return nil, &jsonrpc2.Error{Code: -32603, Message: err.Error()}
	}
	d.Text, d.Version, d.Dirty = text, d.Version+1, !r.Save
	m.docs[r.Path] = d
	return map[string]any{"document": wire(d)}, nil
}

func (m *memory) diagnose(r request) (any, error) {
	items, covered := []any{}, []string{}
	for _, path := range r.Paths {
		text, err := os.ReadFile(path)
		if err != nil {
			continue
		}
		covered = append(covered, path)
		if i := strings.Index(string(text), "FIXME"); i >= 0 {
			items = append(items, map[string]any{"path": path, "severity": "error", "message": "FIXME is left", "range": protocolRange{protocolPosition{0, i}, protocolPosition{0, i + 5}}})
		}
	}
	return map[string]any{"items": items, "covered": covered, "fresh": true}, nil
}
