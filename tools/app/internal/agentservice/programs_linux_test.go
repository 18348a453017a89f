package agentservice

import (
	"syscall"
	"testing"
)

// A directory on a full disk is not usable for the history.
func TestStateDir_FullDisk(t *testing.T) {
	dir := t.TempDir()
	if err := syscall.Mount("tmpfs", dir, "tmpfs", 0, "size=64k"); err != nil {
		t.Skipf("a small disk cannot be mounted: %v", err)
	}
	t.Cleanup(func() {
		if err := syscall.Unmount(dir, 0); err != nil {
			t.Error(err)
		}
	})
	if got, err := stateDir([]string{StateHome + "=" + dir}, "/project"); err == nil {
		t.Errorf("the history is in %s", got)
	}
	if got, err := stateDir([]string{StateHome + "=" + t.TempDir()}, "/project"); err != nil {
		t.Errorf("%s, %v", got, err)
	}
}
