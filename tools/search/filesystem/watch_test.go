package filesystem_test

import (
	"fmt"
	"os"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/dougu-go/dougu/internal/waittest"
	"github.com/dougu-go/dougu/tools/search/filesystem"
	"github.com/dougu-go/dougu/tools/search/plugin"
)

// indexes waits until exactly these files are indexed.
func (p *project) indexes(label string, want ...string) {
	p.Helper()
	waittest.Until(p, label+fmt.Sprintf(": %q", want), func() bool { return slices.Equal(p.paths(), want) })
}

func TestWatch(t *testing.T) {
	p := newProject(t, map[string]string{"a.go": "a", "src/b.go": "b", ".gitignore": "out\n"})
	f := p.files(filesystem.Options{Interval: time.Hour, Quiet: time.Millisecond})
	p.indexes("at first", "a.go", "src/b.go")
	waittest.Until(p, "it is ready and watched", func() bool {
		s := f.Status()
		return s.State == plugin.Ready && s.Watching && !s.Checked.IsZero()
	})
	var mu sync.Mutex
	changed := map[string]bool{}
	stop := f.Changed(func(paths []string) {
		mu.Lock()
		defer mu.Unlock()
		for _, path := range paths {
			changed[path] = true
		}
	})
	p.now("a.go", "a2")
	waittest.Until(p, "a change is found", func() bool { return p.texts()["a.go"] == "a2" })
	p.now("src/c.go", "c")
	p.indexes("a new file", "a.go", "src/b.go", "src/c.go")
	p.now("new/deep/d.go", "d")
	p.indexes("new directories", "a.go", "new/deep/d.go", "src/b.go", "src/c.go")
	p.now("out/e.go", "e")
	p.remove("src/c.go")
	p.indexes("a removed file", "a.go", "new/deep/d.go", "src/b.go")
	if err := os.Rename(p.path("new"), p.path("newer")); err != nil {
		t.Fatal(err)
	}
	p.indexes("a renamed directory", "a.go", "newer/deep/d.go", "src/b.go")
	p.now("newer/deep/d.go", "d2")
	waittest.Until(p, "a change in it", func() bool { return p.texts()["newer/deep/d.go"] == "d2" })
	p.now(".gitignore", "newer\n")
	p.indexes("other rules", "a.go", "out/e.go", "src/b.go")
	told := func(path string) bool { mu.Lock(); defer mu.Unlock(); return changed[path] }
	for _, path := range []string{"a.go", "src/c.go", "new/deep/d.go", "newer/deep/d.go", "out/e.go"} {
		waittest.Until(p, path+" is notified", func() bool { return told(path) })
	}
	stop()
	p.remove("src")
	p.indexes("a removed directory", "a.go", "out/e.go")
	p.close(f) // no notification after this
	if told("src/b.go") {
		t.Error("a notification after stop")
	}
}

// TestWatch_Interval checks that files are found by the interval if the system reports no changes.
func TestWatch_Interval(t *testing.T) {
	p := newProject(t, map[string]string{"a.go": "a"})
	p.files(filesystem.Options{Interval: 10 * time.Millisecond, Watch: []string{".", "later"}})
	p.indexes("at first", "a.go")
	p.write("a.go", "another length")
	waittest.Until(p, "a change is found", func() bool { return p.texts()["a.go"] == "another length" })
}

// TestNew_Restart checks that a new process reads only files changed in the meantime.
func TestNew_Restart(t *testing.T) {
	p := newProject(t, map[string]string{"a.go": "a", "b.go": "b", "c.go": "c"})
	f := p.files(filesystem.Options{})
	p.refresh(f, plugin.RefreshOptions{})
	p.close(f)
	p.write("a.go", "a2")
	p.remove("b.go")
	f = p.files(filesystem.Options{})
	if s := f.Status(); s.State != plugin.Updating || s.Files != 3 || !s.Checked.IsZero() {
		t.Errorf("before anything was looked at: %+v", s)
	}
	if got, want := counts(p.refresh(f, plugin.RefreshOptions{})), [5]int{2, 0, 1, 1, 1}; got != want {
		t.Errorf("%v, want %v", got, want)
	}
}

// TestRefresh_AnotherProcessWrites checks that a refresh waits for the writer of another process.
func TestRefresh_AnotherProcessWrites(t *testing.T) {
	p := newProject(t, map[string]string{"a.go": "a"})
	first := p.files(filesystem.Options{})
	p.refresh(first, plugin.RefreshOptions{})
	p.close(first)
	p.index.change(func() { p.index.foreign = true })
	f := p.files(filesystem.Options{})
	p.refresh(f, plugin.RefreshOptions{}) // there is nothing to do
	p.write("a.go", "a2")
	waittest.Until(p, "the file of the other process is there", func() bool {
		old := p.index.files["a.go"]
		info, err := os.Stat(p.path("a.go"))
		old.ModTime, old.Size = info.ModTime(), info.Size()
		p.index.change(func() { p.index.files = map[string]indexFile{"a.go": old} })
		return err == nil
	})
	if got, want := counts(p.refresh(f, plugin.RefreshOptions{})), [5]int{1, 0, 0, 0, 1}; got != want {
		t.Errorf("%v, want %v", got, want)
	}
}

// TestRefresh_PartialFirstIndex checks that a long first update commits in parts.
func TestRefresh_PartialFirstIndex(t *testing.T) {
	t.Parallel() // it waits
	p := newProject(t, map[string]string{"a.go": "a", "src/deep/b.go": "b"})
	held := make(chan struct{})
	p.index.change(func() { p.index.held = held })
	f := p.files(filesystem.Options{Workers: 1})
	done := make(chan struct{})
	go func() {
		defer close(done)
		p.refresh(f, plugin.RefreshOptions{})
	}()
	waittest.Until(p, "the first file is put for more than a commit may take", func() bool {
		s := f.Status()
		return s.State == plugin.Building && s.Done == 0 && s.Total == 2 && s.Pending == 2
	})
	time.Sleep(filesystem.CommitInterval) // the tested interval
	close(held)
	<-done
	if p.index.commits != 2 {
		t.Errorf("%d commits, want one for each file", p.index.commits)
	}
}

// TestWatch_RulesChange checks that a changed file is removed if the rules exclude it at the same time.
func TestWatch_RulesChange(t *testing.T) {
	p := newProject(t, map[string]string{"a.go": "a", "deep/b.go": "b"})
	f := p.files(filesystem.Options{Interval: time.Hour, Quiet: 100 * time.Millisecond})
	waittest.Until(p, "it is watched", func() bool { return f.Status().Watching && len(p.paths()) == 2 })
	p.now("deep/b.go", "b2")
	p.now(".gitignore", "deep\n")
	p.indexes("other rules", "a.go")
}
