package search

import (
	"strings"
	"sync"
	"time"

	"github.com/dougu-go/dougu/internal/lru"
)

// CacheOptions bound what is kept of answers. The zero value has the defaults.
type CacheOptions struct {
	// Entries is how many are kept, those used last. Default 1,000; negative: none.
	Entries int
	// Life is how long one is kept. Default 5 minutes.
	Life time.Duration
	// Size bounds, roughly, the bytes of all. Default 32 MiB.
	Size int
}

func (o CacheOptions) withDefaults() CacheOptions {
	if o.Entries == 0 {
		o.Entries = 1000
	}
	if o.Life <= 0 {
		o.Life = 5 * time.Minute
	}
	if o.Size <= 0 {
		o.Size = 32 << 20
	}
	return o
}

// cache keeps what was found, not what was answered: files are read again for every answer. Nothing that failed is kept.
type cache struct {
	life time.Duration

	mu      sync.Mutex
	entries lru.Cache[string, cached]
}

type cached struct {
	value any
	made  time.Time
}

func newCache(o CacheOptions) *cache {
	o = o.withDefaults()
	return &cache{life: o.Life, entries: lru.Cache[string, cached]{MaxEntries: o.Entries, MaxSize: o.Size}}
}

// slot is the place of one answer in a cache.
type slot struct {
	cache *cache
	key   string
	age   time.Duration // of the value that was found there
}

// lookUp returns the value that is kept for everything that an answer depends on, and its place, also if there is none.
func lookUp[T any](c *cache, dependsOn ...string) (value T, at slot, ok bool) {
	at = slot{cache: c, key: strings.Join(dependsOn, "\x00")}
	c.mu.Lock()
	defer c.mu.Unlock()
	e, ok := c.entries.Get(at.key)
	if !ok {
		return value, at, false
	}
	if at.age = time.Since(e.made); at.age >= c.life {
		c.entries.Delete(at.key)
		return value, at, false
	}
	value, ok = e.value.(T)
	return value, at, ok
}

// keep keeps a value, which must not change any more, of about so many bytes.
func (s slot) keep(value any, size int) {
	s.cache.mu.Lock()
	defer s.cache.mu.Unlock()
	s.cache.entries.Put(s.key, cached{value, time.Now()}, size+len(s.key))
}
