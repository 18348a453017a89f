//go:build unix

package neovim_test

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/dougu-go/dougu/tools/editor/adapter"
	"github.com/dougu-go/dougu/tools/editor/neovim"
)

// alone makes only the Neovim in one directory visible.
func alone(t *testing.T, dir string) {
	t.Setenv("NVIM", "")
	t.Setenv("NVIM_LISTEN_ADDRESS", "")
	t.Setenv("XDG_RUNTIME_DIR", dir)
	t.Setenv("TMPDIR", dir)
}

func TestSearch_WorkingDirectory(t *testing.T) {
	w := newWorkbench(t, nil)
	alone(t, w.dir)
	for _, dir := range []string{"project", "project/sub", "elsewhere"} {
		if err := os.Mkdir(w.path(dir), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	w.write("project/a.txt", "a\n")
	n := neovim.New(neovim.Options{Root: w.path("project")})
	defer n.Close(context.Background())
	if s := n.State(); s.Running || s.Detail == "" || s.Start == "" {
		t.Errorf("got %+v", s)
	}
	news := make(chan struct{}, 100)
	defer n.Watch(func() { news <- struct{}{} })()

	w.socket = w.path("nvim.4711.0")
	w.run("--listen", w.socket, "--cmd", "cd elsewhere")
	<-news // it was connected to
	if s := n.State(); s.Running {
		t.Errorf("it is none of the project's: %+v", s)
	}
	if _, open, err := n.Document(w.ctx, w.path("project/a.txt")); open || err != nil {
		t.Errorf("open %v, %v", open, err)
	}
	w.vim("cd ../project/sub")
	<-news
	if s := n.State(); !s.Running || !slices.Equal(s.Folders, []string{w.path("project"), w.path("project/sub")}) {
		t.Errorf("got %+v", s)
	}
	w.vim("edit ../a.txt")
	if doc, open, err := n.Document(w.ctx, w.path("project/a.txt")); !open || doc.Text != "a\n" || err != nil {
		t.Errorf("%+v, %v, %v", doc, open, err)
	}
	if err := n.Open(w.ctx, w.path("elsewhere/a.txt"), nil, false); !errors.Is(err, adapter.ErrNotRunning) {
		t.Errorf("a file that is none of its business: %v", err)
	}
	if err := w.conn.Call(w.ctx, "nvim_command", []any{"qall!"}, nil); err == nil {
		t.Error("it has quit and answers")
	}
	eventually(t, "it is gone", func() bool { return !n.State().Running })
}

// On Linux, a Neovim is found at an address of the user's own.
func TestSearch_OwnAddress(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("the sockets of other places are known on Linux only")
	}
	w := newWorkbench(t, map[string]string{"a.txt": "a\n"})
	alone(t, t.TempDir())
	n := neovim.New(neovim.Options{Root: w.dir})
	defer n.Close(context.Background())
	w.socket = w.path("my own socket")
	w.run("--listen", w.socket)
	eventually(t, "it is found", func() bool { return n.State().Running })
	w.vim("edit a.txt | normal! Adirty")
	if doc, open, err := n.Document(w.ctx, w.path("a.txt")); !open || doc.Text != "adirty\n" || err != nil {
		t.Errorf("%+v, %v, %v", doc, open, err)
	}
}

// A socket that other users can replace is not used.
func TestSearch_WritableDirectory(t *testing.T) {
	w := newWorkbench(t, nil)
	if err := os.Chmod(w.dir, 0o777); err != nil {
		t.Fatal(err)
	}
	w.socket = w.path("nvim.4711.0")
	w.run("--listen", w.socket)
	alone(t, w.dir)
	n := neovim.New(neovim.Options{})
	defer n.Close(context.Background())
	if _, _, err := n.Document(w.ctx, w.path("a.txt")); !errors.Is(err, adapter.ErrNotRunning) {
		t.Errorf("got %v", err)
	}
}

func TestDocument_SeveralNeovims(t *testing.T) {
	w := newWorkbench(t, map[string]string{"a.txt": "a\n", "b.txt": "b\n"})
	alone(t, w.dir)
	w.socket = w.path("nvim.1.0")
	w.run("--listen", w.socket)
	second := &workbench{t: t, dir: w.dir, ctx: w.ctx, socket: w.path("nvim.2.0")}
	second.run("--listen", second.socket)
	n := connectTo(t, neovim.Options{Root: w.dir})
	w.Neovim = n
	eventually(t, "both are connected", func() bool { return n.State().Detail[len(n.State().Detail)-9:] == "2 of them" })
	w.vim("edit a.txt")
	second.vim("edit b.txt")
	for _, name := range []string{"a.txt", "b.txt"} {
		doc := w.opened(name)
		if doc, err := n.Edit(w.ctx, doc.Path, doc.Version, []adapter.TextEdit{{Range: between(1, 1, 1, 1), NewText: "x"}}, true); err != nil || doc.Dirty {
			t.Errorf("%+v, %v", doc, err)
		}
	}
	second.vim("edit a.txt | normal! Adirty")
	if doc := w.opened("a.txt"); doc.Text != "xadirty\n" {
		t.Errorf("the changes are not in %+v", doc)
	}
	second.vim("doautocmd FocusGained")
	w.isActive("a.txt 1:7 dirty")
	w.vim("doautocmd FocusGained")
	w.isActive("a.txt 1:1")
	if err := n.Open(w.ctx, w.path("b.txt"), nil, false); err != nil {
		t.Fatal(err)
	}
	if name := lua[string](second, `return vim.fn.expand('%:t')`); name != "b.txt" {
		t.Errorf("the second one shows %s", name)
	}
}

func TestSearch_Restart(t *testing.T) {
	w := start(t, map[string]string{"a.txt": "a\n"})
	w.vim("edit a.txt")
	w.opened("a.txt")
	w.kill()
	eventually(t, "it is gone", func() bool { return !w.State().Running })
	if _, err := w.Edit(w.ctx, w.path("a.txt"), 2, nil, true); !errors.Is(err, adapter.ErrStale) {
		t.Errorf("got %v", err)
	}
	if _, _, err := w.Active(w.ctx); !errors.Is(err, adapter.ErrNotRunning) {
		t.Errorf("got %v", err)
	}
	_ = os.Remove(w.socket)
	w.run("--listen", w.socket, "a.txt")
	w.until("it is there again", func() bool { return w.State().Running })
	w.opened("a.txt")
}

// A request that Neovim does not start before its timeout is not executed later.
func TestEdit_NeovimWaitsForKey(t *testing.T) {
	w := start(t, map[string]string{"a.txt": "a\n"})
	w.vim("edit a.txt")
	doc := w.opened("a.txt")
	w.keys("f") // and waits for a character
	var mode struct {
		Blocking bool `msgpack:"blocking"`
	}
	w.until("it waits", func() bool { return w.conn.Call(w.ctx, "nvim_get_mode", nil, &mode) == nil && mode.Blocking })
	edit := []adapter.TextEdit{{Range: between(1, 1, 1, 1), NewText: "x"}}
	_, err := w.Edit(w.ctx, doc.Path, doc.Version, edit, true)
	if err == nil || errors.Is(err, adapter.ErrNotRunning) {
		t.Errorf("got %v", err)
	}
	w.keys("<Esc>")
	w.until("it goes on", func() bool { return w.opened("a.txt") == doc })

	// A busy Neovim does not read requests.
	busy := make(chan struct{})
	go func() {
		defer close(busy)
		_ = w.conn.Call(w.ctx, "nvim_exec_lua", []any{`vim.loop.sleep(1500)`, []any{}}, nil)
	}()
	defer func() { <-busy }()
	ctx, cancel := context.WithTimeout(w.ctx, 500*time.Millisecond)
	defer cancel()
	for err = nil; err == nil; { // until it is busy
		_, err = w.Edit(ctx, doc.Path, doc.Version, nil, false)
	}
	<-busy
	if now := w.opened("a.txt"); now.Text != doc.Text {
		t.Errorf("it was edited: %+v", now)
	}
}

func TestSearch_TerminalAddress(t *testing.T) {
	w := newWorkbench(t, nil)
	w.run("--listen", w.socket)
	t.Setenv("NVIM", w.socket)
	n := connectTo(t, neovim.Options{Root: "/somewhere/else"})
	if s := n.State(); s.Folders != nil {
		t.Errorf("it is for all files: %+v", s)
	}
	var channels []struct {
		Client struct {
			Name string `msgpack:"name"`
		} `msgpack:"client"`
	}
	if err := w.conn.Call(w.ctx, "nvim_list_chans", nil, &channels); err != nil {
		t.Fatal(err)
	}
	if !slices.ContainsFunc(channels, func(c struct {
		Client struct {
			Name string `msgpack:"name"`
		} `msgpack:"client"`
	}) bool {
		return c.Client.Name == "dougu"
	}) {
		t.Errorf("got %+v", channels)
	}
}

// Sockets beyond the limit are not examined, and one of them may be of a Neovim with unsaved text.
func TestUnsaved_ManySockets(t *testing.T) {
	dir, err := os.MkdirTemp("", "nv") // the path of a socket may not be long
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	alone(t, dir)
	for i := range 257 {
		l, err := net.ListenUnix("unix", &net.UnixAddr{Name: filepath.Join(dir, fmt.Sprintf("nvim.%d.0", i)), Net: "unix"})
		if err != nil {
			t.Fatal(err)
		}
		l.SetUnlinkOnClose(false)
		l.Close()
	}
	n := neovim.New(neovim.Options{Root: dir})
	defer n.Close(context.Background())
	if _, err := n.Unsaved(t.Context()); err == nil || !strings.Contains(err.Error(), "more than 256 sockets") {
		t.Errorf("got %v", err)
	}
}
