//go:build unix

package emacs_test

import (
	"errors"
	"os"
	"strings"
	"testing"

	"github.com/dougu-go/dougu/tools/editor/adapter"
)

func TestDocument_Buffer(t *testing.T) {
	w := start(t, nil)
	for name, content := range map[string]string{
		"empty":                  "",
		"one line end":           "\n",
		"no line end":            "a\nb",
		"dos":                    "a\r\nb\r\n",
		"dos without the end":    "a\r\nb",
		"mixed":                  "a\r\nb\n",
		"mac":                    "a\rb\r",
		"beyond the basic plane": "😀é日本 & -x\n",
	} {
		w.write(name+".txt", content)
		w.do("(find-file %q)", name+".txt")
		doc := w.opened(name + ".txt")
		if doc.Text != content || doc.Dirty || doc.Version < 1 || doc.Path != w.path(name+".txt") || doc.Language != "plaintext" {
			t.Errorf("%s: got %+v", name, doc)
		}
	}
	w.write("large.txt", strings.Repeat("日本語 text \"quoted\"\n", 60_000))
	w.do("(find-file %q)", "large.txt")
	if doc := w.opened("large.txt"); doc.Text != w.disk("large.txt") {
		t.Errorf("%d bytes", len(doc.Text))
	}
}

func TestEdit_Save(t *testing.T) {
	w := start(t, nil)
	for name, c := range map[string]struct{ before, after string }{
		"a word":                    {"one two\nthree\n", "one 2\nthree\n"},
		"to nothing":                {"one\ntwo\n", ""},
		"from nothing":              {"", "one\ntwo\n"},
		"from nothing without end":  {"", "one"},
		"the last line end goes":    {"one\ntwo\n", "one\ntwo"},
		"the last line end comes":   {"one\ntwo", "one\ntwo\n"},
		"lines go":                  {"1\n2\n3\n4\n", "1\n4\n"},
		"lines come":                {"1\n4\n", "1\n2\n3\n4\n5\n"},
		"dos":                       {"a\r\nb\r\n", "a\r\nx\r\nb\r\n"},
		"dos without end":           {"a\r\nb\r\n", "a\r\nbc"},
		"characters that are alike": {"é\n", "è\n"},
		"emoji":                     {"x😀y\n", "x😁y 日本 & -a \\ \"\n"},
		"bom":                       {"\ufeffa\n", "\ufeffb\n"},
	} {
		w.write(name, c.before)
		w.do("(find-file %q) (text-mode)", name)
		doc := w.opened(name)
		whole := adapter.Range{Start: at(1, 1), End: adapter.NewText(doc.Text).Position(len(doc.Text))}
		text := strings.TrimPrefix(c.after, "\ufeff")
		after, err := w.Edit(w.ctx, doc.Path, doc.Version, []adapter.TextEdit{{Range: whole, NewText: text}}, true)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if after.Text != text || after.Dirty || w.disk(name) != c.after {
			t.Errorf("%s: got %+v, on the disk %q", name, after, w.disk(name))
		}
		w.do("(let ((last-command nil)) (undo))")
		if now := w.opened(name); now.Text != doc.Text || !now.Dirty {
			t.Errorf("%s: after undo %+v", name, now)
		}
		w.do("(set-buffer-modified-p nil) (kill-buffer)")
	}
}

func TestEdit_UndoStep(t *testing.T) {
	w := start(t, map[string]string{"file.txt": "😀 one\ntwo\nthree\n"})
	w.do(`(find-file "file.txt") (goto-char (point-max))`)
	_, _ = w.keys.Write([]byte("typed"))
	eventually(t, "it is typed", func() bool { return strings.HasSuffix(w.opened("file.txt").Text, "typed") })
	doc := w.opened("file.txt")
	after, err := w.Edit(w.ctx, doc.Path, doc.Version, []adapter.TextEdit{
		{Range: between(3, 1, 4, 1), NewText: ""},
		{Range: between(1, 4, 1, 7), NewText: "1"},
		{Range: between(1, 1, 1, 1), NewText: "# "},
	}, false)
	if want := "# 😀 1\ntwo\ntyped"; err != nil || after.Text != want || !after.Dirty {
		t.Fatalf("%+v, %v", after, err)
	}
	_, _ = w.keys.Write([]byte(" on\x1f"))
	eventually(t, "what was typed afterwards is undone", func() bool { return w.opened("file.txt").Text == "# 😀 1\ntwo\ntyped" })
	_, _ = w.keys.Write([]byte("\x1f"))
	eventually(t, "the edit is undone", func() bool { return w.opened("file.txt").Text == "😀 one\ntwo\nthree\ntyped" })
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
	w.do(`(find-file "file.txt")`)
	doc := w.opened("file.txt")
	w.do(`(insert "four")`)
	stale(doc)
	stale(adapter.Document{Path: w.path("closed.txt"), Version: 1}) // never read
	doc = w.opened("file.txt")
	w.write("file.txt", "another\n") // Emacs would ask
	stale(doc)
	if w.disk("file.txt") != "another\n" {
		t.Errorf("it was overwritten: %q", w.disk("file.txt"))
	}
}

func TestDocument_OpenBuffers(t *testing.T) {
	w := start(t, map[string]string{"shown.txt": "1\n", "readonly.txt": "5\n", "dirty.txt": "7\n", "linked.txt": "6\n", "narrow.txt": "a\nb\nc\n", "cloned.txt": "8\n"})
	if err := os.Symlink(w.path("linked.txt"), w.path("link.txt")); err != nil {
		t.Fatal(err)
	}
	w.do(`(find-file "readonly.txt") (read-only-mode) (find-file "dirty.txt") (insert "x") (read-only-mode) (find-file "link.txt")`)
	w.do(`(find-file "narrow.txt") (goto-char 3) (narrow-to-region 3 4) (find-file "cloned.txt") (switch-to-buffer (make-indirect-buffer (current-buffer) "clone" t)) (find-file "shown.txt")`)
	for name, want := range map[string]bool{"shown.txt": true, "linked.txt": true, "dirty.txt": true, "readonly.txt": false, "none.txt": false} {
		if _, open, err := w.Document(w.ctx, w.path(name)); open != want || err != nil {
			t.Errorf("%s: open %v, %v", name, open, err)
		}
	}
	w.do(`(switch-to-buffer "narrow.txt")`)
	doc := w.opened("narrow.txt")
	if doc, err := w.Edit(w.ctx, doc.Path, doc.Version, []adapter.TextEdit{{Range: between(3, 1, 3, 2), NewText: "C"}}, true); err != nil || doc.Text != "a\nb\nC\n" || w.disk("narrow.txt") != "a\nb\nC\n" {
		t.Errorf("outside of what is shown: %+v, %v", doc, err)
	}
	if got := w.text(); got != "b" {
		t.Errorf("narrowed to %q", got)
	}
	w.do(`(switch-to-buffer "clone")`)
	if active, ok, err := w.Active(w.ctx); err != nil || !ok || active.Path != w.path("cloned.txt") {
		t.Errorf("in an indirect buffer: %+v, %v, %v", active, ok, err)
	}
	doc = w.opened("dirty.txt")
	if _, err := w.Edit(w.ctx, doc.Path, doc.Version, []adapter.TextEdit{{Range: between(1, 1, 1, 2), NewText: "C"}}, false); err == nil || !strings.Contains(err.Error(), "read-only") {
		t.Errorf("a read-only buffer: %v", err)
	}
}

func TestEdit_Encodings(t *testing.T) {
	w := start(t, map[string]string{"sjis.txt": "\x93\xfa\x96\x7b\r\n", "latin.txt": "caf\xe9\n", "bad.txt": "x\xffy\n"})
	w.do(`(let ((coding-system-for-read 'cp932)) (find-file "sjis.txt"))`)
	w.do(`(let ((coding-system-for-read 'latin-1)) (find-file "latin.txt"))`)
	for name, c := range map[string]struct{ text, disk string }{
		"sjis.txt":  {"日本\r\n", "\x96\x7b\x93\xfa\r\n"},
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
	if err == nil || !strings.Contains(err.Error(), "lacks some of the characters") || w.opened("latin.txt") != doc || w.disk("latin.txt") != "th\xe9\n" {
		t.Errorf("what latin-1 does not have: %v, %q", err, w.disk("latin.txt"))
	}
	w.do(`(find-file "bad.txt") (insert (unibyte-char-to-multibyte 255))`)
	if _, _, err := w.Document(w.ctx, w.path("bad.txt")); !errors.Is(err, adapter.ErrUnsupported) {
		t.Errorf("what is no text: %v", err)
	}
}

func TestFilesChanged_BufferReread(t *testing.T) {
	w := start(t, map[string]string{"clean.txt": "1\n", "dirty.txt": "2\n"})
	w.do(`(find-file "dirty.txt") (insert "x") (find-file "clean.txt")`)
	before := w.opened("clean.txt")
	w.write("clean.txt", "one more\n")
	w.write("dirty.txt", "two more\n")
	w.FilesChanged([]string{w.path("clean.txt"), w.path("dirty.txt"), w.path("gone.txt")})
	eventually(t, "the clean buffer is read again", func() bool { return w.text() == "one more\n" })
	if doc := w.opened("clean.txt"); doc.Text != "one more\n" || doc.Version == before.Version || doc.Dirty {
		t.Errorf("got %+v", doc)
	}
	if doc := w.opened("dirty.txt"); doc.Text != "x2\n" || !doc.Dirty {
		t.Errorf("got %+v", doc)
	}
}

func TestEdit_ChangesOnSave(t *testing.T) {
	w := start(t, map[string]string{"file.txt": "one  \n"})
	w.do(`(add-hook 'before-save-hook #'delete-trailing-whitespace) (find-file "file.txt")`)
	doc := w.opened("file.txt")
	doc, err := w.Edit(w.ctx, doc.Path, doc.Version, []adapter.TextEdit{{Range: between(1, 1, 1, 4), NewText: "two"}}, true)
	if err != nil || doc.Text != "two\n" || doc.Dirty || w.disk("file.txt") != "two\n" {
		t.Errorf("%+v, %v, %q", doc, err, w.disk("file.txt"))
	}
	w.do(`(add-hook 'write-file-functions (lambda () (yes-or-no-p "Really? ")))`)
	doc, err = w.Edit(w.ctx, doc.Path, doc.Version, []adapter.TextEdit{{Range: between(1, 1, 1, 4), NewText: "three"}}, true)
	if err != nil || !doc.Dirty || doc.Text != "three\n" || w.disk("file.txt") != "two\n" {
		t.Errorf("what would ask its user: %+v, %v", doc, err)
	}
}
