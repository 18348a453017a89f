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

// cacheKey joins what an answer depends on.
func cacheKey(parts ...string) string { return strings.Join(parts, "\x00") }

// lookUp answers what is kept under a key, and how old it is.
func lookUp[T any](c *cache, key string) (value T, age time.Duration, ok bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	e, ok := c.entries.Get(key)
	if !ok {
		return value, 0, false
	}
	if age = time.Since(e.made); age >= c.life {
		c.entries.Delete(key)
		return value, 0, false
	}
	value, ok = e.value.(T)
	return value, age, ok
}

// keep keeps a value, which must not change any more, of about so many bytes.
func (c *cache) keep(key string, value any, size int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.entries.Put(key, cached{value, time.Now()}, size+len(key))
}
