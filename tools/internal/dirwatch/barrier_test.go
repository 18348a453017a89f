package dirwatch_test

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/dougu-go/dougu/internal/testrandom"
	"github.com/dougu-go/dougu/internal/waittest"
	"github.com/dougu-go/dougu/tools/internal/dirwatch"
)

// passable waits until callers pass the Barrier. The test is skipped where the system does not report changes in order.
func passable(t *testing.T, b *dirwatch.Barrier) {
	t.Helper()
	if runtime.GOOS != "linux" {
		t.Skip("changes are reported in order on Linux only")
	}
	waittest.Until(t, "the Barrier is open", func() bool { ok, _ := b.Pass(t.Context()); return ok })
}

// Whatever changes, the subject has it after Pass, although the watcher waits for a pause of an hour.
func TestBarrier_Changes(t *testing.T) {
	testrandom.Check(t, func(t *testing.T, r testrandom.Rand) {
		m := &mirror{dir: t.TempDir()}
		var b dirwatch.Barrier
		start(t, m, dirwatch.Options{Quiet: time.Hour, Check: time.Hour, Interval: time.Hour, Barrier: &b})
		passable(t, &b)
		contents := map[string]string{}
		for i := range 10 {
			change(t, r, m.dir, contents, fmt.Sprint(i))
			if ok, err := b.Pass(t.Context()); !ok || err != nil {
				t.Fatalf("Pass after %d changes: %v, %v", i, ok, err)
			}
			for name, want := range contents {
				if !m.has(name, want) {
					t.Fatalf("change %d: %s is not %q after Pass", i, name, want)
				}
			}
		}
	})
}

// change writes a file, removes one, or removes or renames a directory of files, and records the contents.
func change(t *testing.T, r testrandom.Rand, dir string, contents map[string]string, content string) {
	t.Helper()
	top := fmt.Sprint(r.IntN(3))
	name := fmt.Sprintf("%s/%d/%d", top, r.IntN(3), r.IntN(3))
	var err error
	switch r.IntN(6) {
	case 0:
		err = os.RemoveAll(filepath.Join(dir, top))
		for other := range contents {
			if strings.HasPrefix(other, top+"/") {
				contents[other] = ""
			}
		}
	case 1:
		err = os.Remove(filepath.Join(dir, name))
		contents[name] = ""
	case 2:
		renamed := "r" + content
		err = os.Rename(filepath.Join(dir, top), filepath.Join(dir, renamed))
		for _, other := range slices.Collect(maps.Keys(contents)) {
			if rest, ok := strings.CutPrefix(other, top+"/"); ok && err == nil {
				contents[renamed+"/"+rest], contents[other] = contents[other], ""
			}
		}
	default:
		contents[name] = content
		write(t, dir, name, content)
	}
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		t.Fatal(err)
	}
}

func TestBarrier_Concurrent(t *testing.T) {
	m := &mirror{dir: t.TempDir()}
	var b dirwatch.Barrier
	start(t, m, dirwatch.Options{Quiet: time.Hour, Check: time.Hour, Interval: time.Hour, Barrier: &b})
	passable(t, &b)
	failed := make(chan string, 8)
	for worker := range cap(failed) {
		go func() {
			for i := range 20 {
				name, content := fmt.Sprintf("%d.txt", worker), fmt.Sprint(i)
				if err := os.WriteFile(filepath.Join(m.dir, name), []byte(content), 0o600); err != nil {
					failed <- err.Error()
					return
				}
				if ok, err := b.Pass(t.Context()); !ok || err != nil || !m.has(name, content) {
					failed <- fmt.Sprintf("Pass after %s: %v, %v", content, ok, err)
					return
				}
			}
			failed <- ""
		}()
	}
	for range cap(failed) {
		if failure := <-failed; failure != "" {
			t.Error(failure)
		}
	}
}

// Nobody waits where changes are not reported.
func TestBarrier_Closed(t *testing.T) {
	var b dirwatch.Barrier
	if ok, err := b.Pass(t.Context()); ok || err != nil {
		t.Errorf("without Watch: %v, %v", ok, err)
	}
	m := &mirror{dir: t.TempDir()}
	write(t, m.dir, "a", "1")
	stop := start(t, m, dirwatch.Options{Quiet: time.Millisecond, Interval: time.Hour, MaxDirs: -1, Barrier: &b})
	waittest.Until(t, "the first scan has ended", func() bool { return m.has("a", "1") })
	if ok, err := b.Pass(t.Context()); ok || err != nil {
		t.Errorf("without watched directories: %v, %v", ok, err)
	}
	_ = stop()
	stop = start(t, m, dirwatch.Options{Quiet: time.Millisecond, Barrier: &b})
	passable(t, &b)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if ok, err := b.Pass(ctx); !ok && !errors.Is(err, context.Canceled) {
		t.Errorf("with an ended context: %v, %v", ok, err)
	}
	_ = stop()
	if ok, err := b.Pass(t.Context()); ok || err != nil {
		t.Errorf("after Watch: %v, %v", ok, err)
	}
}
