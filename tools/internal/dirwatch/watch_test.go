package dirwatch_test

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/dougu-go/dougu/internal/group"
	"github.com/dougu-go/dougu/internal/waittest"
	"github.com/dougu-go/dougu/tools/internal/dirwatch"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// mirror is a Subject that holds the contents of all files of a directory.
type mirror struct {
	dir string

	mu    sync.Mutex
	files map[string]string
	fault error
}

func (m *mirror) Matters(name string) bool { return filepath.Ext(name) != ".tmp" }

// Update reads all files.
func (m *mirror) Update(context.Context, []string, int) (dirs []string, err error) {
	files := map[string]string{}
	err = filepath.WalkDir(m.dir, func(path string, d fs.DirEntry, err error) error {
		name, _ := filepath.Rel(m.dir, path)
		if d != nil && d.IsDir() {
			dirs = append(dirs, filepath.ToSlash(name))
			return nil
		}
		if content, err := os.ReadFile(path); err == nil {
			files[filepath.ToSlash(name)] = string(content)
		}
		return nil // the file was deleted
	})
	m.mu.Lock()
	defer m.mu.Unlock()
	m.files = files
	return dirs, errors.Join(err, m.fault)
}

func (m *mirror) has(name, content string) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	got, ok := m.files[name]
	return got == content && ok == (content != "")
}

func write(t *testing.T, dir, name, content string) {
	t.Helper()
	path := filepath.Join(dir, filepath.FromSlash(name))
	if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, []byte(content), 0o644)); err != nil {
		t.Fatal(err)
	}
}

// start starts Watch. stop ends it and returns its error.
func start(t *testing.T, m *mirror, o dirwatch.Options) (stop func() error) {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	o.Base = m.dir
	var err error
	var run group.Group
	run.Go(func() { err = dirwatch.Watch(ctx, o, m) })
	stop = func() error { cancel(); run.Wait(); return err }
	t.Cleanup(func() { _ = stop() })
	return stop
}

func TestWatch(t *testing.T) {
	for name, o := range map[string]dirwatch.Options{
		"told by the system": {Quiet: time.Millisecond, Check: time.Hour, Interval: time.Hour},
		"looking":            {Quiet: time.Millisecond, Interval: 5 * time.Millisecond, MaxDirs: -1},
		"told of a part":     {Quiet: time.Millisecond, Interval: 5 * time.Millisecond, MaxDirs: 1},
	} {
		t.Run(name, func(t *testing.T) {
			m := &mirror{dir: t.TempDir()}
			write(t, m.dir, "a", "1")
			stop := start(t, m, o)
			waittest.Until(t, "a file is there", func() bool { return m.has("a", "1") })
			write(t, m.dir, "a", "2")
			waittest.Until(t, "it has changed", func() bool { return m.has("a", "2") })
			write(t, m.dir, "new/deep/b", "1")
			waittest.Until(t, "there are new directories", func() bool { return m.has("new/deep/b", "1") })
			write(t, m.dir, "new/deep/b", "2")
			waittest.Until(t, "a file in them has changed", func() bool { return m.has("new/deep/b", "2") })
			if err := os.RemoveAll(filepath.Join(m.dir, "new")); err != nil {
				t.Fatal(err)
			}
			waittest.Until(t, "they are gone", func() bool { return m.has("new/deep/b", "") })
			write(t, m.dir, "new/deep/b", "3")
			waittest.Until(t, "they are there again", func() bool { return m.has("new/deep/b", "3") })
			if err := stop(); !errors.Is(err, context.Canceled) {
				t.Errorf("Watch: %v", err)
			}
		})
	}
}

func TestWatch_Noticed(t *testing.T) {
	m := &mirror{dir: t.TempDir()}
	var mu sync.Mutex
	var counts []int
	told := false
	start(t, m, dirwatch.Options{Quiet: time.Millisecond, Check: time.Hour, Noticed: func(pending int, all bool) {
		mu.Lock()
		defer mu.Unlock()
		counts, told = append(counts, pending), all
	}})
	watched := func() bool { mu.Lock(); defer mu.Unlock(); return told && len(counts) > 0 }
	waittest.Until(t, "the system tells of changes", watched)
	write(t, m.dir, "a", "1")
	waittest.Until(t, "a change was noticed and is done", func() bool {
		mu.Lock()
		defer mu.Unlock()
		return slices.Contains(counts, 1) && counts[len(counts)-1] == 0
	})
}

// An error of the subject ends Watch.
func TestWatch_SubjectError(t *testing.T) {
	fault := errors.New("no more")
	m := &mirror{dir: t.TempDir(), fault: fault}
	if err := dirwatch.Watch(t.Context(), dirwatch.Options{Base: m.dir}, m); !errors.Is(err, fault) {
		t.Errorf("Watch: %v", err)
	}
}
