package introspect

import (
	"sync"
	"time"

	"github.com/dougu-go/dougu/internal/lru"
	"github.com/dougu-go/dougu/security/auth"
)

// answer is what was found out about a token, once done is closed.
type answer struct {
	grant *auth.Grant
	err   error
	until time.Time // when it is to be asked again; zero: it is not kept
	done  chan struct{}
}

// answers are those that are still believed, by the hashes of tokens, and those that
// are being waited for.
type answers struct {
	mu        sync.Mutex
	good, bad lru.Cache[string, *answer] // apart: made-up tokens push no real ones out
	pending   map[string]*answer
}

func (a *answers) init(most int) {
	if most <= 0 {
		most = 10_000
	}
	a.good = lru.Cache[string, *answer]{MaxEntries: most, MaxSize: most}
	a.bad = lru.Cache[string, *answer]{MaxEntries: most/10 + 1, MaxSize: most}
	a.pending = make(map[string]*answer)
}

// enter returns the answer for a token; isNew says that the caller has to find it.
func (a *answers) enter(key string) (found *answer, isNew bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	for _, kept := range [...]*lru.Cache[string, *answer]{&a.good, &a.bad} {
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
	found = &answer{done: make(chan struct{})}
	a.pending[key] = found
	return found, true
}

// settle tells an answer to all who wait for it, and keeps it for a while.
func (a *answers) settle(key string, found *answer) {
	a.mu.Lock()
	defer a.mu.Unlock()
	delete(a.pending, key)
	switch {
	case found.until.IsZero():
	case found.err != nil:
		a.bad.Put(key, found, 1)
	case found.err == nil:
		a.good.Put(key, found, 1)
	}
	close(found.done)
}
