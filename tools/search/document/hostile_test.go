package document_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/dougu-go/dougu/tools/search/document"
	"github.com/dougu-go/dougu/tools/source"
)

// TestCut_HostileTexts checks that the time grows linearly with the length of unusual texts. With quadratic growth these would
// take minutes.
func TestCut_HostileTexts(t *testing.T) {
	part := 1
	if testing.Short() {
		part = 20
	}
	nested := func() string {
		var b strings.Builder
		for i := range 1000 / min(part, 4) {
			b.WriteString(strings.Repeat(" ", i) + "class A:\n")
		}
		return b.String()
	}
	stars := func() string {
		var b strings.Builder
		for i := range 1000 / min(part, 4) {
			b.WriteString(strings.Repeat("*", i) + " a\n")
		}
		return b.String()
	}
	styles := func() string {
		var b strings.Builder
		for i := range 20_000 / part {
			fmt.Fprintf(&b, "aaa\n%s\n", strings.Repeat(string("=-~^\"'`#*+.:_<>"[i%15]), 3))
		}
		return b.String()
	}
	for _, tc := range []struct{ path, content string }{
		{"nested.ts", strings.Repeat("class A{", 100_000/part)},
		{"nested.go", "package a\n" + strings.Repeat("func f() { type A struct { ", 20_000/part)},
		{"nested.py", nested()},
		{"entries.ts", "const a = {\n" + strings.Repeat("  'a': {\n    f() {}\n  },\n", 20_000/part) + "}"},
		{"values.ts", strings.Repeat("const a=1\n", 50_000/part)},
		{"comments.c", strings.Repeat("// a\n\n", 100_000/part)},
		{"open.c", strings.Repeat("/*", 500_000/part)},
		{"headings.md", strings.Repeat("# a\n", 100_000/part)},
		{"links.md", "# " + strings.Repeat("[a](b)", 100_000/part)},
		{"tags.md", "# " + strings.Repeat("<a>", 200_000/part)},
		{"brackets.md", strings.Repeat("[", 500_000/part) + "\n===\n"},
		{"fences.md", strings.Repeat("```\n~~~\n", 50_000/part)},
		{"styles.rst", styles()},
		{"levels.org", stars()},
		{"keys.yaml", strings.Repeat("a:\n", 100_000/part)},
		{"words.sh", strings.Repeat("export ", 100_000/part) + "x"},
		{"one.txt", strings.Repeat("a", 1_000_000/part)},
		{"scripts.vue", strings.Repeat("<script>", 100_000/part)},
		{"headings.html", strings.Repeat("<h1>a", 100_000/part)},
		{"cells.ipynb", `{"cells":[` + strings.Repeat(`{"cell_type":"markdown","source":"# a"},`, 20_000/part) + `{}]}`},
	} {
		cut(t, tc.path, tc.content)
	}
}

// circular is a parser of another package with a declaration that contains itself.
type circular struct{ source.Parser }

func (circular) Name() string                 { return "circular" }
func (circular) Languages() []source.Language { return []source.Language{"circular"} }
func (circular) Definitions() []source.Definition {
	return []source.Definition{{Language: "circular", Extensions: []string{".circular"}}}
}

func (circular) Parse(context.Context, []byte, source.Language, source.Options) (*source.File, error) {
	chunk := source.Chunk{Name: "a", Kind: source.Function, Start: 0, Decl: 0, Ident: 0, Body: 0, End: 4, Parent: 0}
	return &source.File{Language: "circular", Parser: "circular", Chunks: []source.Chunk{chunk, chunk}}, nil
}

// A file whose parser returns an invalid result is cut as a text.
func TestCut_InvalidParser(t *testing.T) {
	f, err := document.Cut(t.Context(), "a.circular", []byte("some words\n"), document.Options{Parsers: source.NewParsers(circular{})})
	if err != nil || len(f.Pieces) != 1 || f.Pieces[0].Name == "a" {
		t.Errorf("%+v, %v", f.Pieces, err)
	}
	checkFile(t, f)
}
