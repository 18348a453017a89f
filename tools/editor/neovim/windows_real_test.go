//go:build unix

package neovim_test

import (
	"strings"
	"testing"
	"time"

	"github.com/dougu-go/dougu/tools/editor/adapter"
)

// active describes the active document in a few words.
func (w *workbench) active() string {
	w.t.Helper()
	a, ok, err := w.Active(w.ctx)
	if err != nil {
		w.t.Fatal(err)
	}
	if !ok {
		return "nothing"
	}
	text := strings.TrimPrefix(a.Path, w.dir+"/") + " " + show(a.Cursor)
	if a.Selection != nil {
		text += " from " + show(a.Selection.Start) + " to " + show(a.Selection.End)
	}
	if a.Dirty {
		text += " dirty"
	}
	return text
}

func (w *workbench) isActive(want string) {
	w.t.Helper()
	got := w.active()
	for end := time.Now().Add(long); got != want; got = w.active() {
		if time.Now().After(end) {
			w.t.Fatalf("got %s, want %s", got, want)
		}
		<-time.After(10 * time.Millisecond)
	}
}

func TestOpen_Position(t *testing.T) {
	w := start(t, map[string]string{"a.txt": strings.Repeat("line\n", 200) + "😀 end\n", "with space%#'\"|`$x.txt": "x\n"})
	for _, c := range []struct {
		name string
		at   adapter.Position
		want string
	}{
		{"a.txt", at(201, 4), "a.txt 201:4"},
		{"a.txt", at(201, 2), "a.txt 201:1"}, // within a character
		{"a.txt", at(3, 99), "a.txt 3:4"},    // the cursor is on a character, not behind the last
		{"a.txt", at(999, 1), "a.txt 201:1"},
		{"with space%#'\"|`$x.txt", at(1, 1), "with space%#'\"|`$x.txt 1:1"},
	} {
		if err := w.Open(w.ctx, w.path(c.name), &c.at, false); err != nil {
			t.Fatal(err)
		}
		w.isActive(c.want)
	}
	if err := w.Open(w.ctx, w.path("a.txt"), nil, false); err != nil {
		t.Fatal(err)
	}
	w.isActive("a.txt 201:1") // the last cursor position
	if err := w.Open(w.ctx, w.path("a.txt"), &adapter.Position{}, false); err == nil {
		t.Error("there is no line 0")
	}
}

func TestOpen_UnsavedBuffer(t *testing.T) {
	w := start(t, map[string]string{"a.txt": "a\n", "b.txt": "b\n", "c.txt": "c\n"})
	w.vim("set nohidden | edit a.txt | normal! Achanged")
	if err := w.Open(w.ctx, w.path("b.txt"), nil, false); err != nil {
		t.Fatal(err)
	}
	w.isActive("b.txt 1:1")
	if n := lua[int](w, `return vim.fn.winnr('$')`); n != 2 || w.opened("a.txt").Text != "achanged\n" {
		t.Errorf("%d windows, %+v", n, w.opened("a.txt"))
	}
	w.vim("tabnew c.txt")
	if err := w.Open(w.ctx, w.path("a.txt"), nil, false); err != nil {
		t.Fatal(err)
	}
	w.isActive("a.txt 1:8 dirty") // in the tab and window that show the file
	if n := lua[int](w, `return vim.fn.tabpagenr()`); n != 1 {
		t.Errorf("tab %d", n)
	}
}

func TestOpen_Preview(t *testing.T) {
	w := start(t, map[string]string{"a.txt": "a\n", "b.txt": "b\n", "c.txt": "c\n"})
	listed := func(name string) bool { return lua[bool](w, `return vim.fn.buflisted(...) == 1`, w.path(name)) }
	preview := func(name string) {
		t.Helper()
		if err := w.Open(w.ctx, w.path(name), nil, true); err != nil {
			t.Fatal(err)
		}
		w.isActive(name + " 1:1")
	}
	preview("a.txt")
	preview("b.txt")
	if listed("a.txt") || !listed("b.txt") {
		t.Errorf("listed: %v %v", listed("a.txt"), listed("b.txt"))
	}
	w.keys("ix<Esc>")
	w.until("it is changed", func() bool { return w.opened("b.txt").Dirty })
	preview("c.txt")
	if !listed("b.txt") || w.opened("b.txt").Text != "xb\n" {
		t.Error("what was changed is gone")
	}
	if err := w.Open(w.ctx, w.path("c.txt"), nil, false); err != nil {
		t.Fatal(err)
	}
	preview("a.txt")
	if !listed("c.txt") {
		t.Error("what was opened to stay is gone")
	}
}

func TestOpen_TerminalKeepsFocus(t *testing.T) {
	w := start(t, map[string]string{"a.txt": "a\n", "b.txt": "b\n"})
	w.vim("edit a.txt | split | terminal cat")
	w.keys("i")
	inTerminal := func() bool {
		return lua[string](w, `return vim.api.nvim_get_mode().mode .. vim.bo.buftype`) == "tterminal"
	}
	w.until("the user types in the terminal", inTerminal)
	w.isActive("a.txt 1:1")
	if err := w.Open(w.ctx, w.path("b.txt"), &adapter.Position{Line: 1, Column: 1}, false); err != nil {
		t.Fatal(err)
	}
	w.isActive("b.txt 1:1")
	if !inTerminal() {
		t.Error("the user was taken away")
	}
}

func TestOpen_SwapFile(t *testing.T) {
	w := newWorkbench(t, map[string]string{"a.txt": "a\n", "b.txt": "b\n"})
	w.run("--listen", w.socket, "--cmd", "set directory="+w.dir)
	w.Neovim = connectToSocket(w)
	w.vim("set updatecount=200 swapfile")
	swap := lua[string](w, `vim.cmd('edit a.txt | normal! Ax'); vim.cmd('preserve'); local name = vim.fn.swapname('%'); assert(vim.loop.fs_copyfile(name, name .. '.kept'))
		vim.cmd('bwipeout!'); assert(vim.loop.fs_rename(name .. '.kept', name)); return name`)
	if err := w.Open(w.ctx, w.path("a.txt"), nil, false); err != nil {
		t.Fatal(err)
	}
	w.isActive("a.txt 1:1")
	if !lua[bool](w, `return vim.bo.readonly`) {
		t.Errorf("it is not readonly in spite of %s", swap)
	}
}

func TestActive_Selection(t *testing.T) {
	w := start(t, map[string]string{"a.txt": "one 😀 two\nthree\n"})
	w.vim("edit a.txt")
	for keys, want := range map[string]string{
		"<Esc>gg0vee":               "a.txt 1:5 from 1:1 to 1:7",
		"<Esc>gg0ve":                "a.txt 1:3 from 1:1 to 1:4",
		"<Esc>gg$vb":                "a.txt 1:8 from 1:8 to 1:11",
		"<Esc>gg0Vj":                "a.txt 2:1 from 1:1 to 2:6",
		"<Esc>gg02lvj":              "a.txt 2:3 from 1:3 to 2:4",
		"<Esc>gg0<C-v>jl":           "a.txt 2:2 from 1:1 to 2:3",
		"<Esc>gg0":                  "a.txt 1:1",
		"<Esc>gg0iX<Esc>u:echo<CR>": "a.txt 1:1",
	} {
		w.keys(keys)
		w.isActive(want)
	}
}

func TestActive_None(t *testing.T) {
	w := start(t, nil)
	a, ok, err := w.Active(w.ctx)
	if err != nil || !ok || a.Path != "" { // the initial empty buffer
		t.Errorf("%+v, %v, %v", a, ok, err)
	}
	w.vim("terminal cat")
	w.isActive("nothing")
}
