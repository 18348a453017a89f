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

// work is one update of the index, for all files or for some paths.
type work struct {
	f     *Filesystem
	full  bool     // whether unchanged files are indexed again
	paths []string // nil for all files

	known map[string]index.Known // indexed files by path; nil: query the index for each file

	mu         sync.Mutex
	report     plugin.Report
	seen       map[string]bool // existing files
	targets    []target        // files to read
	removed    []string        // indexed files to remove
	dirs       []string        // visited directories, to be watched
	skipped    skipped
	incomplete bool   // whether some directories could not be read
	problem    string // error of an unreadable directory, for Status
}

// target is a file to read.
type target struct {
	path    string
	known   index.Known
	indexed bool
}

// Delays while another process writes to the index: each is three times as long as the one before.
const (
	minWriteDelay = 100 * time.Millisecond
	maxWriteDelay = 3 * time.Second
)

// run performs the update. While another process writes, it retries for a few seconds.
func (w *work) run(ctx context.Context) error {
	began := time.Now()
	w.begin(ctx)
	err := w.attempt(ctx)
	for d := minWriteDelay; d <= maxWriteDelay && errors.Is(err, index.ErrWriting) && wait.Sleep(ctx, d) == nil; d *= 3 {
		err = w.attempt(ctx) // the other process may have finished
	}
	if ctx.Err() != nil {
		err = index.ErrClosed
	}
	w.report.Duration = time.Since(began)
	w.finish(ctx, began, err)
	return err
}

// attempt performs the update once. If another process holds the writer, it succeeds if the index is already up to date.
func (w *work) attempt(ctx context.Context) error {
	err := w.runOnce(ctx)
	if errors.Is(err, index.ErrWriting) && w.isFollower(ctx) {
		return nil
	}
	return err
}

// runOnce performs the update from the beginning.
func (w *work) runOnce(ctx context.Context) error {
	w.report, w.targets, w.removed, w.dirs, w.skipped = plugin.Report{}, nil, nil, nil, skipped{}
	w.seen, w.incomplete, w.problem = map[string]bool{}, false, ""
	if err := w.load(ctx); err != nil {
		return err
	}
	if err := w.selectFiles(ctx); err != nil {
		return err
	}
	if err := w.write(ctx); err != nil {
		return err
	}
	w.summarize()
	return nil
}

// summarize completes the report.
func (w *work) summarize() {
	w.skipped.summarize()
	w.report.Skipped = w.skipped.list()
	w.report.Files = w.report.Added + w.report.Updated + w.report.Unchanged
}

// isComplete reports whether all files are updated.
func (w *work) isComplete() bool { return w.paths == nil }

// load reads all indexed files at once for a complete update.
func (w *work) load(ctx context.Context) error {
	w.known = nil
	if !w.isComplete() {
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

// lookup returns the indexed version of a file.
func (w *work) lookup(ctx context.Context, name string) (index.Known, bool) {
	if w.known != nil {
		k, ok := w.known[name]
		return k, ok
	}
	k, ok, err := w.f.index.Lookup(ctx, name)
	return k, ok && err == nil
}

// begin records in progress that the work is running.
func (w *work) begin(context.Context) {
	f := w.f
	f.mu.Lock()
	defer f.mu.Unlock()
	p := &f.progress
	p.running++
	p.done, p.total = 0, 0
	p.initialBuild = p.initialBuild || w.isComplete() && p.checked.IsZero() && p.known == 0
}

// finish records the outcome of the work in progress.
func (w *work) finish(ctx context.Context, began time.Time, err error) {
	f := w.f
	stats, _ := f.index.Stats(ctx)
	f.mu.Lock()
	defer f.mu.Unlock()
	p := &f.progress
	p.running--
	p.known = stats.Files
	foreign := errors.Is(err, index.ErrWriting)
	switch p.failed = nil; {
	case err == nil:
		p.done, p.total = 0, 0
		w.applyResults(began)
	case foreign:
		p.problem = "another process updates this index"
	case !errors.Is(err, index.ErrClosed):
		p.failed = err
		f.log.Error("updating the file index failed", "error", err)
	}
}

// applyResults records the skipped files and the time of a complete check.
func (w *work) applyResults(began time.Time) {
	f := w.f
	if !w.isComplete() {
		f.skipped.update(w.paths, &w.skipped)
		return
	}
	f.skipped = w.skipped
	f.progress.checked, f.progress.initialBuild, f.progress.problem = began, false, w.problem
}

// setProgress records the number of files that have been read.
func (w *work) setProgress(done, total int) {
	w.f.mu.Lock()
	defer w.f.mu.Unlock()
	w.f.progress.done, w.f.progress.total = done, total
}
