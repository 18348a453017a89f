//go:build unix

package emacs_test

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/dougu-go/dougu/tools/editor/adapter"
	"github.com/dougu-go/dougu/tools/editor/emacs"
)

func TestSearch_Restart(t *testing.T) {
	w := newWorkbench(t, map[string]string{"file.txt": "1\n"})
	t.Setenv("XDG_RUNTIME_DIR", w.dir)
	t.Setenv("TMPDIR", w.dir)
	t.Setenv("HOME", w.dir)
	t.Setenv("EMACS_SOCKET_NAME", "")
	e := emacs.New(emacs.Options{})
	defer e.Close(context.Background())
	if s := e.State(); s.Running || !strings.Contains(s.Start, "server-start") {
		t.Errorf("%+v", s)
	}
	if _, _, err := e.Document(w.ctx, w.path("file.txt")); !errors.Is(err, adapter.ErrNotRunning) {
		t.Errorf("without Emacs: %v", err)
	}
	changed := make(chan struct{}, 10)
	defer e.Watch(func() { changed <- struct{}{} })()
	w.run()
	<-changed
	eventually(t, "it runs", func() bool { return e.State().Running })
	if s := e.State(); !strings.HasPrefix(s.Detail, "Emacs ") || len(s.Folders) != 0 {
		t.Errorf("%+v", s)
	}
	w.Emacs = e
	w.do(`(find-file "file.txt")`)
	doc := w.opened("file.txt")
	w.kill()
	<-changed
	eventually(t, "it is gone", func() bool { return !e.State().Running })
	if _, err := e.Edit(w.ctx, doc.Path, doc.Version, nil, true); !errors.Is(err, adapter.ErrStale) {
		t.Errorf("of an Emacs that was killed: %v", err)
	}
	w.run() // the socket file of the previous Emacs remains
	eventually(t, "another one runs", func() bool { return e.State().Running })
	w.do(`(find-file "file.txt")`)
	if doc := w.opened("file.txt"); doc.Text != "1\n" {
		t.Errorf("%+v", doc)
	}
}

func TestOpen_SeveralEmacs(t *testing.T) {
	w := start(t, map[string]string{"one.txt": "1\n", "two.txt": "2\n"})
	second := &workbench{t: t, dir: w.dir, socket: filepath.Join(w.dir, "emacs", "second"), ctx: w.ctx}
	second.run(`(setq server-name "second")`)
	t.Setenv("XDG_RUNTIME_DIR", w.dir)
	t.Setenv("TMPDIR", w.dir)
	t.Setenv("HOME", w.dir)
	both := connectTo(t, emacs.Options{})
	eventually(t, "both are known", func() bool { return strings.HasSuffix(both.State().Detail, ", 2 of them") })
	w.Emacs = connectTo(t, emacs.Options{Server: "server"})
	second.Emacs = both
	w.do(`(find-file "one.txt")`)
	second.do(`(find-file "one.txt") (insert "dirty") (find-file "two.txt")`)
	if doc := second.opened("one.txt"); doc.Text != "dirty1\n" {
		t.Errorf("that with changes: %+v", doc)
	}
	if doc := w.opened("one.txt"); doc.Text != "1\n" {
		t.Errorf("the one that is named: %+v", doc)
	}
	if err := both.Open(w.ctx, w.path("two.txt"), &adapter.Position{Line: 2, Column: 1}, false); err != nil {
		t.Fatal(err)
	}
	if active, ok, err := connectTo(t, emacs.Options{Server: second.socket}).Active(w.ctx); err != nil || !ok || show(active.Cursor) != "2:1" {
		t.Errorf("the one that has it: %+v, %v, %v", active, ok, err)
	}
	if _, open, err := w.Document(w.ctx, w.path("two.txt")); open || err != nil {
		t.Errorf("it was opened in both: %v", err)
	}
}

func TestDocument_BusyEmacs(t *testing.T) {
	w := start(t, map[string]string{"file.txt": "1\n"})
	w.do(`(find-file "file.txt")`)
	doc := w.opened("file.txt")
	_, _ = w.keys.Write([]byte("\x1b:" + `(progn (write-region "" nil "hangs") (call-process "sh" nil nil nil "-c" "until [ -e go ]; do sleep 0.1; done"))` + "\r"))
	eventually(t, "it hangs", func() bool {
		_, err := os.Stat(w.path("hangs"))
		return err == nil
	})
	ctx, cancel := context.WithTimeout(w.ctx, time.Second)
	defer cancel()
	_, err := w.Edit(ctx, doc.Path, doc.Version, []adapter.TextEdit{{Range: between(1, 1, 1, 2), NewText: "late"}}, true)
	if err == nil || errors.Is(err, adapter.ErrNotRunning) {
		t.Errorf("it hangs: %v", err)
	}
	if !w.State().Running {
		t.Error("it is taken for gone")
	}
	w.write("go", "")
	eventually(t, "it answers again", func() bool {
		ctx, cancel := context.WithTimeout(w.ctx, 5*time.Second)
		defer cancel()
		now, open, err := w.Document(ctx, doc.Path)
		return err == nil && open && now.Text == "1\n"
	})
	if w.disk("file.txt") != "1\n" {
		t.Errorf("it was done late: %q", w.disk("file.txt"))
	}
}

func TestConnect_TCPKey(t *testing.T) {
	w := newWorkbench(t, map[string]string{"file.txt": "日本\n"})
	w.socket = w.path("server-file")
	w.run(`(setq server-use-tcp t server-host "127.0.0.1" server-auth-dir "` + w.dir + `/" server-name "server-file")`)
	eventually(t, "the file is written", func() bool { return strings.Contains(w.disk("server-file"), "\n") })
	w.Emacs = connectTo(t, emacs.Options{Server: w.socket})
	if err := w.Open(w.ctx, w.path("file.txt"), nil, false); err != nil {
		t.Fatal(err)
	}
	if doc := w.opened("file.txt"); doc.Text != "日本\n" {
		t.Errorf("%+v", doc)
	}
	address, _, _ := strings.Cut(w.disk("server-file"), "\n")
	w.write("wrong", address+"\n"+strings.Repeat("x", 64))
	e := emacs.New(emacs.Options{Server: w.path("wrong")})
	defer e.Close(context.Background())
	eventually(t, "it is refused", func() bool { return strings.Contains(e.State().Detail, "connecting to Emacs failed") })
	if s := e.State(); !strings.Contains(s.Detail, "Authentication failed") {
		t.Errorf("%+v", s)
	}
}

func TestActive_DaemonWithoutWindow(t *testing.T) {
	w := newWorkbench(t, map[string]string{"file.txt": "1\n"})
	program := exec.Command("emacs", "-Q", "--fg-daemon="+w.socket)
	program.Env = append(os.Environ(), "HOME="+w.dir, "LC_ALL=C.UTF-8")
	if err := os.Mkdir(filepath.Dir(w.socket), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := program.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() {
		_ = program.Process.Kill()
		_ = program.Wait()
	}()
	w.Emacs = connectTo(t, emacs.Options{Server: w.socket})
	if err := w.Open(w.ctx, w.path("file.txt"), nil, false); !errors.Is(err, adapter.ErrUnsupported) || !strings.Contains(err.Error(), "emacsclient") {
		t.Errorf("%v", err)
	}
	if _, ok, err := w.Active(w.ctx); ok || err != nil {
		t.Errorf("%v, %v", ok, err)
	}
	w.do(`(find-file %q)`, w.path("file.txt"))
	doc := w.opened("file.txt")
	if doc, err := w.Edit(w.ctx, doc.Path, doc.Version, []adapter.TextEdit{{Range: between(1, 1, 1, 2), NewText: "2"}}, true); err != nil || doc.Text != "2\n" || w.disk("file.txt") != "2\n" {
		t.Errorf("%+v, %v", doc, err)
	}
}
