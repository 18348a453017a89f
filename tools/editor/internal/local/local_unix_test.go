//go:build unix

package local_test

import (
	"io"
	"net"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"testing"

	"github.com/dougu-go/dougu/tools/editor/internal/local"
)

func TestDial(t *testing.T) {
	dir, err := os.MkdirTemp("", "local") // a socket's path must be short
	if err != nil {
		t.Fatal(err)
	}
	defer os.RemoveAll(dir)
	path := filepath.Join(dir, "socket")
	if _, err := local.Dial(t.Context(), path); !local.IsDeserted(err) {
		t.Errorf("where nothing is: %v", err)
	}
	l, err := net.ListenUnix("unix", &net.UnixAddr{Name: path, Net: "unix"})
	if err != nil {
		t.Fatal(err)
	}
	l.SetUnlinkOnClose(false)
	conn, err := local.Dial(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	other, err := l.Accept()
	if err != nil {
		t.Fatal(err)
	}
	if pid := local.PeerPID(conn); runtime.GOOS == "linux" && pid != os.Getpid() || runtime.GOOS != "linux" && pid != 0 {
		t.Errorf("the listening process is %d", pid)
	}
	if _, err := conn.Write([]byte("hello")); err != nil {
		t.Error(err)
	}
	conn.Close()
	if got, err := io.ReadAll(other); err != nil || string(got) != "hello" {
		t.Errorf("what arrives is %q, %v", got, err)
	}
	other.Close()
	l.Close()
	if _, err := local.Dial(t.Context(), path); !local.IsDeserted(err) {
		t.Errorf("where nobody listens any more: %v", err)
	}
	if _, err := local.Dial(t.Context(), filepath.Join(path, "below")); err == nil || local.IsDeserted(err) {
		t.Errorf("where nothing can be: %v", err)
	}
}

func TestIsPrivate(t *testing.T) {
	dir := t.TempDir()
	for mode, want := range map[os.FileMode]bool{0o700: true, 0o500: true, 0o750: false, 0o701: false, 0o777: false} {
		if err := os.Chmod(dir, mode); err != nil {
			t.Fatal(err)
		}
		info, err := os.Lstat(dir)
		if err != nil {
			t.Fatal(err)
		}
		if got := local.IsPrivate(info); got != want {
			t.Errorf("%v is private: %v", mode, got)
		}
	}
	if err := os.Chmod(dir, 0o700); err != nil {
		t.Fatal(err)
	}
}

func TestArguments(t *testing.T) {
	var want []string
	if runtime.GOOS == "linux" {
		want = os.Args[1:]
	}
	if got := local.Arguments(os.Getpid()); !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
	if got := local.Arguments(0); got != nil {
		t.Errorf("of no process: %q", got)
	}
}

func TestOpenFiles(t *testing.T) {
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	f, err := os.Create(filepath.Join(dir, "open"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if got := local.OpenFiles(os.Getpid()); slices.Contains(got, f.Name()) != (runtime.GOOS == "linux") {
		t.Errorf("%q", got)
	}
	if got := local.OpenFiles(0); got != nil {
		t.Errorf("of no process: %q", got)
	}
}

func TestIsAlive(t *testing.T) {
	if !local.IsAlive(os.Getpid()) {
		t.Error("this process is not alive")
	}
	if local.IsAlive(1 << 30) { // more than a system has
		t.Error("a process that cannot be is alive")
	}
}
