package index

import (
	"context"
	"errors"
	"slices"
	"strings"
)

// gone is a path at which there is no file to index any more.
type gone struct {
	path string
	turn uint64 // when that was seen
}

// commit publishes what was read, unless something newer is known. known keeps
// files out that the index does not have.
func (x *Index) commit(changed []*File, removed []gone, known bool) {
	x.mu.Lock()
	defer x.mu.Unlock()
	now := x.current.Load()
	fresh := make([]*File, 0, len(changed))
	for _, f := range changed {
		old, ok := now.Lookup(f.Path)
		if ok && old.turn > f.turn || !ok && known {
			continue
		}
		fresh = append(fresh, f)
		x.unsaved[f.Path] = f
	}
	var dropped []string
	for _, g := range removed {
		if old, ok := now.Lookup(g.path); ok && old.turn <= g.turn {
			dropped = append(dropped, g.path)
			x.unsaved[g.path] = nil
		}
	}
	if len(fresh)+len(dropped) == 0 {
		return
	}
	slices.SortFunc(fresh, func(a, b *File) int { return strings.Compare(a.Path, b.Path) })
	slices.Sort(dropped)
	x.current.Store(now.merged(fresh, dropped))
}

// save gives the Store what it does not have. It waits for others that do.
func (x *Index) save(ctx context.Context) error {
	x.saving.Lock()
	defer x.saving.Unlock()
	return x.saveAll(ctx)
}

// saveSoon is save, but leaves the work to others who are at it.
func (x *Index) saveSoon(ctx context.Context) {
	for x.pending() && x.saving.TryLock() {
		err := x.saveAll(ctx)
		x.saving.Unlock()
		if err != nil {
			return
		}
	}
}

func (x *Index) pending() bool {
	x.mu.Lock()
	defer x.mu.Unlock()
	return len(x.unsaved) > 0
}

// saveAll saves until there is nothing more. What could not be saved is tried
// again with what comes later.
func (x *Index) saveAll(ctx context.Context) error {
	for {
		changed, removed := x.take()
		if len(changed)+len(removed) == 0 {
			return nil
		}
		if x.o.Store == nil {
			continue
		}
		err := x.o.Store.Save(ctx, changed, removed)
		fresh := x.saved(err)
		switch {
		case err == nil:
		case errors.Is(err, ErrReadOnly):
			x.log.DebugContext(ctx, "the index is not saved", "reason", err)
		default:
			x.putBack(changed, removed)
			if ctx.Err() == nil && fresh {
				x.log.WarnContext(ctx, "the index could not be saved; it is tried again with the next change", "error", err)
			}
			return err
		}
	}
}

// take empties the list of what is to be saved, in order of paths.
func (x *Index) take() (changed []*File, removed []string) {
	x.mu.Lock()
	defer x.mu.Unlock()
	for path, f := range x.unsaved {
		if f == nil {
			removed = append(removed, path)
		} else {
			changed = append(changed, f)
		}
	}
	clear(x.unsaved)
	slices.Sort(removed)
	slices.SortFunc(changed, func(a, b *File) int { return strings.Compare(a.Path, b.Path) })
	return changed, removed
}

// putBack undoes take, but for what has changed since.
func (x *Index) putBack(changed []*File, removed []string) {
	x.mu.Lock()
	defer x.mu.Unlock()
	for _, f := range changed {
		if _, newer := x.unsaved[f.Path]; !newer {
			x.unsaved[f.Path] = f
		}
	}
	for _, path := range removed {
		if _, newer := x.unsaved[path]; !newer {
			x.unsaved[path] = nil
		}
	}
}

// kept says that the Store still has what it was given, if it can tell: what is
// found again need not be saved again then.
func (x *Index) kept() bool {
	if x.o.Store == nil {
		return true
	}
	store, ok := x.o.Store.(interface{ Whole() bool })
	return ok && store.Whole()
}

// saved remembers whether the last saving has worked. fresh reports an outcome that the one
// before it did not have.
func (x *Index) saved(err error) (fresh bool) {
	x.mu.Lock()
	defer x.mu.Unlock()
	before := x.why
	x.why = ""
	if err != nil {
		x.why = err.Error()
	}
	return x.why != before
}

// notSaved says why the index is not on disk.
func (x *Index) notSaved() string {
	if x.o.Store == nil {
		return "the index is kept in memory alone"
	}
	x.mu.Lock()
	defer x.mu.Unlock()
	return x.why
}
