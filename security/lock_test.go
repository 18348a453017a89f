package security_test

import (
	"context"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/dougu-go/dougu/security"
)

// TestUpdatesOfOneProcess increments a counter from many goroutines, through two Roots that do not know of each other.
func TestUpdatesOfOneProcess(t *testing.T) {
	dir, state := layout(t, map[string]string{"sub/counter": "0"}), t.TempDir()
	o := quick
	o.StateDir, o.LockWait = state, time.Minute
	outer, inner := open(t, o, dir), open(t, o, filepath.Join(dir, "sub"))
	var group sync.WaitGroup
	for i := range 8 {
		group.Go(func() {
			for range 10 {
				r, name := outer, "sub/counter"
				if i%2 == 1 {
					r, name = inner, "counter"
				}
				if _, err := r.Update(t.Context(), name, security.UpdateOptions{}, increment); err != nil {
					t.Error(err)
				}
			}
		})
	}
	group.Wait()
	if got := onDisk(t, dir, "sub", "counter"); got != "80" {
		t.Errorf("counted to %s, want 80", got)
	}
	if entries, err := os.ReadDir(state); err != nil || len(entries) != 0 {
		t.Errorf("locks are left: %v, %v", entries, err)
	}
}

func increment(old []byte, _ security.FileInfo) ([]byte, error) {
	n, err := strconv.Atoi(string(old))
	return strconv.AppendInt(nil, int64(n)+1, 10), err
}

// TestLockFileMustBearItsName covers what happens when a lock file is removed, by the writer before, between opening and locking.
func TestLockFileMustBearItsName(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("an open file cannot be renamed")
	}
	name := filepath.Join(t.TempDir(), "x.lock")
	f, err := os.Create(name)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if !security.StillNamed(f, name) {
		t.Error("a lock file is not known by its own name")
	}
	if err := os.Rename(name, name+"2"); err != nil {
		t.Fatal(err)
	}
	if security.StillNamed(f, name) {
		t.Error("a lock file without a name counts")
	}
	if err := os.WriteFile(name, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if security.StillNamed(f, name) {
		t.Error("the lock file of another writer counts")
	}
}

func TestWaitingForALockEnds(t *testing.T) {
	o := quick
	o.LockWait = 20 * time.Millisecond
	o.StateDir = t.TempDir()
	dir := layout(t, map[string]string{"file": "old"})
	r, other := open(t, o, dir), open(t, o, dir)
	_, err := r.Update(t.Context(), "file", security.UpdateOptions{}, func([]byte, security.FileInfo) ([]byte, error) {
		for who, writer := range map[string]*security.Root{"the same Root": r, "another Root": other} {
			_, err := writer.Write(t.Context(), "file", []byte("x"), security.WriteOptions{Overwrite: true})
			if e := asError(t, err); e.Code != security.Timeout || e.NextStep() == "" {
				t.Errorf("write by %s during an update: %v", who, err)
			}
			ctx, cancel := context.WithCancel(t.Context())
			time.AfterFunc(time.Millisecond, cancel)
			if _, err := writer.Write(ctx, "file", []byte("x"), security.WriteOptions{Overwrite: true}); err == nil {
				t.Errorf("write by %s during an update succeeded", who)
			}
		}
		return []byte("new"), nil
	})
	if err != nil || onDisk(t, dir, "file") != "new" {
		t.Errorf("%v; the file holds %q", err, onDisk(t, dir, "file"))
	}
}

func TestStateDirectoryThatCannotBeUsed(t *testing.T) {
	o := quick
	o.StateDir = filepath.Join(layout(t, map[string]string{"file": "x"}), "file", "locks")
	r := open(t, o, layout(t, nil))
	if _, err := r.Write(t.Context(), "new", nil, security.WriteOptions{}); security.CodeOf(err) != security.InternalError || !strings.Contains(err.Error(), "state directory") {
		t.Errorf("write without locks: %v", err)
	}
}
