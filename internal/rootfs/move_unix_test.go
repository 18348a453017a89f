//go:build unix

package rootfs_test

import (
	"errors"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/dougu-go/dougu/internal/rootfs"
)

// systemMovers are the further ways to move an entry on this system.
func systemMovers() map[string]func(p, to *rootfs.Place) error {
	return map[string]func(p, to *rootfs.Place) error{"without help of the kernel": rootfs.MoveStepwise}
}

// TestMoveTo_SpecialFiles moves entries that are never opened.
func TestMoveTo_SpecialFiles(t *testing.T) {
	for how, move := range movers() {
		dir := tree(t, map[string]string{"sub/": ""})
		if err := syscall.Mkfifo(filepath.Join(dir, "fifo"), 0o600); err != nil {
			t.Fatal(err)
		}
		r := open(t, dir)
		if err := move(spot(t, r, "fifo"), spot(t, r, "sub/pipe")); err != nil {
			t.Errorf("%s: %v", how, err)
		}
		if info, err := os.Lstat(filepath.Join(dir, "sub", "pipe")); err != nil || info.Mode().Type() != fs.ModeNamedPipe {
			t.Errorf("%s: %v, %v", how, info, err)
		}
	}
}

// TestUnlinkSame removes the old name of a file only if the new one is of the same file.
func TestUnlinkSame(t *testing.T) {
	dir := tree(t, map[string]string{"a": "a", "other": "other"})
	if err := os.Link(filepath.Join(dir, "a"), filepath.Join(dir, "b")); err != nil {
		t.Fatal(err)
	}
	handle, err := os.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer handle.Close()
	if err := rootfs.UnlinkSame(handle, "a", "other"); !errors.Is(err, rootfs.ErrChanged) {
		t.Errorf("another file: %v", err)
	}
	if err := rootfs.UnlinkSame(handle, "none", "other"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("no file: %v", err)
	}
	if err := rootfs.UnlinkSame(handle, "a", "b"); err != nil {
		t.Error(err)
	}
	if got := listing(t, dir); !maps.Equal(got, map[string]string{"b": "a", "other": "other"}) {
		t.Errorf("left %v", got)
	}
}

// TestMoveTo_NoPermission keeps everything where it is.
func TestMoveTo_NoPermission(t *testing.T) {
	if os.Geteuid() == 0 {
		t.Skip("root may do everything")
	}
	for how, move := range movers() {
		dir := tree(t, map[string]string{"locked/file": "x", "open/file": "x", "open/dir/": ""})
		if err := os.Chmod(filepath.Join(dir, "locked"), 0o555); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { os.Chmod(filepath.Join(dir, "locked"), 0o755) })
		r := open(t, dir)
		before := listing(t, dir)
		for from, to := range map[string]string{"locked/file": "open/new", "open/file": "locked/new", "open/dir": "locked/new"} {
			if err := move(spot(t, r, from), spot(t, r, to)); !errors.Is(err, fs.ErrPermission) {
				t.Errorf("%s: %s to %s: %v", how, from, to, err)
			}
		}
		if after := listing(t, dir); !maps.Equal(before, after) {
			t.Errorf("%s: %v became %v", how, before, after)
		}
	}
}
