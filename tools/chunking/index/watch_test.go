package index_test

import (
	"context"
	"errors"
	"os"
	"slices"
	"testing"
	"time"

	"github.com/dougu-go/dougu/internal/group"
	"github.com/dougu-go/dougu/internal/waittest"
	"github.com/dougu-go/dougu/tools/chunking/index"
)

// watched watches a project until the test ends, or stop is called.
func (p *project) watched(x *index.Index, o index.WatchOptions) (stop func()) {
	p.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	var watching group.Group
	watching.Go(func() {
		if err := x.Watch(ctx, o); !errors.Is(err, context.Canceled) && !errors.Is(err, index.ErrClosed) {
			p.Errorf("Watch: %v", err)
		}
	})
	stop = func() { cancel(); watching.Wait() }
	p.Cleanup(stop)
	return stop
}

func (p *project) eventuallyHas(x *index.Index, what string, want ...string) {
	p.Helper()
	deadline := time.Now().Add(30 * time.Second)
	for !slices.Equal(names(x), want) {
		if time.Now().After(deadline) {
			p.Fatalf("%s: the index has %v, want %v", what, names(x), want)
		}
		time.Sleep(5 * time.Millisecond) // between two looks
	}
}

// names returns the names of all chunks.
func names(x *index.Index) []string {
	all := []string{}
	for _, f := range x.Snapshot().Files() {
		for i := range f.Len() {
			all = append(all, f.Symbol(i).Name)
		}
	}
	return all
}

func TestWatch(t *testing.T) {
	for name, o := range map[string]index.WatchOptions{
		"told by the system": {Quiet: 5 * time.Millisecond, Check: time.Hour, Interval: time.Hour},
		"looking":            {Quiet: 5 * time.Millisecond, Interval: 20 * time.Millisecond, MaxDirs: -1},
		"told of a part":     {Quiet: 5 * time.Millisecond, Interval: 20 * time.Millisecond, MaxDirs: 1},
	} {
		t.Run(name, func(t *testing.T) {
			p := newProject(t, map[string]string{"a.go": "func a\n", "src/b.go": "func b\n", ".gitignore": "out\n"})
			x := p.index(index.Options{Store: p.store()})
			p.analyze(x, ".", index.AnalyzeOptions{})
			p.write("a.go", "func before\n")
			changed := make(chan index.Report, 100)
			o.Changed = func(r index.Report) { changed <- r }
			stop := p.watched(x, o)
			p.eventuallyHas(x, "a change before", "before", "b")
			<-changed

			p.writeNow("a.go", "func a2\n")
			p.eventuallyHas(x, "a change", "a2", "b")
			p.writeNow("src/c.go", "func c\n")
			p.eventuallyHas(x, "a new file", "a2", "b", "c")
			p.writeNow("new/deep/d.go", "func d\n")
			p.eventuallyHas(x, "new directories", "a2", "d", "b", "c")
			p.writeNow("new/deep/e.go", "func e\n")
			p.eventuallyHas(x, "a file in a new directory", "a2", "d", "e", "b", "c")
			p.remove("src/c.go")
			p.eventuallyHas(x, "a removed file", "a2", "d", "e", "b")
			if err := os.Rename(p.path("new"), p.path("newer")); err != nil {
				t.Fatal(err)
			}
			p.eventuallyHas(x, "a renamed directory", "a2", "d", "e", "b")
			waittest.Until(t, "the paths are the new ones", func() bool { _, ok := x.Lookup("newer/deep/d.go"); return ok })
			p.writeNow("newer/deep/e.go", "func e2\n")
			p.eventuallyHas(x, "a file in a renamed directory", "a2", "d", "e2", "b")
			p.writeNow(".gitignore", "newer\n")
			p.eventuallyHas(x, "rules", "a2", "b")
			p.remove("src")
			p.writeNow("src/b.go", "func b2\n")
			p.eventuallyHas(x, "a directory that was made again", "a2", "b2")
			p.writeNow("src/b.go", "func b3\n")
			p.eventuallyHas(x, "a file in it", "a2", "b3")
			stop()
			p.close(x)
			p.same(p.index(index.Options{Store: p.store()}), p.fresh(index.Options{}))
		})
	}
}

// A Watch ends with the index, and tells of nothing where nothing changes.
func TestWatch_Cancellation(t *testing.T) {
	p := newProject(t, map[string]string{"a.go": "func a\n"})
	x := p.index(index.Options{})
	p.analyze(x, ".", index.AnalyzeOptions{})
	ended := make(chan error, 1)
	p.runs(func() {
		ended <- x.Watch(context.Background(), index.WatchOptions{Interval: time.Millisecond, MaxDirs: -1, Changed: func(r index.Report) { t.Errorf("told of %+v", r) }})
	})
	before := x.Snapshot().Generation()
	p.close(x)
	if err := <-ended; !errors.Is(err, index.ErrClosed) {
		t.Errorf("Watch: %v", err)
	}
	if x.Snapshot().Generation() != before {
		t.Error("the index has changed")
	}
}

// After CatchUp the index has what was changed before the call, whether the system reports changes or not.
func TestIndex_CatchUp(t *testing.T) {
	for name, o := range map[string]*index.WatchOptions{
		"reported, before a pause": {Quiet: time.Hour, Check: time.Hour, Interval: time.Hour},
		"not reported":             {Quiet: time.Hour, Check: time.Hour, Interval: time.Hour, MaxDirs: -1},
		"without a Watch":          nil,
	} {
		t.Run(name, func(t *testing.T) {
			p := newProject(t, map[string]string{"a.go": "func a\n"})
			x := p.index(index.Options{Store: p.store()})
			p.analyze(x, ".", index.AnalyzeOptions{})
			if o != nil {
				p.watched(x, *o)
			}
			for _, step := range []struct {
				file, text string
				want       []string
			}{{"a.go", "func b\n", []string{"b"}}, {"src/c.go", "func c\n", []string{"b", "c"}}, {"a.go", "", []string{"c"}}} {
				p.writeNow(step.file, step.text)
				if err := x.CatchUp(t.Context()); err != nil || !slices.Equal(names(x), step.want) {
					t.Errorf("after %s: %v, %v; want %v", step.file, names(x), err, step.want)
				}
			}
		})
	}
}

func TestIndex_CatchUp_Cancelled(t *testing.T) {
	p := newProject(t, map[string]string{"a.go": "func a\n"})
	x := p.index(index.Options{Store: p.store()})
	p.analyze(x, ".", index.AnalyzeOptions{})
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := x.CatchUp(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("the error is %v", err)
	}
}
