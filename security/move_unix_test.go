//go:build unix

package security_test

import (
	"maps"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/dougu-go/dougu/security"
)

// TestMove_SpecialFiles moves and deletes entries whose opening would block.
func TestMove_SpecialFiles(t *testing.T) {
	dir := layout(t, map[string]string{"dir/": "", "toFifo": "-> fifo"})
	for _, name := range []string{"fifo", "dir/fifo"} {
		if err := syscall.Mkfifo(filepath.Join(dir, name), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	r := open(t, quick, dir)
	moved, err := r.Move(t.Context(), "fifo", "moved", security.MoveOptions{})
	if err != nil || moved.Kind != security.OtherKind {
		t.Errorf("%+v, %v", moved, err)
	}
	if _, err := r.Trash(t.Context(), "moved", security.TrashOptions{ExpectedSHA256: sum("")}); security.CodeOf(err) != security.InvalidParams {
		t.Errorf("the content of a FIFO: %v", err)
	}
	for _, call := range []relocate{trashCall(t, "moved"), trashCall(t, "dir"), trashCall(t, "toFifo")} {
		if err := call(r); err != nil {
			t.Error(err)
		}
	}
	if left := contents(t, dir); len(left) > 0 || len(trashed(t, dir)) != 4 {
		t.Errorf("left %v; the trash holds %v", left, trashed(t, dir))
	}
}

// TestMove_SystemPermissions checks the errors of a process without permissions, and that nothing has changed. The
// user root has all permissions.
func TestMove_SystemPermissions(t *testing.T) {
	if os.Geteuid() == 0 {
		t.Skip("root may do everything")
	}
	dir := layout(t, map[string]string{"locked/file": "x", "closed/a/b": "x", "around/closed/x": "x", "unreadable": "x", "readonly": "x", "file": "x"})
	modes := map[string]os.FileMode{"locked": 0o555, "closed": 0, "around/closed": 0, "unreadable": 0, "readonly": 0o444}
	for name, mode := range modes {
		if err := os.Chmod(filepath.Join(dir, name), mode); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { os.Chmod(filepath.Join(dir, name), 0o755) })
	}
	r := open(t, quick, dir)
	for what, call := range map[string]relocate{
		"out of a locked directory": moveCall(t, "locked/file", "new"), "into a locked directory": moveCall(t, "file", "locked/new"),
		"delete in a locked directory": trashCall(t, "locked/file"), "make in a locked directory": makeCall(t, "locked/new"),
		"a directory that nobody can look into": moveCall(t, "closed", "new"), "one that holds such a directory": trashCall(t, "around"),
		"out of such a directory": moveCall(t, "closed/a", "new"), "over a file that must not be written": moveCall(t, "file", "readonly"),
	} {
		if err := call(r); security.CodeOf(err) != security.PermissionDenied {
			t.Errorf("%s: %v", what, err)
		}
	}
	if _, err := r.Trash(t.Context(), "unreadable", security.TrashOptions{ExpectedSHA256: sum("x")}); security.CodeOf(err) != security.PermissionDenied {
		t.Errorf("the content of an unreadable file: %v", err)
	}
	if got := trashed(t, dir); len(got) > 0 {
		t.Errorf("the trash holds %v", got)
	}
	// Moving needs no right to read.
	for _, call := range []relocate{moveCall(t, "unreadable", "new"), trashCall(t, "readonly"), trashCall(t, "new")} {
		if err := call(r); err != nil {
			t.Error(err)
		}
	}
	for name, mode := range modes {
		os.Chmod(filepath.Join(dir, name), mode|0o700)
	}
	want := map[string]string{"locked/": "", "locked/file": "x", "closed/": "", "closed/a/": "", "closed/a/b": "x", "around/": "", "around/closed/": "", "around/closed/x": "x", "file": "x"}
	if got := contents(t, dir); !maps.Equal(got, want) {
		t.Errorf("left:%s", differences(want, got))
	}
}
