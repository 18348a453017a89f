package editor_test

import (
	"os"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/dougu-go/dougu/tools/editor"
)

// Inserted lines can be deleted by the returned range, which restores the file.
func FuzzInsertAndDelete(f *testing.F) {
	f.Add("func f() {\n\ta()\n}\n", 2, "x()\ny()\n", true)
	f.Add("a\r\n  b\r\n", 3, "c", true)
	f.Add("class A:\n    x = 1\n", 3, "def f():\n    pass\n\n", true)
	f.Add("", 1, "\n", false)
	f.Add("{\n", 2, "\n\n", true)
	p := newProject(f, setup{}, nil)
	f.Fuzz(func(t *testing.T, file string, line int, content string, indent bool) {
		if !plain(file) || !plain(content) || file != "" && !strings.HasSuffix(file, "\n") || content == "" {
			t.Skip()
		}
		p.put(t, "f", file)
		got, err := p.InsertCode(t.Context(), editor.InsertCodeArgs{Path: "f", Line: line, Content: content, PreserveIndent: &indent})
		if err != nil {
			p.wantFile(t, "f", file)
			return
		}
		inserted, err := os.ReadFile(p.path("f"))
		if err != nil {
			t.Fatal(err)
		}
		if squeezed := strip(string(inserted)); len(squeezed) != len(strip(file))+len(strip(content)) {
			t.Fatalf("%q with %q is %q", file, content, inserted)
		}
		if strings.Contains(content, "\r") || strings.Contains(strings.ReplaceAll(file, "\r\n", ""), "\r") {
			return // a single CR counts as a line in some results
		}
		if _, err := p.DeleteCode(t.Context(), editor.DeleteCodeArgs{Path: "f", StartLine: got.ModifiedRange.Start, EndLine: got.ModifiedRange.End, RequireConfirmation: new(false)}); err != nil {
			t.Fatalf("%q with %q is %q: %v", file, content, inserted, err)
		}
		p.wantFile(t, "f", file)
	})
}

// plain reports whether a text has no control characters, which would make the file binary.
func plain(s string) bool {
	return utf8.ValidString(s) && !strings.ContainsFunc(s, func(r rune) bool { return r == '\uFEFF' || unicode.IsControl(r) && !strings.ContainsRune("\t\r\n", r) })
}

// strip returns a text without white space.
func strip(s string) string { return strings.Join(strings.Fields(s), "") }

// Replacing each match by itself changes nothing.
func FuzzReplaceByItself(f *testing.F) {
	f.Add("a\r\nb\n", `\n`)
	f.Add("日本\r\n", `(?P<x>.)$`)
	f.Add("aXb", `x*`)
	f.Add("a\rb\r\n\r", `^`)
	p := newProject(f, setup{}, nil)
	f.Fuzz(func(t *testing.T, file, pattern string) {
		if !plain(file) {
			t.Skip()
		}
		p.put(t, "f", file)
		for _, replacement := range []string{"$&", "${0}", "$0"} {
			got, err := p.ReplaceCode(t.Context(), editor.ReplaceCodeArgs{Path: "f", Pattern: pattern, IsRegex: true, Replacement: replacement, Preview: new(false)})
			if err == nil && got.Diff != "" {
				t.Fatalf("%q in %q: %s", pattern, file, got.Diff)
			}
			p.wantFile(t, "f", file)
		}
	})
}
