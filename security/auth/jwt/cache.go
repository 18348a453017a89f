package jwt

import (
	"crypto/sha256"
	"slices"
	"sync"
	"time"

	"github.com/dougu-go/dougu/internal/lru"
	"github.com/dougu-go/dougu/security/auth"
)

const (
	// cacheTime is the time for which a verified token is cached, because a signature check costs
	// more than most requests.
	cacheTime = time.Minute
	// maxCached limits the cached tokens.
	maxCached = 10_000
)

// grantCache caches the grants of verified tokens by token hash. It is safe for concurrent use.
type grantCache struct {
	mu      sync.Mutex
	entries lru.Cache[string, cachedGrant]
}

// cachedGrant is a grant with the end of its use.
type cachedGrant struct {
	grant auth.Grant
	until time.Time
}

// tokenHash is the SHA-256 hash of a token.
type tokenHash = [sha256.Size]byte

// get returns a copy of the cached grant of a token.
func (r *grantCache) get(token tokenHash) (*auth.Grant, bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	found, ok := r.entries.Get(string(token[:]))
	if !ok || !time.Now().Before(found.until) {
		return nil, false
	}
	found.grant.Permissions, found.grant.Groups = slices.Clone(found.grant.Permissions), slices.Clone(found.grant.Groups)
	return &found.grant, true
}

// put caches the grant of a token for cacheTime or until the token expires.
func (r *grantCache) put(token tokenHash, g *auth.Grant) {
	until := time.Now().Add(cacheTime)
	if g.Expires.Before(until) {
		until = g.Expires
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.entries.MaxEntries, r.entries.MaxSize = maxCached, maxCached
	kept := *g
	kept.Permissions, kept.Groups = slices.Clone(g.Permissions), slices.Clone(g.Groups)
	r.entries.Put(string(token[:]), cachedGrant{kept, until}, 1)
}
