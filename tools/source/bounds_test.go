package source_test

import (
	"bytes"
	"strings"
	"testing"

	"github.com/dougu-go/dougu/tools/source"
	"github.com/dougu-go/dougu/tools/source/golang"
	"github.com/dougu-go/dougu/tools/source/outline"
)

// A function that holds another one is uncertain, also in a text whose brackets match.
func TestFile_CheckBounds_MatchingBrackets(t *testing.T) {
	parsers := source.NewParsers(outline.Parser{}, golang.Parser{})
	for _, tc := range []struct {
		about     string
		lang      source.Language
		src       string
		uncertain bool
	}{
		{"a bracket missing and one too many", source.Go, "package p\n\nfunc a() {\n\tif x {\n\t\tg()\n}\n\nfunc b() {\n\th()\n}\n}\n\nfunc c() {}\n", true},
		{"code behind a function", source.Go, "package p\n\nfunc a() {\n\tg()\n\nfunc b() {\n\th()\n}\n\n\tk()\n}\n\nfunc c() {}\n", true},
		{"a method in a function", source.Go, "package p\n\nfunc a() {\n\tif x {\n\t\tg()\n}\n\nfunc (t *T) b(x int) error {\n\th()\n}\n}\n", true},
		{"a bracket missing and one too many", source.C, "int a(int x)\n{\n\tif (x) {\n\t\tg();\n}\n\nint b(int x)\n{\n\treturn 2;\n}\n}\n\nint c(void) { return 1; }\n", true},
		{"a bracket missing and one too many", source.Java, "class C {\n    int a() {\n        if (x) {\n            g();\n    }\n\n    int b() {\n        return 2;\n    }\n    }\n}\n", true},
		{"a bracket missing and one too many", source.Kotlin, "fun a() {\n    if (x) {\n        g()\n}\n\nfun b() {\n    h()\n}\n}\n\nfun c() {}\n", true},
		{"a bracket missing and one too many", source.JavaScript, "function a() {\n  if (x) {\n    g();\n}\n\nfunction b() {\n  h();\n}\n}\n", true},
		{"literals at the left edge", source.Go, "package p\n\nfunc a() {\n\tg(func() {\n\t\th()\n\t})\nfunc() {\n}()\n}\n", false},
		{"a body without a name", source.CPP, "namespace n {\nstatic int\n{\n\tif (x > 0) {\n\t\tx = g(x);\n\t}\n\treturn 1;\n}\n\nint a(int x) {\n\treturn 2;\n}\n}\n", true},
		{"a label and a directive", source.C, "int a(int x)\n{\n\tif (x) {\n\t\tgoto out;\n\t}\n#ifdef A\n\tg();\n#endif\nout:\n\treturn f(x);\n}\n", false},
		{"statements at the left edge", source.C, "int a(int x)\n{\n\tg();\nif (x) {\nstruct s y;\nelse while (f(x)) {\n}\n}\nreturn f(x);\n}\n", false},
		{"an anonymous class", source.Java, "class C {\n    void a() {\n        g();\n    Runnable r = new Runnable() {\n        public void run() { }\n    };\n    }\n}\n", false},
		{"a module that is not indented", source.JavaScript, "const m = (function () {\n\"use strict\";\n\nfunction b() {\n  h();\n}\nreturn b;\n})\n", false},
		{"a function in a function", source.Kotlin, "fun a() {\n    fun b() {\n    }\n    b()\n}\n", false},
		{"a function in a template", source.JavaScript, "function a() {\n  return `\nfunction b() {\n}\n`;\n}\n", false},
	} {
		t.Run(string(tc.lang)+"/"+tc.about, func(t *testing.T) {
			f, err := parsers.Parse(t.Context(), []byte(tc.src), tc.lang, source.Options{})
			if err != nil {
				t.Fatal(err)
			}
			for i := range f.Chunks {
				c := &f.Chunks[i]
				if !c.Kind.IsCallable() || c.Name != "a" && c.Name != "m" {
					continue
				}
				if p := f.CheckBounds([]byte(tc.src), i); (p != nil) != tc.uncertain {
					t.Errorf("%s, lines %d to %d: %+v", c.Path(), c.StartLine, c.EndLine, p)
				}
				return
			}
			t.Errorf("%+v has no such function", f.Chunks)
		})
	}
}

// chunkOver is a File of one function, from one text to another one in src.
func chunkOver(lang source.Language, src, from, to string, problems ...source.Problem) *source.File {
	start := strings.Index(src, from)
	end := strings.LastIndex(src, to) + len(to)
	line := func(at int) int32 { return int32(1 + strings.Count(src[:at], "\n")) }
	body := start + strings.IndexAny(src[start:], "{:\n=") + 1
	return &source.File{Language: lang, Parser: "test", Problems: problems, Chunks: []source.Chunk{{
		Kind: source.Function, Name: "a", Start: int32(start), Decl: int32(start), Sig: int32(start), Ident: int32(start + 1), Body: int32(body), End: int32(end),
		StartLine: line(start), Line: line(start), IdentLine: line(start), EndLine: line(end - 1), Parent: -1,
	}}}
}

// A function whose end depends on a quote or a word that is missing is uncertain.
func TestFile_CheckBounds_Strings(t *testing.T) {
	problem := source.Problem{Line: 1, Message: "damaged"}
	for _, tc := range []struct {
		about     string
		lang      source.Language
		src       string
		from, to  string
		problems  []source.Problem
		uncertain bool
	}{
		{"a here-document in another one", source.PHP, "<?php\nfunction a() {\n    $s = <<<T\n    text\n    return $s;\n}\n\nfunction c() {\n    $s = <<<T\n    other\n    T;\n    return $s;\n}\n", "function a", "}", nil, true},
		{"a here-document in another one", source.Ruby, "def a\n  s = <<~SQL\n    select\n  s\nend\n\ndef c\n  s = <<~SQL\n    other\n  SQL\n  s\nend\n", "def a", "end", nil, true},
		{"two here-documents", source.Ruby, "def a\n  f(<<~A, <<~B)\n    x << A\n  A\ndef b\n  B\nend\n", "def a", "end", nil, false},
		{"a docstring up to the end", source.Python, "def a(x):\n    \"\"\"Doc.\"\"\n    return x\n\nX = 1\n", "def a", "1\n", []source.Problem{problem}, true},
		{"a docstring up to another one", source.Python, "def a(x):\n    \"\"\"Doc.\"\"\n    return x\n\ndef b():\n    \"\"\"Doc of b.\"\"\"\n", "def a", "Doc of b", []source.Problem{problem}, true},
		{"a docstring", source.Python, "def a(x):\n    \"\"\"Doc.\n    def\n    \"\"\"\n    return x\nx = )\n", "def a", "return x", []source.Problem{{Line: 6}}, false},
		{"a string up to another one", source.Rust, "fn a() {\n    println!({}\", x);\n}\n\nfn b() {\n    y();\n}\n\nfn c() {\n    println!(\"{}\", z);\n}\n", "fn a", "}", []source.Problem{problem}, true},
		{"a class in the same line, without a problem", source.Python, "def a(x):\n    return x * 2 class C:\n    def b(self):\n        pass\n", "def a", "pass", nil, true},
		{"functions in lines of other code", source.Python, "def a(x):\n    async def b(): return \"x class C:\"\n    if x: y(); z = x\n    class C: x = 1\n    return b\n", "def a", "return b", nil, false},
		{"a class in the same line", source.Python, "def a(x):\n    return x * 2 class C:\n    def b(self):\n        pass\n", "def a", "pass", []source.Problem{problem}, true},
		{"a class in the same line", source.Ruby, "def a(x) = b(x) class C\n  def c\n  end\nend\n", "def a", "end", []source.Problem{problem}, true},
		{"the body of another function", source.Kotlin, "fun a(x: Int) = b(x)\n\n/** Says. */\n    if (x > 0) {\n        return 1\n    }\n", "fun a", "    }", []source.Problem{problem}, true},
	} {
		t.Run(string(tc.lang)+"/"+tc.about, func(t *testing.T) {
			f := chunkOver(tc.lang, tc.src, tc.from, tc.to, tc.problems...)
			if !bytes.HasPrefix([]byte(tc.src)[f.Chunks[0].Start:], []byte(tc.from)) {
				t.Fatal("the test has no such function")
			}
			if p := f.CheckBounds([]byte(tc.src), 0); (p != nil) != tc.uncertain {
				t.Errorf("%+v", p)
			}
		})
	}
}

// A grammar can take the "end" of a damaged method for a modifier of the next one.
func TestFile_CheckBounds_EndAsModifier(t *testing.T) {
	const src = "  def a\n    x(\n  end\n\n  def b\n    y\n  end\n"
	at := func(text string) int32 { return int32(strings.Index(src, text)) }
	c := source.Chunk{
		Kind: source.Method, Name: "b", Start: at("end"), Decl: at("end"), Sig: at("end"), Ident: at("b\n"), Body: at("    y"), End: int32(len(src) - 1),
		StartLine: 3, Line: 3, IdentLine: 5, EndLine: 7, Parent: -1,
	}
	f := &source.File{Language: source.Ruby, Parser: "test", Problems: []source.Problem{{Line: 1, Message: "damaged"}}, Chunks: []source.Chunk{c}}
	if f.CheckBounds([]byte(src), 0) == nil {
		t.Error("the bounds are certain")
	}
}
