package mcp

import (
	"context"
	"fmt"
	"slices"
	"sync"

	"github.com/dougu-go/dougu/internal/quota"
)

// Gate lets a number of calls run at once, whichever tools and connections they
// belong to. More wait, in the order in which they came, until their context
// ends; what a call waits does not count towards its time limit. A call leaves
// the gate while it waits for an answer from its client.
//
// A principal that was authenticated has at most as many places as it leaves free,
// and always the first one while there is one free: alone it has half of them. Of the
// calls that wait, one of the principal with the fewest places comes next.
type Gate struct {
	places int

	mu      sync.Mutex
	taken   int
	own     map[string]int // places, by principal
	waiting []*gateWaiter  // in the order in which they came; none of them may have a place now
}

// gateWaiter is a call that waits for a place.
type gateWaiter struct {
	principal string
	admitted  chan struct{} // closed when it has a place
}

// NewGate returns a gate for n calls at once; at least one.
func NewGate(n int) *Gate { return &Gate{places: max(n, 1), own: make(map[string]int)} }

// acquire waits for a place.
func (g *Gate) acquire(ctx context.Context, principal string) error {
	g.mu.Lock()
	if quota.MayTake(principal, g.own[principal], g.taken, g.places) {
		g.count(principal, 1)
		g.mu.Unlock()
		return nil
	}
	w := &gateWaiter{principal, make(chan struct{})}
	g.waiting = append(g.waiting, w)
	g.mu.Unlock()
	select {
	case <-w.admitted:
		return nil
	case <-ctx.Done():
	}
	g.mu.Lock()
	at := slices.Index(g.waiting, w)
	if at >= 0 {
		g.waiting = slices.Delete(g.waiting, at, at+1)
	}
	g.mu.Unlock()
	if at < 0 { // it was admitted meanwhile
		g.release(principal)
	}
	return fmt.Errorf("waiting for other calls to end: %w", context.Cause(ctx))
}

// release gives a place back, and to calls that wait.
func (g *Gate) release(principal string) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.count(principal, -1)
	for next := g.next(); next >= 0; next = g.next() {
		w := g.waiting[next]
		g.waiting = slices.Delete(g.waiting, next, next+1)
		g.count(w.principal, 1)
		close(w.admitted)
	}
}

// next is the index of the waiting call that comes next, -1 for none; the lock is held.
func (g *Gate) next() int {
	next := -1
	for i, w := range g.waiting {
		if (next < 0 || g.own[w.principal] < g.own[g.waiting[next].principal]) && quota.MayTake(w.principal, g.own[w.principal], g.taken, g.places) {
			next = i
		}
	}
	return next
}

// count adds to the places of a principal; the lock is held.
func (g *Gate) count(principal string, more int) {
	g.taken += more
	if g.own[principal] += more; g.own[principal] == 0 {
		delete(g.own, principal)
	}
}

// passage is one call's way through a gate. The zero value has no gate.
type passage struct {
	gate      *Gate
	principal string

	mu    sync.Mutex
	in    bool
	ended bool
}

// enter waits for a place, unless the call has one.
func (p *passage) enter(ctx context.Context) error {
	if p.gate == nil {
		return nil
	}
	if err := p.gate.acquire(ctx, p.principal); err != nil {
		return err
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.in || p.ended {
		p.gate.release(p.principal)
		return nil
	}
	p.in = true
	return nil
}

// leave gives the place up until the call enters again.
func (p *passage) leave() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.in {
		p.gate.release(p.principal)
		p.in = false
	}
}

// end gives the place up for good, whatever goroutines of the handler still do.
func (p *passage) end() {
	p.mu.Lock()
	p.ended = true
	p.mu.Unlock()
	p.leave()
}
