package dirwatch

import (
	"context"
	"os"
	"path/filepath"
	"strconv"
	"sync"
)

// Barrier reports when a Subject has all changes up to a moment. The zero value is ready to use, by one Watch at a time.
//
// The system reports changes in the order in which they happen. Pass creates a file, the mark, in a directory that the same watcher
// watches: when the mark is reported, all earlier changes are.
type Barrier struct {
	mu      sync.Mutex
	dir     string               // directory of the marks; "" while changes are not reported completely and in order
	waiting map[string]chan bool // by the name of a mark; each channel has room for the result
	number  uint64               // of the last mark
}

// Pass waits until the Subject has all changes that were made before the call, and returns true. It returns false if that cannot be
// known: no Watch runs or it still scans, directories are not watched, their file system is not a local one, or the system does not
// report changes in order. Changes through memory maps of files are not reported. The error is that of ctx.
func (b *Barrier) Pass(ctx context.Context) (bool, error) {
	b.mu.Lock()
	if b.dir == "" {
		b.mu.Unlock()
		return false, ctx.Err()
	}
	b.number++
	name := filepath.Join(b.dir, strconv.FormatUint(b.number, 10))
	passed := make(chan bool, 1)
	b.waiting[name] = passed
	b.mu.Unlock()
	defer b.forget(name)
	if err := os.WriteFile(name, nil, 0o600); err != nil {
		return false, ctx.Err()
	}
	defer os.Remove(name)
	select {
	case ok := <-passed:
		return ok, nil
	case <-ctx.Done():
		return false, ctx.Err()
	}
}

func (b *Barrier) forget(name string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	delete(b.waiting, name)
}

// open lets callers pass by marks in dir. A nil Barrier has no callers.
func (b *Barrier) open(dir string) {
	if b == nil {
		return
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.dir = dir
	if b.waiting == nil {
		b.waiting = make(map[string]chan bool)
	}
}

// close turns back the waiting callers and later ones.
func (b *Barrier) close() {
	if b == nil {
		return
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.dir = ""
	for _, passed := range b.waiting {
		passed <- false
	}
	clear(b.waiting)
}

// release lets the callers of these marks pass.
func (b *Barrier) release(marks []string) {
	if b == nil {
		return
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, name := range marks {
		if passed, ok := b.waiting[name]; ok {
			passed <- true
			delete(b.waiting, name)
		}
	}
}
