package filesystem

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/dougu-go/dougu/internal/group"
	"github.com/dougu-go/dougu/tools/search/index"
)

// commitInterval is the time after which files that were read are committed and can be found.
const commitInterval = 2 * time.Second

// write writes the selected files to the index in batches, or in one batch if the index is rebuilt.
func (w *work) write(ctx context.Context) error {
	slices.SortFunc(w.targets, func(a, b target) int { // files in outer directories are indexed first
		return cmp.Or(cmp.Compare(strings.Count(a.path, "/"), strings.Count(b.path, "/")), strings.Compare(a.path, b.path))
	})
	w.f.mu.Lock()
	p := &w.f.progress
	p.initialBuild = p.initialBuild || w.isComplete() && p.checked.IsZero() && len(w.targets) > p.known
	w.f.mu.Unlock()
	next := new(atomic.Int64)
	for {
		b := &batch{work: w, next: next}
		if err := b.write(ctx); err != nil {
			return err
		}
		w.removed = nil
		if int(next.Load()) >= len(w.targets) {
			return nil
		}
	}
}

// batch is the set of changes of one commit.
type batch struct {
	work   *work
	next   *atomic.Int64 // index of the next target
	until  time.Time     // end of reading; zero for no limit
	writer index.Writer

	mu             sync.Mutex
	err            error // first error
	added, updated int
	put            []string      // written files
	touched        []index.Known // files with new times only
	dropped        []string      // indexed files that can no longer be indexed
	unchanged      int
}

// isRebuild reports whether the index is replaced completely.
func (w *work) isRebuild() bool { return w.isComplete() && w.full && !w.incomplete }

// write reads files until commitInterval has passed, and commits them.
func (b *batch) write(ctx context.Context) error {
	w := b.work
	if len(w.targets)+len(w.removed) == 0 && !w.isRebuild() {
		return nil
	}
	var err error
	if b.writer, err = w.f.index.Begin(ctx, index.WriteOptions{Replace: w.isRebuild()}); err != nil {
		return fmt.Errorf("beginning to write: %w", err)
	}
	defer b.writer.Abort()
	if !w.isRebuild() {
		b.until = time.Now().Add(commitInterval)
	}
	if b.read(ctx); b.err != nil {
		return b.err
	}
	return b.commit(ctx)
}

// read reads files concurrently until it is time to commit.
func (b *batch) read(ctx context.Context) {
	w := b.work
	var workers group.Group
	workers.OnPanic = w.f.run.OnPanic
	for range min(w.f.workers, len(w.targets)) {
		workers.Go(func() {
			var buf []byte
			for !b.isDone(ctx) {
				i := int(b.next.Add(1)) - 1
				if i >= len(w.targets) {
					return
				}
				w.setProgress(i, len(w.targets))
				buf = b.indexFile(ctx, w.targets[i], buf)
			}
		})
	}
	workers.Wait()
	if b.err == nil && ctx.Err() != nil {
		b.err = ctx.Err()
	}
}

// isDone reports whether reading for this commit must end.
func (b *batch) isDone(ctx context.Context) bool {
	if ctx.Err() != nil || !b.until.IsZero() && time.Now().After(b.until) {
		return true
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.err != nil
}

// commit writes removals and times, commits if there are changes, and notifies the listeners.
func (b *batch) commit(ctx context.Context) error {
	w := b.work
	gone := w.removed
	if !w.isRebuild() {
		gone = append(slices.Clip(gone), b.dropped...)
	}
	if len(gone) > 0 {
		if err := b.writer.Remove(ctx, gone...); err != nil {
			return fmt.Errorf("removing files: %w", err)
		}
	}
	for _, k := range b.touched {
		if err := b.writer.Touch(ctx, k); err != nil {
			return fmt.Errorf("noting the time of %s: %w", k.Path, err)
		}
	}
	if len(gone)+len(b.touched)+len(b.put) > 0 || w.isRebuild() {
		if err := b.writer.Commit(ctx); err != nil {
			return fmt.Errorf("committing: %w", err)
		}
		w.f.listeners.Notify(append(slices.Clip(gone), b.put...))
	}
	w.report.Added += b.added
	w.report.Updated += b.updated
	w.report.Unchanged += b.unchanged + len(b.touched)
	w.report.Removed += len(gone)
	return nil
}
