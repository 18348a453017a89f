package treesitter_test

import (
	"testing"

	"github.com/dougu-go/dougu/tools/source"
	"github.com/dougu-go/dougu/tools/source/parsertest"
)

func TestParser(t *testing.T) {
	parsertest.Run(t, grammarsOf(t), []parsertest.Sample{
		{Language: source.C, Source: "#include <a.h>\nstruct s { int x; };\nint f(int a) { return g(a); }\n"},
		{Language: source.CPP, Source: "namespace n { class k { int m(int a) { return g(a); } }; }\n"},
		{Language: source.CSharp, Source: "using System;\nclass K { int M(int a) { return G(a); } }\n"},
		{Language: source.Go, Source: "package p\n\nfunc f(a int) int { return g(a) }\n", Want: []string{"p", "f"}},
		{Language: source.Java, Source: "package p;\nclass K { int m(int a) { return g(a); } }\n"},
		{Language: source.JavaScript, Source: "class K { m(a) { return g(a); } }\n"},
		{Language: source.Kotlin, Source: "package p\nclass K { fun m(a: Int): Int { return g(a) } }\n"},
		{Language: source.PHP, Source: "<?php\nclass K { function m($a) { return g($a); } }\n"},
		{Language: source.Python, Source: "class K:\n    def m(self, a):\n        return g(a)\n"},
		{Language: source.Ruby, Source: "class K\n  def m(a)\n    g(a)\n  end\nend\n"},
		{Language: source.Rust, Source: "struct S;\nimpl S { fn m(a: i32) -> i32 { g(a) } }\n"},
		{Language: source.Scala, Source: "class K { def m(a: Int): Int = g(a) }\n"},
		{Language: source.Swift, Source: "class K { func m(_ a: Int) -> Int { return g(a) } }\n"},
		{Language: source.TSX, Source: "class K { m = (a: number) => <p>{g(a)}</p> }\n"},
		{Language: source.TypeScript, Source: "class K { m(a: number): number { return g(a) } }\n"},
		{Name: "broken Go", Language: source.Go, Source: "package p\n\nfunc f( {\n", Broken: true},
	})
}
