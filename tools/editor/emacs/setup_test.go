//go:build unix

package emacs_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/dougu-go/dougu/internal/testrequire"
	"github.com/dougu-go/dougu/tools/editor/adapter"
	"github.com/dougu-go/dougu/tools/editor/emacs"
	"github.com/dougu-go/dougu/tools/internal/pty"
)

// long is a timeout that is reached only on failure.
const long = 60 * time.Second

// workbench is a directory of files with an Emacs in it.
type workbench struct {
	t      *testing.T
	dir    string // with every link resolved
	socket string
	ctx    context.Context
	kill   func() // ends Emacs
	signal func(syscall.Signal)
	keys   io.Writer
	*emacs.Emacs
}

// start runs an Emacs in a terminal of its own on some files, and connects to it.
func start(t *testing.T, files map[string]string) *workbench {
	t.Helper()
	w := newWorkbench(t, files)
	w.run()
	w.Emacs = connectTo(t, emacs.Options{Server: w.socket})
	return w
}

func newWorkbench(t *testing.T, files map[string]string) *workbench {
	t.Helper()
	_, err := exec.LookPath("emacs")
	testrequire.Deep(t, err == nil, "Emacs", "install emacs-nox 27 or later")
	dir, err := os.MkdirTemp("", "em") // the path of a socket may not be long
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { // children of Emacs may still write
		eventually(t, "the directory is removed", func() bool { return os.RemoveAll(dir) == nil })
	})
	if dir, err = filepath.EvalSymlinks(dir); err != nil {
		t.Fatal(err)
	}
	return newWorkbenchIn(t, dir, files)
}

// newWorkbenchIn is newWorkbench in a directory that exists.
func newWorkbenchIn(t *testing.T, dir string, files map[string]string) *workbench {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 3*long)
	t.Cleanup(cancel)
	w := &workbench{t: t, dir: dir, socket: filepath.Join(dir, "emacs", "server"), ctx: ctx}
	for name, text := range files {
		w.write(name, text)
	}
	return w
}

// run starts Emacs, with some forms evaluated before its server listens.
func (w *workbench) run(forms ...string) {
	w.t.Helper()
	ours, theirs, err := pty.Size{Columns: 80, Rows: 24}.Open()
	if err != nil {
		w.t.Fatal(err)
	}
	args := []string{"-Q", "-nw", "--eval", `(setq inhibit-startup-screen t server-client-instructions nil)`}
	for _, form := range append(forms, "(server-start)") {
		args = append(args, "--eval", form)
	}
	program := exec.Command("emacs", args...)
	program.Dir = w.dir
	program.Env = append(os.Environ(), "XDG_RUNTIME_DIR="+w.dir, "HOME="+w.dir, "TERM=xterm", "LANG=C.UTF-8", "LC_ALL=C.UTF-8")
	program.Stdin, program.Stdout, program.Stderr = theirs, theirs, theirs
	program.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true}
	if err := program.Start(); err != nil {
		w.t.Fatal(err)
	}
	theirs.Close()
	w.keys = ours
	drained := make(chan struct{})
	go func() {
		defer close(drained)
		_, _ = io.Copy(io.Discard, ours)
	}()
	w.signal = func(signal syscall.Signal) {
		if err := program.Process.Signal(signal); err != nil {
			w.t.Errorf("signal %v: %v", signal, err)
		}
	}
	w.kill = sync.OnceFunc(func() {
		_ = syscall.Kill(-program.Process.Pid, syscall.SIGKILL)
		_ = program.Wait()
		ours.Close()
		<-drained
	})
	w.t.Cleanup(w.kill)
	eventually(w.t, "Emacs listens", func() bool {
		_, err := os.Stat(w.socket)
		return err == nil
	})
}

// connectTo creates an adapter and waits until it is connected.
func connectTo(t *testing.T, o emacs.Options) *emacs.Emacs {
	t.Helper()
	e := emacs.New(o)
	t.Cleanup(func() {
		if err := e.Close(context.Background()); err != nil {
			t.Errorf("closing: %v", err)
		}
	})
	eventually(t, "the adapter is connected", func() bool { return e.State().Running })
	return e
}

func eventually(t *testing.T, what string, is func() bool) {
	t.Helper()
	for end := time.Now().Add(long); !is(); {
		if time.Now().After(end) {
			t.Fatalf("not seen: %s", what)
		}
		<-time.After(10 * time.Millisecond)
	}
}

func (w *workbench) path(name string) string { return filepath.Join(w.dir, name) }

func (w *workbench) write(name, text string) {
	w.t.Helper()
	if err := os.WriteFile(w.path(name), []byte(text), 0o600); err != nil {
		w.t.Fatal(err)
	}
}

func (w *workbench) disk(name string) string {
	w.t.Helper()
	raw, err := os.ReadFile(w.path(name))
	if err != nil {
		w.t.Fatal(err)
	}
	return string(raw)
}

// lisp evaluates a form as the user, in the selected buffer, and decodes the value as JSON. nil is null.
func lisp[T any](w *workbench, format string, args ...any) (result T) {
	w.t.Helper()
	form := fmt.Sprintf(format, args...)
	ctx, cancel := context.WithTimeout(w.ctx, long)
	defer cancel()
	out, err := exec.CommandContext(ctx, "emacsclient", "-s", w.socket, "--eval",
		fmt.Sprintf(`(with-current-buffer (window-buffer (selected-window)) (base64-encode-string (json-serialize (vector (or (progn %s) :null))) t))`, form)).CombinedOutput()
	if err != nil {
		w.t.Fatalf("%s: %v: %s", form, err, out)
	}
	var text []byte
	if err := json.Unmarshal(out, &text); err != nil { // a string of base64
		w.t.Fatalf("%s: %s: %v", form, out, err)
	}
	var all []json.RawMessage
	if err := json.Unmarshal(text, &all); err != nil {
		w.t.Fatal(err)
	}
	if err := json.Unmarshal(all[0], &result); err != nil {
		w.t.Fatalf("%s: %s: %v", form, all[0], err)
	}
	return result
}

// do evaluates a form without a result.
func (w *workbench) do(format string, args ...any) {
	w.t.Helper()
	lisp[any](w, format+" nil", args...)
}

// text returns the text of the selected buffer.
func (w *workbench) text() string {
	w.t.Helper()
	return lisp[string](w, "(buffer-substring-no-properties (point-min) (point-max))")
}

// opened returns the document of a file that must be open.
func (w *workbench) opened(name string) adapter.Document {
	w.t.Helper()
	doc, open, err := w.Document(w.ctx, w.path(name))
	if err != nil || !open {
		w.t.Fatalf("%s: open %v, %v", name, open, err)
	}
	return doc
}

func at(line, column int) adapter.Position { return adapter.Position{Line: line, Column: column} }

func between(line, column, lastLine, lastColumn int) adapter.Range {
	return adapter.Range{Start: at(line, column), End: at(lastLine, lastColumn)}
}

func show(p adapter.Position) string { return fmt.Sprintf("%d:%d", p.Line, p.Column) }
