package chunking_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/dougu-go/dougu/tools/chunking"
	"github.com/dougu-go/dougu/tools/internal/unsavedtest"
)

const codeSource = "package a\n\nimport \"errors\"\n\ntype T struct{}\n\nfunc (t T) Close() error {\n\tif err := t.end(); err != nil {\n\t\treturn err\n\t}\n\tif err != nil {\n\t\treturn errors.New(\"a\" + // one\n\t\t\t\"b\")\n\t}\n\treturn nil\n}\n"

func codeProject(t *testing.T) *project {
	return newProject(t, chunking.Options{InMemory: true}, map[string]string{
		"a.go":      codeSource,
		"a_test.go": "package a\n\nfunc check() error {\n\tif err != nil {\n\t\treturn err\n\t}\n\treturn errors.New(errors.New(\"c\").Error())\n}\n",
		"b.go":      "package a\n\nvar text = \"errors.New(1)\" // errors.New(2)\n",
	})
}

func TestFindCode_Places(t *testing.T) {
	p := codeProject(t)
	got, err := p.FindCode(t.Context(), chunking.FindCodeArgs{Pattern: "if err != nil { return $E }"})
	if err != nil {
		t.Fatal(err)
	}
	const want = "[2 places; ids are path#name]\na.go\n #T.Close\n  11-14: if err != nil { return errors.New(\"a\" + // one \"b\") }  $E=errors.New(\"a\" + // one \"b\")\na_test.go\n #check\n  4-6: if err != nil { return err }  $E=err\n"
	if text := got.TextContent(); text != want || got.Matches[0].ChunkID != "a.go#T.Close" {
		t.Errorf("%s\nwant %s", text, want)
	}
}

func TestFindCode_Selection(t *testing.T) {
	p := codeProject(t)
	for _, c := range []struct {
		args chunking.FindCodeArgs
		want string
	}{
		{chunking.FindCodeArgs{Pattern: "errors.New($X)"}, "a.go:12 a_test.go:7 a_test.go:7"},
		{chunking.FindCodeArgs{Pattern: "errors.New($X)", Path: "a.go"}, "a.go:12"},
		{chunking.FindCodeArgs{Pattern: "errors.New($X)", Language: "golang", MaxResults: 1}, "a.go:12"},
		{chunking.FindCodeArgs{Pattern: "errors.New($X)", Kind: "call_expression", Path: "b.go"}, ""},
	} {
		got, err := p.FindCode(t.Context(), c.args)
		if err != nil {
			t.Errorf("%+v: %v", c.args, err)
			continue
		}
		var found []string
		for _, m := range got.Matches {
			found = append(found, fmt.Sprintf("%s:%d", m.FilePath[strings.LastIndexAny(m.FilePath, `/\`)+1:], m.Line))
		}
		if strings.Join(found, " ") != c.want || c.want == "" && !strings.Contains(got.Note, "1 indexed file searched") {
			t.Errorf("%+v: %q %s", c.args, found, got.Note)
		}
	}
	for _, c := range []struct {
		args chunking.FindCodeArgs
		want string
	}{
		{chunking.FindCodeArgs{Pattern: " "}, "empty"},
		{chunking.FindCodeArgs{Pattern: "$A"}, "variable alone"},
		{chunking.FindCodeArgs{Pattern: "if ("}, "no code of go"},
		{chunking.FindCodeArgs{Pattern: "f($A)", Kind: "none"}, "is no"},
		{chunking.FindCodeArgs{Pattern: "f($A)", Path: "["}, "malformed"},
		{chunking.FindCodeArgs{Pattern: "f($A)", Path: "*.rs"}, "no analysed file"},
		{chunking.FindCodeArgs{Pattern: "f($A)", Language: "cobol"}, "not known"},
		{chunking.FindCodeArgs{Pattern: "f($A)", Cursor: "x"}, "cursor"},
	} {
		if _, err := p.FindCode(t.Context(), c.args); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%+v: %v", c.args, err)
		}
	}
}

// TestFindCode_OtherLanguages searches in the language of the most files in which the pattern is code, and names the others.
func TestFindCode_OtherLanguages(t *testing.T) {
	p := newProject(t, chunking.Options{InMemory: true}, map[string]string{
		"a.go": "package a\n\nfunc f() error {\n\tif err != nil {\n\t\treturn err\n\t}\n\treturn nil\n}\n",
		"b.py": "def f():\n    return g(1)\n", "c.py": "def g(x):\n    return x\n",
	})
	for _, c := range []struct{ pattern, want, note string }{
		{"if err != nil { return $E }", "a.go", "not searched: python; language selects one"},
		{"g($X)", "b.py", "not searched: go; language selects one"},
	} {
		got, err := p.FindCode(t.Context(), chunking.FindCodeArgs{Pattern: c.pattern})
		if err != nil || len(got.Matches) != 1 || !strings.HasSuffix(got.Matches[0].FilePath, c.want) || got.Note != c.note {
			t.Errorf("%s: %+v, %v", c.pattern, got, err)
		}
	}
	if got, err := p.FindCode(t.Context(), chunking.FindCodeArgs{Pattern: "if ("}); err == nil {
		t.Errorf("a pattern that is no code of a language found %+v", got)
	}
}

func TestFindCode_Pages(t *testing.T) {
	p := codeProject(t)
	lines := 0
	args := chunking.FindCodeArgs{Pattern: "errors.New($X)", MaxResults: 1}
	for range 10 {
		got, err := p.FindCode(t.Context(), args)
		if err != nil {
			t.Fatal(err)
		}
		lines += len(got.Matches)
		if args.Cursor = got.NextCursor; args.Cursor == "" {
			break
		}
	}
	if lines != 3 {
		t.Error(lines)
	}
}

func TestRewriteCode_AllFiles(t *testing.T) {
	p := codeProject(t)
	args := chunking.RewriteCodeArgs{Pattern: "errors.New($X)", Rewrite: "fail(\n\t$X,\n)", DryRun: true}
	dry, err := p.RewriteCode(t.Context(), args)
	if err != nil {
		t.Fatal(err)
	}
	if p.read(t, "a.go") != codeSource || !dry.DryRun || !strings.Contains(dry.Diff, "+\t\treturn fail(\n") {
		t.Errorf("%+v", dry)
	}
	args.DryRun = false
	args.ExpectedCount = 3
	if _, err := p.RewriteCode(t.Context(), args); err == nil || !strings.Contains(err.Error(), "expectedCount is 3, and 2 places would be rewritten; matches within them") {
		t.Error(err)
	}
	args.ExpectedCount = 2
	got, err := p.RewriteCode(t.Context(), args)
	if err != nil {
		t.Fatal(err)
	}
	if text := got.TextContent(); !strings.HasPrefix(text, "[rewrote 2 places in 2 files; ") || !slices.Contains(got.Notes, "1 place within rewritten code left as written") {
		t.Errorf("%s %q", text, got.Notes)
	}
	want := strings.Replace(codeSource, "errors.New(\"a\" + // one\n\t\t\t\"b\")", "fail(\n\t\t\t\"a\" + // one\n\t\t\t\t\"b\",\n\t\t)", 1)
	if now := p.read(t, "a.go"); now != want {
		t.Errorf("%s", now)
	}
	if now := p.read(t, "a_test.go"); !strings.Contains(now, "\treturn fail(\n\t\terrors.New(\"c\").Error(),\n\t)\n") {
		t.Errorf("%s", now)
	}
	if again, err := p.RewriteCode(t.Context(), args); err == nil {
		t.Errorf("%+v", again)
	}
}

// TestRewriteCode_StringsAndComments checks that the text of strings in the new code stays, and that a lost comment is reported.
func TestRewriteCode_StringsAndComments(t *testing.T) {
	p := newProject(t, chunking.Options{InMemory: true}, map[string]string{
		"a.go": "package a\n\nfunc f() error {\n\tif g() {\n\t\tfoo(1)\n\t}\n\tif err != nil {\n\t\t// kept?\n\t\treturn err\n\t}\n\treturn nil\n}\n",
	})
	if _, err := p.RewriteCode(t.Context(), chunking.RewriteCodeArgs{Pattern: "foo($A)", Rewrite: "bar($A,\n\t`x\n  y\n`)"}); err != nil {
		t.Fatal(err)
	}
	if now := p.read(t, "a.go"); !strings.Contains(now, "\t\tbar(1,\n\t\t\t`x\n  y\n`)\n") {
		t.Errorf("%s", now)
	}
	got, err := p.RewriteCode(t.Context(), chunking.RewriteCodeArgs{Pattern: "if err != nil { return $E }", Rewrite: "if err != nil { return wrap($E) }"})
	if err != nil || !slices.Contains(got.Notes, "1 comment within rewritten code removed, as no variable stands for it") {
		t.Errorf("%q, %v", got.Notes, err)
	}
}

func TestRewriteCode_Refused(t *testing.T) {
	p := codeProject(t)
	for _, c := range []struct {
		args chunking.RewriteCodeArgs
		want string
	}{
		{chunking.RewriteCodeArgs{Pattern: "errors.New($X)", Rewrite: "f($Y)"}, "has no $Y"},
		{chunking.RewriteCodeArgs{Pattern: "errors.New($X)", Rewrite: "f("}, "no longer parses"},
		{chunking.RewriteCodeArgs{Pattern: "errors.New($_)", Rewrite: "f($_)"}, "captures nothing"},
		{chunking.RewriteCodeArgs{Pattern: "return $X", Rewrite: "", Path: "b.go", ExpectedCount: 1}, "expectedCount is 1, and 0 places"},
	} {
		if _, err := p.RewriteCode(t.Context(), c.args); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%+v: %v", c.args, err)
		}
	}
	if p.read(t, "a.go") != codeSource {
		t.Error("a refused rewrite has changed the file")
	}
}

// A search that ends before it has compared all selected files rewrites none of them.
func TestRewriteCode_IncompleteSearch(t *testing.T) {
	many := map[string]string{"a.go": "package a\n\nfunc a() {\n" + strings.Repeat("\tf(f(f(f(f(f(1))))))\n", 4000) + "}\n"}
	for i := range 130 {
		many[fmt.Sprintf("z%d.go", i)] = fmt.Sprintf("package a\n\nfunc z%d() { f(1) }\n", i)
	}
	const small = "package a\n\nfunc a() { f(b, 2, b, c) }\n"
	for _, c := range []struct {
		name             string
		files            map[string]string
		pattern, rewrite string
		want             string
	}{
		{"nested matches", many, "f($X)", "g($X)", "more than 20000 places"},
		{"many steps", map[string]string{"a.go": small, "b.go": "package a\n\nvar c = f(" + strings.Repeat("a, ", 1500) + "a)\n"}, "f($$$A, $X, $$$B, $Y, $$$C, $X, $$$D, c)", "g($X)", "b.go"},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := newProject(t, chunking.Options{InMemory: true}, c.files)
			if got, err := p.RewriteCode(t.Context(), chunking.RewriteCodeArgs{Pattern: c.pattern, Rewrite: c.rewrite}); err == nil || !strings.Contains(err.Error(), c.want) && !strings.Contains(err.Error(), "not searched in time") {
				t.Errorf("%s, %v", got.TextContent(), err)
			}
			if p.read(t, "a.go") != c.files["a.go"] {
				t.Error("a refused rewrite has changed the file")
			}
		})
	}
}

func TestRewriteCode_LineEndsAndEncoding(t *testing.T) {
	crlf := strings.ReplaceAll(codeSource, "\n", "\r\n")
	var utf16 strings.Builder
	utf16.WriteString("\xff\xfe")
	for _, r := range []byte(codeSource) {
		utf16.WriteString(string([]byte{r, 0}))
	}
	p := newProject(t, chunking.Options{InMemory: true}, map[string]string{"a.go": crlf, "b.go": utf16.String()})
	if _, err := p.RewriteCode(t.Context(), chunking.RewriteCodeArgs{Pattern: "return errors.New($X)", Rewrite: "f()\nreturn $X", ExpectedCount: 2}); err != nil {
		t.Fatal(err)
	}
	want := strings.Replace(crlf, "return errors.New(\"a\" + // one\r\n\t\t\t\"b\")", "f()\r\n\t\treturn \"a\" + // one\r\n\t\t\t\"b\"", 1)
	if now := p.read(t, "a.go"); now != want {
		t.Errorf("%q", now)
	}
	if now := p.read(t, "b.go"); len(now) >= utf16.Len() || !strings.HasPrefix(now, "\xff\xfep\x00") || !strings.Contains(now, "f\x00(\x00)\x00\n\x00") {
		t.Errorf("%q", now)
	}
}

func TestRewriteCode_OpenDocument(t *testing.T) {
	p := codeProject(t)
	p.analyze(t)
	editor := unsavedtest.Attach(t, p.root)
	editor.Type("b.go", "package a\n\nfunc fresh() { typed(1) }\n")
	if _, err := p.RewriteCode(t.Context(), chunking.RewriteCodeArgs{Pattern: "typed($X)", Rewrite: "done($X)", ExpectedCount: 1}); err != nil {
		t.Fatal(err)
	}
	if saved := p.read(t, "b.go"); strings.Contains(saved, "done") {
		t.Errorf("the file was changed and not the document: %s", saved)
	}
	got, err := p.FindCode(t.Context(), chunking.FindCodeArgs{Pattern: "done($X)"})
	if err != nil || len(got.Matches) != 1 {
		t.Errorf("%+v, %v", got, err)
	}
}
