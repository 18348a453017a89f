package segment

import (
	"context"
	"errors"
	"fmt"
	"io"

	"golang.org/x/sync/semaphore"
)

// Store keeps the segments and the manifest of one index where processes on several
// machines have them, in a database. All that it keeps is opaque to it. Its methods
// may be called from several goroutines at once, and take no longer than a limit of
// its own where the context sets none.
type Store interface {
	// Lock lets this process alone write, until Unlock, and forgets segments that were
	// created and never committed. It waits for others no longer than it is useful: its
	// error is then index.ErrWriting, and says who writes if it can.
	Lock(ctx context.Context) error
	Unlock()
	// Manifest reads the manifest that was committed last, with a version that differs
	// from those of all before. It is nil if that is the known version, and
	// fs.ErrNotExist if nothing was committed yet.
	Manifest(ctx context.Context, known uint64) (data []byte, version uint64, err error)
	// Create begins a segment, which is written through to the end; Close says whether
	// all of it is kept.
	Create(ctx context.Context, number uint64) (io.WriteCloser, error)
	// Commit replaces the manifest, durably, if this process has had the lock since
	// Lock: what another one has committed meanwhile is never lost. live are the
	// segments that the manifest names; others may be deleted, some minutes later, when
	// nobody reads them any more. An error says that nothing has changed.
	Commit(ctx context.Context, manifest []byte, live []uint64) (version uint64, err error)
	// Remove deletes a segment that was created and not committed; it leaves one alone
	// that is committed, by whomever, and all if the lock was lost.
	Remove(ctx context.Context, number uint64) error
	// ReadAt reads a part of a segment, created or committed: all of p, or an error. It
	// is fs.ErrNotExist if that is not there.
	ReadAt(ctx context.Context, number uint64, p []byte, offset int64) error
	// Close ends the use.
	Close() error
}

// PageSize is how many bytes of a segment belong together: ReadAt is asked for one
// page, at a multiple of it, or for everything. Only the end of a segment is read in
// other parts.
const PageSize = pageSize

// OpenStore opens an index that a Store keeps, of which the Index then is the owner.
// One process at a time may write, for as long as a Writer is open or segments are
// merged; what one commits is found by the others within a fifth of a second, and what
// was read before is answered from while the Store cannot be reached. Begin waits as
// the Store's Lock does.
func OpenStore(ctx context.Context, s Store, o Options) (*Index, error) {
	o = o.filled()
	r := &remote{Store: s, memory: budget{limit: o.Memory}, turn: semaphore.NewWeighted(1)}
	ix := newIndex(r, o)
	ix.shared, r.ctx = r, ix.ctx
	if err := ix.load(false); err != nil {
		return nil, errors.Join(fmt.Errorf("opening the search index: %w", err), ix.Close(context.WithoutCancel(ctx)))
	}
	return ix, nil
}
