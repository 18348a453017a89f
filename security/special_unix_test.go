//go:build unix

package security_test

import (
	"net"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/dougu-go/dougu/security"
)

// TestOpen_SpecialFiles reads, lists and writes entries that would block, never end, or have side effects.
func TestOpen_SpecialFiles(t *testing.T) {
	dir := layout(t, map[string]string{"toFifo": "-> fifo", "toSocket": "-> socket"})
	if err := syscall.Mkfifo(filepath.Join(dir, "fifo"), 0o666); err != nil {
		t.Fatal(err)
	}
	t.Chdir(dir) // the path of a socket must be short
	listener, err := net.Listen("unix", "socket")
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	names := []string{"fifo", "toFifo", "socket", "toSocket"}
	if err := syscall.Mknod("zero", syscall.S_IFCHR|0o666, 1<<8|5); err == nil {
		names = append(names, "zero")
	}
	r := open(t, quick, dir)
	for _, name := range names {
		if _, _, err := r.ReadFile(t.Context(), name, 10); security.CodeOf(err) != security.NotRegularFile {
			t.Errorf("read %s: %v", name, err)
		}
		if _, err := r.Stat(t.Context(), name); security.CodeOf(err) != security.NotRegularFile {
			t.Errorf("stat %s: %v", name, err)
		}
		if _, err := r.OpenDir(t.Context(), name); security.CodeOf(err) != security.NotRegularFile {
			t.Errorf("list %s: %v", name, err)
		}
		if _, err := r.Write(t.Context(), name, []byte("x"), security.WriteOptions{Overwrite: true}); security.CodeOf(err) != security.NotRegularFile {
			t.Errorf("write %s: %v", name, err)
		}
	}
	d, err := r.OpenDir(t.Context(), ".")
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	if _, err := d.Open(t.Context(), "fifo"); security.CodeOf(err) != security.NotRegularFile {
		t.Errorf("read fifo in its directory: %v", err)
	}
	entries, err := d.Next(t.Context(), 100)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		if want := map[string]security.Kind{"fifo": security.OtherKind, "toFifo": security.Symlink}[e.Name]; want != 0 && e.Kind != want {
			t.Errorf("%s is listed as %v", e.Name, e.Kind)
		}
	}
}

// TestOpen_SystemPermissions checks the errors of a process without permissions. The user root has all permissions.
func TestOpen_SystemPermissions(t *testing.T) {
	if os.Geteuid() == 0 {
		t.Skip("root may do everything")
	}
	dir := layout(t, map[string]string{"unreadable": "x", "readonly": "x", "locked/file": "x", "closed/file": "x"})
	for name, mode := range map[string]os.FileMode{"unreadable": 0, "readonly": 0o444, "locked": 0o555, "closed": 0} {
		if err := os.Chmod(filepath.Join(dir, name), mode); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { os.Chmod(filepath.Join(dir, name), 0o755) })
	}
	r := open(t, quick, dir)
	for _, name := range []string{"unreadable", "closed/file"} {
		if _, err := r.Open(t.Context(), name); security.CodeOf(err) != security.PermissionDenied {
			t.Errorf("open %s: %v", name, err)
		}
	}
	for _, name := range []string{"readonly", "locked/file", "locked/new", "closed/new"} {
		if _, err := r.Write(t.Context(), name, []byte("y"), security.WriteOptions{Overwrite: true}); security.CodeOf(err) != security.PermissionDenied {
			t.Errorf("write %s: %v", name, err)
		}
	}
}
