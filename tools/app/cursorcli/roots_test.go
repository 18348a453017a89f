package cursorcli

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/dougu-go/dougu/mcp"
	"github.com/dougu-go/dougu/mcp/protocol"
	"github.com/dougu-go/dougu/tools/app/apptest"
	"github.com/dougu-go/dougu/transport"
)

// The program follows the folders of its client: the first is the project, tools may use the others,
// and a folder that the client has closed is out of reach. The home directory stays empty.
func TestServe_FollowsRoots(t *testing.T) {
	dir, err := filepath.EvalSymlinks(t.TempDir())
	apptest.Must(t, err)
	home, first, second := filepath.Join(dir, "home"), filepath.Join(dir, "first"), filepath.Join(dir, "second")
	apptest.Write(t, first, map[string]string{"a.txt": "of the first\n"})
	apptest.Write(t, second, map[string]string{"a.txt": "of the second\n"})
	apptest.Must(t, os.Mkdir(home, 0o700))
	var folders atomic.Pointer[[]string]
	folders.Store(&[]string{first, second})
	changed := make(chan string, 100)
	//lint:ignore SA1019 clients still have roots
	options := &mcp.ClientOptions{Revision: protocol.Rev20251125, OnListChanged: func(list string) { changed <- list }, Roots: func(context.Context) (roots []mcp.Root, _ error) {
		for _, folder := range *folders.Load() {
			roots = append(roots, mcp.Root{URI: "file://" + filepath.ToSlash(folder)})
		}
		return roots, nil
	}}
	program, err := os.Executable()
	apptest.Must(t, err)
	command := transport.Command{Path: program, Dir: home, Environ: []string{"DOUGU_TEST_CURSORCLI=1", "HOME=" + home, "USERPROFILE=" + home, "PATH=" + os.Getenv("PATH"), "XDG_STATE_HOME=" + filepath.Join(dir, "state"), "XDG_CACHE_HOME=" + filepath.Join(dir, "cache"), "TMPDIR=" + t.TempDir()}}
	client, err := mcp.Connect(t.Context(), command, mcp.Implementation{Name: "editor", Version: "1"}, options)
	apptest.Must(t, err)
	defer client.Close()
	read := func(path string) string {
		t.Helper()
		result, err := client.CallTool(t.Context(), "read_file", map[string]string{"path": path}, nil)
		if err != nil {
			return err.Error()
		}
		wire, err := result.AppendJSON(nil, protocol.Rev20251125)
		apptest.Must(t, err)
		return string(wire)
	}
	for path, want := range map[string]string{"a.txt": "of the first", filepath.Join(second, "a.txt"): "of the second"} {
		if got := read(path); !strings.Contains(got, want) {
			t.Errorf("%s: %s", path, got)
		}
	}
	for _, err := range client.Tools(t.Context()) {
		apptest.Must(t, err)
	}
	folders.Store(&[]string{second})
	//lint:ignore SA1019 clients still have roots
	apptest.Must(t, client.RootsChanged(t.Context()))
	select {
	case <-changed:
	case <-time.After(time.Minute):
		t.Fatal("no change of a list was reported")
	}
	if got := read("a.txt"); !strings.Contains(got, "of the second") {
		t.Errorf("after the change: %s", got)
	}
	if got := read(filepath.Join(first, "a.txt")); strings.Contains(got, "of the first") {
		t.Errorf("a closed folder can be read: %s", got)
	}
	apptest.Must(t, client.Close())
	entries, err := os.ReadDir(home)
	apptest.Must(t, err)
	for _, e := range entries {
		t.Errorf("the server has made %s in the home directory", e.Name())
	}
}
