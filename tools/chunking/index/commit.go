package index

import (
	"context"
	"errors"
	"slices"
	"strings"
)

// removal records that a path has no file to index any more.
type removal struct {
	path string
	turn uint64 // sequence number of the observation
}

// commit publishes read files and removals in a new Snapshot, except where the index
// has a newer reading. With known set, files that the index does not contain are not
// added.
func (x *Index) commit(changed []*File, removed []removal, known bool) {
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

// save writes all unsaved changes to the Store. It waits for a concurrent save.
func (x *Index) save(ctx context.Context) error {
	x.saving.Lock()
	defer x.saving.Unlock()
	return x.saveAll(ctx)
}

// saveSoon is save without waiting: a concurrent save takes over the changes.
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

// saveAll saves until no change is left. Changes that could not be saved are kept for
// the next attempt. The caller holds x.saving.
func (x *Index) saveAll(ctx context.Context) error {
	for {
		changed, removed := x.takeUnsaved()
		if len(changed)+len(removed) == 0 {
			return nil
		}
		if x.o.Store == nil {
			continue
		}
		err := x.o.Store.Save(ctx, changed, removed)
		fresh := x.recordSave(err)
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

// takeUnsaved empties the set of unsaved changes and returns them, sorted by path.
func (x *Index) takeUnsaved() (changed []*File, removed []string) {
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

// putBack restores changes after a failed save, except those replaced by newer ones.
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

// storeIntact reports whether the Store still has all saved data. If so, unchanged
// results need not be saved again. A Store without the method Intact counts as not
// intact.
func (x *Index) storeIntact() bool {
	if x.o.Store == nil {
		return true
	}
	store, ok := x.o.Store.(interface{ Intact() bool })
	return ok && store.Intact()
}

// repaired records that all files were read since the Store was loaded.
func (x *Index) repaired() {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.damage = ""
}

// recordSave stores the result of a save for Report.NotSaved. fresh reports whether it
// differs from the previous result, so that a repeated error is logged once.
func (x *Index) recordSave(err error) (fresh bool) {
	x.mu.Lock()
	defer x.mu.Unlock()
	before := x.why
	x.why = ""
	if err != nil {
		x.why = err.Error()
	}
	return x.why != before
}

// notSaved returns the reason why the index is not on disk, or "".
func (x *Index) notSaved() string {
	if x.o.Store == nil {
		return "the index is kept in memory only"
	}
	x.mu.Lock()
	defer x.mu.Unlock()
	return x.why
}
