package headless_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/dougu-go/dougu/tools/editor/adapter"
	"github.com/dougu-go/dougu/tools/editor/headless"
	"github.com/dougu-go/dougu/tools/internal/lsp/lsptest"
)

var (
	_ adapter.Hoverer           = (*headless.Headless)(nil)
	_ adapter.HierarchyProvider = (*headless.Headless)(nil)
)

var start = adapter.Position{Line: 1, Column: 1}

func TestHover_Forms(t *testing.T) {
	for answer, want := range map[string]string{
		`null`: "",
		`{"contents":{"kind":"markdown","value":"**x**"}}`:                              "**x**",
		`{"contents":"plain"}`:                                                          "plain",
		`{"contents":["a",{"language":"go","value":"var x"}]}`:                          "a\n\n```go\nvar x\n```",
		`{"contents":{"kind":"plaintext","value":"` + strings.Repeat("x", 9000) + `"}}`: "cut",
	} {
		p := fake(t, lsptest.Script{Answers: map[string]string{"textDocument/hover": answer}}, headless.Options{})
		got, err := p.Hover(long(t), p.doc("a.go"), start)
		if err != nil || want != "cut" && got != want || want == "cut" && len(got) > 8200 {
			t.Errorf("%.60s: %q, %v", answer, got, err)
		}
	}
	p := fake(t, lsptest.Script{Answers: map[string]string{"textDocument/hover": `{"contents":7}`}}, headless.Options{})
	if _, err := p.Hover(long(t), p.doc("a.go"), start); err == nil {
		t.Error("an invalid answer is accepted")
	}
	if _, err := p.Hover(long(t), p.doc("a.go"), adapter.Position{Line: 99, Column: 1}); code(err) != "INVALID_PARAMS" {
		t.Errorf("after the end: %v", err)
	}
}

func TestHierarchy_Relations(t *testing.T) {
	item := `{"name":"f","kind":12,"uri":"$ROOT/a.go",` + span(1, 0, 1, 5) + `,"selectionR` + span(1, 1, 1, 2)[2:] + `,"data":7}`
	script := lsptest.Script{Answers: map[string]string{
		"textDocument/prepareCallHierarchy": `[` + item + `]`,
		"textDocument/prepareTypeHierarchy": `[` + item + `]`,
		"callHierarchy/incomingCalls":       `[{"from":` + item + `,"fromRanges":[{"start":{"line":0,"character":1},"end":{"line":0,"character":2}},{"start":{"line":0,"character":1},"end":{"line":0,"character":2}}]},{}]`,
		"callHierarchy/outgoingCalls":       `[{"to":{"name":"g","kind":12,"uri":"untitled:x"},"fromRanges":[]}]`,
		"typeHierarchy/supertypes":          `[` + item + `]`,
	}}
	p := fake(t, script, headless.Options{})
	for relation, want := range map[adapter.Relation]int{adapter.Callers: 1, adapter.Callees: 0, adapter.Supertypes: 1, adapter.Subtypes: 0} {
		related, known, err := p.Hierarchy(long(t), p.doc("a.go"), start, relation)
		if err != nil || !known || len(related) != want {
			t.Errorf("%s: %+v, %v, %v", relation, related, known, err)
		}
		if relation == adapter.Callers && len(related) == 1 && (len(related[0].Calls) != 1 || related[0].Symbol.Kind != "function" || related[0].Symbol.Location.Path != p.path("a.go")) {
			t.Errorf("callers: %+v", related)
		}
	}
	if _, _, err := p.Hierarchy(long(t), p.doc("a.go"), start, "sideways"); !errors.Is(err, adapter.ErrUnsupported) {
		t.Errorf("unknown relation: %v", err)
	}
	if _, _, err := p.Hierarchy(long(t), p.doc("a.go"), adapter.Position{Line: 99, Column: 1}, adapter.Callers); code(err) != "INVALID_PARAMS" {
		t.Errorf("after the end: %v", err)
	}
	nothing := fake(t, lsptest.Script{}, headless.Options{})
	if _, known, err := nothing.Hierarchy(long(t), nothing.doc("a.go"), start, adapter.Callers); known || err != nil {
		t.Errorf("no item: %v, %v", known, err)
	}
}

// names returns the names of related declarations.
func names(related []adapter.Related) string {
	var all []string
	for _, r := range related {
		all = append(all, r.Symbol.Name)
	}
	return strings.Join(all, " ")
}

func TestHierarchy_Gopls(t *testing.T) {
	installed(t, "gopls", "go install golang.org/x/tools/gopls@latest")
	p := open(t, `
-- go.mod --
module example.com/a

go 1.24
-- a.go --
package a

// Shape has an area.
type Shape interface{ Area() int }

type Square struct{ side int }

// Area returns the area.
func (s Square) Area() int { return double(s.side) }

func double(n int) int { return 2 * n }

func use() int { return double(1) + double(2) }
`, headless.Options{})
	doc := p.doc("a.go")
	hover, err := p.Hover(long(t), doc, p.at("a.go", "Square) |Area"))
	if err != nil || !strings.Contains(hover, "Area returns the area") || !strings.Contains(hover, "func (s Square) Area() int") {
		t.Errorf("hover: %s, %v", hover, err)
	}
	for _, tt := range []struct {
		mark     string
		relation adapter.Relation
		want     string
	}{
		{"func |double", adapter.Callers, "Area use"},
		{"func |use", adapter.Callees, "double"},
		{"type |Shape", adapter.Subtypes, "Square"},
		{"type |Square", adapter.Supertypes, "Shape"},
	} {
		related, known, err := p.Hierarchy(long(t), doc, p.at("a.go", tt.mark), tt.relation)
		if err != nil || !known || names(related) != tt.want {
			t.Errorf("%s of %s: %s, %v, %v", tt.relation, tt.mark, names(related), known, err)
		}
	}
}

func TestHierarchy_Clangd(t *testing.T) {
	installed(t, "clangd", "install clangd")
	p := open(t, `
-- compile_flags.txt --
-xc++
-- a.cpp --
/// Base of shapes.
struct Shape { virtual int area(); };
struct Square : Shape { int area() override; };
int twice(int n) { return 2 * n; }
int Square::area() { return twice(1); }
`, headless.Options{})
	doc := p.doc("a.cpp")
	hover, err := p.Hover(long(t), doc, p.at("a.cpp", "struct |Shape"))
	if err != nil || !strings.Contains(hover, "Base of shapes") {
		t.Errorf("hover: %s, %v", hover, err)
	}
	for _, tt := range []struct {
		mark     string
		relation adapter.Relation
		want     string
	}{
		{"struct |Square", adapter.Supertypes, "Shape"},
		{"int |twice", adapter.Callers, "area"},
	} {
		related, known, err := p.Hierarchy(long(t), doc, p.at("a.cpp", tt.mark), tt.relation)
		if errors.Is(err, adapter.ErrUnsupported) && tt.relation == adapter.Supertypes {
			continue // before clangd 15
		}
		if err != nil || !known || names(related) != tt.want {
			t.Errorf("%s of %s: %s, %v, %v", tt.relation, tt.mark, names(related), known, err)
		}
	}
}

func TestHierarchy_TypeScript(t *testing.T) {
	installed(t, "typescript-language-server", "npm install -g typescript typescript-language-server")
	p := open(t, `
-- tsconfig.json --
{"compilerOptions": {"strict": true}}
-- a.ts --
/** Doubles. */
export function double(n: number): number { return 2 * n }

export function use(): number { return double(1) }
`, headless.Options{})
	doc := p.doc("a.ts")
	hover, err := p.Hover(long(t), doc, p.at("a.ts", "function |double"))
	if err != nil || !strings.Contains(hover, "Doubles.") {
		t.Errorf("hover: %s, %v", hover, err)
	}
	related, known, err := p.Hierarchy(long(t), doc, p.at("a.ts", "function |double"), adapter.Callers)
	if err != nil || !known || names(related) != "use" {
		t.Errorf("callers: %s, %v, %v", names(related), known, err)
	}
	if _, _, err := p.Hierarchy(long(t), doc, p.at("a.ts", "function |double"), adapter.Subtypes); !errors.Is(err, adapter.ErrUnsupported) {
		t.Errorf("subtypes: %v", err)
	}
}
