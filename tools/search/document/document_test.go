package document_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestCut_Sections(t *testing.T) {
	for _, tc := range []struct{ path, content, want string }{
		{"markdown.md", `# Guide
Begin.

## Install ` + "`go`" + ` ##

` + "```sh\n# no heading\n```" + `

### From [source](http://x)
Text.

## 使い方
- a
---
Setext
======
More.
<h2 align="center">In <b>HTML</b></h2>
<!--
# no heading
-->
    # code
#nothing
`, `section Guide
section [Guide] Install go
section [Guide > Install go] From source
section [Guide] 使い方
section Setext
section [Setext] In HTML
`},
		{"front.md", "---\ntitle: \"Front\"\ntags: [a]\n---\nText.\n# One\n# Front\n", "file Front\nsection [Front] One\nsection Front\n"},
		{"front.mdx", "+++\ntitle = 'Front'\n+++\n# One\n", "file Front\nsection [Front] One\n"},
		{"open.md", "# One\n```\n# Two\n", "section One\n"},
		{"no.md", "Text only.\n", "file\n"},
		{"a.rst", "=====\nTitle\n=====\n\nOne\n===\n\nTwo\n---\n\nText::\n\n    Code\n    ----\n\n日本語\n------\n\nThree\n=====\n",
			"section Title\nsection [Title] One\nsection [Title > One] Two\nsection [Title > One] 日本語\nsection [Title] Three\n"},
		{"a.adoc", "= Title\n\n== One\n----\n== no\n----\n=== Two\n", "section Title\nsection [Title] One\nsection [Title > One] Two\n"},
		{"a.org", "#+TITLE: All\n* One\n** Two\nText\n* Three\n", "file All\nsection [All] One\nsection [All > One] Two\nsection [All] Three\n"},
		{"a.tex", "\\title{All}\n\\section{One}\ntext\n\\subsection*{Two}\ntext\n", "file All\nsection [All] One\nsection [All > One] Two\n"},
		{"ls.1", ".TH LS 1\n.SH NAME\nls\n.SS \"More of it\"\ntext\n.SH 書式\nls\n", "file ls\nsection [ls] NAME\nsection [ls > NAME] More of it\nsection [ls] 書式\n"},
		{"a.toml", "a = 1\n[one]\nb = 2\n[[two.three]] # c\nd = 3\n", "file\nsection one\nsection two.three\n"},
		{"a.yaml", "one:\n  a: 1\ntwo:\n  b: 2\n", "file\n"},
		{"long.yaml", "one:\n" + strings.Repeat("  - a\n", 60) + "\"two\":\n  b: 2\n", "section one\nsection two\n"},
		{"a.sh", "#!/bin/sh\nset -e\n\n# Builds all.\nbuild() {\n\tmake\n}\n\nfunction deploy {\n\techo\n}\n", "file\nfunction build\nfunction deploy\n"},
		{"a.sql", "CREATE TABLE users (\n  id int\n);\n\ncreate or replace view v as\n select 1;\n", "struct users\nstruct v\n"},
		{"a.proto", "syntax = \"proto3\";\npackage a;\n// Asks.\nmessage Request {\n}\nservice Search {\n}\n", "file\nmodule a\nstruct Request\ninterface Search\n"},
		{"a.lua", "local function read(x)\nend\nfunction M.write(x)\nend\n", "function read\nfunction M.write\n"},
		{"a.txt", "func text\n\nMore.\n", "file\n"},
		{"a.json", "{\"a\": [1, 2]}\n", "file\n"},
		{"a.ipynb", `{"cells":[{"cell_type":"markdown","source":["# One\n","text"]},{"cell_type":"code","source":"import x"},{"cell_type":"markdown","source":"## Two"}]}`, "section One\nsection [One] Two\n"},
	} {
		if diff := cmp.Diff(tc.want, table(cut(t, tc.path, tc.content))); diff != "" {
			t.Errorf("%s: -want +got\n%s", tc.path, diff)
		}
	}
}

func TestCut_HTML(t *testing.T) {
	f := cut(t, "a.html", `<!DOCTYPE html><html><head><title>A &amp; B</title><style>p { }</style><script>var x = "<h1>no</h1>"</script></head>
<body><nav>Home</nav><p>Before</p><h1>One  <em>title</em></h1><p>Text&nbsp;of
 it.</p><pre>a
  b</pre><h2>設定</h2><ul><li>x<li>y</ul><img alt="a picture"><table><tr><td>1<td>2</table></body></html>`)
	if diff := cmp.Diff("file A & B\nsection [A & B] One title\nsection [A & B > One title] 設定\n", table(f)); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
	want := "Before\nOne title\nText\u00a0of it.\na\n  b\n設定\nx\ny\na picture\n1 2\n"
	if got := string(f.Text); got != want || f.Verbatim {
		t.Errorf("the text is %q, verbatim %t, want %q", got, f.Verbatim, want)
	}
}

// TestCut_HostileHTML checks a page with deeply nested elements.
func TestCut_HostileHTML(t *testing.T) {
	f := cut(t, "a.html", strings.Repeat("<div><svg>", 50_000)+"</svg><p>seen"+strings.Repeat("<h1>", 1000)+"title")
	if len(f.Pieces) > 2 {
		t.Errorf("%d pieces", len(f.Pieces))
	}
	if f := cut(t, "b.html", "<h1>open"); len(f.Pieces) != 1 || f.Pieces[0].Name != "open" {
		t.Errorf("%s", table(f))
	}
}

// TestCut_LongText checks that plain text and long sections are split between paragraphs.
func TestCut_LongText(t *testing.T) {
	paragraph := strings.Repeat("A line of text.\n", 9) + "\n"
	for path, most := range map[string]int{"a.txt": 80, "a.md": 120} {
		f := cut(t, path, "# Head\n\n"+strings.Repeat(paragraph, 50))
		if len(f.Pieces) < 5 {
			t.Errorf("%s: %d pieces", path, len(f.Pieces))
		}
		for i, p := range f.Pieces {
			own := parts(f, p.Own...)
			if lines := strings.Count(own, "\n") + 1; lines > most {
				t.Errorf("%s: %d lines", path, lines)
			}
			if i > 0 && i < len(f.Pieces)-1 && (strings.Count(own, "\n")+2)%10 != 0 {
				t.Errorf("%s: piece %d begins or ends within a paragraph", path, i)
			}
		}
	}
}

// TestCut_LongData checks that only the beginning of data and minified files is indexed.
func TestCut_LongData(t *testing.T) {
	for path, content := range map[string]string{
		"a.json":   strings.Repeat("{\"key\": \"value\"}\n", 50_000),
		"a.min.js": strings.Repeat("var a=function(){return 1};", 30_000),
		"a.csv":    strings.Repeat("1,2,3\n", 100_000),
	} {
		f := cut(t, path, content)
		last := f.Pieces[len(f.Pieces)-1].Range.End
		if last > 128<<10 || last < 64<<10 || len(f.Text) != len(content) {
			t.Errorf("%s: the pieces end at %d of %d, text of %d", path, last, len(content), len(f.Text))
		}
	}
}
