package rootfs_test

import (
	"errors"
	"maps"
	"os"
	"syscall"
	"testing"

	"github.com/dougu-go/dougu/internal/rootfs"
)

// otherDevice is a new directory on another file system than that of t.TempDir.
func otherDevice(t *testing.T) string {
	t.Helper()
	here, err := os.Stat(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	dir, err := os.MkdirTemp("/dev/shm", "dougu-")
	if err != nil {
		t.Skip("there is no other file system")
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	there, err := os.Stat(dir)
	if err != nil {
		t.Fatal(err)
	}
	if here.Sys().(*syscall.Stat_t).Dev == there.Sys().(*syscall.Stat_t).Dev {
		t.Skip("there is no other file system")
	}
	return dir
}

// TestMoveToAnotherDevice leaves everything where it is.
func TestMoveToAnotherDevice(t *testing.T) {
	far := otherDevice(t)
	for how, move := range movers() {
		dir := tree(t, map[string]string{"file": "x", "dir/a": "a", "link": "-> file"})
		r, other := open(t, dir), open(t, far)
		before := listing(t, dir)
		for _, name := range []string{"file", "dir", "link"} {
			if err := move(spot(t, r, name), spot(t, other, name)); !errors.Is(err, rootfs.ErrCrossDevice) {
				t.Errorf("%s: %s: %v", how, name, err)
			}
		}
		if after := listing(t, dir); !maps.Equal(before, after) {
			t.Errorf("%s: %v became %v", how, before, after)
		}
		if left := listing(t, far); len(left) > 0 {
			t.Errorf("%s: %v is on the other file system", how, left)
		}
	}
}
