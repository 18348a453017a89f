package security

import (
	"context"
	"errors"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/dougu-go/dougu/internal/rootfs"
	"github.com/dougu-go/dougu/security/audit"
	"github.com/dougu-go/dougu/security/internal/slashpath"
)

// maxTrash is how many entries of the trash are kept.
const maxTrash = 1000

// prune removes the oldest entries of the trash, but never the given ones, which were just made. A removal that fails is tried again at the
// next deletion.
func (r *Root) prune(ctx context.Context, t *tree, made ...string) {
	entries := trashEntries(t)
	surplus := len(entries) - maxTrash
	if surplus <= 0 {
		return
	}
	entries = slices.DeleteFunc(entries, func(name string) bool { return slices.Contains(made, name) })
	surplus = min(surplus, len(entries))
	oldestFirst(entries)
	now, cancel := context.WithCancelCause(ctx)
	cancel(errTaken)
	// Whoever moves something out of the trash has a lock below, and then this is for the next one.
	c := newClaim(target{tree: t, rel: TrashDir}, TrashDir, true)
	got, err := r.locks.acquire(now, c.key(), c.note)
	if err != nil {
		return
	}
	defer got.release()
	if busy, err := r.locks.below(c, held{got}); busy || err != nil {
		return
	}
	record, err := r.audit.Begin(ctx, audit.Entry{Operation: "fs.prune", Params: pruneParams{Path: t.location(TrashDir).Path, Entries: entries[:surplus]}})
	if err != nil {
		r.log.ErrorContext(ctx, "trash not pruned, because that could not be recorded", "error", err)
		return
	}
	var failed error
	for _, name := range entries[:surplus] {
		failed = errors.Join(failed, removeEntry(t, name))
	}
	if failed != nil {
		r.log.WarnContext(ctx, "old trash not removed", "error", failed)
	}
	if err := record.End(failed); err != nil {
		r.log.ErrorContext(ctx, "outcome of a change not recorded", "error", err)
	}
}

// oldestFirst sorts names that begin with a time of trashLayout. A name whose time lies ahead of the clock counts as older than all
// others: a clock that was wrong, or a repository, must not bring entries that displace every later one.
func oldestFirst(names []string) {
	now := time.Now().UTC().Format(trashLayout) // after the names were listed: other processes make entries meanwhile
	ahead := func(name string) bool { return name[:len(trashLayout)] > now }
	slices.SortFunc(names, func(a, b string) int {
		switch {
		case ahead(a) == ahead(b):
			return strings.Compare(a, b)
		case ahead(a):
			return -1
		}
		return 1
	})
}

// pruneParams is what the audit log tells about what is removed for good.
type pruneParams struct {
	Path    string   `json:"path"`
	Entries []string `json:"entries"`
}

// trashEntries lists the entries that Trash has made, if the trash is a real directory.
func trashEntries(t *tree) []string {
	d, err := t.OpenDir(TrashDir)
	if err != nil {
		return nil
	}
	defer d.Close()
	if d.Path != TrashDir {
		return nil
	}
	var names []string
	for {
		entries, err := d.Next(512)
		if err != nil {
			return names
		}
		for _, e := range entries {
			if e.Type.IsDir() && isTrashEntry(e.Name) {
				names = append(names, e.Name)
			}
		}
	}
}

func removeEntry(t *tree, name string) error {
	final := slashpath.Join(TrashDir, name)
	place, err := t.Place(final, false)
	if err != nil {
		return err
	}
	defer place.Close()
	if place.Path != final || place.Info == nil {
		return nil
	}
	return place.RemoveAll()
}

// tidy removes directories of an entry of the trash that are empty now, from the given one upwards.
func (r *Root) tidy(t *tree, dir string) {
	for ; strings.HasPrefix(dir, TrashDir+"/"); dir = path.Dir(dir) {
		place, err := t.Place(dir, false)
		if err != nil {
			return
		}
		if place.Path != dir || place.Info == nil || !place.Info.IsDir() {
			place.Close()
			return
		}
		err = place.Remove(rootfs.Process)
		place.Close()
		if err != nil {
			return // not empty
		}
	}
}
