package document_test

import (
	"fmt"
	"strings"
	"testing"
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
