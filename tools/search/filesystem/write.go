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

// commitEvery is how long files are read before what was read can be found.
const commitEvery = 2 * time.Second

// write puts into the index what was surveyed, a part at a time unless the index is
// made anew.
func (w *work) write(ctx context.Context) error {
	slices.SortFunc(w.targets, func(a, b target) int { // what lies near the top is found first
		return cmp.Or(cmp.Compare(strings.Count(a.path, "/"), strings.Count(b.path, "/")), strings.Compare(a.path, b.path))
	})
	w.f.mu.Lock()
	p := &w.f.progress
	p.first = p.first || w.whole() && p.checked.IsZero() && len(w.targets) > p.known
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

// batch is what is committed at once.
type batch struct {
	work   *work
	next   *atomic.Int64 // of the targets
	until  time.Time     // zero for no end
	writer index.Writer

	mu             sync.Mutex
	err            error
	added, updated int
	put            []string
	touched        []index.Known
	dropped        []string
	unchanged      int
}

// replaces says that the index is made anew.
func (w *work) replaces() bool { return w.whole() && w.full && !w.incomplete }

func (b *batch) write(ctx context.Context) error {
	w := b.work
	if len(w.targets)+len(w.removed) == 0 && !w.replaces() {
		return nil
	}
	var err error
	if b.writer, err = w.f.index.Begin(ctx, index.WriteOptions{Replace: w.replaces()}); err != nil {
		return fmt.Errorf("beginning to write: %w", err)
	}
	defer b.writer.Abort()
	if !w.replaces() {
		b.until = time.Now().Add(commitEvery)
	}
	if b.read(ctx); b.err != nil {
		return b.err
	}
	return b.commit(ctx)
}

// read reads files until it is time to commit.
func (b *batch) read(ctx context.Context) {
	w := b.work
	var workers group.Group
	workers.OnPanic = w.f.run.OnPanic
	for range min(w.f.workers, len(w.targets)) {
		workers.Go(func() {
			var buf []byte
			for !b.enough(ctx) {
				i := int(b.next.Add(1)) - 1
				if i >= len(w.targets) {
					return
				}
				w.left(i, len(w.targets))
				buf = b.one(ctx, w.targets[i], buf)
			}
		})
	}
	workers.Wait()
	if b.err == nil && ctx.Err() != nil {
		b.err = ctx.Err()
	}
}

// enough says that no more files are read for this commit.
func (b *batch) enough(ctx context.Context) bool {
	if ctx.Err() != nil || !b.until.IsZero() && time.Now().After(b.until) {
		return true
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.err != nil
}

// commit makes it so, if there is anything.
func (b *batch) commit(ctx context.Context) error {
	w := b.work
	gone := w.removed
	if !w.replaces() {
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
	if len(gone)+len(b.touched)+len(b.put) > 0 || w.replaces() {
		if err := b.writer.Commit(ctx); err != nil {
			return fmt.Errorf("committing: %w", err)
		}
		w.f.tell(append(slices.Clip(gone), b.put...))
	}
	w.report.Added += b.added
	w.report.Updated += b.updated
	w.report.Unchanged += b.unchanged + len(b.touched)
	w.report.Removed += len(gone)
	return nil
}
