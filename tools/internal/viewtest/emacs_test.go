//go:build unix

package viewtest

import (
	"context"
	"encoding/base64"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/dougu-go/dougu/internal/waittest"
	"github.com/dougu-go/dougu/tools/editor/emacs"
	"github.com/dougu-go/dougu/tools/internal/pty"
)

// lisp is the user of an Emacs, who answers every question with yes.
type lisp struct{ socket string }

// startEmacs runs an Emacs in a new directory and returns the directory, its user and an adapter.
func startEmacs(t *testing.T) (project string, user *lisp, a *emacs.Emacs) {
	t.Helper()
	project, home := editorDirs(t, "emacs", "Emacs", "install emacs-nox 27 or later")
	ours, theirs, err := pty.Size{Columns: 80, Rows: 24}.Open()
	if err != nil {
		t.Fatal(err)
	}
	program := exec.Command("emacs", "-Q", "-nw", "--eval", `(progn
  (setq inhibit-startup-screen t make-backup-files nil auto-save-default nil create-lockfiles nil)
  (fset 'ask-user-about-supersession-threat (lambda (&rest _) nil))
  (fset 'yes-or-no-p (lambda (&rest _) t))
  (fset 'y-or-n-p (lambda (&rest _) t))
  (server-start))`)
	program.Dir = project
	program.Env = append(os.Environ(), "XDG_RUNTIME_DIR="+home, "HOME="+home, "TERM=xterm", "LANG=C.UTF-8", "LC_ALL=C.UTF-8")
	program.Stdin, program.Stdout, program.Stderr = theirs, theirs, theirs
	program.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true}
	if err := program.Start(); err != nil {
		t.Fatal(err)
	}
	theirs.Close()
	drained := make(chan struct{})
	go func() {
		defer close(drained)
		_, _ = io.Copy(io.Discard, ours)
	}()
	t.Cleanup(func() {
		_ = syscall.Kill(-program.Process.Pid, syscall.SIGKILL)
		_ = program.Wait()
		ours.Close()
		<-drained
	})
	user = &lisp{filepath.Join(home, "emacs", "server")}
	waittest.Until(t, "Emacs listens", func() bool {
		_, err := os.Stat(user.socket)
		return err == nil
	})
	a = emacs.New(emacs.Options{Server: user.socket})
	t.Cleanup(func() { _ = a.Close(context.Background()) })
	waittest.Until(t, "the adapter is connected", func() bool { return a.State().Running })
	return project, user, a
}

// eval evaluates a form in the buffer of a file and returns its value as text.
func (l *lisp) eval(t *testing.T, path, form string) string {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	form = fmt.Sprintf("(with-current-buffer (find-file-noselect %q t) %s)", path, form)
	out, err := exec.CommandContext(ctx, "emacsclient", "-s", l.socket, "--eval", form).CombinedOutput()
	if err != nil {
		t.Fatalf("%s: %v, %s", form, err, out)
	}
	return strings.TrimSpace(string(out))
}

func (l *lisp) write(t *testing.T, path, text string) {
	t.Helper()
	l.eval(t, path, fmt.Sprintf("(progn (undo-boundary) (erase-buffer) (insert %q) (undo-boundary) nil)", text))
}

func (l *lisp) save(t *testing.T, path string) {
	t.Helper()
	l.eval(t, path, "(progn (set-buffer-modified-p t) (save-buffer) nil)")
}

func (l *lisp) undo(t *testing.T, path string) {
	t.Helper()
	l.eval(t, path, "(progn (setq last-command nil) (undo-boundary) (ignore-errors (undo 1)) (undo-boundary) nil)")
}

func (l *lisp) reload(t *testing.T, path string) {
	t.Helper()
	l.eval(t, path, "(progn (revert-buffer t t t) nil)")
}

func (l *lisp) closeAll(t *testing.T) {
	t.Helper()
	l.eval(t, os.DevNull, `(dolist (buffer (buffer-list) nil) (when (buffer-file-name buffer) (with-current-buffer buffer (set-buffer-modified-p nil)) (kill-buffer buffer)))`)
}

func (l *lisp) look(t *testing.T, path string) (text string, open, dirty bool) {
	t.Helper()
	out := l.eval(t, os.DevNull, fmt.Sprintf(`(let ((buffer (get-file-buffer %q)))
  (if buffer (with-current-buffer buffer (concat (if (buffer-modified-p) "d" "c") (base64-encode-string (encode-coding-string (buffer-string) 'utf-8) t))) ""))`, path))
	out = strings.Trim(out, `"`)
	if out == "" {
		return "", false, false
	}
	raw, err := base64.StdEncoding.DecodeString(out[1:])
	if err != nil {
		t.Fatalf("%q: %v", out, err)
	}
	return string(raw), true, out[0] == 'd'
}

func TestTools_AgreeWithEmacs(t *testing.T) {
	dir, user, a := startEmacs(t)
	sequences(t, newWorld(t, dir, user, a), count(10), 8)
}
