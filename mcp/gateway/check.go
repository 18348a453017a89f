package gateway

import (
	"context"
	"errors"
)

// Check tests the shared upstreams and the own connections of one principal that a request has used
// before. It starts upstreams that are down. It returns when each has responded or failed, or when
// ctx ends. StatusFor returns the results.
func (g *Gateway) Check(ctx context.Context, principal string) {
	if g.opts.PingEvery < 0 {
		return
	}
	v, own := g.existingView(principal)
	members := make([]*member, 0, len(v.members))
	for _, m := range v.members {
		if own || !m.up.PerPrincipal {
			members = append(members, m)
		}
	}
	for _, m := range members {
		if l := m.live.Load(); l.isQuiet() {
			l.live.suspect()
		} else if l == nil {
			m.want()
		}
	}
	for _, m := range members {
		m.check(ctx)
	}
}

// isQuiet reports whether the state of the upstream is unknown because its last response is old.
func (l *link) isQuiet() bool {
	return l != nil && l.live != nil && (l.live.silence() >= quietAfter || l.live.mute.Load())
}

// check waits for a sign of life, or for the attempt to start the upstream that is under way.
func (m *member) check(ctx context.Context) {
	l, refused := m.live.Load(), false
	switch {
	case l.isQuiet():
		why := l.live.probe(ctx)
		if why == nil || l.live.isLate() {
			return
		}
		refused = errors.Is(why, ErrLoginNeeded)
	case l != nil:
		return
	}
	m.mu.Lock()
	waits, changed := m.retries.trying || refused && m.shown == Ready, m.changed
	m.mu.Unlock()
	if !waits {
		return
	}
	select {
	case <-changed:
	case <-ctx.Done():
	}
}
