package headless_test

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/dougu-go/dougu/tools/editor/adapter"
	"github.com/dougu-go/dougu/tools/editor/headless"
	"github.com/dougu-go/dougu/tools/internal/lsp"
)

// Accepted edits concern only files of the project that tools may read, and fit the texts of their files.
func FuzzChanges(f *testing.F) {
	edit := textEdit(2, 4, 2, 5, "z")
	for _, answer := range []string{
		`null`, `7`, changes("$ROOT/a.go", edit), changes("$ROOT/.env", edit), changes("file:///etc/passwd", edit), changes("$ROOT/../x", edit),
		documentChanges(documentEdit("$ROOT/a.go", "1", edit, textEdit(0, 0, 99, 99, "")), `{"kind":"rename","oldUri":"$ROOT/a.go","newUri":"$ROOT/z.go"}`, documentEdit("$ROOT/z.go", "null", edit)),
		documentChanges(`{"kind":"create","uri":"$ROOT/n.go"}`, documentEdit("$ROOT/n.go", "null", textEdit(0, 0, 0, 0, "x")), `{"kind":"rename","oldUri":"$ROOT/n.go","newUri":"$ROOT/m.go"}`),
		documentChanges(`{"kind":"delete","uri":"$ROOT/b.go"}`, `{"kind":"create","uri":"$ROOT/b.go","options":{"ignoreIfExists":true}}`),
	} {
		f.Add(answer)
	}
	p := open(f, fakeProject, headless.Options{Servers: []headless.Server{}, Formatters: []headless.Formatter{}})
	given := p.doc("a.go")
	f.Fuzz(func(t *testing.T, answer string) {
		p := &project{Headless: p.Headless, t: t, dir: p.dir, root: p.root}
		raw := []byte(strings.ReplaceAll(answer, "$ROOT", lsp.URI(p.dir)))
		edits, err := headless.PlanEdits(t.Context(), p.Headless, raw, given)
		if err != nil && edits != nil {
			t.Errorf("a change and an error: %+v, %v", edits, err)
		}
		for _, e := range edits {
			for _, path := range []string{e.Path, e.NewPath} {
				if rel, err := filepath.Rel(p.dir, path); path != "" && (err != nil || !filepath.IsLocal(rel) || rel == "." || rel == ".env") {
					t.Errorf("it concerns %q", path)
				}
			}
			text := ""
			if e.Op == adapter.ChangeFile {
				text = p.doc(p.rel(e.Path)).Text
			}
			if _, err := adapter.Apply(text, e.Edits); err != nil {
				t.Errorf("an edit of %s does not fit: %v", e.Path, err)
			}
		}
	})
}
