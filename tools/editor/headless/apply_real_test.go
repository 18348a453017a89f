package headless_test

import (
	"strings"
	"testing"

	"github.com/dougu-go/dougu/tools/editor"
	"github.com/dougu-go/dougu/tools/editor/headless"
)

// realRefactoring is a refactoring in one call by path and kind. Files are written before it.
type realRefactoring struct {
	name  string
	files string // as in open; they replace the files of earlier refactorings
	args  editor.ApplyRefactoringArgs
	want  map[string]string // by file, a part of its text
}

// runRefactorings makes each refactoring with a preview and applies the preview by its id.
func runRefactorings(t *testing.T, base string, all []realRefactoring) {
	p := open(t, base, headless.Options{})
	e := set(t, p)
	for _, r := range all {
		t.Run(r.name, func(t *testing.T) {
			var before []string
			for _, file := range strings.Split("\n"+r.files, "\n-- ")[1:] {
				name, content, _ := strings.Cut(file, " --\n")
				p.write(name, strings.TrimSuffix(content, "\n")+"\n")
				before = append(before, name)
			}
			texts := map[string]string{}
			for _, name := range before {
				texts[name] = p.doc(name).Text
				p.FilesChanged([]string{p.path(name)})
			}
			shown, err := e.ApplyRefactoring(long(t), r.args)
			if err != nil {
				t.Fatal(err)
			}
			if shown.RefactoringID == "" || !shown.DryRun {
				t.Fatalf("the preview is %s", shown.TextContent())
			}
			for _, name := range before {
				if p.doc(name).Text != texts[name] {
					t.Errorf("the preview has changed %s", name)
				}
			}
			done, err := e.ApplyRefactoring(long(t), editor.ApplyRefactoringArgs{RefactoringID: shown.RefactoringID, Preview: new(false)})
			if err != nil || done.Diff != shown.Diff {
				t.Fatalf("%v\nshown\n%s\ndone\n%s", err, shown.Diff, done.Diff)
			}
			for name, want := range r.want {
				if text := p.doc(name).Text; !strings.Contains(text, want) {
					t.Errorf("%s does not have %q:\n%s", name, want, text)
				}
			}
		})
	}
}

func TestApplyRefactoring_Gopls(t *testing.T) {
	installed(t, "gopls", "go install golang.org/x/tools/gopls@latest")
	at := func(path string, line int, code, kind string) editor.ApplyRefactoringArgs {
		return editor.ApplyRefactoringArgs{Path: path, StartLine: line, Code: code, Kind: kind}
	}
	named := func(args editor.ApplyRefactoringArgs, name string) editor.ApplyRefactoringArgs {
		args.Name = name
		return args
	}
	runRefactorings(t, "\n-- go.mod --\nmodule example.com/shop\n\ngo 1.24\n-- k/k.go --\npackage k\n\nimport \"example.com/shop/j\"\n\nvar N = j.F(1, \"x\")\n-- j/j.go --\npackage j\n\nfunc F(a int, b string) int { return a + len(b) }\n", []realRefactoring{
		{"extracts a function", "\n-- a/a.go --\npackage a\n\nfunc F(n int) int {\n\ts := 0\n\tfor i := range n {\n\t\ts += i\n\t}\n\treturn s\n}\n",
			editor.ApplyRefactoringArgs{Path: "a/a.go", StartLine: 4, EndLine: 7, Kind: "refactor.extract.function", Name: "sum"}, map[string]string{"a/a.go": "s := sum(n)"}},
		{"extracts a method", "\n-- b/b.go --\npackage b\n\ntype T struct{ n int }\n\nfunc (t T) F() int {\n\tx := t.n + 1\n\treturn x\n}\n",
			named(at("b/b.go", 6, "", "refactor.extract.method"), "plus"), map[string]string{"b/b.go": "func (t T) plus() int"}},
		{"extracts a variable", "\n-- c/c.go --\npackage c\n\nfunc F(n int) int {\n\treturn n * (n + 1)\n}\n",
			named(at("c/c.go", 4, "(n + 1)", "refactor.extract.variable"), "next"), map[string]string{"c/c.go": "next := (n + 1)"}},
		{"extracts a constant", "\n-- d/d.go --\npackage d\n\nfunc F() string {\n\treturn \"text\"\n}\n",
			named(at("d/d.go", 4, "\"text\"", "refactor.extract.constant"), "label"), map[string]string{"d/d.go": "const label = \"text\""}},
		{"extracts all occurrences", "\n-- e/e.go --\npackage e\n\nfunc F(n int) int {\n\treturn (n + 1) *\n\t\t(n + 1)\n}\n",
			at("e/e.go", 4, "(n + 1)", "refactor.extract.variable-all"), map[string]string{"e/e.go": "return newVar *\n\t\tnewVar"}},
		{"inlines a call", "\n-- f/f.go --\npackage f\n\nfunc double(n int) int { return n * 2 }\n\nfunc F(n int) int {\n\treturn double(n)\n}\n",
			at("f/f.go", 6, "double(n)", "refactor.inline.call"), map[string]string{"f/f.go": "\treturn n * 2\n"}},
		{"inlines a variable", "\n-- g/g.go --\npackage g\n\nfunc F(n int) int {\n\tx := n + 1\n\treturn x\n}\n",
			at("g/g.go", 5, "x", "refactor.inline.variable"), map[string]string{"g/g.go": "return n + 1"}},
		{"fills a struct", "\n-- h/h.go --\npackage h\n\ntype T struct{ Name string }\n\nfunc F() T {\n\treturn T{}\n}\n",
			at("h/h.go", 6, "{}", "refactor.rewrite.fillStruct"), map[string]string{"h/h.go": "Name: \"\","}},
		{"removes a parameter", "\n-- i/i.go --\npackage i\n\nfunc f(unused int, n int) int { return n }\n\nfunc F() int { return f(1, 2) }\n",
			at("i/i.go", 3, "unused", "refactor.rewrite.removeUnusedParam"), map[string]string{"i/i.go": "return f(2)"}},
		{"moves a parameter", "",
			at("j/j.go", 3, "a int", "refactor.rewrite.moveParamRight"), map[string]string{"j/j.go": "func F(b string, a int)", "k/k.go": "j.F(\"x\", 1)"}},
		{"inverts a condition", "\n-- l/l.go --\npackage l\n\nfunc F(a, b int) int {\n\tif a > b {\n\t\treturn a\n\t} else {\n\t\treturn b\n\t}\n}\n",
			at("l/l.go", 4, "if", "refactor.rewrite.invertIf"), map[string]string{"l/l.go": "if a <= b {"}},
		{"moves to a new file", "\n-- m/m.go --\npackage m\n\nfunc F() {}\n\nfunc G() {}\n",
			at("m/m.go", 5, "func G() {}", "refactor.extract.toNewFile"), map[string]string{"m/g.go": "func G() {}"}},
		{"organizes imports", "\n-- n/n.go --\npackage n\n\nimport \"os\"\n\nfunc F() { fmt.Println() }\n",
			editor.ApplyRefactoringArgs{Path: "n/n.go", Kind: "source.organizeImports"}, map[string]string{"n/n.go": "import \"fmt\""}},
		{"organizes the imports of a directory", "\n-- o/a.go --\npackage o\n\nimport \"os\"\n\nfunc F() { fmt.Println() }\n-- o/b.go --\npackage o\n\nfunc G() { strings.ToLower(\"\") }\n-- o/c.go --\npackage o\n",
			editor.ApplyRefactoringArgs{Path: "o", Glob: "*.go", Kind: "source.organizeImports"}, map[string]string{"o/a.go": "import \"fmt\"", "o/b.go": "import \"strings\""}},
	})
}

func TestApplyRefactoring_TypeScript(t *testing.T) {
	installed(t, "typescript-language-server", "npm install -g typescript-language-server typescript")
	at := func(path string, line int, code, kind string) editor.ApplyRefactoringArgs {
		return editor.ApplyRefactoringArgs{Path: path, StartLine: line, Code: code, Kind: kind}
	}
	const config = "\n-- tsconfig.json --\n{\"compilerOptions\": {\"strict\": true, \"target\": \"ES2022\", \"module\": \"ES2022\", \"moduleResolution\": \"bundler\", \"types\": [], \"noUnusedLocals\": true}, \"include\": [\"src\"]}\n"
	move := at("src/m.ts", 2, "export const moved = 1;", "refactor.move.file")
	move.Target = "src/target.ts"
	moveNew := at("src/o.ts", 2, "export const fresh = 1;", "refactor.move.file")
	moveNew.Target = "src/deep/new.ts"
	inner := at("src/a.ts", 2, "n + 1", "refactor.extract.function")
	inner.Title, inner.Name = "module scope", "next"
	constant := at("src/b.ts", 2, "n + 1", "refactor.extract.constant")
	constant.Name, constant.Title = "next", "enclosing scope"
	runRefactorings(t, config, []realRefactoring{
		{"extracts a function", "\n-- src/a.ts --\nexport function f(n: number) {\n  return (n + 1) * 2;\n}\n", inner, map[string]string{"src/a.ts": "function next(n: number)"}},
		{"extracts a constant", "\n-- src/b.ts --\nexport function f(n: number) {\n  return (n + 1) * 2;\n}\n", constant, map[string]string{"src/b.ts": "const next = n + 1;"}},
		{"extracts a type", "\n-- src/c.ts --\nexport function f(c: { x: number; y: string }) {\n  return c.x;\n}\n",
			at("src/c.ts", 1, "{ x: number; y: string }", "refactor.extract.type"), map[string]string{"src/c.ts": "type NewType = "}},
		{"extracts an interface", "\n-- src/d.ts --\nexport function f(c: { x: number; y: string }) {\n  return c.x;\n}\n",
			at("src/d.ts", 1, "{ x: number; y: string }", "refactor.extract.interface"), map[string]string{"src/d.ts": "interface NewType "}},
		{"inlines a variable", "\n-- src/e.ts --\nexport function f(n: number) {\n  const two = 2;\n  return n * two;\n}\n",
			at("src/e.ts", 3, "two", "refactor.inline.variable"), map[string]string{"src/e.ts": "return n * 2;"}},
		{"destructures parameters", "\n-- src/g.ts --\nexport function g(a: number, b: number) {\n  return a + b;\n}\nexport const s = g(1, 2);\n",
			at("src/g.ts", 1, "a: number", "refactor.rewrite.parameters.toDestructured"), map[string]string{"src/g.ts": "g({ a: 1, b: 2 })"}},
		{"moves to a new file", "\n-- src/n.ts --\nexport const kept = 1;\nexport function lonely() {}\n",
			at("src/n.ts", 2, "export function lonely() {}", "refactor.move.newFile"), map[string]string{"src/lonely.ts": "export function lonely() {"}},
		{"moves to a file", "\n-- src/target.ts --\nexport const there = 2;\n-- src/m.ts --\nexport const kept = 1;\nexport const moved = 1;\n-- src/user.ts --\nimport { moved } from \"./m\";\nexport const u = moved;\n", move,
			map[string]string{"src/target.ts": "export const moved = 1;", "src/user.ts": "./target"}},
		{"moves to a missing file", "\n-- src/o.ts --\nexport const kept2 = 1;\nexport const fresh = 1;\n", moveNew, map[string]string{"src/deep/new.ts": "export const fresh = 1;"}},
		{"organizes imports", "\n-- src/p.ts --\nimport { there } from \"./target\";\nimport { f } from \"./a\";\nexport const x = [f, there];\n",
			editor.ApplyRefactoringArgs{Path: "src/p.ts", Kind: "source.organizeImports"}, map[string]string{"src/p.ts": "import { f } from \"./a\";\nimport { there }"}},
		{"adds missing imports", "\n-- src/q.ts --\nexport const x = there;\n",
			editor.ApplyRefactoringArgs{Path: "src/q.ts", Kind: "source.addMissingImports"}, map[string]string{"src/q.ts": "import { there } from \"./target\";"}},
		{"removes unused code", "\n-- src/r.ts --\nconst unused = 1;\nexport const x = 2;\n",
			editor.ApplyRefactoringArgs{Path: "src/r.ts", Kind: "source.removeUnused"}, map[string]string{"src/r.ts": "export const x = 2;"}},
		{"fixes all", "\n-- src/s.ts --\nexport function s() {\n  await Promise.resolve();\n}\n",
			editor.ApplyRefactoringArgs{Path: "src/s.ts", Kind: "source.fixAll"}, map[string]string{"src/s.ts": "async function s()"}},
		{"adds missing imports in a directory", "\n-- src/dir/a.ts --\nexport const y = there;\n-- src/dir/b.ts --\nexport const z = kept;\n",
			editor.ApplyRefactoringArgs{Path: "src/dir", Glob: "**/*.ts", Kind: "source.addMissingImports"}, map[string]string{"src/dir/a.ts": "import { there } from \"../target\";", "src/dir/b.ts": "import { kept } from"}},
	})
}

func TestApplyRefactoring_Clangd(t *testing.T) {
	installed(t, "clangd", "install clangd")
	runRefactorings(t, "\n-- README --\nx\n", []realRefactoring{
		{"extracts a variable", "\n-- a.cc --\nint f(int n) {\n  return n * (n + 1);\n}\n",
			editor.ApplyRefactoringArgs{Path: "a.cc", StartLine: 2, Code: "(n + 1)", Kind: "refactor.extract.variable", Name: "next"}, map[string]string{"a.cc": "auto next = (n + 1);"}},
		{"extracts a function", "\n-- b.cc --\nint twice(int n) {\n  int m = n;\n  m += n;\n  m += 0;\n  return m;\n}\n",
			editor.ApplyRefactoringArgs{Path: "b.cc", StartLine: 3, EndLine: 4, Kind: "refactor.extract.function", Name: "grow"}, map[string]string{"b.cc": "void grow("}},
		{"defines out of line", "\n-- c.h --\nstruct S {\n  int f() { return 1; }\n};\n-- c.cc --\n#include \"c.h\"\n",
			editor.ApplyRefactoringArgs{Path: "c.h", StartLine: 2, Code: "f", Kind: "refactor", Title: "out-of-line"}, map[string]string{"c.cc": "int S::f()"}},
	})
}

func TestApplyRefactoring_Pyright(t *testing.T) {
	installed(t, "pyright-langserver", "npm install -g pyright")
	runRefactorings(t, "\n-- README --\nx\n", []realRefactoring{
		{"organizes imports", "\n-- a.py --\nimport sys\nimport os\nprint(os, sys)\n",
			editor.ApplyRefactoringArgs{Path: "a.py", Kind: "source.organizeImports"}, map[string]string{"a.py": "import os\nimport sys\n"}},
	})
}
