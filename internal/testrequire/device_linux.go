package testrequire

import (
	"os"
	"syscall"
	"testing"
)

// OtherDevice makes a directory on another file system than that of t.TempDir,
// and skips the test if there is none.
func OtherDevice(t testing.TB) string {
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
