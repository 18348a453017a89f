package segment

import (
	"context"
	"errors"
)

// sharing is the relation of an Index to other processes that use the same segments.
type sharing interface {
	// manifest reads the manifest; seen is called once it is the current state. It is
	// fs.ErrNotExist if there is none, errUnchanged if it is the one seen last. Who is
	// patient would rather wait than be told that it cannot be had.
	manifest(patient bool) (data []byte, seen func(), err error)
	// stale reports that the manifest may have changed. It is called before every query
	// and limits its own checks.
	stale() bool
	// begin takes the lock for a Writer or a merge of this process, of which several
	// may have it; load reads what other processes have committed. end gives it back.
	begin(ctx context.Context, load func() error) error
	end()
	// keeps reports that this process must not remove unused segments.
	keeps() bool
	// merges reports that this process may merge segments.
	merges() bool
	// sweep deletes what is left over, but for these segments; the lock is held.
	sweep(used map[uint64]bool)
	// putAside makes room for a new manifest in place of a damaged one.
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

// writable has this process write, until written is called.
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
