//go:build unix

package neovim_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/dougu-go/dougu/tools/editor/adapter"
	"github.com/dougu-go/dougu/tools/editor/neovim"
)

// stop stops the Neovim as Ctrl-Z does, until resume is called.
func (w *workbench) stop() (resume func()) {
	w.t.Helper()
	pid := lua[int](w, `return vim.fn.getpid()`)
	signal := func(s syscall.Signal) {
		if err := syscall.Kill(pid, s); err != nil {
			w.t.Errorf("signal %v: %v", s, err)
		}
	}
	signal(syscall.SIGSTOP)
	w.t.Cleanup(func() { _ = syscall.Kill(pid, syscall.SIGCONT) })
	return func() { signal(syscall.SIGCONT) }
}

// newProjects returns a workbench with the directories project and elsewhere, in which only its own Neovim is visible.
func newProjects(t *testing.T) *workbench {
	t.Helper()
	w := newWorkbench(t, nil)
	alone(t, w.dir)
	for _, dir := range []string{"project", "elsewhere"} {
		if err := os.Mkdir(w.path(dir), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	w.write("project/a.txt", "a\n")
	return w
}

// newAdapter returns an adapter that is closed at the end of the test.
func newAdapter(t *testing.T, o neovim.Options) *neovim.Neovim {
	t.Helper()
	n := neovim.New(o)
	t.Cleanup(func() {
		if err := n.Close(context.Background()); err != nil {
			t.Errorf("closing: %v", err)
		}
	})
	return n
}

// A Neovim that starts after the adapter is seen by the next query, without a delay.
func TestUnsaved_NewNeovim(t *testing.T) {
	w := newProjects(t)
	n := newAdapter(t, neovim.Options{Root: w.path("project")})
	if paths, err := n.Unsaved(w.ctx); len(paths) != 0 || err != nil {
		t.Fatalf("%q, %v", paths, err)
	}
	for i := range 3 {
		one := &workbench{t: t, dir: w.dir, ctx: w.ctx, socket: w.path(fmt.Sprintf("nvim.%d.0", i+1))}
		one.run("--listen", one.socket, "--cmd", "cd project")
		name := w.path(fmt.Sprintf("project/%d.txt", i))
		one.vim("edit %s | normal! Atyped", name)
		if paths, err := n.Unsaved(w.ctx); !slices.Contains(paths, name) || err != nil {
			t.Errorf("Neovim %d: %q, %v", i+1, paths, err)
		}
		if doc, open, err := n.Document(w.ctx, name); !open || !doc.Dirty || err != nil {
			t.Errorf("Neovim %d: %+v, %v, %v", i+1, doc, open, err)
		}
	}
}

// A Neovim with a working directory outside of the project has its files open all the same.
func TestUnsaved_OutsideProject(t *testing.T) {
	w := newProjects(t)
	w.socket = w.path("nvim.1.0")
	w.run("--listen", w.socket, "--cmd", "cd elsewhere")
	n := newAdapter(t, neovim.Options{Root: w.path("project")})
	w.vim("edit ../project/a.txt | normal! Atyped")
	name := w.path("project/a.txt")
	if paths, err := n.Unsaved(w.ctx); !slices.Contains(paths, name) || err != nil {
		t.Errorf("%q, %v", paths, err)
	}
	doc, isOpen, err := n.Document(w.ctx, name)
	if !isOpen || !doc.Dirty || doc.Text != "atyped\n" || err != nil {
		t.Fatalf("%+v, %v, %v", doc, isOpen, err)
	}
	edit := []adapter.TextEdit{{Range: between(1, 1, 1, 2), NewText: "A"}}
	if doc, err = n.Edit(w.ctx, name, doc.Version, edit, false); err != nil || doc.Text != "Atyped\n" || w.disk("project/a.txt") != "a\n" {
		t.Errorf("%+v, %v", doc, err)
	}
	if n.State().Running {
		t.Error("it counts as a Neovim of the project")
	}
	resume := w.stop() // it has listed a file of the project, so that it may have more
	if _, err := n.Unsaved(w.ctx); err == nil || !strings.Contains(err.Error(), "does not answer") {
		t.Errorf("stopped: %v", err)
	}
	resume()
}

// A stopped Neovim accepts connections and does not answer. Queries fail until it continues.
func TestUnsaved_StoppedNeovim(t *testing.T) {
	for name, c := range map[string]struct {
		dir   string // working directory
		file  string // argument of Neovim
		given bool   // the address of the Neovim is configured
		want  bool   // queries fail
	}{
		"in the project":     {"project", "", false, true},
		"elsewhere":          {"elsewhere", "", false, runtime.GOOS != "linux"},
		"elsewhere and file": {"elsewhere", "../project/a.txt", false, true},
		"configured":         {"elsewhere", "", true, true},
	} {
		t.Run(name, func(t *testing.T) {
			w := newProjects(t)
			w.socket = w.path("nvim.1.0")
			args := []string{"--listen", w.socket, "--cmd", "cd " + c.dir}
			if c.file != "" {
				args = append(args, c.file)
			}
			w.run(args...)
			w.vim("edit %s | normal! Atyped", w.path("project/a.txt"))
			resume := w.stop()
			o := neovim.Options{Root: w.path("project")}
			if c.given {
				o.Address = w.socket
			}
			n := newAdapter(t, o)
			for range 3 {
				paths, err := n.Unsaved(w.ctx)
				_, isOpen, docErr := n.Document(w.ctx, w.path("project/a.txt"))
				if isOpen || len(paths) != 0 || (err != nil) != c.want || c.want && docErr == nil {
					t.Errorf("%q, %v; open %v, %v", paths, err, isOpen, docErr)
				}
				if c.want && (!strings.Contains(err.Error(), "continue or end it") || errors.Is(docErr, adapter.ErrNotRunning)) {
					t.Errorf("%v; %v", err, docErr)
				}
			}
			if s := n.State(); s.Running || c.want && !strings.Contains(s.Detail, "does not answer") {
				t.Errorf("%+v", s)
			}
			resume()
			eventually(t, "it answers", func() bool {
				paths, err := n.Unsaved(w.ctx)
				return err == nil && slices.Contains(paths, w.path("project/a.txt"))
			})
		})
	}
}

// A connected Neovim that is stopped does not hide the unsaved text of another one.
func TestDocument_OneStopped(t *testing.T) {
	w := newProjects(t)
	w.socket = w.path("nvim.1.0")
	w.run("--listen", w.socket, "--cmd", "cd project")
	second := &workbench{t: t, dir: w.dir, ctx: w.ctx, socket: w.path("nvim.2.0")}
	second.run("--listen", second.socket, "--cmd", "cd project")
	n := newAdapter(t, neovim.Options{Root: w.path("project")})
	name := w.path("project/a.txt")
	if _, err := n.Unsaved(w.ctx); err != nil {
		t.Fatal(err)
	}
	second.vim("edit %s | normal! Atyped", name)
	w.stop()
	for range 2 {
		paths, err := n.Unsaved(w.ctx)
		if !slices.Contains(paths, name) || err == nil || !strings.Contains(err.Error(), "does not answer") {
			t.Errorf("%q, %v", paths, err)
		}
		doc, isOpen, err := n.Document(w.ctx, name)
		if !isOpen || doc.Text != "atyped\n" || err == nil || !strings.Contains(err.Error(), "does not answer") {
			t.Errorf("%+v, %v, %v", doc, isOpen, err)
		}
	}
}

// A Neovim in a further directory of the project is one of the project.
func TestState_FurtherDirectory(t *testing.T) {
	w := newProjects(t)
	w.socket = w.path("nvim.1.0")
	w.run("--listen", w.socket, "--cmd", "cd elsewhere")
	n := connectTo(t, neovim.Options{Root: w.path("project"), Dirs: []string{w.path("elsewhere")}})
	if err := n.Open(w.ctx, w.path("project/a.txt"), nil, false); err != nil {
		t.Error(err)
	}
}
