package editor_test

import (
	"fmt"
	"os"
	"reflect"
	"strings"
	"testing"

	"github.com/dougu-go/dougu/tools"
	"github.com/dougu-go/dougu/tools/editor"
	"github.com/dougu-go/dougu/tools/internal/toolsettest"
)

func TestReplaceCode(t *testing.T) {
	for name, tt := range map[string]struct {
		file, pattern, replacement string
		regex                      bool
		want                       string
		lines                      []int
	}{
		"a text":                       {"a.b\na+b\n", "a+b", "$1", false, "a.b\n$1\n", []int{2}},
		"twice in a line":              {"aa\na\n", "a", "b", false, "bb\nb\n", []int{1, 2}},
		"over lines, with CRLF":        {"a\r\nb\r\nc\r\n", "a\nb", "x\ny\nz", false, "x\r\ny\r\nz\r\nc\r\n", []int{1}},
		"named groups":                 {"ab cd\n", `(\w+) (?<last>\w+)`, "$<last> $1", true, "cd ab\n", []int{1}},
		"no named group":               {"ab\n", `a(b)`, "$<last>$1", true, "$<last>b\n", []int{1}},
		"groups":                       {"f(a, b)\n", `f\((\w+), (?P<second>\w+)\)`, "${second}.f($1)_$$$&$0", true, "b.f(a)_$f(a, b)f(a, b)\n", []int{1}},
		"a group and a digit":          {"ab\n", `(a)b`, "$12", true, "a2\n", []int{1}},
		"a dollar that is no group":    {"a\n", `a`, "$x $ $", true, "$x $ $\n", []int{1}},
		"a group that is not there":    {"b\n", `(a)?b`, "[$1]", true, "[]\n", []int{1}},
		"the ends of lines":            {"a\r\nb\r\n", `^(.)$`, "<$1>", true, "<a>\r\n<b>\r\n", []int{1, 2}},
		"in front of lines":            {"a\r\nb", `^`, "// ", true, "// a\r\n// b", []int{1, 2}},
		"line ends of a regex, CRLF":   {"a\r\n\r\n\r\nb\r\n", `\n{3,}`, "\n\n", true, "a\r\n\r\nb\r\n", []int{1}},
		"alternatives stay together":   {"xa\nb\n", `^a|b`, "c", true, "xa\nc\n", []int{2}},
		"Shift_JIS":                    {"\x93\xfa\x96\x7b\n", "本", "日", false, "\x93\xfa\x93\xfa\n", []int{1}},
		"what it is replaced by again": {"a\n", "a", "a", false, "a\n", []int{1}},
	} {
		t.Run(name, func(t *testing.T) {
			p := newProject(t, setup{}, map[string]string{"f": tt.file})
			args := editor.ReplaceCodeArgs{Path: "f", Pattern: tt.pattern, Replacement: tt.replacement, IsRegex: tt.regex}
			preview := call(t, p.ReplaceCode, args)
			p.wantFile(t, "f", tt.file)
			if preview.Diff != "" || tt.want != tt.file && !strings.HasPrefix(preview.Preview, "--- f\n+++ f\n") || len(preview.Occurrences) != preview.ReplacementCount || preview.Files[0].SHA256 != sha256Of(tt.file) {
				t.Errorf("the preview is %+v", preview)
			}
			args.Preview, args.ExpectedCount = new(false), preview.ReplacementCount
			got := call(t, p.ReplaceCode, args)
			p.wantFile(t, "f", tt.want)
			if !reflect.DeepEqual(got.AffectedLines, tt.lines) || got.Diff != preview.Preview || got.Preview != "" || got.Files[0].SHA256 != sha256Of(tt.want) {
				t.Errorf("%+v", got)
			}
		})
	}
}

func TestReplaceCode_OccurrenceIDs(t *testing.T) {
	p := newProject(t, setup{}, map[string]string{"f": "a1 a2\na3\n"})
	args := editor.ReplaceCodeArgs{Path: "f", Pattern: "a", Replacement: "b"}
	preview := call(t, p.ReplaceCode, args)
	if o := preview.Occurrences; len(o) != 3 || o[1].Line != 1 || o[2].Text != "a3" || !strings.HasPrefix(o[2].ID, "f:3@") {
		t.Fatalf("%+v", o)
	}
	other := args
	other.Replacement, other.OccurrenceIDs = "c", []string{preview.Occurrences[0].ID}
	_, err := p.ReplaceCode(t.Context(), other)
	toolsettest.WantError(t, err, "STALE_FILE", "Preview it again")
	args.OccurrenceIDs, args.ExpectedCount = []string{preview.Occurrences[0].ID, preview.Occurrences[2].ID}, 2
	if again := call(t, p.ReplaceCode, args); again.ReplacementCount != 2 || len(again.Occurrences) != 2 {
		t.Errorf("%+v", again)
	}
	args.Preview = new(false)
	if got := call(t, p.ReplaceCode, args); got.ReplacementCount != 2 {
		t.Errorf("%+v", got)
	}
	p.wantFile(t, "f", "b1 a2\nb3\n")
	_, err = p.ReplaceCode(t.Context(), args)
	toolsettest.WantError(t, err, "STALE_FILE", "another content")
	args.OccurrenceIDs = []string{"f:9" + args.OccurrenceIDs[0][3:]}
	_, err = p.ReplaceCode(t.Context(), args)
	toolsettest.WantError(t, err, "STALE_FILE")
}

func TestReplaceCode_Glob(t *testing.T) {
	files := map[string]string{
		"src/a.go": "old()\n", "src/deep/b.go": "x\nold()\nold()\n", "src/c.txt": "old()\n", "d.go": "old()\n",
		"src/none.go": "new()\n", "src/bin.go": "old()\x00\n", "src/out.go": "old()\n", ".gitignore": "out.go\n",
	}
	p := newProject(t, setup{}, files)
	args := editor.ReplaceCodeArgs{Path: "src", Glob: "**/*.go", Pattern: "old", Replacement: "new"}
	preview := call(t, p.ReplaceCode, args)
	if f := preview.Files; len(f) != 2 || f[0].Path != "src/a.go" || f[1].Path != "src/deep/b.go" || f[1].Count != 2 || preview.ReplacementCount != 3 {
		t.Fatalf("%+v", preview)
	}
	if got := preview.TextContent(); !strings.HasPrefix(got, "[preview, nothing was written: 3 occurrences in 2 files]\n[src/a.go: 1 occurrence, in lines 1; the id of the first is src/a.go:1@") {
		t.Errorf("the text is %q", got)
	}
	args.Preview, args.OccurrenceIDs = new(false), []string{preview.Occurrences[0].ID, preview.Occurrences[2].ID}
	if got := call(t, p.ReplaceCode, args); got.ReplacementCount != 2 || len(got.Files) != 2 || got.Files[1].SHA256 != sha256Of("x\nold()\nnew()\n") {
		t.Errorf("%+v", got)
	}
	p.wantFile(t, "src/a.go", "new()\n")
	p.wantFile(t, "src/deep/b.go", "x\nold()\nnew()\n")
	for _, name := range []string{"src/c.txt", "d.go", "src/bin.go", "src/out.go"} {
		p.wantFile(t, name, files[name])
	}
}

// Protected files are left out of a glob, with a note.
func TestReplaceCode_ProtectedFile(t *testing.T) {
	files := map[string]string{"a.json": "old", "package/x.code-workspace": "old", ".env": "old"}
	p := newProject(t, setup{}, files)
	got := call(t, p.ReplaceCode, editor.ReplaceCodeArgs{Path: ".", Glob: "**/*", Pattern: "old", Replacement: "new", Preview: new(false)})
	if got.ReplacementCount != 1 || len(got.Notes) != 1 || !strings.Contains(got.Notes[0], "package/x.code-workspace (PERMISSION_DENIED)") {
		t.Errorf("%+v", got)
	}
	if text := got.TextContent(); !strings.HasPrefix(text, "[replaced 1 occurrence in 1 file; left out: package/x.code-workspace]\n") {
		t.Errorf("the text is %q", text)
	}
	p.wantFile(t, "a.json", "new")
	p.wantFile(t, "package/x.code-workspace", "old")
	p.wantFile(t, ".env", "old")
}

// A file without write permission fails the complete change, and is left out of a preview.
func TestReplaceCode_UnwritableFile(t *testing.T) {
	p := newProject(t, setup{}, map[string]string{"a.txt": "old", "b.txt": "old", "c.txt": "old"})
	name := p.path("b.txt")
	if err := os.Chmod(name, 0o444); err != nil {
		t.Fatal(err)
	}
	if f, err := os.OpenFile(name, os.O_WRONLY, 0); err == nil {
		f.Close()
		t.Skip("this user can write to every file")
	}
	args := editor.ReplaceCodeArgs{Path: ".", Glob: "*.txt", Pattern: "old", Replacement: "new"}
	preview := call(t, p.ReplaceCode, args)
	if text := preview.TextContent(); !strings.HasPrefix(text, "[preview, nothing was written: 2 occurrences in 2 files; left out: b.txt]\n") {
		t.Errorf("the text is %q", text)
	}
	args.Preview = new(false)
	_, err := p.ReplaceCode(t.Context(), args)
	toolsettest.WantError(t, err, "PERMISSION_DENIED", "occurrenceIds of a preview")
	for _, name := range []string{"a.txt", "b.txt", "c.txt"} {
		p.wantFile(t, name, "old")
	}
	args.OccurrenceIDs = []string{preview.Occurrences[0].ID, preview.Occurrences[1].ID}
	if got := call(t, p.ReplaceCode, args); got.ReplacementCount != 2 {
		t.Errorf("%+v", got)
	}
	p.wantFile(t, "c.txt", "new")
}

func TestReplaceCode_Limits(t *testing.T) {
	files := map[string]string{"many": strings.Repeat("a", 10_001)}
	for i := range 60 {
		files[fmt.Sprintf("f%02d.txt", i)] = strings.Repeat("b "+strings.Repeat("x", 300)+"\n", 20)
	}
	p := newProject(t, setup{limits: tools.Limits{Answer: 4000}}, files)
	_, err := p.ReplaceCode(t.Context(), editor.ReplaceCodeArgs{Path: "many", Pattern: "a", Replacement: "b"})
	toolsettest.WantError(t, err, "INVALID_PARAMS", "more than 10000")
	got := call(t, p.ReplaceCode, editor.ReplaceCodeArgs{Path: ".", Glob: "*.txt", Pattern: "b", Replacement: "c"})
	if got.ReplacementCount != 1200 || !got.Truncated || len(got.TextContent()) > 6000 || len(got.Files) == 0 || len(got.Occurrences) == 0 {
		t.Errorf("%d occurrences in %d bytes, truncated %v", got.ReplacementCount, len(got.TextContent()), got.Truncated)
	}
	if text := got.TextContent(); !strings.HasPrefix(text, "[preview, nothing was written: 1200 occurrences in 60 files]\n") {
		t.Errorf("the text is %.100q", text)
	}
	_, err = p.ReplaceCode(t.Context(), editor.ReplaceCodeArgs{Path: "many", Pattern: strings.Repeat("a", 20_000), Replacement: "b"})
	toolsettest.WantError(t, err, "INVALID_PARAMS", "pattern")
	_, err = p.ReplaceCode(t.Context(), editor.ReplaceCodeArgs{Path: "many", Pattern: "(a{1000}){1000}", IsRegex: true, Replacement: "b"})
	toolsettest.WantError(t, err, "INVALID_PATTERN", "RE2")
}

// A search that could take minutes is not started, because it cannot be interrupted.
func TestReplaceCode_ExpensivePattern(t *testing.T) {
	p := newProject(t, setup{}, map[string]string{"large": strings.Repeat("a", 6<<20)})
	for _, args := range []editor.ReplaceCodeArgs{{Path: "large"}, {Path: ".", Glob: "*"}} {
		args.Pattern, args.IsRegex = "(.{500}b|.{490}c)", true
		_, err := p.ReplaceCode(t.Context(), args)
		toolsettest.WantError(t, err, "INVALID_PATTERN", "can take too long")
	}
	_, err := p.ReplaceCode(t.Context(), editor.ReplaceCodeArgs{Path: "large", Pattern: "a)|(?:b", IsRegex: true})
	toolsettest.WantError(t, err, "INVALID_PATTERN")
}
