package editor_test

import (
	"strings"
	"testing"

	"github.com/dougu-go/dougu/tools"
	"github.com/dougu-go/dougu/tools/editor"
	"github.com/dougu-go/dougu/tools/internal/toolsettest"
)

func TestInsertCode(t *testing.T) {
	const function = "func f() {\n\ta()\n\tb()\n}\n"
	for name, tt := range map[string]struct {
		file    string
		line    int
		content string
		want    string
	}{
		"like the line that is there":     {function, 2, "x()", "func f() {\n\tx()\n\ta()\n\tb()\n}\n"},
		"several lines, one blank":        {function, 3, "if x {\n\ty()\n\n}\n", "func f() {\n\ta()\n\tif x {\n\t\ty()\n\n\t}\n\tb()\n}\n"},
		"indented already":                {function, 3, "\tif x {\n\t\ty()\n\t}\n", "func f() {\n\ta()\n\tif x {\n\t\ty()\n\t}\n\tb()\n}\n"},
		"all but the first line":          {function, 3, "x()\n\ty()\n", "func f() {\n\ta()\n\tx()\n\ty()\n\tb()\n}\n"},
		"a block, all but the first line": {function, 3, "if x {\n\t\ty()\n\t}\n", "func f() {\n\ta()\n\tif x {\n\t\ty()\n\t}\n\tb()\n}\n"},
		"deeper on purpose":               {function, 3, "\t\tx()\n", "func f() {\n\ta()\n\t\tx()\n\tb()\n}\n"},
		"before what closes the block":    {function, 4, "c()", "func f() {\n\ta()\n\tb()\n\tc()\n}\n"},
		"into an empty block":             {"func f() {\n}\n", 2, "a()", "func f() {\n\ta()\n}\n"},
		"by the unit of the file":         {"class A:\n  x = 1\n\nclass B:\n", 5, "y = 2", "class A:\n  x = 1\n\nclass B:\n  y = 2\n"},
		"behind the last line":            {function, 5, "var x = 1\n", function + "var x = 1\n"},
		"behind a last line without end":  {"a\nb", 3, "c\n", "a\nb\nc"},
		"into an empty file":              {"", 1, "a", "a\n"},
		"CRLF":                            {"  a\r\n  b\r\n", 2, "x\ny\n", "  a\r\n  x\r\n  y\r\n  b\r\n"},
		"Shift_JIS":                       {"  \x93\xfa\x96\x7b\r\n", 1, "本", "  \x96\x7b\r\n  \x93\xfa\x96\x7b\r\n"},
		"a byte-order mark":               {"\xef\xbb\xbfa\n", 1, "b", "\xef\xbb\xbfb\na\n"},
	} {
		t.Run(name, func(t *testing.T) {
			p := newProject(t, setup{}, map[string]string{"f": tt.file})
			got := call(t, p.InsertCode, editor.InsertCodeArgs{Path: "f", Line: tt.line, Content: tt.content})
			p.wantFile(t, "f", tt.want)
			n := strings.Count(strings.TrimSuffix(tt.content, "\n"), "\n") + 1
			if got.LinesInserted != n || got.ModifiedRange != (editor.LineRange{Start: tt.line, End: tt.line + n - 1}) || !got.Saved || got.Editor != "" || got.Diagnostics != "unchecked" {
				t.Errorf("%+v", got)
			}
		})
	}
}

func TestInsertCode_PreserveIndentFalse(t *testing.T) {
	p := newProject(t, setup{}, map[string]string{"f": "\ta\n"})
	call(t, p.InsertCode, editor.InsertCodeArgs{Path: "f", Line: 2, Content: "b", PreserveIndent: new(false)})
	p.wantFile(t, "f", "\ta\nb\n")
	if got := toolsettest.Text(t, toolsettest.Call(t, p, "insert_code", `{"path":"f","line":1,"content":"c","preserveIndent":false}`)); got !=
		"[f: inserted 1 line, now lines 1-1; sha256 "+sha256Of("c\n\ta\nb\n")[:12]+"]\n--- f\n+++ f\n@@ -1,2 +1,3 @@\n+c\n \ta\n b\n[not checked for errors: no editor or language server that could check it is running]\n" {
		t.Errorf("insert_code says %q", got)
	}
}

func TestInsertCode_AfterText(t *testing.T) {
	file := strings.Repeat("x\n", 30) + "anchor\n" + strings.Repeat("y\n", 30) + "twin\nmiddle\ntwin\n"
	for name, tt := range map[string]struct {
		line   int
		anchor string
		at     int    // expected line
		says   string // or part of the error
	}{
		"in the line before":      {line: 32, anchor: "anchor", at: 32},
		"some lines away":         {line: 45, anchor: "chor", at: 32},
		"the nearer one":          {line: 62, anchor: "twin", at: 63},
		"both equally near":       {line: 64, anchor: "twin", says: "equally far"},
		"too far away":            {line: 2, anchor: "anchor", says: "line=32"},
		"nowhere":                 {line: 2, anchor: "nowhere", says: "does not have the text"},
		"more than one line":      {line: 33, anchor: "anchor\ny\n", at: 33},
		"more than one line, far": {line: 2, anchor: "twin\nmiddle", says: "line 63"},
	} {
		t.Run(name, func(t *testing.T) {
			p := newProject(t, setup{}, map[string]string{"f": file})
			got, err := p.InsertCode(t.Context(), editor.InsertCodeArgs{Path: "f", Line: tt.line, Content: "new", AfterText: tt.anchor})
			if tt.says != "" {
				toolsettest.WantError(t, err, "ANCHOR_NOT_FOUND", tt.says)
				p.wantFile(t, "f", file)
				return
			}
			if err != nil || got.ModifiedRange.Start != tt.at {
				t.Fatalf("%+v, %v", got.ModifiedRange, err)
			}
			lines := strings.SplitAfter(file, "\n")
			p.wantFile(t, "f", strings.Join(lines[:tt.at-1], "")+"new\n"+strings.Join(lines[tt.at-1:], ""))
		})
	}
}

// The advice for a file above the limit names nothing that the tools cannot do.
func TestInsertCode_TooLarge(t *testing.T) {
	p := newProject(t, setup{limits: tools.Limits{MaxFile: 100}}, map[string]string{"large.go": strings.Repeat("x\n", 60), "small.go": "x\n"})
	_, err := p.InsertCode(t.Context(), editor.InsertCodeArgs{Path: "large.go", Line: 1, Content: "x"})
	toolsettest.WantError(t, err, "FILE_TOO_LARGE", "larger than 100 bytes", "ask the user to split it")
	_, err = p.InsertCode(t.Context(), editor.InsertCodeArgs{Path: "small.go", Line: 1, Content: strings.Repeat("x\n", 60)})
	toolsettest.WantError(t, err, "FILE_TOO_LARGE", "Insert less text")
}

// The indentation of inserted code changes no string literal.
func TestInsertCode_StringLines(t *testing.T) {
	p := newProject(t, with(), map[string]string{"a.ts": "function f() {\n  g();\n}\n"})
	call(t, p.InsertCode, editor.InsertCodeArgs{Path: "a.ts", Line: 3, Content: "const x = `\na\n  b`;\nh(x);"})
	p.wantFile(t, "a.ts", "function f() {\n  g();\n  const x = `\na\n  b`;\n  h(x);\n}\n")
}
