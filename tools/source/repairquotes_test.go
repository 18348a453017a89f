package source_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/dougu-go/dougu/tools/source"
	"github.com/dougu-go/dougu/tools/source/builtin"
)

// A missing quote hides no function beside it, and the problem names the quote.
func TestParse_MissingQuote(t *testing.T) {
	parsers := builtin.Parsers(builtin.Options{})
	t.Cleanup(func() { parsers.Close() })
	for _, tc := range []struct {
		name string
		lang source.Language
		text string // the character • is the missing quote
	}{
		{"the end of a string", source.Go, "package p\n\nfunc f1() {\n\tg(\"a•, b{})\n}\n\nfunc f2() {\n\tg(\"a\")\n}\n\nfunc f3() {}\n"},
		{"the beginning of a string", source.Kotlin, "fun f1() {\n  g(•a\", b)\n}\n\nfun f2() {\n  g(\"a\")\n}\n\nfun f3() {}\n"},
		{"the end of a raw string", source.Go, "package p\n\nvar a = g(`x•)\n\nfunc f1() {\n\tg(`b`)\n}\n\nfunc f2() {}\n\nfunc f3() {\n\tg(`c\n`)\n}\n"},
		{"the beginning of a text block", source.Kotlin, "fun f1() {\n  g(•\"\"a\n  b\"\"\")\n}\n\nfun f2() {\n  g(\"\"\"a\n  b\"\"\")\n}\n\nfun f3() {}\n"},
		{"the end of a docstring", source.Python, "def f1():\n    \"\"\"Says.\n\n    A class of (things).\n    \"\"•\n    g()\n\ndef f2():\n    \"\"\"Says.\"\"\"\n    h()\n\ndef f3():\n    pass\n"},
		{"the end of a string before other strings", source.Ruby, "def f1\n  raise \"no•, x\nend\n\ndef f2\n  g(\"it's\", 'b')\nend\n\n# It's here.\ndef f3\n  \"#{x}: {\"\nend\n"},
		{"the beginning of a string before a here-document", source.Ruby, "def f1\n  g •a', <<~X\n    it's\n  X\nend\n\ndef f2\n  h 'a'\nend\n\ndef f3\n  h 'b'\nend\n"},
		{"the end of a string after a string of several lines", source.Ruby, "def f1\n  g \"a\n  b\"\n  g 'x•\nend\n\ndef f2\n  h 'a'\nend\n\ndef f3\n  h 'b'\nend\n"},
		{"the beginning of a string", source.PHP, "<?php\nfunction f1() {\n    g(•a', 'b');\n}\n\nfunction f2() {\n    g('{');\n}\n\n// It's here.\nfunction f3() {\n    g(\"x\");\n}\n"},
		{"the end of a template", source.TypeScript, "function f1() {\n  g(`a ${x}•)\n}\n\nfunction f2() {\n  g(`a`)\n}\n\nfunction f3() {\n  g(`b ${y}`)\n}\n"},
		{"the end of the name of a module", source.TSX, "import a from 'a•;\nexport function f1() {\n  return <b>Don't</b>\n}\n\nfunction f2() {\n  g('a')\n}\n\nfunction f3() {}\n"},
		{"the end of a string", source.Rust, "fn f1() {\n    g(\"a•)\n}\n\nfn f2() {\n    g(\"{\")\n}\n\nfn f3() {\n    g(\"c\")\n}\n"},
	} {
		file, err := parsers.Parse(t.Context(), []byte(strings.Replace(tc.text, "•", "", 1)), tc.lang, source.Options{})
		if err != nil {
			t.Errorf("%s, %s: %v", tc.lang, tc.name, err)
			continue
		}
		var names []string
		for i := range file.Chunks {
			if c := &file.Chunks[i]; c.Kind.IsCallable() {
				names = append(names, c.Name)
			}
		}
		if !slices.Equal(names, []string{"f1", "f2", "f3"}) {
			t.Errorf("%s, %s: functions %q", tc.lang, tc.name, names)
		}
		if !slices.ContainsFunc(file.Problems, func(p source.Problem) bool { return strings.HasPrefix(p.Message, "the quote ") }) {
			t.Errorf("%s, %s: problems %v", tc.lang, tc.name, file.Problems)
		}
	}
}
