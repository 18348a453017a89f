// Package keymutex lets one goroutine at a time work on an object that a key names, for example a file or a repository. The others wait
// no longer than a context lasts.
package keymutex

import (
	"context"
	"sync"

	"golang.org/x/sync/semaphore"
)

// Mutex is a mutex for each key, held by one goroutine at a time. Goroutines get it in the order in which they began to wait. The zero
// value is ready to use; it must not be copied. A key that is neither held nor waited for takes no memory.
type Mutex[K comparable] struct {
	mu    sync.Mutex
	byKey map[K]*entry
}

// entry is the mutex of one key.
type entry struct {
	held  *semaphore.Weighted
	users int // goroutines that hold it or wait for it; guarded by Mutex.mu
}

// Lock waits for the mutex of a key, and returns the function that unlocks it, of which only the first call counts. A free mutex is
// locked even if ctx has ended. If ctx ends while Lock waits, the error is the cause of that.
func (m *Mutex[K]) Lock(ctx context.Context, key K) (unlock func(), err error) {
	e := m.enter(key)
	if e.held.TryAcquire(1) {
		return m.unlock(key, e), nil
	}
	if e.held.Acquire(ctx, 1) != nil {
		m.leave(key, e)
		return nil, context.Cause(ctx)
	}
	return m.unlock(key, e), nil
}

// TryLock is Lock for a mutex that is free, and returns false for any other.
func (m *Mutex[K]) TryLock(key K) (unlock func(), ok bool) {
	e := m.enter(key)
	if !e.held.TryAcquire(1) {
		m.leave(key, e)
		return nil, false
	}
	return m.unlock(key, e), true
}

func (m *Mutex[K]) unlock(key K, e *entry) func() {
	return sync.OnceFunc(func() {
		e.held.Release(1)
		m.leave(key, e)
	})
}

func (m *Mutex[K]) enter(key K) *entry {
	m.mu.Lock()
	defer m.mu.Unlock()
	e := m.byKey[key]
	if e == nil {
		e = &entry{held: semaphore.NewWeighted(1)}
		if m.byKey == nil {
			m.byKey = make(map[K]*entry)
		}
		m.byKey[key] = e
	}
	e.users++
	return e
}

func (m *Mutex[K]) leave(key K, e *entry) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if e.users--; e.users == 0 {
		delete(m.byKey, key)
	}
}
