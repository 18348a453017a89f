package security_test

import (
	"context"
	"errors"
	"maps"
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

// TestUpdate_ConcurrentInOneProcess increments a counter from many goroutines through two independent Roots.
func TestUpdate_ConcurrentInOneProcess(t *testing.T) {
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

func TestUpdate_LockTimeout(t *testing.T) {
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

func TestOpenRoot_UnusableStateDir(t *testing.T) {
	o := quick
	o.StateDir = filepath.Join(layout(t, map[string]string{"file": "x"}), "file", "locks")
	r := open(t, o, layout(t, nil))
	if _, err := r.Write(t.Context(), "new", nil, security.WriteOptions{}); security.CodeOf(err) != security.InternalError || !strings.Contains(err.Error(), "state directory") {
		t.Errorf("write without locks: %v", err)
	}
}

// await waits for a condition that other goroutines bring about.
func await(t *testing.T, what string, condition func() bool) {
	t.Helper()
	for deadline := time.Now().Add(30 * time.Second); !condition(); runtime.Gosched() {
		if time.Now().After(deadline) {
			t.Fatal("never happened: " + what)
		}
	}
}

// TestMove_WaitsForWritesBelow moves and deletes a directory during an update of a file far below. The updated
// content moves along. Later writers wait until the directory has moved, because their paths were checked at the old
// path.
func TestMove_WaitsForWritesBelow(t *testing.T) {
	for what, call := range map[string]relocate{
		"move":   func(r *security.Root) error { return moveCall(t, "dir", "new")(r) },
		"delete": func(r *security.Root) error { return trashCall(t, "dir")(r) },
	} {
		dir := layout(t, map[string]string{"dir/a/file": "old", "dir/other": "other"})
		o := quick
		o.StateDir, o.LockWait = t.TempDir(), time.Minute
		r, mover, late := open(t, o, dir), open(t, o, dir), open(t, o, dir)
		inside, leave := make(chan struct{}), make(chan struct{})
		results := make(chan error, 3)
		go func() {
			_, err := r.Update(t.Context(), "dir/a/file", security.UpdateOptions{}, func([]byte, security.FileInfo) ([]byte, error) {
				close(inside)
				<-leave
				return []byte("new"), nil
			})
			results <- err
		}()
		<-inside
		moved := make(chan struct{})
		go func() {
			results <- call(mover)
			close(moved)
		}()
		await(t, "the directory is locked", func() bool { return security.Locked(r, "dir") })
		written := make(chan error, 1)
		go func() {
			_, err := late.Write(t.Context(), "dir/late", nil, security.WriteOptions{})
			written <- err
		}()
		select {
		case <-moved:
			t.Errorf("%s: the directory went while a file in it was written", what)
		case err := <-written:
			t.Errorf("%s: a file was written into a directory that is about to go: %v", what, err)
		case <-time.After(20 * time.Millisecond): // long enough to catch an error now and then; correct code passes with any delay
		}
		close(leave)
		if err := errors.Join(<-results, <-results); err != nil {
			t.Errorf("%s: %v", what, err)
		}
		if err := <-written; security.CodeOf(err) != security.FileNotFound {
			t.Errorf("%s: writing into the directory that is gone: %v", what, err)
		}
		all := contents(t, dir)
		maps.Copy(all, trashed(t, dir))
		for _, file := range []string{"dir/a/file", "new/a/file"} {
			if got, ok := all[file]; ok && got != "new" {
				t.Errorf("%s: %s holds %q", what, file, got)
			}
		}
	}
}

// TestMove_DirectoryOfRunningUpdate moves the directory of a file from the function of its update, which must fail.
func TestMove_DirectoryOfRunningUpdate(t *testing.T) {
	o := quick
	o.LockWait = 20 * time.Millisecond
	dir := layout(t, map[string]string{"dir/file": "old", "other/file": "x"})
	r := open(t, o, dir)
	_, err := r.Update(t.Context(), "dir/file", security.UpdateOptions{}, func([]byte, security.FileInfo) ([]byte, error) {
		for what, call := range map[string]relocate{"move": moveCall(t, "dir", "new"), "move the file": moveCall(t, "dir/file", "new"), "over it": moveCall(t, "other/file", "dir/file"), "delete": trashCall(t, "dir")} {
			if e := asError(t, call(r)); e.Code != security.Timeout || e.NextStep() == "" {
				t.Errorf("%s: %v", what, e)
			}
		}
		if err := moveCall(t, "other", "elsewhere")(r); err != nil {
			t.Errorf("another directory: %v", err)
		}
		return []byte("new"), nil
	})
	if err != nil || onDisk(t, dir, "dir", "file") != "new" {
		t.Errorf("%v", err)
	}
}

// TestUpdate_LocksOfDeadProcesses leaves the lock files of killed processes: of a directory above, of a file below,
// and of a process that died before it wrote its note.
func TestUpdate_LocksOfDeadProcesses(t *testing.T) {
	o := quick
	o.StateDir = t.TempDir()
	dir := layout(t, map[string]string{"a/b/file": "x"})
	r := open(t, o, dir)
	for i, note := range []string{"", `{"root":"` + filepath.ToSlash(dir) + `","dirs":["a/b"]}`} {
		name := filepath.Join(o.StateDir, string("01"[i])+"123456789abcdef0123456789abcdef.lock")
		if err := os.WriteFile(name, []byte(note), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := moveCall(t, "a", "c")(r); err != nil {
		t.Errorf("a dead writer below: %v", err)
	}
	above := security.LockName(r, "c")
	if err := os.WriteFile(above, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := r.Write(t.Context(), "c/b/new", nil, security.WriteOptions{}); err != nil {
		t.Errorf("a dead mover above: %v", err)
	}
}

// TestUpdate_StateDirRemoved checks that a removed state directory is created again.
func TestUpdate_StateDirRemoved(t *testing.T) {
	o := quick
	o.StateDir = filepath.Join(t.TempDir(), "locks")
	dir := layout(t, map[string]string{"a/file": "x"})
	r := open(t, o, dir)
	if err := moveCall(t, "a", "b")(r); err != nil {
		t.Error(err)
	}
	o.StateDir = filepath.Join(layout(t, map[string]string{"file": "x"}), "file", "locks")
	if err := moveCall(t, "b", "c")(open(t, o, dir)); security.CodeOf(err) != security.InternalError {
		t.Errorf("without locks: %v", err)
	}
}
