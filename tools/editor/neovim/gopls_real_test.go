//go:build unix

package neovim_test

import (
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/dougu-go/dougu/internal/testrequire"
	"github.com/dougu-go/dougu/tools/editor/adapter"
)

// A complete use of gopls, from a diagnostic to the applied fix.
func TestGopls(t *testing.T) {
	program, err := exec.LookPath("gopls")
	testrequire.Deep(t, err == nil, "gopls", "go install golang.org/x/tools/gopls@latest")
	cache, err := os.UserCacheDir() // gopls writes there even after its end was requested
	if err != nil {
		t.Fatal(err)
	}
	w := start(t, map[string]string{
		"go.mod":  "module example.com/shop\n\ngo 1.24\n",
		"main.go": "package main\n\nimport (\n\t\"fmt\"\n)\n\nfunc main() {\n\t/* 😀 */ fmt.Println( price(), os.Getpid() )\n}\n",
		"a.go":    "package main\n\nfunc price() int { return 1 }\n",
	})
	w.vim("edit main.go")
	w.stops(lua[int](w, `local program, dir, cache = ...
		local client = vim.lsp.start_client({ name = 'gopls', cmd = { program }, cmd_env = { XDG_CACHE_HOME = cache }, root_dir = dir })
		vim.lsp.buf_attach_client(0, client)
		return client`, program, w.dir, cache))
	var found adapter.Diagnostics
	w.until("the missing import is found", func() bool {
		found, err = w.Diagnose(w.ctx, []string{w.path("main.go")})
		return len(found.Items) > 0
	})
	if d := found.Items[0]; !strings.Contains(d.Message, "undefined: os") || d.Range != between(8, 33, 8, 35) {
		t.Fatalf("got %+v, %v", d, err)
	}
	doc := w.opened("main.go")
	fixes, err := w.Fixes(w.ctx, doc, found.Items[0])
	if err != nil || len(fixes) == 0 {
		t.Fatalf("%+v, %v", fixes, err)
	}
	edits, err := w.Resolve(w.ctx, fixes[0])
	if err != nil || len(edits) != 1 {
		t.Fatalf("%+v, %v", edits, err)
	}
	if doc, err = w.Edit(w.ctx, doc.Path, doc.Version, edits[0].Edits, true); err != nil || !strings.Contains(doc.Text, `"os"`) {
		t.Fatalf("%+v, %v", doc, err)
	}
	if found, err = w.Diagnose(w.ctx, []string{doc.Path}); err != nil || len(found.Items) != 0 {
		t.Errorf("%+v, %v", found, err)
	}
	layout, err := w.Format(w.ctx, doc, nil)
	if err != nil || len(layout) == 0 {
		t.Errorf("%+v, %v", layout, err)
	}
	renames, err := w.Rename(w.ctx, doc, adapter.NewText(doc.Text).Position(strings.Index(doc.Text, "price")), "cost")
	if err != nil || len(renames) != 2 {
		t.Errorf("%+v, %v", renames, err)
	}
}
