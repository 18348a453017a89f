package pathlock

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// claim is a claim of a path in the directory /project.
func claim(final string) Claim {
	return Claim{Root: "/project", Final: final, Dirs: []string{filepath.ToSlash(filepath.Dir(final))}}
}

func newLocks(t *testing.T) *Locks { return &Locks{Dir: t.TempDir(), Wait: 20 * time.Millisecond} }

func TestAcquire_OneWriterAtATime(t *testing.T) {
	dir := t.TempDir()
	locks := []*Locks{{Dir: dir, Wait: time.Minute}, {Dir: dir, Wait: time.Minute}}
	var writers, count atomic.Int32
	var group sync.WaitGroup
	for i := range 8 {
		group.Go(func() {
			for range 20 {
				k, err := locks[i%2].Acquire(t.Context(), claim("dir/file"))
				if err != nil {
					t.Error(err)
					return
				}
				if n := writers.Add(1); n != 1 {
					t.Errorf("%d writers at once", n)
				}
				count.Add(1)
				writers.Add(-1)
				k.Release()
			}
		})
	}
	group.Wait()
	if n := count.Load(); n != 160 {
		t.Errorf("counted to %d, want 160", n)
	}
	if left, err := os.ReadDir(dir); err != nil || len(left) != 0 {
		t.Errorf("lock files are left: %v, %v", left, err)
	}
}

func TestAcquire_GivesUp(t *testing.T) {
	l := newLocks(t)
	k, err := l.Acquire(t.Context(), claim("a"))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := l.Acquire(t.Context(), claim("a")); !errors.Is(err, ErrTimeout) {
		t.Errorf("in one process: %v", err)
	}
	other := &Locks{Dir: l.Dir, Wait: l.Wait}
	if _, err := other.Acquire(t.Context(), claim("A")); !errors.Is(err, ErrTimeout) {
		t.Errorf("in another process, by another spelling: %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := other.Acquire(ctx, claim("a")); !errors.Is(err, context.Canceled) {
		t.Errorf("with an ended context: %v", err)
	}
	k.Release()
	if k, err = other.Acquire(t.Context(), claim("a")); err != nil {
		t.Fatal(err)
	}
	k.Release()
}

func TestAcquireAll_AllOrNone(t *testing.T) {
	l := newLocks(t)
	k, err := l.Acquire(t.Context(), claim("b"))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := l.AcquireAll(t.Context(), claim("a"), claim("b"), claim("c")); !errors.Is(err, ErrTimeout) {
		t.Errorf("one of three paths is locked: %v", err)
	}
	for _, free := range []string{"a", "c"} {
		if taken, err := Taken(l.File("/project", free)); taken || err != nil {
			t.Errorf("%s is still locked: %v", free, err)
		}
	}
	k.Release()
	s, err := l.AcquireAll(t.Context(), claim("a"), claim("b"), claim("a"))
	if err != nil || len(s) != 2 {
		t.Fatalf("%d locks: %v", len(s), err)
	}
	s.Release()
}

func TestAcquireAll_DirectoryWithContent(t *testing.T) {
	l := newLocks(t)
	dir := claim("dir")
	dir.Recursive = true
	below, err := l.Acquire(t.Context(), claim("dir/sub/file"))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := l.AcquireAll(t.Context(), dir); !errors.Is(err, ErrTimeout) {
		t.Errorf("a path below is locked: %v", err)
	}
	if l.TryAcquire(t.Context(), dir) != nil {
		t.Error("TryAcquire locked a directory with a locked path below")
	}
	below.Release()
	s, err := l.AcquireAll(t.Context(), dir)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := l.Acquire(t.Context(), claim("dir/sub/file")); !errors.Is(err, ErrTimeout) {
		t.Errorf("a directory above is locked: %v", err)
	}
	if k, err := l.Acquire(t.Context(), claim("directory")); err != nil {
		t.Errorf("a path beside: %v", err)
	} else {
		k.Release()
	}
	s.Release()
	if k := l.TryAcquire(t.Context(), dir); k == nil {
		t.Error("TryAcquire did not lock a free directory")
	} else {
		k.Release()
	}
}

func TestSweep(t *testing.T) {
	l := newLocks(t)
	living, err := l.Acquire(t.Context(), claim("living"))
	if err != nil {
		t.Fatal(err)
	}
	defer living.Release()
	for name, text := range map[string]string{"1.lock": `{"root":"/project","dirs":["dead"]}`, "2.lock": "", "3.lock": `{"root":"/other","dirs":["x"]}`, "4.txt": ""} {
		if err := os.WriteFile(filepath.Join(l.Dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	cleaned := 0
	err = Sweep(l.Dir, func(n Note) func() {
		if n.Root == "/other" {
			return nil
		}
		return func() { cleaned++ }
	})
	if err != nil || cleaned != 2 {
		t.Errorf("cleaned up after %d writers, want 2: %v", cleaned, err)
	}
	for name, want := range map[string]bool{"1.lock": false, "2.lock": false, "3.lock": true, "4.txt": true, filepath.Base(l.File("/project", "living")): true} {
		if _, err := os.Stat(filepath.Join(l.Dir, name)); (err == nil) != want {
			t.Errorf("%s: %v", name, err)
		}
	}
	if err := Sweep(filepath.Join(l.Dir, "missing"), nil); err != nil {
		t.Errorf("a missing state directory: %v", err)
	}
}

func TestOwnerLives(t *testing.T) {
	name := filepath.Join(t.TempDir(), "x.lock")
	if OwnerLives(name) {
		t.Error("a missing lock file has an owner")
	}
	f, err := TryFile(name)
	if err != nil || f == nil {
		t.Fatal(f, err)
	}
	if !OwnerLives(name) {
		t.Error("a locked file has no owner")
	}
	if again, err := TryFile(name); again != nil || err != nil {
		t.Errorf("the file was locked twice: %v", err)
	}
	RemoveFile(f)
	if _, err := os.Stat(name); err == nil {
		t.Error("the lock file is left")
	}
}

// TestStillNamed_FileRemovedMeanwhile removes a lock file, as the writer before does, between opening and locking.
func TestStillNamed_FileRemovedMeanwhile(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("an open file cannot be renamed")
	}
	name := filepath.Join(t.TempDir(), "x.lock")
	f, err := os.Create(name)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if !stillNamed(f, name) {
		t.Error("a lock file is not recognised by its own name")
	}
	if err := os.Rename(name, name+"2"); err != nil {
		t.Fatal(err)
	}
	if stillNamed(f, name) {
		t.Error("a lock file without a name counts")
	}
	if err := os.WriteFile(name, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if stillNamed(f, name) {
		t.Error("the lock file of another writer counts")
	}
}
