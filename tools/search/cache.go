package search

import (
	"strings"
	"sync"
	"time"

	"github.com/dougu-go/dougu/internal/lru"
)

// CacheOptions limit the cache of search results. The zero value uses the defaults.
type CacheOptions struct {
	// MaxEntries is the maximum number of entries; the least recently used entry is evicted. Default 1,000; negative disables
	// the cache.
	MaxEntries int
	// TTL is the time for which an entry is valid. Default 5 minutes.
	TTL time.Duration
	// MaxBytes limits the approximate total size of all entries, in bytes. Default 32 MiB.
	MaxBytes int
}

func (o CacheOptions) withDefaults() CacheOptions {
	if o.MaxEntries == 0 {
		o.MaxEntries = 1000
	}
	if o.TTL <= 0 {
		o.TTL = 5 * time.Minute
	}
	if o.MaxBytes <= 0 {
		o.MaxBytes = 32 << 20
	}
	return o
}

// cache keeps lists of hits and issues, not finished results: files are read again for each call. Errors are not cached. It is
// safe for concurrent use.
type cache struct {
	ttl time.Duration

	mu      sync.Mutex
	entries lru.Cache[string, cacheEntry]
}

// cacheEntry is a cached value with the time at which it was stored.
type cacheEntry struct {
	value any
	made  time.Time
}

func newCache(o CacheOptions) *cache {
	o = o.withDefaults()
	return &cache{ttl: o.TTL, entries: lru.Cache[string, cacheEntry]{MaxEntries: o.MaxEntries, MaxSize: o.MaxBytes}}
}

// cacheRef names one entry of a cache, which may be missing.
type cacheRef struct {
	cache *cache
	key   string
	age   time.Duration // age of the value that lookup returned; 0 if there was none
}

// lookup returns the value cached under dependsOn, which are all inputs that the value depends on. The reference is valid for
// store even if ok is false.
func lookup[T any](c *cache, dependsOn ...string) (value T, at cacheRef, ok bool) {
	at = cacheRef{cache: c, key: strings.Join(dependsOn, "\x00")}
	c.mu.Lock()
	defer c.mu.Unlock()
	e, ok := c.entries.Get(at.key)
	if !ok {
		return value, at, false
	}
	if at.age = time.Since(e.made); at.age >= c.ttl {
		c.entries.Delete(at.key)
		return value, at, false
	}
	value, ok = e.value.(T)
	return value, at, ok
}

// store caches value, whose size is about size bytes. The value must not be modified afterwards.
func (s cacheRef) store(value any, size int) {
	s.cache.mu.Lock()
	defer s.cache.mu.Unlock()
	s.cache.entries.Put(s.key, cacheEntry{value, time.Now()}, size+len(s.key))
}
