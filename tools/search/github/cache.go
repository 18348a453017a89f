package github

import (
	"bytes"
	"context"
	"io"
	"net/http"
	"sync"
	"time"

	"github.com/dougu-go/dougu/internal/lru"
)

const (
	cacheEntries = 64
	cacheBytes   = 8 << 20
	maxEntrySize = 1 << 20
	// maxStaleAge is the maximum age of a cached response that replaces a failed request.
	maxStaleAge = 10 * time.Minute
)

// apiResponse is a completely read response.
type apiResponse struct {
	status int
	header http.Header
	body   []byte
	at     time.Time // time at which it was last known to be current
}

// toHTTP returns the response as an http.Response.
func (a *apiResponse) toHTTP(req *http.Request) *http.Response {
	return &http.Response{
		Status: http.StatusText(a.status), StatusCode: a.status, Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
		Header: a.header, Body: io.NopCloser(bytes.NewReader(a.body)), ContentLength: int64(len(a.body)), Request: req,
	}
}

// revalidated returns a copy with the time and the rate limit headers of a 304 response. The original may be in use elsewhere.
func (a *apiResponse) revalidated(said http.Header, at time.Time) *apiResponse {
	current := *a
	current.at, current.header = at, a.header.Clone()
	for _, name := range []string{"Date", "X-Ratelimit-Limit", "X-Ratelimit-Remaining", "X-Ratelimit-Used", "X-Ratelimit-Reset", "Retry-After"} {
		current.header.Del(name)
		if value := said.Get(name); value != "" {
			current.header.Set(name, value)
		}
	}
	return &current
}

// cache keeps the most recently used responses with their ETags. A plugin has one token, so all responses have the same rights.
// It is safe for concurrent use.
type cache struct {
	mu      sync.Mutex
	answers lru.Cache[string, *apiResponse]
}

func newCache() *cache {
	return &cache{answers: lru.Cache[string, *apiResponse]{MaxEntries: cacheEntries, MaxSize: cacheBytes}}
}

// get returns the cached response, or nil.
func (c *cache) get(key string) *apiResponse {
	c.mu.Lock()
	defer c.mu.Unlock()
	a, _ := c.answers.Get(key)
	return a
}

// put caches a response that has an ETag and is not too large.
func (c *cache) put(key string, a *apiResponse) {
	if len(a.body) > maxEntrySize || a.header.Get("Etag") == "" {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.answers.Put(key, a, len(a.body))
}

// staleness permits cached responses instead of failed requests, and records their greatest age.
type staleness struct{ age time.Duration }

// stalenessKey is the context key of a *staleness.
type stalenessKey struct{}

// allowStale returns a context in which failed requests may return cached responses.
func allowStale(ctx context.Context) (context.Context, *staleness) {
	f := new(staleness)
	return context.WithValue(ctx, stalenessKey{}, f), f
}

// stale returns a cached response in place of a failed request, or nil.
func (c *cache) stale(ctx context.Context, key string) *apiResponse {
	f, _ := ctx.Value(stalenessKey{}).(*staleness)
	if f == nil {
		return nil
	}
	a := c.get(key)
	if a == nil {
		return nil
	}
	age := time.Since(a.at)
	if age > maxStaleAge {
		return nil
	}
	f.age = max(f.age, age)
	return a
}
