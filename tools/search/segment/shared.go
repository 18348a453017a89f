package segment

import (
	"context"
	"errors"
)

// sharing is the relation of an Index to other processes that use the same segments.
type sharing interface {
	// manifest reads the manifest. The caller calls seen when the manifest is the current
	// state. The error is fs.ErrNotExist if there is none, and errUnchanged if it equals
	// the last seen one. wait allows a long delay for a slow store.
	manifest(wait bool) (data []byte, seen func(), err error)
	// stale reports that the manifest may have changed. It is called before every query
	// and limits its own checks.
	stale() bool
	// begin takes the lock for a Writer or a merge; several of this process may have it.
	// load reads the commits of other processes. end releases the lock.
	begin(ctx context.Context, load func() error) error
	end()
	// keeps reports that this process must not remove unused segments.
	keeps() bool
	// merges reports that this process may merge segments.
	merges() bool
	// sweep deletes all unused segments. The caller holds the lock.
	sweep(used map[uint64]bool)
	// putAside moves a damaged manifest away, so that a new one can be written.
	putAside()
}

// errUnchanged reports that the manifest has not changed.
var errUnchanged = errors.New("the manifest is the same")

// follow loads the commits of other processes.
func (ix *Index) follow() {
	if ix.shared == nil || !ix.shared.stale() {
		return
	}
	if err := ix.load(false); err != nil {
		ix.o.Log.Warn("the search index could not be read again", "error", err)
	}
}

// writable makes this process the writer until written is called.
func (ix *Index) writable(ctx context.Context) error {
	if ix.shared == nil {
		return nil
	}
	return ix.shared.begin(ctx, func() error { return ix.load(true) })
}

func (ix *Index) written() {
	if ix.shared != nil {
		ix.shared.end()
	}
}
