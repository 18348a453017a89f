package security_test

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"

	"golang.org/x/sys/windows"

	"github.com/dougu-go/dougu/security"
)

// TestUpdate_LockFileRemovedMeanwhile holds a lock file as its removal by another process does: no other process can open the file.
func TestUpdate_LockFileRemovedMeanwhile(t *testing.T) {
	dir, state := layout(t, map[string]string{"dir/file": "old"}), t.TempDir()
	o := quick
	o.StateDir, o.LockWait = state, time.Minute
	r := open(t, o, dir)
	name := lockFileOf(t, r, state)
	removal := openForRemoval(t, name)

	written := make(chan error, 1)
	go func() {
		_, err := r.Write(t.Context(), "dir/file", []byte("new"), security.WriteOptions{Overwrite: true})
		written <- err
	}()
	select {
	case err := <-written:
		t.Errorf("the write did not wait: %v", err)
		written <- err
	case <-time.After(100 * time.Millisecond):
	}
	if err := windows.CloseHandle(removal); err != nil {
		t.Error(err)
	}
	if err := <-written; err != nil {
		t.Error(err)
	}
	if got := onDisk(t, dir, "dir", "file"); got != "new" {
		t.Errorf("the file holds %q", got)
	}
}

// lockFileOf returns the name of the lock file of dir/file.
func lockFileOf(t *testing.T, r *security.Root, state string) string {
	t.Helper()
	var name string
	_, err := r.Update(t.Context(), "dir/file", security.UpdateOptions{}, func(old []byte, _ security.FileInfo) ([]byte, error) {
		entries, err := os.ReadDir(state)
		if err == nil && len(entries) != 1 {
			err = errors.New("not one lock file")
		}
		if err == nil {
			name = filepath.Join(state, entries[0].Name())
		}
		return old, err
	})
	if err != nil {
		t.Fatal(err)
	}
	return name
}

func openForRemoval(t *testing.T, name string) windows.Handle {
	t.Helper()
	text, err := windows.UTF16PtrFromString(name)
	if err != nil {
		t.Fatal(err)
	}
	share := uint32(windows.FILE_SHARE_READ | windows.FILE_SHARE_WRITE | windows.FILE_SHARE_DELETE)
	file, err := windows.CreateFile(text, windows.DELETE, share, nil, windows.CREATE_NEW, windows.FILE_FLAG_DELETE_ON_CLOSE, 0)
	if err != nil {
		t.Fatal(err)
	}
	return file
}
