package security_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/dougu-go/dougu/internal/testleak"
	"github.com/dougu-go/dougu/security"
)

// wide creates a tree with some thousand entries in large and small directories.
func wide(t testing.TB) *security.Root {
	files := map[string]string{}
	for i := range 1000 {
		files[fmt.Sprintf("flat/%d", i)] = ""
		files[fmt.Sprintf("deep/%d/%d/%d", i/100, i/10%10, i%10)] = ""
	}
	return open(t, quick, layout(t, files))
}

// TestWalk_WorkersVisitOnce walks with so many workers that some are often idle.
func TestWalk_WorkersVisitOnce(t *testing.T) {
	testleak.Check(t)
	r := wide(t)
	for _, workers := range []int{2, 3, 16, 64} {
		var seen sync.Map
		var inside, most atomic.Int64
		stats, err := r.Walk(t.Context(), ".", security.WalkOptions{Workers: workers}, func(e *security.WalkEntry) error {
			most.Store(max(most.Load(), inside.Add(1)))
			defer inside.Add(-1)
			rel := e.Rel()
			if _, twice := seen.LoadOrStore(rel, true); twice {
				t.Errorf("%q was visited twice", rel)
			}
			if parent := filepath.ToSlash(filepath.Dir(rel)); parent != "." {
				if _, before := seen.Load(parent); !before {
					t.Errorf("%q was visited before its directory", rel)
				}
			}
			return nil
		})
		if err != nil || stats.Entries != 2112 || most.Load() > int64(workers) {
			t.Errorf("%d workers: %+v, %v, %d at once", workers, stats, err, most.Load())
		}
	}
}

// TestWalk_WorkersShareDirectory waits in the visits of one large directory until several of them run.
func TestWalk_WorkersShareDirectory(t *testing.T) {
	r := wide(t)
	const workers = 4
	var together sync.WaitGroup
	together.Add(workers)
	var first atomic.Int64
	_, err := r.Walk(t.Context(), "flat", security.WalkOptions{Workers: workers}, func(*security.WalkEntry) error {
		if first.Add(1) <= workers {
			together.Done()
			together.Wait()
		}
		return nil
	})
	if err != nil {
		t.Error(err)
	}
}

// TestWalk_ContextEnds cancels a walk in the middle.
func TestWalk_ContextEnds(t *testing.T) {
	testleak.Check(t)
	r := wide(t)
	for _, workers := range []int{1, 4} {
		ctx, cancel := context.WithCancel(t.Context())
		var visits, late atomic.Int64
		stats, err := r.Walk(ctx, ".", security.WalkOptions{Workers: workers}, func(e *security.WalkEntry) error {
			if ctx.Err() != nil {
				late.Add(1)
				if _, err := e.Open(ctx); security.CodeOf(err) != security.Cancelled {
					t.Errorf("Open: %v", err)
				}
				if _, err := e.ReadFile(ctx, nil, 1); security.CodeOf(err) != security.Cancelled {
					t.Errorf("ReadFile: %v", err)
				}
				if _, err := e.Info(ctx); security.CodeOf(err) != security.Cancelled {
					t.Errorf("Info: %v", err)
				}
			}
			if visits.Add(1) == 500 {
				cancel()
			}
			return nil
		})
		if security.CodeOf(err) != security.Cancelled || late.Load() >= int64(workers) || stats.Entries == 0 {
			t.Errorf("%d workers: %v, %d visits after the end, %+v", workers, err, late.Load(), stats)
		}
	}
}

// TestWalk_VisitError checks that Walk returns one error of many concurrent visits.
func TestWalk_VisitError(t *testing.T) {
	testleak.Check(t)
	r := wide(t)
	failed := errors.New("failed")
	for _, workers := range []int{1, 4} {
		var visits atomic.Int64
		_, err := r.Walk(t.Context(), ".", security.WalkOptions{Workers: workers}, func(*security.WalkEntry) error {
			if visits.Add(1) > 100 {
				return failed
			}
			return nil
		})
		if err != failed || visits.Load() > 100+int64(workers) {
			t.Errorf("%d workers: %v after %d visits", workers, err, visits.Load())
		}
	}
}

// TestWalk_VisitPanics checks that a panic of visit reaches the goroutine that called Walk.
func TestWalk_VisitPanics(t *testing.T) {
	testleak.Check(t)
	r := wide(t)
	broken := errors.New("broken")
	for _, workers := range []int{1, 4} {
		func() {
			defer func() {
				caught := recover()
				err, _ := caught.(error)
				if !errors.Is(err, broken) {
					t.Errorf("%d workers: recovered %v", workers, caught)
				}
				if workers > 1 && !strings.Contains(err.Error(), "TestWalk_VisitPanics") {
					t.Errorf("the stack of the visit is lost: %v", err)
				}
			}()
			r.Walk(t.Context(), ".", security.WalkOptions{Workers: workers}, func(e *security.WalkEntry) error {
				if e.Rel() == "deep/3/4/5" {
					panic(broken)
				}
				return nil
			})
			t.Errorf("%d workers: Walk returned", workers)
		}()
	}
	_, err := r.Walk(t.Context(), ".", security.WalkOptions{Workers: 3}, func(e *security.WalkEntry) error {
		if e.Depth == 3 {
			runtime.Goexit()
		}
		return nil
	})
	if err == nil {
		t.Error("a visit that ends its goroutine ends the walk without an error")
	}
}

// TestWalk_Memory walks a directory with 100,000 entries, and as many in small ones. They are made in memory.
func TestWalk_Memory(t *testing.T) {
	dir, err := os.MkdirTemp("/dev/shm", "walk")
	if err != nil || testing.Short() {
		t.Skip("makes 200,000 files, but not on a disk")
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	const limit = 32 << 20
	must(t, os.Mkdir(filepath.Join(dir, "flat"), 0o755))
	for i := range 100_000 {
		small := filepath.Join(dir, fmt.Sprint(i/10))
		if i%10 == 0 {
			must(t, os.Mkdir(small, 0o755))
		}
		must(t, os.Symlink("x", filepath.Join(dir, "flat", fmt.Sprint(i))))
		must(t, os.Symlink("x", filepath.Join(small, fmt.Sprint(i))))
	}
	r := open(t, quick, dir)
	for _, workers := range []int{1, 2, 8} {
		runtime.GC()
		before := held()
		var visits atomic.Int64
		var most atomic.Uint64
		stats, err := r.Walk(t.Context(), ".", security.WalkOptions{Workers: workers}, func(*security.WalkEntry) error {
			if visits.Add(1)%10_000 == 0 {
				most.Store(max(most.Load(), held()))
			}
			return nil
		})
		if err != nil || stats.Entries != 210_001 {
			t.Errorf("%d workers: %+v, %v", workers, stats, err)
		}
		if most.Load() > before+limit {
			t.Errorf("%d workers: the heap grew from %d to %d bytes", workers, before, most.Load())
		}
		t.Logf("%d workers: the heap grew by %d KiB", workers, int64(most.Load()-before)>>10)
	}
}

func held() uint64 {
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapInuse
}
