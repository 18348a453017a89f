package outline_test

import (
	"bytes"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/dougu-go/dougu/tools/source"
	"github.com/dougu-go/dougu/tools/source/outline"
)

// texts have a type with a method that calls something, an import, a namespace or
// nested type, and signatures that are not one line of plain text.
var texts = map[source.Language]string{
	source.C:          "#include <a.h>\nstruct s { int x; };\nint\nf(int a, /* b */ int c) { return g(a); }\n",
	source.CPP:        "#include <a.h>\nnamespace n { class k {\n int m(int a,\n  int b) { return g(a); } }; }\n",
	source.Go:         "package p\nimport \"os\"\ntype T struct{ x int }\nfunc (t *T) m(a int,\n\tb int) { os.Exit(g(a)) }\n",
	source.Java:       "package p;\nimport a.B;\nclass K { class L {\n int m(int a,\n  java.util.List<String> b) { return g(a); } } }\n",
	source.JavaScript: "import 'a';\nclass K { m(a,\n b) { return g(a); } }\nconst o = { ['x' + y]: function (a) {} };\n",
	source.Kotlin:     "package p\nimport a.b\nclass K { class L { fun m(a: Int,\n b: Int): Int { return g(a) } } }\nfun String.ext() = h()\n",
	source.Python:     "import a\nclass K:\n    class L:\n        def m(self,\n              a):\n            return g(a)\n",
	source.Swift:      "import A\nclass K { struct L { func m(_ a: Int,\n at b: Int) -> Int { g(a) } } }\nextension K { func e() { h() } }\n",
	source.TypeScript: "import 'a';\nnamespace n { class K { m(a: number, // b\n b: string) { return g(a); } } }\n",
	"dart":            "import 'a';\nclass K { int m(int a,\n  {int b = 1}) { return g(a); } }\n",
	"shell":           ". ./a\nv=1\nf() {\n g a \\\n  b\n}\n",
	source.TSX:        "import 'a';\nclass K { m = (a: number,\n b: string) => <p>{g(a)}</p> }\n",
}

// TestOutline_ResultsAreCopies checks that a File does not change with the text or with later scans.
func TestOutline_ResultsAreCopies(t *testing.T) {
	parsed := func(src []byte, lang source.Language) *source.File {
		f, err := outline.Parser{}.Parse(t.Context(), src, lang, source.Options{Calls: true})
		if err != nil {
			t.Fatalf("%s: %v", lang, err)
		}
		return f
	}
	for _, lang := range (outline.Parser{}).Languages() {
		src := []byte(texts[lang])
		f := parsed(src, lang)
		if len(f.Chunks) < 2 || len(f.Imports) != 1 || len(f.Calls) == 0 {
			t.Errorf("%s: %+v", lang, f)
		}
		want := *f
		want.Chunks, want.Imports, want.Calls = nil, nil, nil
		for _, c := range f.Chunks {
			c.Name, c.Labels, c.Container, c.Signature = strings.Clone(c.Name), strings.Clone(c.Labels), strings.Clone(c.Container), strings.Clone(c.Signature)
			want.Chunks = append(want.Chunks, c)
		}
		for _, i := range f.Imports {
			want.Imports = append(want.Imports, source.Import{Path: strings.Clone(i.Path), Line: i.Line})
		}
		for _, c := range f.Calls {
			c.Name = strings.Clone(c.Name)
			want.Calls = append(want.Calls, c)
		}
		copy(src, bytes.Repeat([]byte("%"), len(src)))
		for other, text := range texts {
			parsed([]byte(text), other)
		}
		if diff := cmp.Diff(&want, f); diff != "" {
			t.Errorf("%s: %s", lang, diff)
		}
	}
}

func TestParser_Version_Fingerprint(t *testing.T) {
	if got := source.NewParsers(outline.Parser{}).Fingerprint(source.CPP); !strings.HasSuffix(got, " outline@"+outline.Parser{}.Version()) {
		t.Error(got)
	}
}

// TestParsers_Dart_MissingBracket checks that a bracket or quote that is missing costs no neighbour of its function.
func TestParsers_Dart_MissingBracket(t *testing.T) {
	parsers := source.NewParsers(outline.Parser{})
	for _, damaged := range []string{"void b( {\n  x();\n}\n", "void b() {\n  x(;\n}\n", "void b() {\n  if (x) {\n}\n", "void b() {\n  x = 'y;\n}\n", "void b() {\n  x = y);\n}\n"} {
		f, err := parsers.Parse(t.Context(), []byte("void a() {\n  x();\n}\n"+damaged+"void c() {\n  x();\n}\n"), "dart", source.Options{})
		if err != nil || len(f.Problems) == 0 {
			t.Fatalf("%s%+v, %v", damaged, f, err)
		}
		var found []string
		for _, c := range f.Chunks {
			found = append(found, c.Name)
		}
		if strings.Join(found, "") != "abc" || f.Chunks[2].Line != 7 {
			t.Errorf("%s%v", damaged, found)
		}
	}
}
