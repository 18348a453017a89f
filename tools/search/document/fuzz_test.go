package document_test

import (
	"context"
	"testing"

	"github.com/dougu-go/dougu/tools/search/document"
)

// FuzzCut checks the invariants for arbitrary content.
func FuzzCut(f *testing.F) {
	for _, name := range []string{"a.go", "a.ts", "a.py", "a.kt", "a.md", "a.rst", "a.adoc", "a.org", "a.tex", "a.1", "a.html", "a.yaml", "a.toml", "a.sh", "a.json", "a.txt", "a.vue", "a.ipynb", "Makefile"} {
		f.Add(name, []byte("# Title\n\n.SH A\n<h1>a</h1>\n= B\n* c\n[d]\ne: f\n```\n# no\n```\nfunc f() {\n}\n"))
		f.Add(name, []byte("---\ntitle: 設定\n---\n設定\n====\n\n<b>確認</b>\n---\nclass A {\n // b\n const c = 1;\n}\n"))
	}
	o := document.Options{Parsers: parsers(), MaxText: 1 << 20}
	f.Fuzz(func(t *testing.T, name string, content []byte) {
		file, err := document.Cut(context.Background(), name, content, o)
		if err != nil {
			if document.Reason(err) == "" {
				t.Fatal(err)
			}
			return
		}
		checkFile(t, file)
	})
}
