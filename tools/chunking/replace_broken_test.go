package chunking_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/dougu-go/dougu/mcp"
	"github.com/dougu-go/dougu/tools/chunking"
	"github.com/dougu-go/dougu/tools/internal/toolsettest"
	"github.com/dougu-go/dougu/tools/source"
)

// breakable is a file in one language, with a function f that breakages damage.
type breakable struct {
	file   string
	before string // the text before the function
	code   string // the function
	after  string // text after the function
	id     string // path of the function in its ID
	quick  bool   // also with -short
	// head is the beginning of the function, and nameless is head without the name.
	head, nameless string
	// except lists the breakages that the language allows.
	except string
}

const braced = " {\n    LET y = g(x + 1);\n    if (y > 2) {\n        return y;\n    }\n    return 0;\n}"

// breakables has an entry for every language of source.Languages. A second function shows
// whether a replacement hides it.
var breakables = map[source.Language]breakable{
	source.Swift: {
		file: "a.swift", before: "import Foundation\n\n", head: "func f(x: Int) -> Int", nameless: "func (x: Int) -> Int",
		code: "func f(x: Int) -> Int" + body("let"), after: "\n\nfunc h() {}\n", id: "f(x:)",
	},
	source.Kotlin: {
		file: "a.kt", before: "package p\n\n", head: "fun f(x: Int): Int", nameless: "fun (x: Int): Int",
		code: "fun f(x: Int): Int" + body("val"), after: "\n\nfun h() {}\n", id: "f",
	},
	source.Go: {
		file: "a.go", before: "package p\n\n", head: "func f(x int) int", nameless: "func (x int) int", quick: true,
		code: "func f(x int) int {\n\ty := g(x + 1)\n\tif y > 2 {\n\t\treturn y\n\t}\n\treturn 0\n}", after: "\n\nfunc h() {}\n", id: "f",
	},
	source.TypeScript: {
		file: "a.ts", before: "import { g } from './g';\n\n", head: "function f(x: number): number", nameless: "function (x: number): number",
		code: "function f(x: number): number" + body("const"), after: "\n\nfunction h(): void {}\n", id: "f",
	},
	source.TSX: {
		file: "a.tsx", before: "import { g } from './g';\n\n", head: "function f(x: number): number", nameless: "function (x: number): number",
		code: "function f(x: number): number" + body("const"), after: "\n\nfunction H() { return <b>1</b>; }\n", id: "f",
	},
	source.JavaScript: {
		file: "a.js", before: "import { g } from './g.js';\n\n", head: "function f(x)", nameless: "function (x)",
		code: "function f(x)" + body("const"), after: "\n\nfunction h() {}\n", id: "f",
	},
	source.Python: {
		file: "a.py", before: "import os\n\n\n", head: "def f(x)", nameless: "def (x)", quick: true,
		code: "def f(x):\n    y = g(x + 1)\n    if (y > 2):\n        return y\n    return 0", after: "\n\n\ndef h():\n    pass\n", id: "f",
	},
	source.Java: {
		file: "A.java", before: "class A {\n    ", head: "int f(int x)", nameless: "int (int x)",
		code: "int f(int x)" + body("int"), after: "\n\n    void h() {}\n}\n", id: "A.f",
	},
	source.Rust: {
		file: "a.rs", before: "use std::io;\n\n", head: "fn f(x: i32) -> i32", nameless: "fn (x: i32) -> i32",
		code: "fn f(x: i32) -> i32" + body("let"), after: "\n\nfn h() {}\n", id: "f",
	},
	source.C: {
		file: "a.c", before: "#include \"g.h\"\n\n", head: "int f(int x)", nameless: "int (int x)", quick: true,
		code: "int f(int x)" + body("int"), after: "\n\nvoid h(void) {}\n", id: "f",
	},
	source.CPP: {
		file: "a.cpp", before: "#include \"g.h\"\n\n", head: "int f(int x)", nameless: "int (int x)",
		code: "int f(int x)" + body("auto"), after: "\n\nvoid h() {}\n", id: "f",
	},
	source.CSharp: {
		file: "A.cs", before: "class A\n{\n    ", head: "int f(int x)", nameless: "int (int x)",
		code: "int f(int x)" + body("var"), after: "\n\n    void h() {}\n}\n", id: "A.f",
	},
	source.Ruby: {
		file: "a.rb", before: "require 'g'\n\n", head: "def f(x)", nameless: "def (x)", except: "an elision, a branch without a condition",
		code: "def f(x)\n  y = g(x + 1)\n  if (y > 2)\n    return y\n  end\n  return 0\nend", after: "\n\ndef h\nend\n", id: "f",
	},
	source.PHP: {
		file: "a.php", before: "<?php\n\n", head: "function f($x)", nameless: "function ($x)",
		code: "function f($x)" + strings.NewReplacer("LET y", "$y", "(x", "($x", "(y", "($y", "return y", "return $y").Replace(braced), after: "\n\nfunction h() {}\n", id: "f",
	},
	source.Scala: {
		file: "a.scala", before: "object A {\n  ", head: "def f(x: Int): Int =", nameless: "def (x: Int): Int =", except: "a missing operand",
		code: "def f(x: Int): Int =" + body("val"), after: "\n\n  def h(): Unit = {}\n}\n", id: "A.f",
	},
}

func body(let string) string { return strings.Replace(braced, "LET", let, 1) }

// breakages are typical errors of models and people in a function.
var breakages = []struct {
	name   string
	change func(b breakable) string
}{
	{"a call that is not closed", func(b breakable) string { return strings.Replace(b.code, " + 1)", " + 1", 1) }},
	{"a missing operand", func(b breakable) string { return strings.Replace(b.code, " + 1)", " + )", 1) }},
	{"an operator too many", func(b breakable) string { return strings.Replace(b.code, " + 1", " + = 1", 1) }},
	{"a string that is not closed", func(b breakable) string { return strings.Replace(b.code, " + 1)", " + \"1)", 1) }},
	{"crossed brackets", func(b breakable) string { return strings.Replace(b.code, "g(", "g([", 1) }},
	{"a lost end", func(b breakable) string {
		if b.file == "a.py" {
			return b.code[:strings.Index(b.code, "\n")] // a head without a body
		}
		return strings.TrimSuffix(strings.TrimSuffix(b.code, "end"), "}")
	}},
	{"an end too many", func(b breakable) string {
		switch {
		case strings.HasSuffix(b.code, "}"):
			return b.code + "\n}"
		case strings.HasSuffix(b.code, "end"):
			return b.code + "\nend"
		}
		return b.code + ")"
	}},
	{"a merge conflict", func(b breakable) string {
		lines := strings.SplitAfter(b.code, "\n")
		return lines[0] + "<<<<<<< HEAD\n" + lines[1] + "=======\n" + lines[1] + ">>>>>>> other\n" + strings.Join(lines[2:], "")
	}},
	{"an elision", func(b breakable) string {
		lines := strings.SplitAfter(b.code, "\n")
		return lines[0] + lines[1] + "    … the rest stays as it is\n" + lines[len(lines)-1]
	}},
	{"a branch without a condition", func(b breakable) string {
		return strings.NewReplacer("return y", "else y", "return $y", "else $y").Replace(b.code)
	}},
	{"a head that opens twice", func(b breakable) string {
		return strings.Replace(b.code, b.head, strings.Replace(b.head, "(", "((", 1), 1)
	}},
	{"no name", func(b breakable) string { return strings.Replace(b.code, b.head, b.nameless, 1) }},
}

// A replacement with a syntax error is refused, whichever parser lists the functions of the
// file.
func TestReplace_Broken(t *testing.T) {
	tried := 0
	for _, lang := range source.Languages() {
		b, ok := breakables[lang]
		if !ok {
			t.Errorf("%s has no example", lang)
		}
		if testing.Short() && !b.quick {
			continue
		}
		content := b.before + b.code + b.after
		p := newProject(t, chunking.Options{InMemory: true}, map[string]string{b.file: content})
		id := b.file + "#" + b.id
		good, err := p.Replace(t.Context(), chunking.ReplaceArgs{FilePath: b.file, FunctionSignature: id, NewCode: strings.Replace(b.code, "return 0", "return 1", 1), DryRun: true})
		if err != nil || good.Unchecked != "" || good.CheckedBy == "" {
			t.Errorf("%s: a correct replacement: %q, %v", lang, good.Unchecked, err)
			continue
		}
		for _, broken := range breakages {
			code := broken.change(b)
			if strings.Contains(b.except, broken.name) {
				continue
			}
			if code == b.code {
				t.Fatalf("%s, %s: nothing is broken", lang, broken.name)
			}
			tried++
			_, err := p.Replace(t.Context(), chunking.ReplaceArgs{FilePath: b.file, FunctionSignature: id, NewCode: code})
			if refusal, ok := errors.AsType[*mcp.ToolError](err); !ok || refusal.Code != "DOES_NOT_PARSE" {
				t.Errorf("%s, %s: %v\n%s", lang, broken.name, err, code)
			}
			if got := p.read(t, b.file); got != content {
				t.Errorf("%s, %s: the file was written", lang, broken.name)
				p.put(t, b.file, content)
			}
		}
	}
	t.Logf("%d broken replacements", tried)
	if !testing.Short() && tried < 80 {
		t.Errorf("only %d broken replacements were tried", tried)
	}
}

// The marks of a merge conflict are found in code that is indented for its place.
func TestReplace_IndentedConflict(t *testing.T) {
	p := newProject(t, chunking.Options{InMemory: true}, map[string]string{"a.swift": "class A {\n    func f() {\n        g()\n    }\n}\n"})
	_, err := p.Replace(t.Context(), chunking.ReplaceArgs{ChunkID: "a.swift#A.f()", NewCode: "func f() {\n<<<<<<< HEAD\n    g()\n=======\n    h()\n>>>>>>> other\n}"})
	toolsettest.WantError(t, err, "DOES_NOT_PARSE", "line 3: a merge conflict")
}

// A language without a grammar is not checked, and the result says so.
func TestReplace_Unchecked(t *testing.T) {
	p := newProject(t, chunking.Options{Parsers: source.NewParsers(zig{}), InMemory: true}, map[string]string{"a.zig": "fn main() {}\n"})
	r, err := p.Replace(t.Context(), chunking.ReplaceArgs{ChunkID: "a.zig#main", NewCode: "fn main() {} )"})
	if err != nil || r.CheckedBy != "" || r.TextNote() != "[not checked: no grammar for zig]" {
		t.Errorf("%+v, %q, %v", r, r.TextNote(), err)
	}
}

// wordChecker is a parser that finds an error without a line at "one", and an error in line 2 at "two".
type wordChecker struct{ zig }

func (wordChecker) Check(_ context.Context, src []byte, _ source.Language) (problems []source.Problem, err error) {
	for line, word := range map[int32]string{0: "one", 2: "two"} {
		if strings.Contains(string(src), word) {
			problems = append(problems, source.Problem{Line: line, Message: word})
		}
	}
	return problems, nil
}

// An error on a blank line is not equal to an earlier error without a line.
func TestReplace_ErrorOnBlankLine(t *testing.T) {
	p := newProject(t, chunking.Options{Parsers: source.NewParsers(wordChecker{}), InMemory: true}, map[string]string{"a.zig": "fn a() { one }\n\nfn b() {}\n"})
	_, err := p.Replace(t.Context(), chunking.ReplaceArgs{ChunkID: "a.zig#a", NewCode: "fn a() { two }"})
	toolsettest.WantError(t, err, "DOES_NOT_PARSE", "line 2: two")
}

// An error that existed before does not prevent a change elsewhere, which is checked without it.
func TestReplace_ErrorBefore(t *testing.T) {
	const content = "package p\n\nfunc f() {}\n\nfunc g() { return 1 + }\n"
	p := newProject(t, chunking.Options{InMemory: true}, map[string]string{"a.go": content})
	r, err := p.Replace(t.Context(), chunking.ReplaceArgs{ChunkID: "a.go#f", NewCode: "func f() {\n\tg()\n}"})
	if err != nil || r.CheckedBy != "go/parser" || r.TextNote() != "" {
		t.Errorf("%+v, %q, %v", r, r.TextNote(), err)
	}
	_, err = p.Replace(t.Context(), chunking.ReplaceArgs{ChunkID: "a.go#f", NewCode: "func f() {\n\tg() +\n}"})
	if refusal, ok := errors.AsType[*mcp.ToolError](err); !ok || refusal.Code != "DOES_NOT_PARSE" {
		t.Errorf("a further error: %v", err)
	}
}

// AllowErrors writes a syntax error and reports it. A declaration beside the function is still not lost.
func TestReplace_AllowErrors(t *testing.T) {
	const content = "package p\n\nfunc f() {}\n\nfunc g() {}\n"
	p := newProject(t, chunking.Options{InMemory: true}, map[string]string{"a.go": content})
	args := chunking.ReplaceArgs{ChunkID: "a.go#f", NewCode: "func f() {\n\tlet = = 5 ++ * ;;\n}"}
	_, err := p.Replace(t.Context(), args)
	toolsettest.WantError(t, err, "DOES_NOT_PARSE", "line 4: ")
	toolsettest.WantError(t, err, "DOES_NOT_PARSE", "allowErrors")
	args.AllowErrors = true
	r, err := p.Replace(t.Context(), args)
	if err != nil || len(r.NewErrors) == 0 || r.NewErrors[0].Line != 4 || !strings.HasPrefix(r.TextNote(), "[new syntax error, line 4: ") {
		t.Errorf("%+v, %q, %v", r, r.TextNote(), err)
	}
	if got := p.read(t, "a.go"); got != strings.Replace(content, "func f() {}", args.NewCode, 1) {
		t.Errorf("the file is %q", got)
	}
	p.put(t, "a.go", content)
	_, err = p.Replace(t.Context(), chunking.ReplaceArgs{ChunkID: "a.go#f", NewCode: "func f() {\n\tx := 1 /*\n}", AllowErrors: true})
	toolsettest.WantError(t, err, "DOES_NOT_PARSE", "g")
}

// A body of Python that leaves its function by indentation is refused.
func TestReplace_LeavesFunction(t *testing.T) {
	const content = "import os\n\ndef f(x):\n    return 1\n\nclass A:\n    def g(self):\n        return 2\n\n    def h(self):\n        pass\n"
	p := newProject(t, chunking.Options{InMemory: true}, map[string]string{"a.py": content})
	for _, tc := range []struct{ chunk, code, says string }{
		{"f", "def f(x):\n    y = 1\nreturn y", "line 5: "},
		{"f", "def f(x):\n    y = 1\nif y:\n    print(y)", "line 5: "},
		{"f", "def f(x):\n    y = 1\n# Says.\nprint(y)", "line 6: "},
		{"f", "def f(x):\n\ndef k():\n    pass", "a block is empty"},
		{"f", "def f(x):\n    # nothing", "a block is empty"},
		{"A.g", "def g(self):\n    y = 1\nprint(y)", "line 9: "},
		{"A.g", "def g(self):\n        y = 1\n    print(y)", "line 9: "},
	} {
		_, err := p.Replace(t.Context(), chunking.ReplaceArgs{ChunkID: "a.py#" + tc.chunk, NewCode: tc.code})
		toolsettest.WantError(t, err, "DOES_NOT_PARSE", tc.says)
		if got := p.read(t, "a.py"); got != content {
			t.Fatalf("%q: the file is\n%s", tc.code, got)
		}
	}
	for _, tc := range []struct{ chunk, code string }{
		{"f", "def f(x):\n    y = 1\n# done\n\ndef k():\n    return 3"},
		{"A.g", "@cached\ndef g(self):\n    return 3"},
		{"A", "class A:\n    y = 1\n    def g(self):\n        return 3\n    def h(self):\n        pass\n    z = 2"},
	} {
		if _, err := p.Replace(t.Context(), chunking.ReplaceArgs{ChunkID: "a.py#" + tc.chunk, NewCode: tc.code, DryRun: true}); err != nil {
			t.Errorf("%q: %v", tc.code, err)
		}
	}
}
