package headless_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/dougu-go/dougu/tools/editor/adapter"
	"github.com/dougu-go/dougu/tools/editor/headless"
	"github.com/dougu-go/dougu/tools/internal/lsp/lsptest"
)

// Only code actions that rewrite code are returned.
func TestRefactorings_KindFilter(t *testing.T) {
	p := fake(t, lsptest.Script{Answers: map[string]string{
		"textDocument/codeAction": `[7, {"title":"Extract","kind":"refactor.extract.function","data":5}, {"title":"Not here","kind":"refactor.inline","disabled":{}},
			{"title":"Browse","kind":"source.doc","command":{"title":"x","command":"mend"}}, {"title":"Mend","kind":"quickfix"}, {"title":"","kind":"refactor"},
			{"title":"Command","kind":"refactor.rewrite","command":{"title":"x","command":"other"}}]`,
		"codeAction/resolve": `{"title":"Extract","edit":` + changes("$ROOT/b.go", textEdit(2, 4, 2, 5, "z")) + `}`,
	}}, headless.Options{})
	doc := p.doc("a.go")
	whole := adapter.Range{Start: adapter.Position{Line: 1, Column: 1}, End: adapter.Position{Line: 1, Column: 8}}
	found, err := p.Refactorings(long(t), doc, whole, []string{"refactor", "source"})
	if err != nil || len(found) != 3 || found[0].Title != "Extract" || found[1].Disabled != "the language server gives no reason" || found[2].Title != "Command" {
		t.Fatalf("%+v, %v", found, err)
	}
	edits, err := p.Refactor(long(t), found[0])
	if got := p.describe(edits); err != nil || got != `change b.go 3:1-4:1 "var z = x\n"` {
		t.Errorf("%s, %v", got, err)
	}
	for _, r := range []adapter.Refactoring{found[1], {Title: "of another"}} {
		if _, err := p.Refactor(long(t), r); !errors.Is(err, adapter.ErrUnsupported) {
			t.Errorf("%s: %v", r.Title, err)
		}
	}
	p.write("a.go", "package other\n")
	if _, err := p.Refactor(long(t), found[0]); !errors.Is(err, adapter.ErrStale) {
		t.Errorf("after a change: %v", err)
	}
	if _, err := p.Refactorings(long(t), doc, adapter.Range{Start: adapter.Position{Line: 9, Column: 1}}, nil); code(err) != "INVALID_PARAMS" {
		t.Errorf("behind the end: %v", err)
	}
	commands := fake(t, lsptest.Script{
		Capabilities: []byte(`{"codeActionProvider":true,"executeCommandProvider":{"commands":["mend"]}}`),
		Answers:      map[string]string{"textDocument/codeAction": `[{"title":"Command","kind":"refactor.rewrite","command":{"title":"x","command":"other"}}]`},
	}, headless.Options{})
	if found, err = commands.Refactorings(long(t), commands.doc("a.go"), whole, nil); err != nil || len(found) != 1 {
		t.Fatalf("%+v, %v", found, err)
	}
	if _, err := commands.Refactor(long(t), found[0]); err == nil || !strings.Contains(err.Error(), `does not offer the command "other"`) {
		t.Errorf("a command that is not offered: %v", err)
	}
	refuses := fake(t, lsptest.Script{Errors: map[string]string{"textDocument/codeAction": "not today"}}, headless.Options{})
	if _, err := refuses.Refactorings(long(t), refuses.doc("a.go"), whole, nil); err == nil || !strings.Contains(err.Error(), "not today") {
		t.Errorf("one that refuses: %v", err)
	}
	cannot := fake(t, lsptest.Script{Capabilities: []byte(`{"definitionProvider":true}`)}, headless.Options{})
	if _, err := cannot.Refactorings(long(t), cannot.doc("a.go"), whole, nil); !errors.Is(err, adapter.ErrUnsupported) {
		t.Errorf("one that cannot: %v", err)
	}
}
