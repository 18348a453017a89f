package symbols_test

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/dougu-go/dougu/tools/internal/symbols"
	"github.com/dougu-go/dougu/tools/source"
)

// snippets are functions that are inserted at the top level of a file, by language. The name of each is inserted.
var snippets = map[source.Language]string{
	source.Go:         "func inserted() int {\n\treturn 1\n}",
	source.Python:     "def inserted():\n    return 1",
	source.TypeScript: "function inserted(): number {\n  return 1;\n}",
	source.TSX:        "function inserted(): number {\n  return 1;\n}",
	source.JavaScript: "function inserted() {\n  return 1;\n}",
	source.C:          "int inserted(void) {\n  return 1;\n}",
	source.CPP:        "int inserted() {\n  return 1;\n}",
	source.Rust:       "fn inserted() -> i32 {\n    1\n}",
	source.Ruby:       "def inserted\n  1\nend",
}

// sourceFiles returns files of the repository and of the Go distribution with at most 60 KB.
func sourceFiles(t *testing.T, most int) []string {
	t.Helper()
	dirs := []string{filepath.Join("..", "..", "..")}
	if out, err := exec.Command("go", "env", "GOROOT").Output(); err == nil {
		root := string(bytes.TrimSpace(out))
		for _, dir := range []string{"net/http", "go/ast", "runtime/cgo", "encoding", "strings"} {
			dirs = append(dirs, filepath.Join(root, "src", dir))
		}
	}
	byExtension := make(map[string]int)
	var files []string
	for _, dir := range dirs {
		_ = filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
			if err != nil || d.IsDir() && (d.Name() == "node_modules" || d.Name() == "testdata" || d.Name() == ".git") {
				return filepath.SkipDir
			}
			ext := filepath.Ext(path)
			info, err := d.Info()
			if err != nil || !d.Type().IsRegular() || info.Size() > 60_000 || byExtension[ext] >= most {
				return nil
			}
			if lang, ok := source.LanguageOf(path, nil); ok && snippets[lang] != "" {
				byExtension[ext]++
				files = append(files, path)
			}
			return nil
		})
	}
	return files
}

// Inserted code can be deleted without a trace, and a body that is replaced by itself changes nothing.
func TestEdits_RoundTrip(t *testing.T) {
	parsers := newParsers(t)
	most, perFile := 40, 6
	if testing.Short() {
		most, perFile = 6, 2
	}
	edits, refused := 0, 0
	languages := make(map[source.Language]int)
	for _, name := range sourceFiles(t, most) {
		raw, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		f, err := symbols.Parse(t.Context(), parsers, filepath.ToSlash(name), string(raw))
		if err != nil || f.Len() == 0 || len(f.Find(symbols.ParsePattern("inserted", false))) > 0 {
			continue
		}
		checkReplaceSame(t, f)
		top := f.Children(-1)
		for n := 0; n < len(top); n += max(len(top)/perFile, 1) {
			i := top[n]
			if f.Doubt(i) != nil {
				continue
			}
			for side, insert := range []func(int, string) (symbols.Edit, error){f.InsertBefore, f.InsertAfter} {
				edit, err := insert(i, snippets[f.Language])
				if err != nil {
					refused++
					continue
				}
				text := apply(f.Text, edit)
				now, err := f.Verify(t.Context(), parsers, edit, text)
				if err != nil {
					refused++ // for example before a package clause
					continue
				}
				found := now.Find(symbols.ParsePattern("inserted", false))
				if len(found) != 1 {
					refused++
					continue
				}
				edit, err = now.Delete(found[0])
				if err != nil {
					t.Errorf("%s: delete inserted beside %s: %v", name, f.ID(i), err)
					continue
				}
				edits++
				languages[f.Language]++
				switch after := apply(text, edit); {
				case after == f.Text:
				case withoutBlankLines(after) == withoutBlankLines(f.Text) && (f.Symbol(i).StartLine == f.Symbol(i).EndLine || !hasBlankBeside(f, i, side == 1)): // a function has more blank lines around it than a line
				default:
					t.Errorf("%s: insertion and deletion beside %s changed the text", name, f.ID(i))
				}
			}
		}
	}
	if edits < 60 || len(languages) < 3 || refused > edits/4 {
		t.Errorf("%d edits in %d languages, %d refused", edits, len(languages), refused)
	}
}

// hasBlankBeside reports whether the line before or after a declaration is blank.
func hasBlankBeside(f *symbols.File, i int, after bool) bool {
	if after {
		_, rest, _ := strings.Cut(f.Text[f.Symbol(i).End:], "\n")
		line, _, _ := strings.Cut(rest, "\n")
		return strings.TrimSpace(line) == ""
	}
	before := strings.Split(f.Text[:f.Symbol(i).Start], "\n")
	return len(before) < 2 || strings.TrimSpace(before[len(before)-2]) == ""
}

// checkReplaceSame replaces each declaration by its own body, in the two forms that a caller can have.
func checkReplaceSame(t *testing.T, f *symbols.File) {
	t.Helper()
	for i := range f.Len() {
		start, end := f.Body(i)
		for _, body := range []string{f.BodyLines(i), f.Text[start:end], strings.ReplaceAll(f.BodyLines(i), "\n", "\r\n")} {
			if after := apply(f.Text, f.ReplaceBody(i, body)); after != f.Text {
				t.Fatalf("%s: the body of %s changed the text", f.Path, f.ID(i))
			}
		}
	}
}

func apply(text string, e symbols.Edit) string { return text[:e.Start] + e.New + text[e.End:] }

func withoutBlankLines(text string) string {
	var b strings.Builder
	for line := range strings.Lines(text) {
		if strings.TrimSpace(line) != "" {
			b.WriteString(strings.TrimRight(line, "\r\n") + "\n")
		}
	}
	return b.String()
}
