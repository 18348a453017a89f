package segment

import (
	"context"
	"errors"
	"fmt"
	"io"

	"golang.org/x/sync/semaphore"
)

// Store keeps the segments and the manifest of one index in a database that processes
// on several machines share. Their content is opaque to it. The methods are safe for
// concurrent use. They apply a time limit of their own if the context has no deadline.
type Store interface {
	// Lock gives this process the exclusive right to write, until Unlock. It deletes
	// segments that were created and never committed. If another process holds the
	// lock, Lock waits for a limited time. The error is then index.ErrWriting and names
	// the other process if possible.
	Lock(ctx context.Context) error
	// Unlock releases the right to write.
	Unlock()
	// Manifest returns the manifest of the last commit and its unique version. data is
	// nil if the version equals known. The error is fs.ErrNotExist before the first
	// commit.
	Manifest(ctx context.Context, known uint64) (data []byte, version uint64, err error)
	// Create starts a segment, which is written sequentially. Close returns an error
	// unless the segment is stored completely.
	Create(ctx context.Context, number uint64) (io.WriteCloser, error)
	// Commit durably replaces the manifest. It fails if this process lost the lock
	// since Lock, so that it never overwrites a commit of another process. live are the
	// segments that the manifest names; others may be deleted after some minutes, when
	// no process reads them. After an error nothing has changed.
	Commit(ctx context.Context, manifest []byte, live []uint64) (version uint64, err error)
	// Remove deletes a segment that was created and not committed. It does nothing for
	// a committed segment, or after the lock was lost.
	Remove(ctx context.Context, number uint64) error
	// ReadAt fills p with a part of a created or committed segment, or returns an
	// error. The error is fs.ErrNotExist if that part does not exist.
	ReadAt(ctx context.Context, number uint64, p []byte, offset int64) error
	// Close releases the resources of the Store.
	Close() error
}

// PageSize is the unit of reading in bytes. ReadAt is called for one page at a multiple
// of PageSize, or for the entire segment. Only the end of a segment is read in other
// units.
const PageSize = pageSize

// OpenStore opens the index in a Store, which the Index then owns and closes. One
// process at a time may write, while it has an open Writer or merges segments. Other
// processes see a commit within 200 ms. While the Store is unreachable, queries use the
// data that was read before. Begin waits like Store.Lock.
func OpenStore(ctx context.Context, s Store, o Options) (*Index, error) {
	o = o.withDefaults()
	r := &remote{Store: s, memory: budget{limit: o.Memory}, turn: semaphore.NewWeighted(1)}
	ix := newIndex(r, o)
	ix.shared, r.ctx = r, ix.ctx
	if err := ix.load(false); err != nil {
		return nil, errors.Join(fmt.Errorf("opening the search index: %w", err), ix.Close(context.WithoutCancel(ctx)))
	}
	return ix, nil
}
