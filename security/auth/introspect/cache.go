package introspect

import (
	"sync"
	"time"

	"github.com/dougu-go/dougu/internal/lru"
	"github.com/dougu-go/dougu/security/auth"
)

// result is the outcome of one introspection. grant and err are valid after done is closed.
type result struct {
	grant *auth.Grant
	err   error
	until time.Time // end of its use; zero if it is not cached
	done  chan struct{}
}

// resultCache holds results by token hash, and the running introspections. It is safe for
// concurrent use.
type resultCache struct {
	mu             sync.Mutex
	valid, invalid lru.Cache[string, *result] // separate, so that invalid tokens cannot evict valid ones
	pending        map[string]*result         // running introspections
}

// init sets the maximum number of cached results; the default is 10,000.
func (a *resultCache) init(most int) {
	if most <= 0 {
		most = 10_000
	}
	a.valid = lru.Cache[string, *result]{MaxEntries: most, MaxSize: most}
	a.invalid = lru.Cache[string, *result]{MaxEntries: most/10 + 1, MaxSize: most}
	a.pending = make(map[string]*result)
}

// enter returns the result of a token. isNew reports that the caller must complete it.
func (a *resultCache) enter(key string) (found *result, isNew bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	for _, kept := range [...]*lru.Cache[string, *result]{&a.valid, &a.invalid} {
		if found, ok := kept.Get(key); ok {
			if time.Now().Before(found.until) {
				return found, false
			}
			kept.Delete(key)
		}
	}
	if found, ok := a.pending[key]; ok {
		return found, false
	}
	found = &result{done: make(chan struct{})}
	a.pending[key] = found
	return found, true
}

// complete publishes a result to all waiting callers and caches it until its end.
func (a *resultCache) complete(key string, found *result) {
	a.mu.Lock()
	defer a.mu.Unlock()
	delete(a.pending, key)
	switch {
	case found.until.IsZero():
	case found.err != nil:
		a.invalid.Put(key, found, 1)
	case found.err == nil:
		a.valid.Put(key, found, 1)
	}
	close(found.done)
}
