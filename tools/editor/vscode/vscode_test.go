//go:build unix

package vscode_test

import (
	"encoding/json"
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/dougu-go/dougu/tools/editor/adapter"
	"github.com/dougu-go/dougu/tools/editor/vscode"
)

const file = "/project/a.go"

// Messages count from 0, the adapter counts from 1.
func TestMessages(t *testing.T) {
	doc := adapter.Document{Path: file, Text: "a\r\nb\rc\n", Version: 0}
	open := adapter.Document{Path: file, Version: 7}
	tests := []struct {
		name   string
		method string
		answer string
		call   func(v *vscode.VSCode) (any, error)
		asked  string
		want   any
	}{
		{
			"an edit", "edit", `{"document":{"text":"x","version":8,"dirty":true,"language":"go"},"saved":false}`,
			func(v *vscode.VSCode) (any, error) {
				return v.Edit(t.Context(), file, 7, []adapter.TextEdit{{Range: between(1, 1, 2, 3), NewText: "x"}}, true)
			},
			`{"path":"/project/a.go","version":7,"edits":[{"range":{"start":{"line":0,"character":0},"end":{"line":1,"character":2}},"newText":"x"}],"save":true}`,
			adapter.Document{Path: file, Text: "x", Version: 8, Dirty: true, Language: "go"},
		},
		{
			"showing a file at a place", "open", `null`,
			func(v *vscode.VSCode) (any, error) { p := at(3, 4); return nil, v.Open(t.Context(), file, &p, true) },
			`{"path":"/project/a.go","at":{"line":2,"character":3},"preview":true}`, nil,
		},
		{
			"showing a file", "open", `null`,
			func(v *vscode.VSCode) (any, error) { return nil, v.Open(t.Context(), file, nil, false) },
			`{"path":"/project/a.go","preview":false}`, nil,
		},
		{
			"the active document", "active",
			`{"active":{"path":"/project/a.go","version":3,"cursor":{"line":4,"character":5},"selection":{"start":{"line":4,"character":0},"end":{"line":4,"character":5}},"dirty":true}}`,
			func(v *vscode.VSCode) (any, error) { a, _, err := v.Active(t.Context()); return a, err },
			`{}`, adapter.Active{Path: file, Version: 3, Cursor: at(5, 6), Selection: ptr(between(5, 1, 5, 6)), Dirty: true},
		},
		{
			"a definition, in a document by its version", "definition", `{"locations":[{"path":"/elsewhere/b.go","range":{"start":{"line":0,"character":5},"end":{"line":0,"character":9}}}]}`,
			func(v *vscode.VSCode) (any, error) { return v.Definition(t.Context(), open, at(1, 1)) },
			`{"path":"/project/a.go","version":7,"at":{"line":0,"character":0}}`,
			[]adapter.Location{{Path: "/elsewhere/b.go", Range: between(1, 6, 1, 10)}},
		},
		{
			"references", "references", `{"locations":[]}`,
			func(v *vscode.VSCode) (any, error) { return v.References(t.Context(), open, at(1, 1)) },
			`{"path":"/project/a.go","version":7,"at":{"line":0,"character":0}}`, []adapter.Location{},
		},
		{
			"a layout, of a document by its digest with line ends LF", "format", `{"edits":[{"range":{"start":{"line":0,"character":0},"end":{"line":0,"character":1}},"newText":"A"}]}`,
			func(v *vscode.VSCode) (any, error) { return v.Format(t.Context(), doc, ptr(between(1, 1, 2, 1))) },
			`{"path":"/project/a.go","sha256":"880553fca8fcea94e325ee2cfb48e5a985cc797f39a14cc6d3cedecfeb2ae4d2","range":{"start":{"line":0,"character":0},"end":{"line":1,"character":0}}}`,
			[]adapter.TextEdit{{Range: between(1, 1, 1, 2), NewText: "A"}},
		},
		{
			"a rename, with a file", "rename",
			`{"edits":[{"op":"rename","path":"/project/a.go","newPath":"/project/b.go"},{"op":"change","path":"/project/c.go","version":2,"edits":[{"range":{"start":{"line":0,"character":0},"end":{"line":0,"character":0}},"newText":"x"}]}]}`,
			func(v *vscode.VSCode) (any, error) { return v.Rename(t.Context(), open, at(2, 2), "x") },
			`{"path":"/project/a.go","version":7,"at":{"line":1,"character":1},"name":"x"}`,
			[]adapter.FileEdit{
				{Op: adapter.RenameFile, Path: file, NewPath: "/project/b.go", Edits: []adapter.TextEdit{}},
				{Op: adapter.ChangeFile, Path: "/project/c.go", Version: 2, Edits: []adapter.TextEdit{{Range: between(1, 1, 1, 1), NewText: "x"}}},
			},
		},
		{
			"symbols", "symbols", `{"symbols":[{"name":"A","kind":"class","container":"m","path":"/lie","range":{"start":{"line":0,"character":0},"end":{"line":9,"character":1}},"selection":{"start":{"line":0,"character":6},"end":{"line":0,"character":7}}}]}`,
			func(v *vscode.VSCode) (any, error) { return v.Symbols(t.Context(), open) },
			`{"path":"/project/a.go","version":7}`,
			[]adapter.Symbol{{Name: "A", Kind: "class", Container: "m", Location: adapter.Location{Path: file, Range: between(1, 1, 10, 2)}, Selection: between(1, 7, 1, 8)}},
		},
		{
			"symbols of the project", "workspaceSymbols", `{"symbols":[{"name":"A","kind":"class","path":"/project/b.go","range":{},"selection":{}}]}`,
			func(v *vscode.VSCode) (any, error) { return v.FindSymbols(t.Context(), "A") },
			`{"query":"A"}`,
			[]adapter.Symbol{{Name: "A", Kind: "class", Location: adapter.Location{Path: "/project/b.go", Range: between(1, 1, 1, 1)}, Selection: between(1, 1, 1, 1)}},
		},
		{
			"fixes", "fixes", `{"fixes":[{"title":"Import","kind":"quickfix","preferred":true,"edits":[{"op":"create","path":"/project/new.go"}]}],"left":["run something"]}`,
			func(v *vscode.VSCode) (any, error) {
				return v.Fixes(t.Context(), open, adapter.Diagnostic{Path: file, Range: between(1, 1, 1, 2), Severity: adapter.Error, Message: "bad", Code: "7", Source: "go"})
			},
			`{"path":"/project/a.go","version":7,"diagnostic":{"path":"","range":{"start":{"line":0,"character":0},"end":{"line":0,"character":1}},"severity":"error","message":"bad","code":"7","source":"go"}}`,
			[]adapter.Fix{{Title: "Import", Kind: "quickfix", Preferred: true, Edits: []adapter.FileEdit{{Op: adapter.CreateFile, Path: "/project/new.go", Edits: []adapter.TextEdit{}}}}},
		},
		{
			"refactorings, by kinds", "refactorings",
			`{"refactorings":[{"title":"Extract","kind":"refactor.extract.function","edits":[{"op":"create","path":"/project/new.go"}]},{"title":"Not now","kind":"refactor.inline","disabled":"no"},{"title":"Fix","kind":"quickfix"},{"title":"Docs","kind":"source.doc"}],"left":[]}`,
			func(v *vscode.VSCode) (any, error) {
				return v.Refactorings(t.Context(), open, between(1, 1, 1, 2), []string{"refactor.extract", "refactor.inline"})
			},
			`{"path":"/project/a.go","version":7,"range":{"start":{"line":0,"character":0},"end":{"line":0,"character":1}},"kinds":["refactor.extract","refactor.inline"]}`,
			[]adapter.Refactoring{
				{Title: "Extract", Kind: "refactor.extract.function", Ref: []adapter.FileEdit{{Op: adapter.CreateFile, Path: "/project/new.go", Edits: []adapter.TextEdit{}}}},
				{Title: "Not now", Kind: "refactor.inline", Disabled: "no", Ref: []adapter.FileEdit{}},
			},
		},
	}
	for _, tc := range tests {
		t.Run(tc.name, func(t *testing.T) {
			var asked string
			v, _ := one(t, answers{tc.method: echo(&asked, tc.answer)})
			got, err := tc.call(v)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("answer (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(decoded(t, tc.asked), decoded(t, asked)); diff != "" {
				t.Errorf("question (-want +got):\n%s", diff)
			}
		})
	}
}

func decoded(t *testing.T, text string) (v any) {
	t.Helper()
	if err := json.Unmarshal([]byte(text), &v); err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	return v
}

func ptr[T any](v T) *T { return &v }

func TestDocument_Open(t *testing.T) {
	answer := `{}`
	v, _ := one(t, answers{"document": func(json.RawMessage) (any, error) { return json.RawMessage(answer), nil }})
	if _, open, err := v.Document(t.Context(), file); open || err != nil {
		t.Errorf("open %v, %v", open, err)
	}
	answer = `{"document":{"path":"/lie","text":"package a\n","version":3,"dirty":true,"language":"go"}}`
	doc, open, err := v.Document(t.Context(), file)
	want := adapter.Document{Path: file, Text: "package a\n", Version: 3, Dirty: true, Language: "go"}
	if !open || err != nil || doc != want {
		t.Errorf("%+v, open %v, %v", doc, open, err)
	}
	if _, _, err := v.Document(t.Context(), "/elsewhere/a.go"); !errors.Is(err, adapter.ErrNotRunning) {
		t.Errorf("a file of no window: %v", err)
	}
}

func TestErrors_NextStep(t *testing.T) {
	tests := []struct {
		code    int64
		message string
		is      error
	}{
		{-32801, "a.go is at version 2, not 1", adapter.ErrStale},
		{1, "no formatter", adapter.ErrUnsupported},
		{3, "too large", adapter.ErrUnsupported},
		{-32601, "an older extension", adapter.ErrUnsupported},
		{-32603, "it broke\x1b[31m\ndown", nil},
	}
	for _, tc := range tests {
		v, _ := one(t, answers{"format": fault(tc.code, tc.message)})
		_, err := v.Format(t.Context(), adapter.Document{Path: file, Version: 1}, nil)
		if err == nil {
			t.Fatalf("%d: no error", tc.code)
		}
		for _, known := range []error{adapter.ErrStale, adapter.ErrUnsupported, adapter.ErrNotRunning} {
			if errors.Is(err, known) != (known == tc.is) {
				t.Errorf("%d: %v; is %v", tc.code, err, known)
			}
		}
		for _, r := range err.Error() {
			if r < ' ' {
				t.Errorf("%d: a control character in %q", tc.code, err)
			}
		}
	}
}

// Arguments that cannot be are refused before a window is asked.
func TestPositions_FromOne(t *testing.T) {
	v, _ := one(t, nil)
	doc := adapter.Document{Path: file, Version: 1}
	for name, err := range map[string]error{
		"line 0":           second(v.Definition(t.Context(), doc, at(0, 1))),
		"column 0":         second(v.References(t.Context(), doc, at(1, 0))),
		"a huge line":      second(v.Rename(t.Context(), doc, at(1<<40, 1), "x")),
		"a range reversed": second(v.Format(t.Context(), doc, ptr(between(2, 1, 1, 1)))),
		"an edit":          second(v.Edit(t.Context(), file, 1, []adapter.TextEdit{{Range: between(1, 1, 0, 1)}}, false)),
		"a place to show":  v.Open(t.Context(), file, ptr(at(0, 0)), false),
		"a diagnostic":     second(v.Fixes(t.Context(), doc, adapter.Diagnostic{})),
	} {
		if err == nil || errors.Is(err, adapter.ErrUnsupported) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func second[T any](_ T, err error) error { return err }

// Refactorings that run commands are left to other adapters.
func TestRefactorings_Commands(t *testing.T) {
	v, _ := one(t, answers{"refactorings": raw(`{"refactorings":[{"title":"Organize","kind":"source.organizeImports","edits":[{"op":"delete","path":"/project/a.go"}]}],"left":["Extract"]}`)})
	found, err := v.Refactorings(t.Context(), adapter.Document{Path: file, Version: 1}, between(1, 1, 1, 2), nil)
	if !errors.Is(err, adapter.ErrUnsupported) || len(found) != 1 {
		t.Fatalf("%+v, %v", found, err)
	}
	if edits, err := v.Refactor(t.Context(), found[0]); err != nil || len(edits) != 1 || edits[0].Op != adapter.DeleteFile {
		t.Errorf("%+v, %v", edits, err)
	}
	if _, err := v.Refactor(t.Context(), adapter.Refactoring{Title: "x", Ref: 1}); !errors.Is(err, adapter.ErrUnsupported) {
		t.Error(err)
	}
	if _, err := v.Refactorings(t.Context(), adapter.Document{Path: file}, between(2, 1, 1, 1), nil); err == nil {
		t.Error("a reversed range was sent")
	}
}

func TestFixes_Commands(t *testing.T) {
	v, _ := one(t, answers{"fixes": raw(`{"fixes":[],"left":["Fix this no-var problem"]}`)})
	_, err := v.Fixes(t.Context(), adapter.Document{Path: file, Version: 1}, adapter.Diagnostic{Range: between(1, 1, 1, 2)})
	if !errors.Is(err, adapter.ErrUnsupported) {
		t.Error(err)
	}
	if _, err := v.Resolve(t.Context(), adapter.Fix{Title: "x"}); !errors.Is(err, adapter.ErrUnsupported) {
		t.Error(err)
	}
	edits := []adapter.FileEdit{{Op: adapter.DeleteFile, Path: file}}
	if got, err := v.Resolve(t.Context(), adapter.Fix{Edits: edits}); err != nil || !cmp.Equal(got, edits) {
		t.Errorf("%v, %v", got, err)
	}
}
