package filesystem

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/dougu-go/dougu/internal/wait"
	"github.com/dougu-go/dougu/tools/search/index"
	"github.com/dougu-go/dougu/tools/search/plugin"
)

// work brings the index up to date once, for everything or for some paths.
type work struct {
	f     *Filesystem
	full  bool     // files that have not changed are read as well
	paths []string // nil for everything

	known map[string]index.Known // nil: the index is asked

	mu         sync.Mutex
	report     plugin.Report
	seen       map[string]bool // files that are there
	targets    []target
	removed    []string
	dirs       []string
	skipped    skipped
	incomplete bool // not all directories could be looked at
	trouble    string
}

// target is a file that is to be read.
type target struct {
	path    string
	known   index.Known
	indexed bool
}

// It is waited for another process that writes to the index: shortly at first, then three
// times as long each time.
const (
	firstWait = 100 * time.Millisecond
	lastWait  = 3 * time.Second
)

// do does the work.
func (w *work) do(ctx context.Context) error {
	began := time.Now()
	w.start(ctx)
	err := w.attempt(ctx)
	for d := firstWait; d <= lastWait && errors.Is(err, index.ErrWriting) && wait.Sleep(ctx, d) == nil; d *= 3 {
		err = w.attempt(ctx) // what is left for us
	}
	if ctx.Err() != nil {
		err = index.ErrClosed
	}
	w.report.Duration = time.Since(began)
	w.finish(ctx, began, err)
	return err
}

// attempt does the work, unless another process writes to the index and has done it
// already.
func (w *work) attempt(ctx context.Context) error {
	err := w.steps(ctx)
	if errors.Is(err, index.ErrWriting) && w.follows(ctx) {
		return nil
	}
	return err
}

// steps does the work from the beginning.
func (w *work) steps(ctx context.Context) error {
	w.report, w.targets, w.removed, w.dirs, w.skipped = plugin.Report{}, nil, nil, nil, skipped{}
	w.seen, w.incomplete, w.trouble = map[string]bool{}, false, ""
	if err := w.load(ctx); err != nil {
		return err
	}
	if err := w.survey(ctx); err != nil {
		return err
	}
	if err := w.write(ctx); err != nil {
		return err
	}
	w.end()
	return nil
}

// end sums up.
func (w *work) end() {
	w.skipped.summarize()
	w.report.Skipped = w.skipped.list()
	w.report.Files = w.report.Added + w.report.Updated + w.report.Unchanged
}

// whole says that everything is brought up to date.
func (w *work) whole() bool { return w.paths == nil }

// load asks the index once for all files if most are looked at.
func (w *work) load(ctx context.Context) error {
	w.known = nil
	if !w.whole() {
		return nil
	}
	w.known = map[string]index.Known{}
	for k, err := range w.f.index.Files(ctx) {
		if err != nil {
			return err
		}
		w.known[k.Path] = k
	}
	return nil
}

// lookup is what the index knows of a file.
func (w *work) lookup(ctx context.Context, name string) (index.Known, bool) {
	if w.known != nil {
		k, ok := w.known[name]
		return k, ok
	}
	k, ok, err := w.f.index.Lookup(ctx, name)
	return k, ok && err == nil
}

// start tells that work runs.
func (w *work) start(context.Context) {
	f := w.f
	f.mu.Lock()
	defer f.mu.Unlock()
	p := &f.progress
	p.working++
	p.done, p.total = 0, 0
	p.first = p.first || w.whole() && p.checked.IsZero() && p.known == 0
}

// finish tells what became of it.
func (w *work) finish(ctx context.Context, began time.Time, err error) {
	f := w.f
	stats, _ := f.index.Stats(ctx)
	f.mu.Lock()
	defer f.mu.Unlock()
	p := &f.progress
	p.working--
	p.known = stats.Files
	foreign := errors.Is(err, index.ErrWriting)
	switch p.failed = nil; {
	case err == nil:
		p.done, p.total = 0, 0
		w.settle(began)
	case foreign:
		p.trouble = "another process keeps this index up to date"
	case !errors.Is(err, index.ErrClosed):
		p.failed = err
		f.log.Error("the index of files could not be brought up to date", "error", err)
	}
}

// settle takes over what was found out.
func (w *work) settle(began time.Time) {
	f := w.f
	if !w.whole() {
		f.skipped.update(w.paths, &w.skipped)
		return
	}
	f.skipped = w.skipped
	f.progress.checked, f.progress.first, f.progress.trouble = began, false, w.trouble
}

// left tells how many of the targets were read.
func (w *work) left(done, total int) {
	w.f.mu.Lock()
	defer w.f.mu.Unlock()
	w.f.progress.done, w.f.progress.total = done, total
}
