package headless_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/dougu-go/dougu/tools/editor/adapter"
	"github.com/dougu-go/dougu/tools/editor/headless"
	"github.com/dougu-go/dougu/tools/internal/lsp/lsptest"
)

// tsFake is a project with a scripted typescript-language-server that answers each request to tsserver with body.
func tsFake(t *testing.T, kind, answer string) *project {
	return fake(t, lsptest.Script{
		Capabilities: []byte(`{"codeActionProvider":true,"executeCommandProvider":{"commands":["_typescript.applyRefactoring","typescript.tsserverRequest"]}}`),
		Answers: map[string]string{
			"textDocument/codeAction":  `[{"title":"Move","kind":"` + kind + `","command":{"title":"Move","command":"_typescript.applyRefactoring","arguments":[{"file":"x","refactor":"Move","action":"Move"}]}}]`,
			"workspace/executeCommand": answer,
		},
	}, headless.Options{Servers: []headless.Server{{Name: "fake", Languages: []string{"go"}, Command: testBinary(t), Dialect: headless.TSServer, InitOptions: map[string]any{"tsserver": map[string]any{"path": "x"}}}}})
}

const tsMove = `{"type":"response","body":{"edits":[
	{"fileName":"/$DIR/a.go","textChanges":[{"start":{"line":3,"offset":1},"end":{"line":4,"offset":1},"newText":""}]},
	{"fileName":"/$DIR/new/d.go","textChanges":[{"start":{"line":0,"offset":0},"end":{"line":0,"offset":0},"newText":"package d\n"}]}]}}`

func TestRefactor_TSServerEdits(t *testing.T) {
	for kind, target := range map[string]string{"refactor.move.newFile": "", "refactor.move.file": "new/d.go"} {
		p := tsFake(t, kind, tsMove)
		found, err := p.Refactorings(long(t), p.doc("a.go"), adapter.Range{Start: adapter.Position{Line: 3, Column: 1}, End: adapter.Position{Line: 3, Column: 2}}, []string{"refactor"})
		if err != nil || len(found) != 1 || found[0].NeedsTarget != (target != "") {
			t.Fatalf("%+v, %v", found, err)
		}
		r := found[0]
		if r.NeedsTarget {
			if _, err := p.Refactor(long(t), r); !errors.Is(err, adapter.ErrUnsupported) {
				t.Errorf("without a target: %v", err)
			}
			r.Target = p.path(target)
		}
		edits, err := p.Refactor(long(t), r)
		if err != nil || len(edits) != 2 || edits[0].Path != p.path("a.go") || edits[1].Op != adapter.CreateFile || edits[1].Path != p.path("new/d.go") || edits[1].Edits[0].NewText != "package d\n" {
			t.Errorf("%s: %+v, %v", kind, edits, err)
		}
	}
}

func TestRefactor_TSServerErrors(t *testing.T) {
	for want, answer := range map[string]string{
		"cannot do this here":    `{"type":"response","body":{"notApplicableReason":"no","edits":[]}}`,
		"asking TypeScript":      `{"type":"cancelled","message":"no"}`,
		"decode the response":    `[]`,
		"no file of the project": `{"type":"response","body":{"edits":[{"fileName":"/outside/a.go","textChanges":[]}]}}`,
		"where it cannot":        `{"type":"response","body":{"edits":[{"fileName":"/$DIR/a.go","textChanges":[{"start":{"line":90,"offset":1},"end":{"line":80,"offset":1},"newText":""}]}]}}`,
	} {
		p := tsFake(t, "refactor.rewrite", answer)
		found, err := p.Refactorings(long(t), p.doc("a.go"), adapter.Range{Start: adapter.Position{Line: 3, Column: 1}, End: adapter.Position{Line: 3, Column: 1}}, []string{"refactor"})
		if err != nil || len(found) != 1 {
			t.Fatalf("%+v, %v", found, err)
		}
		if _, err := p.Refactor(long(t), found[0]); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", want, err)
		}
	}
}
