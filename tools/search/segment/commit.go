package segment

import (
	"errors"
	"fmt"
	"io"
	"sync"
	"time"

	"github.com/dougu-go/dougu/internal/group"
	"github.com/dougu-go/dougu/tools/search/index"
)

// flush writes the remaining files in memory as segments, concurrently.
func (w *writer) flush() error {
	var mu sync.Mutex
	var failed error
	all := group.Group{OnPanic: w.ix.tasks.OnPanic}
	for _, b := range w.idle {
		ended := errors.New("writing a part of the index ended unexpectedly")
		all.Go(func() {
			defer func() {
				mu.Lock()
				defer mu.Unlock()
				failed = errors.Join(failed, ended)
			}()
			ended = w.write(b)
		})
	}
	all.Wait()
	w.idle = nil
	return failed
}

// write writes a segment with f and opens it. f returns size and checksum.
func (ix *Index) write(f func(w io.Writer) (int64, uint32, error)) (*segment, error) {
	number := ix.number()
	file, err := ix.store.create(number)
	if err != nil {
		return nil, fmt.Errorf("making a part of the search index: %w", err)
	}
	size, sum, err := f(file)
	if closing := file.Close(); err == nil {
		err = closing
	}
	var seg *segment
	if err == nil {
		seg, err = ix.open(number, size, sum)
	}
	if err != nil {
		ix.store.remove(number)
		return nil, fmt.Errorf("writing a part of the search index: %w", err)
	}
	return seg, nil
}

// apply installs a new state from the current one and the written segments of a writer.
func (ix *Index) apply(w *writer) error {
	ix.commit.Lock()
	defer ix.commit.Unlock()
	ix.mu.Lock()
	old, closed := ix.current, ix.closed
	ix.mu.Unlock()
	if closed {
		return index.ErrClosed
	}
	all, changed := w.changed(old)
	for _, b := range w.full {
		c := changing(&live{segment: b.segment})
		for _, file := range b.dropped {
			c.remove(file)
		}
		for file, s := range b.touched {
			c.touch(file, s)
		}
		all, changed = append(all, c.live), true
	}
	if !changed {
		return nil
	}
	return ix.replace(all, old.generation+1, time.Now())
}

// changed returns the segments of a state without the files that a writer replaces or
// removes.
func (w *writer) changed(old *state) (all []*live, changed bool) {
	for _, l := range old.live {
		c := changing(l)
		if w.replace {
			w.keepTouched(c)
		} else {
			for path, p := range w.changes {
				w.change(c, path, p)
			}
		}
		all = append(all, c.live)
		changed = changed || c.changed()
	}
	return all, changed
}

func (w *writer) change(c *change, path string, p *pending) {
	file, ok := c.find(path)
	switch {
	case !ok:
	case p.batch != nil || p.removed:
		c.remove(file)
	default:
		c.touch(file, *p.touched)
	}
}

func (w *writer) keepTouched(c *change) {
	for file := range c.rows {
		p := w.changes[c.rows[file].path]
		switch {
		case c.dead.has(uint32(file)):
		case p != nil && p.touched != nil:
			c.touch(uint32(file), *p.touched)
		default:
			c.remove(uint32(file))
		}
	}
}

// replace installs a state with these segments and drops segments without files. The
// caller holds ix.commit.
func (ix *Index) replace(all []*live, generation uint64, changed time.Time) error {
	kept := make([]*live, 0, len(all))
	var empty []*segment
	ix.mu.Lock()
	for _, l := range all {
		if l.alive() > 0 {
			kept = append(kept, l)
		} else if l.refs == 0 { // no state contains the segment
			empty = append(empty, l.segment)
		}
	}
	s := newState(generation, ix.next, changed, kept)
	ix.mu.Unlock()
	live := make([]uint64, len(kept))
	for i, l := range kept {
		live[i] = l.number
	}
	if err := ix.store.commit(s.manifest(), live); err != nil {
		return err
	}
	ix.install(s)
	ix.closeAll(empty)
	return nil
}

// closeAll closes and deletes segments that no state uses.
func (ix *Index) closeAll(list []*segment) {
	for _, s := range list {
		s.closed()
		ix.store.remove(s.number)
	}
}
