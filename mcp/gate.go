package mcp

import (
	"context"
	"fmt"
	"slices"
	"sync"

	"github.com/dougu-go/dougu/internal/quota"
)

// Gate limits the number of concurrent calls, of any tools and connections. Further calls wait in
// the order of arrival until their context ends. The time limit of a call does not run while it
// waits. A call gives its place back while it waits for an answer of its client.
//
// An authenticated principal may use at most as many places as it leaves free, and always one if a
// place is free: alone, it gets half of the places. When a place becomes free, it goes to a waiting
// call of the principal with the fewest places.
type Gate struct {
	places int // total number of places

	mu           sync.Mutex
	taken        int            // number of places in use
	perPrincipal map[string]int // places in use, by principal
	waiting      []*gateWaiter  // in order of arrival; none of them may take a place now
}

// gateWaiter is a call that waits for a place.
type gateWaiter struct {
	principal string
	admitted  chan struct{} // closed when the call has a place
}

// NewGate returns a gate for n concurrent calls. n is at least 1; smaller values are raised to it.
func NewGate(n int) *Gate { return &Gate{places: max(n, 1), perPrincipal: make(map[string]int)} }

// acquire waits for a place. It returns an error if ctx ends first.
func (g *Gate) acquire(ctx context.Context, principal string) error {
	g.mu.Lock()
	if quota.MayTake(principal, g.perPrincipal[principal], g.taken, g.places) {
		g.addPlaces(principal, 1)
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

// release gives a place back and admits waiting calls.
func (g *Gate) release(principal string) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.addPlaces(principal, -1)
	for next := g.nextWaiter(); next >= 0; next = g.nextWaiter() {
		w := g.waiting[next]
		g.waiting = slices.Delete(g.waiting, next, next+1)
		g.addPlaces(w.principal, 1)
		close(w.admitted)
	}
}

// nextWaiter returns the index of the waiting call to admit, or -1. The caller holds the lock.
func (g *Gate) nextWaiter() int {
	next := -1
	for i, w := range g.waiting {
		if (next < 0 || g.perPrincipal[w.principal] < g.perPrincipal[g.waiting[next].principal]) && quota.MayTake(w.principal, g.perPrincipal[w.principal], g.taken, g.places) {
			next = i
		}
	}
	return next
}

// addPlaces adds more to the number of places of a principal. The caller holds the lock.
func (g *Gate) addPlaces(principal string, more int) {
	g.taken += more
	if g.perPrincipal[principal] += more; g.perPrincipal[principal] == 0 {
		delete(g.perPrincipal, principal)
	}
}

// gatePlace is the state of one call in a gate. The zero value has no gate and never waits.
type gatePlace struct {
	gate      *Gate
	principal string

	mu    sync.Mutex
	held  bool // the call has a place
	ended bool // end was called
}

// enter waits for a place, unless the call has one.
func (p *gatePlace) enter(ctx context.Context) error {
	if p.gate == nil {
		return nil
	}
	if err := p.gate.acquire(ctx, p.principal); err != nil {
		return err
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.held || p.ended {
		p.gate.release(p.principal)
		return nil
	}
	p.held = true
	return nil
}

// leave gives the place back until the next enter.
func (p *gatePlace) leave() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.held {
		p.gate.release(p.principal)
		p.held = false
	}
}

// close gives the place back permanently: goroutines of the handler cannot take it again.
func (p *gatePlace) close() {
	p.mu.Lock()
	p.ended = true
	p.mu.Unlock()
	p.leave()
}
