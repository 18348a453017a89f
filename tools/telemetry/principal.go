package telemetry

import (
	"context"
	"sync"

	"github.com/dougu-go/dougu/internal/lru"
	"github.com/dougu-go/dougu/mcp/caller"
)

// maxPrincipals bounds the principals whose figures are kept apart. The one that has been silent longest makes room for another,
// and begins anew when it comes back.
const maxPrincipals = 256

// principals are the figures of each principal that was authenticated. They are kept in memory alone.
type principals struct {
	mu    sync.Mutex
	cache lru.Cache[string, *Recorder]
}

// recorder returns the figures of a principal.
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

// principalRecorder returns the recorder of the principal that calls, or nil if the caller was not authenticated, which sees all figures.
func (r *Recorder) principalRecorder(ctx context.Context) *Recorder {
	name := caller.PrincipalOf(ctx)
	if name == "" {
		return nil
	}
	return r.principals.recorder(name)
}
