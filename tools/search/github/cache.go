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
	cacheEntry   = 1 << 20
	// mostAge is how old an answer may be that stands in for one that cannot be had.
	mostAge = 10 * time.Minute
)

// answer is a response that was read to its end.
type answer struct {
	status int
	header http.Header
	body   []byte
	at     time.Time // when it was last known to be current
}

// response is the answer as the standard library has it.
func (a *answer) response(req *http.Request) *http.Response {
	return &http.Response{
		Status: http.StatusText(a.status), StatusCode: a.status, Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
		Header: a.header, Body: io.NopCloser(bytes.NewReader(a.body)), ContentLength: int64(len(a.body)), Request: req,
	}
}

// confirmed is the answer when it was said again that it is current, with what was
// said of the limits then. Others read the answer itself.
func (a *answer) confirmed(said http.Header, at time.Time) *answer {
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

// cache keeps answers with their ETags, the most recently used ones. A plugin has
// one token, so everything in it was answered to the same one.
type cache struct {
	mu      sync.Mutex
	answers lru.Cache[string, *answer]
}

func newCache() *cache {
	return &cache{answers: lru.Cache[string, *answer]{MaxEntries: cacheEntries, MaxSize: cacheBytes}}
}

// get is the answer to a request, or nil.
func (c *cache) get(key string) *answer {
	c.mu.Lock()
	defer c.mu.Unlock()
	a, _ := c.answers.Get(key)
	return a
}

func (c *cache) put(key string, a *answer) {
	if len(a.body) > cacheEntry || a.header.Get("Etag") == "" {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.answers.Put(key, a, len(a.body))
}

// freshness says that older answers will do when there are none to be had, and is
// told how old they were.
type freshness struct{ age time.Duration }

type freshnessKey struct{}

// oldWillDo is a context in which requests may be answered with what is known.
func oldWillDo(ctx context.Context) (context.Context, *freshness) {
	f := new(freshness)
	return context.WithValue(ctx, freshnessKey{}, f), f
}

// instead is an older answer in place of none, or nil.
func (c *cache) instead(ctx context.Context, key string) *answer {
	f, _ := ctx.Value(freshnessKey{}).(*freshness)
	if f == nil {
		return nil
	}
	a := c.get(key)
	if a == nil {
		return nil
	}
	age := time.Since(a.at)
	if age > mostAge {
		return nil
	}
	f.age = max(f.age, age)
	return a
}
