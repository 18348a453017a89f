//go:build unix

package neovim_test

import (
	"context"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/dougu-go/dougu/internal/testrequire"
	"github.com/dougu-go/dougu/tools/editor/adapter"
	"github.com/dougu-go/dougu/tools/editor/neovim"
	"github.com/dougu-go/dougu/tools/editor/neovim/internal/msgrpc"
)

// long is a timeout that is reached only on failure.
const long = 30 * time.Second

// workbench is a directory of files with a Neovim in it.
type workbench struct {
	t      *testing.T
	dir    string // with every link resolved
	socket string
	ctx    context.Context
	kill   func()       // ends Neovim
	conn   *msgrpc.Conn // connection of the simulated user
	*neovim.Neovim
}

// start runs a Neovim on some files and connects to it.
func start(t *testing.T, files map[string]string) *workbench {
	t.Helper()
	w := newWorkbench(t, files)
	w.run("--listen", w.socket)
	w.Neovim = connectToSocket(w)
	return w
}

func newWorkbench(t *testing.T, files map[string]string) *workbench {
	t.Helper()
	_, err := exec.LookPath("nvim")
	testrequire.Deep(t, err == nil, "Neovim", "install neovim 0.7 or later")
	dir, err := os.MkdirTemp("", "nv") // the path of a socket may not be long
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	if dir, err = filepath.EvalSymlinks(dir); err != nil {
		t.Fatal(err)
	}
	return newWorkbenchIn(t, dir, files)
}

// newWorkbenchIn is newWorkbench in a directory that exists.
func newWorkbenchIn(t *testing.T, dir string, files map[string]string) *workbench {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 2*long)
	t.Cleanup(cancel)
	w := &workbench{t: t, dir: dir, socket: filepath.Join(dir, "socket"), ctx: ctx}
	for name, text := range files {
		w.write(name, text)
	}
	return w
}

// run starts Neovim without configuration, and connects as its user to where it listens.
func (w *workbench) run(args ...string) {
	w.t.Helper()
	w.withConfiguration(append([]string{"--clean"}, args...)...)
}

// withConfiguration is run with the configuration in $XDG_CONFIG_HOME and the packages in $XDG_DATA_HOME.
func (w *workbench) withConfiguration(args ...string) {
	w.t.Helper()
	nvim := exec.Command("nvim", append([]string{"--headless", "-n"}, args...)...)
	nvim.Dir = w.dir
	nvim.Env = append(os.Environ(), "XDG_RUNTIME_DIR="+w.dir, "HOME="+w.dir, "XDG_STATE_HOME="+w.dir, "XDG_CACHE_HOME="+w.dir)
	if err := nvim.Start(); err != nil {
		w.t.Fatal(err)
	}
	w.kill = sync.OnceFunc(func() {
		late := time.AfterFunc(long, func() { _ = nvim.Process.Kill() })
		_ = nvim.Process.Signal(syscall.SIGTERM) // SIGTERM lets Neovim end its children
		_ = nvim.Wait()
		late.Stop()
	})
	w.t.Cleanup(w.kill)
	var pipe net.Conn
	w.until("Neovim listens", func() bool {
		var err error
		pipe, err = net.Dial("unix", w.socket)
		return err == nil
	})
	w.conn = msgrpc.New(pipe, func(string, []byte) {})
	done := make(chan struct{})
	go func() {
		defer close(done)
		_ = w.conn.Run()
	}()
	w.t.Cleanup(func() {
		w.conn.Close()
		<-done
	})
}

// connectTo creates an adapter and waits until it is connected.
func connectTo(t *testing.T, o neovim.Options) *neovim.Neovim {
	t.Helper()
	n := neovim.New(o)
	t.Cleanup(func() {
		if err := n.Close(context.Background()); err != nil {
			t.Errorf("closing: %v", err)
		}
	})
	eventually(t, "the adapter is connected", func() bool { return n.State().Running })
	return n
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

func (w *workbench) until(what string, is func() bool) {
	w.t.Helper()
	eventually(w.t, what, is)
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

// vim executes an Ex command as the user.
func (w *workbench) vim(format string, args ...any) {
	w.t.Helper()
	command := fmt.Sprintf(format, args...)
	if err := w.conn.Call(w.ctx, "nvim_command", []any{command}, nil); err != nil {
		w.t.Fatalf("%s: %v", command, err)
	}
}

// keys types.
func (w *workbench) keys(keys string) {
	w.t.Helper()
	if err := w.conn.Call(w.ctx, "nvim_input", []any{keys}, nil); err != nil {
		w.t.Fatalf("%s: %v", keys, err)
	}
}

// lua returns the result of a Lua chunk.
func lua[T any](w *workbench, chunk string, args ...any) (result T) {
	w.t.Helper()
	if args == nil {
		args = []any{}
	}
	if err := w.conn.Call(w.ctx, "nvim_exec_lua", []any{chunk, args}, &result); err != nil {
		w.t.Fatalf("%s: %v", chunk, err)
	}
	return result
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

func connectToSocket(w *workbench) *neovim.Neovim {
	return connectTo(w.t, neovim.Options{Address: w.socket})
}

func show(p adapter.Position) string { return fmt.Sprintf("%d:%d", p.Line, p.Column) }
