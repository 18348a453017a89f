package segment

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"sync"
	"sync/atomic"
	"time"

	"github.com/dougu-go/dougu/tools/search/index"
)

// Open opens the index in a directory and creates a missing directory for this user
// only. If another process has the index open for writing, it is read-only here: Begin
// returns an error that is index.ErrWriting, and commits of the other process become
// visible.
//
// Data that is damaged or of another version is logged and dropped. Its files then
// count as unknown and are indexed again.
func Open(ctx context.Context, dir string, o Options) (*Index, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	o = o.withDefaults()
	d, err := openDisk(dir, o.Memory)
	if err != nil {
		return nil, fmt.Errorf("opening the search index: %w", err)
	}
	ix := newIndex(d, o)
	f := &follower{disk: d}
	ix.shared = f
	ok, err := d.lock()
	if err == nil {
		f.reading.Store(!ok)
		err = ix.load(ok)
	}
	if err != nil {
		return nil, errors.Join(fmt.Errorf("opening the search index: %w", err), ix.Close(context.WithoutCancel(ctx)))
	}
	ix.tidy()
	return ix, nil
}

// putAside keeps a damaged manifest under another name for diagnosis, and deletes the
// other files.
func (d *disk) putAside() {
	_ = d.dir.Rename(manifestName, manifestBad)
	d.sweep(nil)
}

// follower tracks the changes of a directory by other processes.
type follower struct {
	*disk
	reading atomic.Bool // another process holds the lock

	mu      sync.Mutex
	checked time.Time
	info    fs.FileInfo // file information of the last manifest
}

// followEvery is the interval at which a reader checks for a new manifest.
const followEvery = 200 * time.Millisecond

// manifest reads the manifest of the directory.
func (f *follower) manifest(bool) ([]byte, func(), error) {
	data, info, err := f.disk.manifest()
	return data, func() {
		f.mu.Lock()
		defer f.mu.Unlock()
		f.info = info
	}, err
}

// stale reports whether the manifest has changed since it was read. It checks at most
// once per followEvery.
func (f *follower) stale() bool {
	if !f.reading.Load() {
		return false
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	now := time.Now()
	if now.Sub(f.checked) < followEvery {
		return false
	}
	f.checked = now
	info, err := f.dir.Stat(manifestName)
	return err == nil && (f.info == nil || !os.SameFile(info, f.info) || !info.ModTime().Equal(f.info.ModTime()) || info.Size() != f.info.Size())
}

// begin takes the lock if the process that held it has ended. The lock is kept until
// the index is closed.
func (f *follower) begin(_ context.Context, load func() error) error {
	if !f.reading.Load() {
		return nil
	}
	ok, err := f.lock()
	if err != nil {
		return fmt.Errorf("locking the search index: %w", err)
	}
	if !ok {
		return fmt.Errorf("another process has opened the search index: %w", index.ErrWriting)
	}
	if err := load(); err != nil {
		return fmt.Errorf("reading the search index: %w", err)
	}
	f.reading.Store(false)
	return nil
}

func (*follower) end() {}

func (f *follower) keeps() bool  { return f.reading.Load() }
func (f *follower) merges() bool { return !f.reading.Load() }
