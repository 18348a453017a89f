package relay_test

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/dougu-go/dougu/tools/editor/adapter"
	"github.com/dougu-go/dougu/tools/editor/internal/relay"
	"github.com/dougu-go/dougu/tools/internal/lsp"
)

// ide is an editor with one document and one language server, which answers methods as a test says.
type ide struct {
	path    string
	doc     relay.Document
	answers map[string]string
	asked   []string
}

func (e *ide) Read(_ context.Context, path, method string) (relay.Document, bool, error) {
	d := e.doc
	if method == "" {
		d.Servers = nil
	}
	return d, path == e.path, nil
}

func (e *ide) Servers(context.Context, string) ([]relay.Server, error) { return e.doc.Servers, nil }

func (e *ide) Request(_ context.Context, _ relay.Server, _ *relay.Document, method string, params, result any) error {
	raw, err := json.Marshal(params)
	if err != nil {
		return err
	}
	e.asked = append(e.asked, method+" "+string(raw))
	answer, ok := e.answers[method]
	if !ok {
		return errors.New("it refuses")
	}
	return json.Unmarshal([]byte(answer), result)
}

// open makes an editor with a text, whose server counts as the encoding says.
func open(t *testing.T, text, encoding string) (*ide, *relay.Relay, adapter.Document) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "a.txt")
	e := &ide{path: path, doc: relay.Document{Text: text, Version: 3, Servers: []relay.Server{{ID: 1, Name: "server", Encoding: encoding}}}, answers: map[string]string{}}
	all := []relay.Editor{e}
	r := relay.New("Ed", func(context.Context, string) ([]relay.Editor, error) { return all, nil }, func() []relay.Editor { return all })
	return e, r, adapter.Document{Path: path, Text: text, Version: 3}
}

func between(line, column, lastLine, lastColumn int) adapter.Range {
	return adapter.Range{Start: adapter.Position{Line: line, Column: column}, End: adapter.Position{Line: lastLine, Column: lastColumn}}
}

func TestRefactorings_WithEdits(t *testing.T) {
	e, r, doc := open(t, "😀 one\n", "utf-8")
	e.answers["textDocument/codeAction"] = `[
		{"title": "Later", "kind": "refactor.extract", "data": 7},
		{"title": "At once", "kind": "refactor.inline", "isPreferred": true, "edit": {"changes": {"` + lsp.URI(doc.Path) + `": [{"range": {"start": {"line": 0, "character": 5}, "end": {"line": 0, "character": 8}}, "newText": "1"}]}}},
		{"title": "By command", "kind": "refactor", "command": {"title": "x", "command": "x"}},
		{"title": "Not here", "kind": "refactor", "disabled": {"reason": "two results"}},
		{"title": "A page", "kind": "source.doc"},
		{"title": "", "kind": "refactor"}
	]`
	e.answers["codeAction/resolve"] = `{"title": "Later", "edit": {"documentChanges": [{"kind": "create", "uri": "` + lsp.URI(doc.Path+".new") + `"}]}}`
	found, err := r.Refactorings(t.Context(), doc, between(1, 4, 1, 7), []string{"refactor"})
	if !errors.Is(err, adapter.ErrUnsupported) || len(found) != 3 || found[0].Title != "Later" || !found[1].Preferred || found[2].Disabled != "two results" {
		t.Fatalf("%+v, %v", found, err)
	}
	if !strings.Contains(e.asked[0], `"range":{"start":{"line":0,"character":5},"end":{"line":0,"character":8}}`) || !strings.Contains(e.asked[0], `"only":["refactor"]`) {
		t.Errorf("asked %s", e.asked[0])
	}
	edits, err := r.Refactor(t.Context(), found[1])
	if err != nil || len(edits) != 1 || edits[0].Version != 3 || edits[0].Edits[0].Range != between(1, 4, 1, 7) {
		t.Errorf("%+v, %v", edits, err)
	}
	if edits, err = r.Refactor(t.Context(), found[0]); err != nil || len(edits) != 1 || edits[0].Op != adapter.CreateFile || !strings.Contains(e.asked[len(e.asked)-1], `"data":7`) {
		t.Errorf("%+v, %v", edits, err)
	}
	for name, f := range map[string]adapter.Refactoring{"disabled": found[2], "of another": {Title: "x"}} {
		if _, err := r.Refactor(t.Context(), f); !errors.Is(err, adapter.ErrUnsupported) {
			t.Errorf("%s: %v", name, err)
		}
	}
	e.answers["codeAction/resolve"] = `{"title": "Later", "command": {"title": "x", "command": "x"}}`
	if _, err := r.Refactor(t.Context(), found[0]); !errors.Is(err, adapter.ErrUnsupported) {
		t.Errorf("what turns out to be a command: %v", err)
	}
	e.doc.Version++
	if _, err := r.Refactor(t.Context(), found[0]); !errors.Is(err, adapter.ErrStale) {
		t.Errorf("after a change: %v", err)
	}
	if _, err := r.Refactorings(t.Context(), doc, between(1, 1, 1, 1), nil); !errors.Is(err, adapter.ErrStale) {
		t.Errorf("of an old version: %v", err)
	}
}

func TestRefactorings_Commands(t *testing.T) {
	e, r, doc := open(t, "one\n", "utf-16")
	e.answers["textDocument/codeAction"] = `[{"title": "By command", "kind": "refactor", "command": {"title": "x", "command": "x"}}]`
	if _, err := r.Refactorings(t.Context(), doc, between(1, 1, 1, 1), nil); !errors.Is(err, adapter.ErrUnsupported) {
		t.Errorf("%v", err)
	}
	delete(e.answers, "textDocument/codeAction")
	if _, err := r.Refactorings(t.Context(), doc, between(1, 1, 1, 1), nil); err == nil || !strings.Contains(err.Error(), "server in Ed") {
		t.Errorf("a server that refuses: %v", err)
	}
	e.doc.Servers = nil
	if _, err := r.Refactorings(t.Context(), doc, between(1, 1, 1, 1), nil); !errors.Is(err, adapter.ErrUnsupported) {
		t.Errorf("without a server: %v", err)
	}
}

// Columns are converted by the server's encoding, also in files that the editor has not opened.
func TestTexts_Encodings(t *testing.T) {
	for encoding, column := range map[string]string{"utf-8": "5", "utf-16": "3", "utf-32": "2"} {
		e, r, doc := open(t, "😀 one\n", encoding)
		other := filepath.Join(filepath.Dir(doc.Path), "b.txt")
		if err := os.WriteFile(other, []byte("😀 two\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		e.answers["textDocument/definition"] = `[{"uri": "` + lsp.URI(other) + `", "range": {"start": {"line": 0, "character": ` + column + `}, "end": {"line": 0, "character": ` + column + `}}}]`
		found, err := r.Definition(t.Context(), doc, adapter.Position{Line: 1, Column: 4})
		if err != nil || len(found) != 1 || found[0].Range != between(1, 4, 1, 4) || !strings.Contains(e.asked[0], `"character":`+column) {
			t.Errorf("%s: %+v, %v; asked %s", encoding, found, err, e.asked)
		}
	}
}
