package telemetry

import (
	"context"
	"sync"
	"time"

	"github.com/dougu-go/dougu/mcp/caller"
)

// maxPrincipals bounds the principals whose figures are kept apart. The one that has been silent longest makes room for another,
// and begins anew when it comes back.
const maxPrincipals = 256

// principals are the figures of each principal that was authenticated. They are kept in memory alone.
type principals struct {
	mu sync.Mutex
	m  map[string]*principal
}

type principal struct {
	recorder *Recorder
	last     time.Time // of its last call
}

// of returns the figures of a principal.
func (p *principals) of(name string) *Recorder {
	p.mu.Lock()
	defer p.mu.Unlock()
	found := p.m[name]
	if found == nil {
		if len(p.m) >= maxPrincipals {
			p.forgetOldest()
		}
		if p.m == nil {
			p.m = make(map[string]*principal)
		}
		found = &principal{recorder: NewRecorder()}
		p.m[name] = found
	}
	found.last = time.Now()
	return found.recorder
}

// forgetOldest forgets the principal that has been silent longest; the lock is held.
func (p *principals) forgetOldest() {
	var oldest string
	var last time.Time
	for name, one := range p.m {
		if last.IsZero() || one.last.Before(last) {
			oldest, last = name, one.last
		}
	}
	delete(p.m, oldest)
}

// own returns the recorder of the principal that calls, or nil if the caller was not authenticated, which sees all figures.
func (r *Recorder) own(ctx context.Context) *Recorder {
	name := caller.PrincipalOf(ctx)
	if name == "" {
		return nil
	}
	return r.principals.of(name)
}
