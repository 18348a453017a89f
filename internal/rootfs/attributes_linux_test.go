package rootfs_test

import (
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/dougu-go/dougu/internal/rootfs"
)

func TestReplace_ExtendedAttributes(t *testing.T) {
	dir := tree(t, map[string]string{"file": "old"})
	name := filepath.Join(dir, "file")
	if err := unix.Setxattr(name, "user.note", []byte("kept"), 0); err != nil {
		t.Skip("the file system has no extended attributes")
	}
	replaceLike(t, dir, "file")
	value := make([]byte, 16)
	if n, err := unix.Getxattr(name, "user.note", value); err != nil || string(value[:n]) != "kept" {
		t.Errorf("the attribute is %q, %v", value[:max(n, 0)], err)
	}
}

func TestReplace_Owner(t *testing.T) {
	dir := tree(t, map[string]string{"file": "old"})
	name := filepath.Join(dir, "file")
	if err := os.Chown(name, 1234, 2345); err != nil {
		t.Skip("only root may give files away")
	}
	replaceLike(t, dir, "file")
	info, err := os.Stat(name)
	if err != nil {
		t.Fatal(err)
	}
	if stat := info.Sys().(*syscall.Stat_t); stat.Uid != 1234 || stat.Gid != 2345 {
		t.Errorf("the owner is %d:%d", stat.Uid, stat.Gid)
	}
}

func replaceLike(t *testing.T, dir, name string) {
	t.Helper()
	p := place(t, open(t, dir), name)
	like, _, err := p.Open()
	if err != nil {
		t.Fatal(err)
	}
	defer like.Close()
	if _, err := p.Replace(rootfs.Replacement{Like: like}, text("new")); err != nil {
		t.Fatal(err)
	}
	if got := readFile(t, dir, name); got != "new" {
		t.Errorf("the file holds %q", got)
	}
}

// TestReplace_RunningProgram replaces the file of a running program, which the system does not allow to write to.
func TestReplace_RunningProgram(t *testing.T) {
	sleep, err := exec.LookPath("sleep")
	if err != nil {
		t.Skip("there is no program to run")
	}
	content, err := os.ReadFile(sleep)
	if err != nil {
		t.Fatal(err)
	}
	dir := tree(t, map[string]string{"sleep": string(content)})
	program := filepath.Join(dir, "sleep")
	if err := os.Chmod(program, 0o755); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(program, "60")
	if err := cmd.Start(); err != nil {
		t.Skipf("the program does not run here: %v", err)
	}
	defer func() { cmd.Process.Kill(); cmd.Wait() }()
	p := place(t, open(t, dir), "sleep")
	if err := p.Writable(); err != nil {
		t.Errorf("Writable: %v", err)
	}
	if _, err := p.Replace(rootfs.Replacement{Perm: 0o755}, text("new")); err != nil {
		t.Error(err)
	}
}

// TestOpen_EndlessPath follows a link that goes up and down more often than anybody needs.
func TestOpen_EndlessPath(t *testing.T) {
	dir := tree(t, map[string]string{"a/": "", "zigzag": "-> " + strings.Repeat("a/../", 800) + "a"})
	r := open(t, dir)
	if opened, err := r.Open("zigzag"); err != nil {
		t.Errorf("a long way that ends: %v", err)
	} else {
		opened.Close()
	}
	for i := range 20 {
		from, to := string(rune('b'+i)), string(rune('c'+i))
		if err := os.Symlink(strings.Repeat("a/../", 700)+to, filepath.Join(dir, from)); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := r.Open("b"); !errors.Is(err, rootfs.ErrLinkLoop) {
		t.Errorf("a way without end: %v", err)
	}
}

// TestOpen_Permissions checks the errors of a process without permissions.
func TestOpen_Permissions(t *testing.T) {
	if os.Geteuid() == 0 {
		t.Skip("root may do everything")
	}
	dir := tree(t, map[string]string{"closed/file": "x", "unreadable": "x", "locked/file": "x"})
	for name, mode := range map[string]os.FileMode{"closed": 0, "unreadable": 0, "locked": 0o555} {
		if err := os.Chmod(filepath.Join(dir, name), mode); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { os.Chmod(filepath.Join(dir, name), 0o755) })
	}
	r := open(t, dir)
	for _, name := range []string{"closed/file", "unreadable"} {
		if _, err := r.Open(name); !errors.Is(err, os.ErrPermission) {
			t.Errorf("Open(%q): %v", name, err)
		}
	}
	if _, err := r.OpenDir("closed"); !errors.Is(err, os.ErrPermission) {
		t.Errorf("OpenDir: %v", err)
	}
	if err := place(t, r, "unreadable").Writable(); !errors.Is(err, os.ErrPermission) {
		t.Errorf("Writable: %v", err)
	}
	if _, err := place(t, r, "locked/file").Replace(rootfs.Replacement{}, func(io.Writer) error { return nil }); !errors.Is(err, os.ErrPermission) {
		t.Errorf("Replace: %v", err)
	}
	if err := place(t, r, "locked/new/file").MakeParents(0o755, rootfs.Process); !errors.Is(err, os.ErrPermission) {
		t.Errorf("MakeParents: %v", err)
	}
}
