package mcp

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"strconv"
	"sync"
	"time"

	"github.com/dougu-go/dougu/internal/jsonx"
	"github.com/dougu-go/dougu/internal/lru"
	"github.com/dougu-go/dougu/mcp/protocol"
)

const (
	// defaultCacheEntries and defaultCacheBytes are the defaults of ClientOptions.
	defaultCacheEntries = 1024
	defaultCacheBytes   = 16 << 20
	// maxTTL is the upper limit of the time to live of a cached result; longer times are clamped to
	// it.
	maxTTL = 24 * time.Hour
	// entryCost is the size in bytes that an entry counts beside its key and result.
	entryCost = 256
)

// cache holds encoded results, so that each caller decodes its own copy. It evicts the least
// recently used entry first. A nil cache is empty and discards all entries.
type cache struct {
	mu      sync.Mutex
	entries lru.Cache[string, *cached]
	epoch   uint64 // number of invalidations so far
}

// cached is one result in a cache.
type cached struct {
	method  string          // method of the request
	uri     string          // URI of the resource, for resources/read only
	key     string          // see cacheKey
	raw     json.RawMessage // the result as it was received
	expires time.Time       // time from which the result is stale
}

// size returns the number of bytes that e counts toward ClientOptions.CacheBytes.
func (e *cached) size() int { return len(e.key) + len(e.raw) + entryCost }

// newCache returns an empty cache with the limits of ClientOptions, or nil if one of them turns the
// cache off.
func newCache(entries, bytes int) *cache {
	if entries < 0 || bytes < 0 {
		return nil
	}
	entries, bytes = cmp.Or(entries, defaultCacheEntries), cmp.Or(bytes, defaultCacheBytes)
	return &cache{entries: lru.Cache[string, *cached]{MaxEntries: entries, MaxSize: bytes}}
}

// cacheKey returns the method, the params and the _meta of a request as one key, with the principal
// and the permissions of ctx, on which private results depend. The trace context is not part of the
// key, because it does not change the result. params lacks the closing brace.
func cacheKey(ctx context.Context, method string, params []byte, meta Meta) (string, error) {
	key := append([]byte(method), params...)
	if principal := protocol.PrincipalFrom(ctx); principal != "" {
		key = jsonx.AppendQuoted(append(key, "\x00principal"...), principal)
	}
	if permissions, ok := protocol.PermissionsFrom(ctx); ok {
		key = mustMarshal(append(key, "\x00permissions"...), permissions)
	}
	if len(meta) > 0 {
		var err error
		if key, err = marshal(key, meta); err != nil {
			return "", fmt.Errorf("encoding the _meta of a request: %w", err)
		}
	}
	return string(key), nil
}

// get returns the result for key unless it is absent or stale.
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

// currentEpoch returns the current epoch. put discards a result whose request was sent in an earlier epoch.
func (c *cache) currentEpoch() uint64 {
	if c == nil {
		return 0
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.epoch
}

// put stores the result of a request that was sent in epoch. It discards the result if the server
// allows no caching, or if an invalidation happened after epoch.
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

// drop removes the matching entries. It also starts a new epoch, so that put discards results in
// flight.
func (c *cache) drop(match func(*cached) bool) {
	if c == nil {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.epoch++
	c.entries.DeleteFunc(func(_ string, e *cached) bool { return match(e) })
}

// dropMethod removes all results of a method, for example every page of a list.
func (c *cache) dropMethod(method string) {
	c.drop(func(e *cached) bool { return e.method == method })
}

// listMethods maps the name of a list to the methods whose results become stale when it changes.
var listMethods = map[string][]string{
	"tools":     {"tools/list"},
	"prompts":   {"prompts/list"},
	"resources": {"resources/list", "resources/templates/list"},
}

// dropList removes the results of a changed list.
func (c *cache) dropList(list string) {
	for _, method := range listMethods[list] {
		c.dropMethod(method)
	}
}

// dropResource removes the contents of a resource, of its parts, and of resources that contain it.
func (c *cache) dropResource(uri string) {
	c.drop(func(e *cached) bool {
		return e.method == "resources/read" && (isPartOf(uri, e.uri) || isPartOf(e.uri, uri))
	})
}

// isPartOf reports whether uri is equal to whole or is the URI of a part of it.
func isPartOf(uri, whole string) bool {
	return (&protocol.ResourceUpdatedNotification{URI: uri}).IncludedIn(whole)
}

// timeToLive returns the member ttlMs of a result, between 0 and maxTTL. An absent or invalid
// member means 0.
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

// ClearCache removes all results and output schemas that the client has cached. Call it when the
// credentials of the connection change, because results may depend on the principal.
func (c *Client) ClearCache() {
	c.cache.drop(func(*cached) bool { return true })
	c.schemas.clear()
}
