//go:build unix

package neovim_test

import (
	"errors"
	"os"
	"strings"
	"testing"

	"github.com/dougu-go/dougu/tools/editor/adapter"
)

func TestDocument_Buffer(t *testing.T) {
	for name, content := range map[string]string{
		"empty":                  "",
		"one line end":           "\n",
		"no line end":            "a\nb",
		"only no line end":       "a",
		"dos":                    "a\r\nb\r\n",
		"dos without the end":    "a\r\nb",
		"mixed":                  "a\r\nb\n",
		"two line ends":          "a\n\n",
		"beyond the basic plane": "😀é日本\n",
		"a null":                 "a\x00b\n",
	} {
		t.Run(name, func(t *testing.T) {
			w := start(t, map[string]string{"file.txt": content})
			w.vim("edit file.txt")
			doc := w.opened("file.txt")
			if doc.Text != content || doc.Dirty || doc.Version < 1 || doc.Path != w.path("file.txt") || doc.Language != "plaintext" {
				t.Errorf("got %+v", doc)
			}
		})
	}
}

// A long text that has not changed is not sent again; each change is seen.
func TestDocument_LongText(t *testing.T) {
	long := strings.Repeat("word ", 10_000)
	w := start(t, map[string]string{"file.txt": long + "\nend\n"})
	w.vim("edit file.txt")
	for _, step := range []struct{ command, want string }{
		{"", long + "\nend\n"},
		{"", long + "\nend\n"},
		{"call setline(2, 'typed')", long + "\ntyped\n"},
		{"silent undo", long + "\nend\n"},
		{"set fileformat=dos", long + "\r\nend\r\n"},
		{"set noendofline", long + "\r\nend"},
		{"edit!", long + "\nend\n"},
		{"%delete", ""},
	} {
		w.vim("%s", step.command)
		for range 2 {
			if doc := w.opened("file.txt"); doc.Text != step.want {
				t.Errorf("after %q: %d bytes, want %d", step.command, len(doc.Text), len(step.want))
			}
		}
	}
}

func TestEdit_Save(t *testing.T) {
	whole := func(text string) adapter.Range {
		return adapter.Range{Start: at(1, 1), End: adapter.NewText(text).Position(len(text))}
	}
	for name, c := range map[string]struct{ before, after string }{
		"a word":                    {"one two\nthree\n", "one 2\nthree\n"},
		"to nothing":                {"one\ntwo\n", ""},
		"from nothing":              {"", "one\ntwo\n"},
		"from nothing without end":  {"", "one"},
		"to one line end":           {"", "\n"},
		"from one line end":         {"\n", ""},
		"the last line end goes":    {"one\ntwo\n", "one\ntwo"},
		"the last line end comes":   {"one\ntwo", "one\ntwo\n"},
		"lines go":                  {"1\n2\n3\n4\n", "1\n4\n"},
		"lines come":                {"1\n4\n", "1\n2\n3\n4\n5\n"},
		"dos":                       {"a\r\nb\r\n", "a\r\nx\r\nb\r\n"},
		"dos without end":           {"a\r\nb\r\n", "a\r\nbc"},
		"characters that are alike": {"é\n", "è\n"},
		"the same character twice":  {"aa\n", "a\n"},
		"emoji":                     {"x😀y\n", "x😁y\n"},
	} {
		t.Run(name, func(t *testing.T) {
			w := start(t, map[string]string{"file.txt": c.before})
			w.vim("edit file.txt")
			doc := w.opened("file.txt")
			after, err := w.Edit(w.ctx, doc.Path, doc.Version, []adapter.TextEdit{{Range: whole(c.before), NewText: c.after}}, true)
			if err != nil {
				t.Fatal(err)
			}
			if after.Text != c.after || after.Dirty || w.disk("file.txt") != c.after {
				t.Errorf("got %+v, on the disk %q", after, w.disk("file.txt"))
			}
			w.vim("silent undo")
			if now := w.opened("file.txt"); strings.TrimRight(now.Text, "\r\n") != strings.TrimRight(c.before, "\r\n") {
				t.Errorf("after undo %q", now.Text)
			}
		})
	}
}

func TestEdit_SaveError(t *testing.T) {
	for command, want := range map[string]string{
		"autocmd BufWritePre *.txt throw 'the formatter is missing'":                  "the formatter is missing",
		"autocmd BufWritePre *.txt lua error('the formatter is missing', 0)":          "the formatter is missing",
		"autocmd BufWriteCmd *.txt echoerr 'Cannot write to ' .. expand('<afile>:t')": "Cannot write to file.txt",
	} {
		w := start(t, map[string]string{"file.txt": "one\n"})
		w.vim("edit file.txt")
		w.vim("%s", command)
		doc := w.opened("file.txt")
		after, err := w.Edit(w.ctx, doc.Path, doc.Version, []adapter.TextEdit{{Range: between(1, 1, 1, 4), NewText: "two"}}, true)
		if err != nil || after.Text != "two\n" || !after.Dirty || !strings.HasSuffix(after.SaveError, want) || len(after.SaveError) > len(want)+100 || w.disk("file.txt") != "one\n" {
			t.Errorf("%s: %+v, %v", command, after, err)
		}
	}
}

func TestEdit_UndoStep(t *testing.T) {
	w := start(t, map[string]string{"file.txt": "😀 one\ntwo\nthree\n"})
	w.vim("edit file.txt")
	w.keys("Go") // the user is typing a line
	w.keys("typed")
	w.until("it is typed", func() bool { return strings.HasSuffix(w.opened("file.txt").Text, "typed\n") })
	doc := w.opened("file.txt")
	after, err := w.Edit(w.ctx, doc.Path, doc.Version, []adapter.TextEdit{
		{Range: between(3, 1, 4, 1), NewText: ""},
		{Range: between(1, 4, 1, 7), NewText: "1"},
		{Range: between(1, 1, 1, 1), NewText: "# "},
	}, false)
	if want := "# 😀 1\ntwo\ntyped\n"; err != nil || after.Text != want || !after.Dirty {
		t.Fatalf("%+v, %v", after, err)
	}
	w.keys(" on<Esc>u")
	w.until("what was typed afterwards is undone", func() bool {
		return w.opened("file.txt").Text == "# 😀 1\ntwo\ntyped\n"
	})
	w.keys("u")
	w.until("the edit is undone", func() bool { return w.opened("file.txt").Text == "😀 one\ntwo\nthree\ntyped\n" })
	if w.disk("file.txt") != "😀 one\ntwo\nthree\n" {
		t.Errorf("it was saved: %q", w.disk("file.txt"))
	}
}

func TestEdit_OutdatedVersion(t *testing.T) {
	w := start(t, map[string]string{"file.txt": "one\n", "closed.txt": "x\n"})
	edit := []adapter.TextEdit{{Range: between(1, 1, 1, 4), NewText: "two"}}
	stale := func(doc adapter.Document) {
		t.Helper()
		if _, err := w.Edit(w.ctx, doc.Path, doc.Version, edit, true); !errors.Is(err, adapter.ErrStale) {
			t.Errorf("got %v", err)
		}
	}
	w.vim("edit file.txt")
	doc := w.opened("file.txt")
	w.vim("normal! Afour")
	stale(doc)
	stale(adapter.Document{Path: w.path("closed.txt"), Version: 1}) // never read
	w.vim("undo | write")
	doc = w.opened("file.txt")
	w.vim("bwipeout! file.txt | edit file.txt")
	stale(doc)
	doc = w.opened("file.txt")
	w.vim("set noautoread")
	w.write("file.txt", "other\n") // Neovim would ask
	stale(doc)
	if w.disk("file.txt") != "other\n" {
		t.Errorf("it was overwritten: %q", w.disk("file.txt"))
	}
}

func TestDocument_OpenBuffers(t *testing.T) {
	w := start(t, map[string]string{"shown.txt": "1\n", "hidden.txt": "2\n", "unlisted.txt": "3\n", "unloaded.txt": "4\n", "readonly.txt": "5\n", "linked.txt": "6\n", "bad.txt": "x\n"})
	if err := os.Symlink(w.path("linked.txt"), w.path("link.txt")); err != nil {
		t.Fatal(err)
	}
	w.vim("edit hidden.txt | view readonly.txt | badd unloaded.txt | call bufload(bufadd('unlisted.txt')) | edit link.txt | edit bad.txt | terminal cat")
	w.vim("split shown.txt")
	for name, want := range map[string]bool{"shown.txt": true, "hidden.txt": true, "linked.txt": true, "unlisted.txt": false, "unloaded.txt": false, "readonly.txt": false, "none.txt": false} {
		if _, open, err := w.Document(w.ctx, w.path(name)); open != want || err != nil {
			t.Errorf("%s: open %v, %v", name, open, err)
		}
	}
	lua[any](w, `vim.api.nvim_buf_set_lines(vim.fn.bufnr('bad.txt'), 0, -1, true, {'\255'})`)
	if doc, open, err := w.Document(w.ctx, w.path("bad.txt")); !open || !doc.Dirty || err != nil { // so that its file is not written
		t.Errorf("unsaved text that is not UTF-8: %+v, %v, %v", doc, open, err)
	}
}

func TestEdit_Encodings(t *testing.T) {
	w := start(t, map[string]string{"sjis.txt": "\x93\xfa\x96\x7b\n", "bom.txt": "\ufeffa\n", "latin.txt": "caf\xe9\n"})
	w.vim("edit ++enc=cp932 sjis.txt | edit bom.txt | edit latin.txt")
	for name, c := range map[string]struct{ text, disk string }{
		"sjis.txt":  {"日本\n", "\x96\x7b\x93\xfa\n"},
		"bom.txt":   {"a\n", "\ufeff本日\n"},
		"latin.txt": {"café\n", "th\xe9\n"},
	} {
		doc := w.opened(name)
		if doc.Text != c.text {
			t.Errorf("%s: %q", name, doc.Text)
		}
		now := "本日"
		if name == "latin.txt" {
			now = "thé"
		}
		doc, err := w.Edit(w.ctx, doc.Path, doc.Version, []adapter.TextEdit{{Range: between(1, 1, 1, 9), NewText: now}}, true)
		if err != nil || doc.Dirty || w.disk(name) != c.disk {
			t.Errorf("%s: %v, %q", name, err, w.disk(name))
		}
	}
	doc := w.opened("latin.txt")
	_, err := w.Edit(w.ctx, doc.Path, doc.Version, []adapter.TextEdit{{Range: between(1, 1, 1, 1), NewText: "日"}}, true)
	if err == nil || !strings.Contains(err.Error(), "latin1, lacks some") || w.opened("latin.txt") != doc || w.disk("latin.txt") != "th\xe9\n" {
		t.Errorf("what latin1 does not have: %v, %q", err, w.disk("latin.txt"))
	}
}

func TestFilesChanged_BufferReread(t *testing.T) {
	w := start(t, map[string]string{"clean.txt": "1\n", "dirty.txt": "2\n"})
	w.vim("edit dirty.txt | normal! Ax")
	w.vim("edit clean.txt")
	before := w.opened("clean.txt")
	w.write("clean.txt", "one more\n")
	w.write("dirty.txt", "two more\n")
	w.FilesChanged([]string{w.path("clean.txt"), w.path("dirty.txt"), w.path("gone.txt")})
	w.until("the clean buffer is read again", func() bool { return lua[string](w, `return vim.fn.getline(1)`) == "one more" })
	if doc := w.opened("clean.txt"); doc.Text != "one more\n" || doc.Version == before.Version || doc.Dirty {
		t.Errorf("got %+v", doc)
	}
	if doc := w.opened("dirty.txt"); doc.Text != "2x\n" || !doc.Dirty {
		t.Errorf("got %+v", doc)
	}
}

func TestEdit_ChangesOnSave(t *testing.T) {
	w := start(t, map[string]string{"file.txt": "one  \n"})
	w.vim(`autocmd BufWritePre *.txt %%s/\s\+$//e`)
	w.vim("edit file.txt")
	doc := w.opened("file.txt")
	doc, err := w.Edit(w.ctx, doc.Path, doc.Version, []adapter.TextEdit{{Range: between(1, 1, 1, 4), NewText: "two"}}, true)
	if err != nil || doc.Text != "two\n" || doc.Dirty || w.disk("file.txt") != "two\n" {
		t.Errorf("%+v, %v, %q", doc, err, w.disk("file.txt"))
	}
}
