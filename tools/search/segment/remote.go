package segment

import (
	"context"
	"errors"
	"io/fs"
	"sync"
	"time"

	"golang.org/x/sync/semaphore"
)

// remote is a store on top of a Store, and tracks the changes of other processes.
type remote struct {
	Store
	ctx    context.Context     // context of the Index
	turn   *semaphore.Weighted // one permit, for changes of holds
	holds  int                 // number of writers and merges that use the lock
	memory budget

	mu      sync.Mutex
	writing bool      // holds is not 0
	next    time.Time // time of the next check for a manifest
	version uint64    // version of the last manifest
}

// Limits of the check for a new manifest before a query: its time limit, and the delay
// after a failed check.
const (
	followTime  = 2 * time.Second
	followAgain = 5 * time.Second
)

func (r *remote) create(number uint64) (newFile, error) {
	return r.Create(context.WithoutCancel(r.ctx), number)
}

func (r *remote) open(number uint64, size int64, sum uint32) (*blob, func(), error) {
	name := segmentName(number)
	whole := r.memory.reserve(size)
	b, err := newBlob(name, part{r, number}, size, sum, whole)
	if err != nil {
		if whole {
			r.memory.reserve(-size)
		}
		return nil, nil, err
	}
	return b, func() {
		if whole {
			r.memory.reserve(-size)
		}
	}, nil
}

// part reads a segment of a Store.
type part struct {
	*remote
	number uint64
}

func (p part) ReadAt(data []byte, offset int64) (int, error) {
	err := p.Store.ReadAt(p.ctx, p.number, data, offset)
	if errors.Is(err, fs.ErrNotExist) {
		err = &Damage{Name: segmentName(p.number), Description: "the file is missing"}
	}
	if err != nil {
		return 0, err
	}
	return len(data), nil
}

// remove deletes a segment. After an error, the segment remains until the next Lock.
func (r *remote) remove(number uint64) { _ = r.Remove(context.WithoutCancel(r.ctx), number) }

func (r *remote) commit(manifest []byte, live []uint64) error {
	version, err := r.Commit(context.WithoutCancel(r.ctx), manifest, live)
	if err == nil {
		r.setVersion(version)
	}
	return err
}

func (r *remote) close() error { return r.Close() }

func (r *remote) setVersion(version uint64) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.version = version
}

// manifest reads the manifest. If wait is true, or at the first call, it waits for the
// time limit of the Store, otherwise for followTime.
func (r *remote) manifest(wait bool) ([]byte, func(), error) {
	r.mu.Lock()
	known := r.version
	r.mu.Unlock()
	ctx := r.ctx
	if !wait && known != 0 {
		limited, cancel := context.WithTimeout(ctx, followTime)
		defer cancel()
		ctx = limited
	}
	data, version, err := r.Manifest(ctx, known)
	switch {
	case err != nil && !errors.Is(err, fs.ErrNotExist):
		r.mu.Lock()
		r.next = time.Now().Add(followAgain)
		r.mu.Unlock()
	case err == nil && data == nil:
		err = errUnchanged
	}
	return data, func() { r.setVersion(version) }, err
}

// stale returns false while this process writes, because no other process can write
// then.
func (r *remote) stale() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	now := time.Now()
	if r.writing || now.Before(r.next) {
		return false
	}
	r.next = now.Add(followEvery)
	return true
}

// begin takes the lock for the first writer or merge of this process. It waits for
// concurrent calls of begin and end.
func (r *remote) begin(ctx context.Context, load func() error) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	defer context.AfterFunc(r.ctx, cancel)()
	if err := r.turn.Acquire(ctx, 1); err != nil {
		return err
	}
	defer r.turn.Release(1)
	if r.holds == 0 {
		if err := r.Lock(ctx); err != nil {
			return err
		}
		if err := load(); err != nil {
			r.Unlock()
			return err
		}
	}
	r.count(+1)
	return nil
}

func (r *remote) end() {
	_ = r.turn.Acquire(context.Background(), 1) // cannot fail without a deadline
	defer r.turn.Release(1)
	if r.count(-1); r.holds == 0 {
		r.Unlock()
	}
}

func (r *remote) count(n int) {
	r.holds += n
	r.mu.Lock()
	defer r.mu.Unlock()
	r.writing = r.holds > 0
}

func (*remote) keeps() bool           { return true }
func (*remote) merges() bool          { return true }
func (*remote) sweep(map[uint64]bool) {}
func (*remote) putAside()             {}
