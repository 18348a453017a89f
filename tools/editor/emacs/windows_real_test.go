//go:build unix

package emacs_test

import (
	"os"
	"strings"
	"testing"

	"github.com/dougu-go/dougu/tools/editor/adapter"
)

func TestOpen_Window(t *testing.T) {
	w := start(t, map[string]string{"one.txt": "😀ab\nsecond\n", "two.txt": strings.Repeat("line\n", 200), "three.txt": "3\n"})
	for _, c := range []struct {
		name string
		at   *adapter.Position
		want string // line:column
	}{
		{"one.txt", nil, "1:1"},
		{"one.txt", &adapter.Position{Line: 1, Column: 4}, "1:4"},
		{"one.txt", &adapter.Position{Line: 1, Column: 2}, "1:1"}, // within a character
		{"one.txt", &adapter.Position{Line: 2, Column: 99}, "2:7"},
		{"two.txt", &adapter.Position{Line: 150, Column: 3}, "150:3"},
		{"one.txt", nil, "2:7"},
	} {
		if err := w.Open(w.ctx, w.path(c.name), c.at, false); err != nil {
			t.Fatal(err)
		}
		active, ok, err := w.Active(w.ctx)
		if err != nil || !ok || active.Path != w.path(c.name) || show(active.Cursor) != c.want || active.Dirty || active.Selection != nil || active.Version != w.opened(c.name).Version {
			t.Errorf("%s at %v: %+v, %v, %v", c.name, c.at, active, ok, err)
		}
	}
	w.do(`(split-window) (other-window 1) (find-file "three.txt") (other-window 1)`)
	if err := w.Open(w.ctx, w.path("three.txt"), nil, false); err != nil {
		t.Fatal(err)
	}
	if n := lisp[int](w, "(length (window-list))"); n != 2 {
		t.Errorf("%d windows", n)
	}
	if err := w.Open(w.ctx, w.path("one.txt"), &adapter.Position{}, false); err == nil {
		t.Error("there is no line 0")
	}
}

func TestActive_Selection(t *testing.T) {
	w := start(t, map[string]string{"one.txt": "😀ab\nsecond\n"})
	w.do(`(find-file "one.txt") (goto-char 2) (push-mark 7 t t) (setq deactivate-mark nil)`)
	active, ok, err := w.Active(w.ctx)
	if err != nil || !ok || show(active.Cursor) != "1:3" || active.Selection == nil || *active.Selection != between(1, 3, 2, 3) {
		t.Errorf("%+v %+v, %v, %v", active, active.Selection, ok, err)
	}
}

func TestOpen_MinibufferKeepsFocus(t *testing.T) {
	w := start(t, map[string]string{"one.txt": "1\n", "two.txt": "2\n"})
	w.do(`(find-file "one.txt")`)
	_, _ = w.keys.Write([]byte("\x1bxfoo")) // M-x
	eventually(t, "the user is asked", func() bool { return lisp[int](w, "(minibuffer-depth)") == 1 })
	if err := w.Open(w.ctx, w.path("two.txt"), nil, false); err != nil {
		t.Fatal(err)
	}
	if lisp[int](w, "(if (minibufferp (window-buffer (selected-window))) 1 0)") != 1 {
		t.Error("the user is not where they typed any more")
	}
	if active, ok, err := w.Active(w.ctx); err != nil || !ok || active.Path != w.path("two.txt") {
		t.Errorf("%+v, %v, %v", active, ok, err)
	}
}

func TestOpen_LocalVariablesIgnored(t *testing.T) {
	w := start(t, map[string]string{
		"evil.txt":       "text\n\n;; Local Variables:\n;; fill-column: 33\n;; eval: (write-region \"\" nil \"ran\")\n;; End:\n",
		".dir-locals.el": `((nil . ((tab-width . 33) (eval . (write-region "" nil "ran")))))`,
	})
	w.do(`(setq enable-local-variables :all enable-local-eval t)`)
	if err := w.Open(w.ctx, w.path("evil.txt"), nil, false); err != nil {
		t.Fatal(err)
	}
	if n := lisp[int](w, "(+ (* 100 fill-column) tab-width)"); n == 3300+8 || n%100 == 33 {
		t.Errorf("a variable was set: %d", n)
	}
	if _, err := os.Stat(w.path("ran")); err == nil {
		t.Error("it was run")
	}
	w.do(`(add-hook 'find-file-hook (lambda () (y-or-n-p "Trust? ")))`)
	w.write("other.txt", "x\n")
	if err := w.Open(w.ctx, w.path("other.txt"), nil, false); err == nil || !strings.Contains(err.Error(), "ask its user") {
		t.Errorf("a hook that asks: %v", err)
	}
}
