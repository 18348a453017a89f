package mcp

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/dougu-go/dougu/internal/jsonx"
	"github.com/dougu-go/dougu/internal/lru"
)

// CacheOptions bound what a client keeps of a server's answers: lists and
// resources, for as long as the server allows and no notification says that they
// have changed (2026-07-28, server/utilities/caching). Zero values have the
// defaults.
type CacheOptions struct {
	MaxEntries int // default 1024 answers
	MaxBytes   int // default 16 MiB
}

const (
	// maxTTL is the longest that anything is kept: what a server says of the time
	// after that is not worth much.
	maxTTL = 24 * time.Hour
	// entryCost is what an entry takes beside its key and answer, in bytes.
	entryCost = 256
)

// cache keeps answers as they came, so that whoever gets one decodes it anew.
// What is used least goes first. A nil cache keeps nothing.
type cache struct {
	mu      sync.Mutex
	entries lru.Cache[string, *cached]
	epoch   uint64 // counts invalidations
}

// cached is one answer.
type cached struct {
	method  string
	uri     string // of a resource that was read
	key     string
	raw     json.RawMessage
	expires time.Time
}

func (e *cached) size() int { return len(e.key) + len(e.raw) + entryCost }

func newCache(o *CacheOptions) *cache {
	bounds := CacheOptions{MaxEntries: 1024, MaxBytes: 16 << 20}
	if o != nil && o.MaxEntries > 0 {
		bounds.MaxEntries = o.MaxEntries
	}
	if o != nil && o.MaxBytes > 0 {
		bounds.MaxBytes = o.MaxBytes
	}
	return &cache{entries: lru.Cache[string, *cached]{MaxEntries: bounds.MaxEntries, MaxSize: bounds.MaxBytes}}
}

// cacheKey is the method and all params that may make a difference; what traces
// a request does not. params lack their closing brace.
func cacheKey(method string, params []byte, meta Meta) (string, error) {
	key := append([]byte(method), params...)
	if len(meta) > 0 {
		var err error
		if key, err = marshal(key, meta); err != nil {
			return "", fmt.Errorf("encoding the _meta of a request: %w", err)
		}
	}
	return string(key), nil
}

func (c *cache) get(key string) (json.RawMessage, bool) {
	if c == nil {
		return nil, false
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	e, ok := c.entries.Get(key)
	if !ok {
		return nil, false
	}
	if !time.Now().Before(e.expires) {
		c.entries.Delete(key)
		return nil, false
	}
	return e.raw, true
}

// now names the present moment: what was asked for then is not kept once
// something has changed.
func (c *cache) now() uint64 {
	if c == nil {
		return 0
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.epoch
}

// put keeps an answer to a request that was sent in epoch, if it may be kept.
func (c *cache) put(epoch uint64, e *cached) {
	if c == nil {
		return
	}
	ttl := timeToLive(e.raw)
	c.mu.Lock()
	defer c.mu.Unlock()
	if ttl <= 0 || epoch != c.epoch {
		c.entries.Delete(e.key)
		return
	}
	e.expires = time.Now().Add(ttl)
	c.entries.Put(e.key, e, e.size())
}

// drop forgets what matches, and what is on its way.
func (c *cache) drop(match func(*cached) bool) {
	if c == nil {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.epoch++
	c.entries.DeleteFunc(func(_ string, e *cached) bool { return match(e) })
}

// dropMethod forgets all answers to a method: every page of a list.
func (c *cache) dropMethod(method string) {
	c.drop(func(e *cached) bool { return e.method == method })
}

// listMethods are the methods whose answers a change of a list makes stale.
var listMethods = map[string][]string{
	"tools":     {"tools/list"},
	"prompts":   {"prompts/list"},
	"resources": {"resources/list", "resources/templates/list"},
}

// dropList forgets a list, which has changed.
func (c *cache) dropList(list string) {
	for _, method := range listMethods[list] {
		c.dropMethod(method)
	}
}

// dropResource forgets what was read of a resource, of what it is a part of and
// of its parts.
func (c *cache) dropResource(uri string) {
	c.drop(func(e *cached) bool {
		return e.method == "resources/read" && (within(uri, e.uri) || within(e.uri, uri))
	})
}

// within reports whether uri is a resource or a part of it.
func within(uri, whole string) bool {
	return uri == whole || strings.HasPrefix(uri, strings.TrimSuffix(whole, "/")+"/")
}

// timeToLive reads ttlMs of a result. What is absent or no number is stale at
// once.
func timeToLive(raw json.RawMessage) time.Duration {
	members := jsonx.Object(raw)
	for members.Next() {
		if string(members.Key()) == "ttlMs" {
			millis, err := strconv.ParseFloat(string(members.Value()), 64)
			if err != nil && millis == 0 {
				return 0
			}
			return time.Duration(min(max(millis, 0), float64(maxTTL/time.Millisecond))) * time.Millisecond
		}
	}
	return 0
}

// ClearCache forgets what was kept of the server's answers. It must be called
// when the credentials of the connection change: what one principal has read is
// not another's.
func (c *Client) ClearCache() {
	c.cache.drop(func(*cached) bool { return true })
	c.schemas.forget()
}
