package telemetry

import (
	"context"
	"sync"

	"github.com/dougu-go/dougu/internal/lru"
	"github.com/dougu-go/dougu/mcp/caller"
)

// maxPrincipals is the number of principals with statistics of their own. A further principal
// replaces the least recently active one, and its counts are lost.
const maxPrincipals = 256

// principals holds one Recorder per authenticated principal, in memory only.
type principals struct {
	mu    sync.Mutex
	cache lru.Cache[string, *Recorder]
}

// recorder returns the Recorder of a principal, and creates it if necessary.
func (p *principals) recorder(name string) *Recorder {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.cache.MaxEntries, p.cache.MaxSize = maxPrincipals, maxPrincipals
	found, ok := p.cache.Get(name)
	if !ok {
		found = NewRecorder()
		p.cache.Put(name, found, 1)
	}
	return found
}

// principalRecorder returns the Recorder of the authenticated principal of a call, or nil without
// authentication. Callers without authentication see all counts.
func (r *Recorder) principalRecorder(ctx context.Context) *Recorder {
	name := caller.PrincipalOf(ctx)
	if name == "" {
		return nil
	}
	return r.principals.recorder(name)
}
