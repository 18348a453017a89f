//go:build unix

package emacs_test

import (
	"context"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/dougu-go/dougu/tools/editor/emacs"
)

// A stopped Emacs accepts connections and does not answer. Queries fail until it continues.
func TestUnsaved_StoppedEmacs(t *testing.T) {
	w := newWorkbench(t, map[string]string{"a.txt": "a\n"})
	t.Setenv("XDG_RUNTIME_DIR", w.dir)
	t.Setenv("TMPDIR", w.dir)
	t.Setenv("HOME", w.dir)
	t.Setenv("EMACS_SOCKET_NAME", "")
	w.run(`(progn (find-file "a.txt") (goto-char (point-max)) (insert "typed"))`)
	w.signal(syscall.SIGSTOP)
	e := emacs.New(emacs.Options{})
	defer e.Close(context.Background())
	for range 3 {
		_, err := e.Unsaved(w.ctx)
		_, open, docErr := e.Document(w.ctx, w.path("a.txt"))
		if open || err == nil || docErr == nil || !strings.Contains(err.Error(), "does not answer") {
			t.Errorf("%v; open %v, %v", err, open, docErr)
		}
	}
	w.signal(syscall.SIGCONT)
	eventually(t, "it answers", func() bool {
		paths, err := e.Unsaved(w.ctx)
		return err == nil && slices.Contains(paths, w.path("a.txt"))
	})
	if doc, open, err := e.Document(w.ctx, w.path("a.txt")); !open || doc.Text != "a\ntyped" || err != nil {
		t.Errorf("%+v, %v, %v", doc, open, err)
	}
}

// An Emacs that starts after the adapter is seen by the next query, without a delay.
func TestUnsaved_NewEmacs(t *testing.T) {
	w := newWorkbench(t, map[string]string{"a.txt": "a\n"})
	t.Setenv("XDG_RUNTIME_DIR", w.dir)
	t.Setenv("TMPDIR", w.dir)
	t.Setenv("HOME", w.dir)
	t.Setenv("EMACS_SOCKET_NAME", "")
	e := emacs.New(emacs.Options{})
	defer e.Close(context.Background())
	if paths, err := e.Unsaved(w.ctx); len(paths) != 0 || err != nil {
		t.Fatalf("%q, %v", paths, err)
	}
	w.run(`(progn (find-file "a.txt") (insert "typed"))`)
	if paths, err := e.Unsaved(w.ctx); !slices.Contains(paths, w.path("a.txt")) && err == nil {
		t.Errorf("%q without an error", paths)
	}
}
