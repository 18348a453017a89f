//go:build unix

package emacs_test

import (
	"context"
	"errors"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/dougu-go/dougu/internal/testrequire"
	"github.com/dougu-go/dougu/tools/editor/adapter"
	"github.com/dougu-go/dougu/tools/editor/emacs"
)

const goProgram = "package main\n\nimport \"fmt\"\n\nfunc main() {\n\ts := \"😀\"; total := len(s) + 1\n\tfmt.Println(total)\n}\n"

// eglotted starts an Emacs in which eglot runs gopls for main.go.
func eglotted(t *testing.T) *workbench {
	t.Helper()
	_, err := exec.LookPath("gopls")
	testrequire.Deep(t, err == nil, "gopls", "go install golang.org/x/tools/gopls@latest")
	elpa, _ := filepath.Glob("/usr/share/emacs/site-lisp/elpa/*")
	w := newWorkbench(t, map[string]string{"go.mod": "module example.com/main\n\ngo 1.24\n", "main.go": goProgram, "plain.txt": "x\n"})
	var paths []string
	for _, dir := range elpa {
		paths = append(paths, `"`+dir+`"`)
	}
	w.run(`(progn (setq load-path (append (list ` + strings.Join(paths, " ") + `) load-path)) (require 'eglot nil t)
	  (define-derived-mode go-mode prog-mode "Go") (add-to-list 'auto-mode-alist '("\\.go\\'" . go-mode)))`)
	w.Emacs = connectTo(t, emacs.Options{Server: w.socket})
	testrequire.Deep(t, lisp[int](w, "(if (featurep 'eglot) 1 0)") == 1, "eglot", "install elpa-eglot")
	w.do(`(find-file "main.go") (setq eglot-sync-connect t eglot-connect-timeout nil) (apply #'eglot (eglot--guess-contact))`)
	t.Cleanup(func() { // gopls runs for a while after Emacs was killed
		w.ctx = context.Background()
		w.do(`(setq eglot-autoreconnect nil) (dolist (p (process-list)) (when (process-command p) (delete-process p)))`)
	})
	return w
}

func TestEglot_Requests(t *testing.T) {
	w := eglotted(t)
	doc := w.opened("main.go")
	if doc.Language != "go" {
		t.Errorf("language %q", doc.Language)
	}
	found, err := w.Definition(w.ctx, doc, at(7, 15))
	if err != nil || len(found) != 1 || found[0].Path != w.path("main.go") || found[0].Range != between(6, 13, 6, 18) {
		t.Errorf("definition: %+v, %v", found, err)
	}
	if found, err = w.References(w.ctx, doc, at(7, 15)); err != nil || len(found) != 2 {
		t.Errorf("references: %+v, %v", found, err)
	}
	edits, err := w.Rename(w.ctx, doc, at(7, 15), "sum")
	if err != nil || len(edits) != 1 || edits[0].Version != doc.Version || len(edits[0].Edits) != 2 {
		t.Errorf("rename: %+v, %v", edits, err)
	}
	symbols, err := w.Symbols(w.ctx, doc)
	if err != nil || len(symbols) != 1 || symbols[0].Name != "main" {
		t.Errorf("symbols: %+v, %v", symbols, err)
	}
	if symbols, err = w.FindSymbols(w.ctx, "main"); err != nil || len(symbols) == 0 {
		t.Errorf("symbols of the project: %+v, %v", symbols, err)
	}
	layout, err := w.Format(w.ctx, doc, nil)
	if text, _ := adapter.Apply(doc.Text, layout); err != nil || !strings.Contains(text, "\ts := \"😀\"\n\ttotal := len(s) + 1\n") {
		t.Errorf("layout: %+v, %v", layout, err)
	}
	if _, err := w.Symbols(w.ctx, adapter.Document{Path: w.path("plain.txt"), Text: "x\n"}); !errors.Is(err, adapter.ErrUnsupported) {
		t.Errorf("of a file that it has not open: %v", err)
	}
	if _, err := w.Symbols(w.ctx, adapter.Document{Path: doc.Path, Text: "x\n"}); !errors.Is(err, adapter.ErrStale) {
		t.Errorf("of another text: %v", err)
	}
	if _, err := w.Rename(w.ctx, doc, at(1, 1), "x"); err == nil || !strings.Contains(err.Error(), "returned an error") {
		t.Errorf("of a keyword: %v", err)
	}
}

func TestEglot_Refactorings(t *testing.T) {
	w := eglotted(t)
	doc := w.opened("main.go")
	// Eglot receives extractions as commands, which would change the buffers directly.
	if _, err := w.Refactorings(w.ctx, doc, between(6, 22, 6, 32), []string{"refactor.extract.variable"}); !errors.Is(err, adapter.ErrUnsupported) || !strings.Contains(err.Error(), "commands") {
		t.Errorf("extraction: %v", err)
	}
	doc, err := w.Edit(w.ctx, doc.Path, doc.Version, []adapter.TextEdit{{Range: between(4, 1, 4, 1), NewText: "import \"os\"\n"}}, false)
	if err != nil {
		t.Fatal(err)
	}
	found, err := w.Refactorings(w.ctx, doc, between(1, 1, 1, 1), []string{"source.organizeImports"})
	if err != nil || len(found) != 1 || found[0].Kind != "source.organizeImports" {
		t.Fatalf("%+v, %v", found, err)
	}
	edits, err := w.Refactor(w.ctx, found[0])
	if err != nil || len(edits) != 1 || edits[0].Path != doc.Path {
		t.Fatalf("%+v, %v", edits, err)
	}
	if text, err := adapter.Apply(doc.Text, edits[0].Edits); err != nil || strings.Contains(text, `"os"`) {
		t.Errorf("%s, %v", text, err)
	}
	if _, err := w.Edit(w.ctx, doc.Path, doc.Version, []adapter.TextEdit{{Range: between(1, 1, 1, 1), NewText: "\n"}}, false); err != nil {
		t.Fatal(err)
	}
	if _, err := w.Refactor(w.ctx, found[0]); !errors.Is(err, adapter.ErrStale) {
		t.Errorf("after a change: %v", err)
	}
}
