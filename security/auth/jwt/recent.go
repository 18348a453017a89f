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
	// believedFor is how long a token that counts is not looked at again: a signature
	// costs more than most requests.
	believedFor = time.Minute
	// maxRecent is of how many tokens that is remembered.
	maxRecent = 10_000
)

// recent is what tokens stand for that were looked at a moment ago, by their hashes.
type recent struct {
	mu   sync.Mutex
	kept lru.Cache[string, believed]
}

type believed struct {
	grant auth.Grant
	until time.Time
}

type tokenHash = [sha256.Size]byte

func (r *recent) get(token tokenHash) (*auth.Grant, bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	found, ok := r.kept.Get(string(token[:]))
	if !ok || !time.Now().Before(found.until) {
		return nil, false
	}
	found.grant.Permissions, found.grant.Groups = slices.Clone(found.grant.Permissions), slices.Clone(found.grant.Groups)
	return &found.grant, true
}

func (r *recent) put(token tokenHash, g *auth.Grant) {
	until := time.Now().Add(believedFor)
	if g.Expires.Before(until) {
		until = g.Expires
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.kept.MaxEntries, r.kept.MaxSize = maxRecent, maxRecent
	kept := *g
	kept.Permissions, kept.Groups = slices.Clone(g.Permissions), slices.Clone(g.Groups)
	r.kept.Put(string(token[:]), believed{kept, until}, 1)
}
