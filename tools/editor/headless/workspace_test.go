package headless_test

import (
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/dougu-go/dougu/tools/editor/adapter"
	"github.com/dougu-go/dougu/tools/editor/headless"
	"github.com/dougu-go/dougu/tools/internal/lsp/lsptest"
)

const bad = `{"range":{"start":{"line":0,"character":0},"end":{"line":0,"character":7}},"severity":3,"message":"bad"}`

func TestDiagnose_WorkspaceDiagnostics(t *testing.T) {
	item := func(uri string) string { return fmt.Sprintf(`{"uri":%q,"kind":"full","items":[%s]}`, uri, bad) }
	p := fake(t, lsptest.Script{Answers: map[string]string{
		"workspace/diagnostic": `{"items":[` + strings.Join([]string{item("$ROOT/sub/c.go"), item("$ROOT/a.go"), item("file:///etc/passwd"), item("http://x/y"), `{"uri":"$ROOT/b.go","kind":"unchanged"}`}, ",") + `]}`,
	}}, headless.Options{})
	same(t, "the project", p.diagnose(), []string{"a.go:1:1-8: info: bad []", "sub/c.go:1:1-8: info: bad []"})
	refuses := fake(t, lsptest.Script{Errors: map[string]string{"workspace/diagnostic": "not today"}}, headless.Options{})
	if d, err := refuses.Diagnose(long(t), nil); err != nil || d.Fresh || !strings.Contains(refuses.checkOf(d, "a.go").Reason, "not today") {
		t.Errorf("one that refuses: %+v, %v", d, err)
	}
}

func TestDiagnose_MaxFiles(t *testing.T) {
	p := fake(t, lsptest.Script{
		Capabilities: []byte(`{"diagnosticProvider":{},"documentSymbolProvider":true}`),
		Answers:      map[string]string{"textDocument/diagnostic": `{"items":[` + bad + `]}`},
	}, headless.Options{MaxFiles: 120})
	old := time.Now().Add(-time.Hour)
	for n := range 130 {
		name := fmt.Sprintf("many/%03d.go", n)
		p.write(name, "package many\n")
		if err := os.Chtimes(p.path(name), old, old.Add(time.Duration(n)*time.Second)); err != nil {
			t.Fatal(err)
		}
	}
	d, err := p.Diagnose(long(t), nil)
	if err != nil || !d.Fresh || len(d.Items) != 120 || !strings.Contains(p.checkOf(d, "many/000.go").Reason, "120 files that were changed last") {
		t.Errorf("%d diagnostics, fresh %v, %q, %v", len(d.Items), d.Fresh, d.Notes, err)
	}
	// Files a.go, b.go and sub/c.go are the newest, then the files of the directory many in reverse order.
	if first, last := p.rel(d.Items[0].Path), p.rel(d.Items[2].Path); first != "a.go" || last != "many/013.go" {
		t.Errorf("the first is %s, the third %s", first, last)
	}
	if _, err := p.Symbols(long(t), p.doc("a.go")); err != nil { // which closes some
		t.Error(err)
	}
}

func TestResolve_CompletesFix(t *testing.T) {
	p := fake(t, lsptest.Script{Answers: map[string]string{
		"textDocument/diagnostic": `{"items":[` + bad + `]}`,
		"textDocument/codeAction": `[{"title":"Mend","kind":"quickfix","isPreferred":true,"data":5},{"title":"Organize","kind":"source.organizeImports","data":6}]`,
		"codeAction/resolve":      `{"title":"Mend","edit":` + changes("$ROOT/b.go", textEdit(2, 4, 2, 5, "z")) + `}`,
	}}, headless.Options{})
	fixes, err := p.Fixes(long(t), p.doc("a.go"), p.diagnostics("a.go")[0])
	if err != nil || len(fixes) != 1 || fixes[0].Title != "Mend" || !fixes[0].Preferred || fixes[0].Edits != nil {
		t.Fatalf("%+v, %v", fixes, err)
	}
	edits, err := p.Resolve(long(t), fixes[0])
	if got := p.describe(edits); err != nil || got != `change b.go 3:1-4:1 "var z = x\n"` {
		t.Errorf("%s, %v", got, err)
	}
	if _, err := p.Resolve(long(t), adapter.Fix{Title: "of another"}); err == nil {
		t.Error("a fix of another adapter was resolved")
	}
	if p.Name() != "headless" {
		t.Error(p.Name())
	}
}
