package headless_test

import (
	"strings"
	"testing"

	"github.com/dougu-go/dougu/tools"
	"github.com/dougu-go/dougu/tools/editor"
	"github.com/dougu-go/dougu/tools/editor/adapter"
	"github.com/dougu-go/dougu/tools/editor/headless"
)

// set is the tools on a project.
func set(t *testing.T, p *project) *editor.Editor {
	t.Helper()
	e, err := editor.New(t.Context(), tools.Env{Root: p.root}, editor.Options{Adapters: []adapter.Adapter{p.Headless}})
	if err != nil {
		t.Fatal(err)
	}
	return e
}

const goShop = `
-- go.mod --
module example.com/shop

go 1.24
-- shop.go --
package shop

import "fmt"

// Shop sells.
type Shop struct{ Prices []int }

// Total is the sum of the prices.
func (s *Shop) Total() int {
	sum := 0
	for _, p := range s.Prices {
		sum += p
	}
	fmt.Println(sum)
	return sum
}

func double(n int) int { return n * 2 }

// More is more.
func More(n int) int { return double(n + 1) }
`

func TestRefactor_Gopls(t *testing.T) {
	installed(t, "gopls", "go install golang.org/x/tools/gopls@latest")
	p := open(t, goShop, headless.Options{})
	e := set(t, p)
	loop := editor.Selection{Path: "shop.go", StartLine: 10, EndLine: 13}

	shown, err := e.ExtractMethod(long(t), editor.ExtractMethodArgs{Selection: loop, Name: "sumOf"})
	if err != nil {
		t.Fatal(err)
	}
	if !shown.DryRun || shown.RefactoringID == "" || shown.NewName != "sumOf" || !strings.Contains(shown.Diff, "+func (s *Shop) sumOf() int {") || strings.Contains(p.doc("shop.go").Text, "sumOf") {
		t.Fatalf("preview: %+v", shown)
	}
	done, err := e.ApplyRefactoring(long(t), editor.ApplyRefactoringArgs{RefactoringID: shown.RefactoringID, Preview: new(false)})
	if err != nil || done.Diff != shown.Diff || done.DryRun {
		t.Fatalf("%v\nshown\n%s\ndone\n%s", err, shown.Diff, done.Diff)
	}
	if text := p.doc("shop.go").Text; !strings.Contains(text, "\tsum := s.sumOf()\n\tfmt.Println(sum)\n") {
		t.Errorf("after extraction:\n%s", text)
	}
	same(t, "after extraction", p.diagnose("shop.go"), []string{})

	sum := editor.ListRefactoringsArgs{Selection: editor.Selection{Path: "shop.go", StartLine: 25, Code: "n + 1"}, Kind: "refactor.extract"}
	for sum.StartLine = 1; !strings.Contains(adapter.NewText(p.doc("shop.go").Text).Line(sum.StartLine), "n + 1"); sum.StartLine++ {
	}
	p.refactor(t, e, sum, "refactor.extract.variable", "two")
	if text := p.doc("shop.go").Text; !strings.Contains(text, "two := n + 1") || !strings.Contains(text, "double(two)") {
		t.Errorf("after extracting a variable:\n%s", text)
	}
	call := sum
	call.Kind, call.Code = "refactor.inline", "double"
	for call.StartLine = 1; !strings.Contains(adapter.NewText(p.doc("shop.go").Text).Line(call.StartLine), "double(two)"); call.StartLine++ {
	}
	p.refactor(t, e, call, "refactor.inline.call", "")
	if text := p.doc("shop.go").Text; !strings.Contains(text, "two * 2") {
		t.Errorf("after inlining:\n%s", text)
	}
	same(t, "in the end", p.diagnose("shop.go"), []string{"shop.go:23:6-12: info: function \"double\" is unused [default]"})

	_, err = e.ExtractMethod(long(t), editor.ExtractMethodArgs{Selection: editor.Selection{Path: "shop.go", StartLine: 1}})
	if code(err) != "NO_REFACTORING" {
		t.Errorf("a package clause: %v", err)
	}
}

// refactor applies the refactoring of a kind, without and with a preview.
func (p *project) refactor(t *testing.T, e *editor.Editor, where editor.ListRefactoringsArgs, kind, name string) editor.RefactoringResult {
	t.Helper()
	found, err := e.ListRefactorings(long(t), where)
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range found.Refactorings {
		if r.Kind == kind && r.RefactoringID != "" {
			done, err := e.ApplyRefactoring(long(t), editor.ApplyRefactoringArgs{RefactoringID: r.RefactoringID, Name: name, Preview: new(false)})
			if err != nil {
				t.Fatalf("%s: %v", r.Title, err)
			}
			return done
		}
	}
	t.Fatalf("there is no %s:\n%s", kind, found.TextContent())
	return editor.RefactoringResult{}
}

const tsShop = `
-- tsconfig.json --
{"compilerOptions": {"strict": true, "target": "ES2022", "types": []}, "include": ["*.ts"]}
-- shop.ts --
export class Shop {
  constructor(private prices: number[]) {}

  total(): number {
    let sum = 0;
    for (const p of this.prices) {
      sum += p;
    }
    return sum * (1 + 1);
  }
}
`

func TestRefactor_TypeScript(t *testing.T) {
	installed(t, "typescript-language-server", "npm install -g typescript-language-server typescript")
	p := open(t, tsShop, headless.Options{})
	e := set(t, p)
	shown, err := e.ExtractMethod(long(t), editor.ExtractMethodArgs{Selection: editor.Selection{Path: "shop.ts", StartLine: 5, EndLine: 8}, Name: "sumOf"})
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(shown.Diff, "+    let sum = this.sumOf();") || !strings.Contains(shown.Diff, "private sumOf()") {
		t.Fatalf("preview:\n%s", shown.TextContent())
	}
	p.write("shop.ts", p.doc("shop.ts").Text+"// changed\n")
	if _, err := e.ApplyRefactoring(long(t), editor.ApplyRefactoringArgs{RefactoringID: shown.RefactoringID, Preview: new(false)}); code(err) != "STALE_REFACTORING" {
		t.Errorf("of another content: %v", err)
	}
	p.refactor(t, e, editor.ListRefactoringsArgs{Selection: editor.Selection{Path: "shop.ts", StartLine: 9, Code: "(1 + 1)"}, Kind: "refactor.extract.constant"}, "refactor.extract.constant", "factor")
	if text := p.doc("shop.ts").Text; !strings.Contains(text, "const factor = 1 + 1;") {
		t.Errorf("after extraction:\n%s", text)
	}
	moved := p.refactor(t, e, editor.ListRefactoringsArgs{Selection: editor.Selection{Path: "shop.ts", StartLine: 1, Code: "export class Shop"}, Kind: "refactor.move"}, "refactor.move.newFile", "")
	if len(moved.Files) != 2 || !strings.Contains(p.doc("Shop.ts").Text, "factor") {
		t.Errorf("moved: %+v", moved)
	}
}

func TestRefactor_Clangd(t *testing.T) {
	installed(t, "clangd", "install clangd")
	p := open(t, "\n-- main.cc --\nint twice(int n) {\n  int m = n;\n  m += n;\n  m += 0;\n  return m;\n}\n", headless.Options{})
	done, err := set(t, p).ExtractMethod(long(t), editor.ExtractMethodArgs{Selection: editor.Selection{Path: "main.cc", StartLine: 3, EndLine: 4}, Name: "grow", Preview: new(false)})
	if err != nil {
		t.Fatal(err)
	}
	if text := p.doc("main.cc").Text; done.NewName != "grow" || !strings.Contains(text, "void grow(") || !strings.Contains(text, "  grow(") {
		t.Errorf("after extraction:\n%s\n%+v", text, done)
	}
}

func TestRefactorings_PyrightNoExtraction(t *testing.T) {
	installed(t, "pyright-langserver", "npm install -g pyright")
	p := open(t, "\n-- main.py --\ndef f(n: int) -> int:\n    m = n + 1\n    return m\n", headless.Options{})
	_, err := set(t, p).ExtractMethod(long(t), editor.ExtractMethodArgs{Selection: editor.Selection{Path: "main.py", StartLine: 2}})
	if code(err) != "NO_REFACTORING" || !strings.Contains(err.Error(), "offers nothing") {
		t.Errorf("%v", err)
	}
}
