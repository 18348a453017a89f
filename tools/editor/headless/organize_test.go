package headless_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/dougu-go/dougu/internal/testrequire"
	"github.com/dougu-go/dougu/tools/editor/adapter"
	"github.com/dougu-go/dougu/tools/editor/headless"
	"github.com/dougu-go/dougu/tools/internal/lsp/lsptest"
)

// Pyright organizes imports by a command that it does not offer.
func TestRefactorings_OrganizeByCommand(t *testing.T) {
	program := filepath.Join(t.TempDir(), "pyright-langserver")
	err := os.Symlink(testBinary(t), program)
	testrequire.Thing(t, err == nil, "a symbolic link to a program", "use a system with symbolic links")
	p := fake(t, lsptest.Script{
		Capabilities: []byte(`{"codeActionProvider":true,"executeCommandProvider":{"commands":[]}}`),
		Sends: map[string][]string{"workspace/executeCommand": {
			`{"jsonrpc":"2.0","id":1,"method":"workspace/applyEdit","params":{"edit":` + changes("$ROOT/a.go", textEdit(2, 4, 2, 5, "z")) + `}}`,
		}},
	}, headless.Options{Servers: []headless.Server{{Name: "pyright", Languages: []string{"go"}, Command: program}}})
	start := adapter.Range{Start: adapter.Position{Line: 1, Column: 1}, End: adapter.Position{Line: 1, Column: 1}}
	for kind, want := range map[string]int{"source.organizeImports": 1, "source.fixAll": 0, "refactor": 0} {
		found, err := p.Refactorings(long(t), p.doc("a.go"), start, []string{kind})
		if err != nil || len(found) != want {
			t.Fatalf("%s: %+v, %v", kind, found, err)
		}
		if want == 0 {
			continue
		}
		edits, err := p.Refactor(long(t), found[0])
		if got := p.describe(edits); err != nil || got != `change a.go 3:1-4:1 "var z = 1\n"` {
			t.Errorf("%s, %v", got, err)
		}
	}
}
