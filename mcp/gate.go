package mcp

import (
	"context"
	"fmt"
	"sync"
)

// Gate lets a number of calls run at once, whichever tools and connections they
// belong to. More wait, in the order in which they came, until their context
// ends; what a call waits does not count towards its time limit. A call leaves
// the gate while it waits for an answer from its client.
type Gate struct {
	places chan struct{}
}

// NewGate returns a gate for n calls at once; at least one.
func NewGate(n int) *Gate { return &Gate{places: make(chan struct{}, max(n, 1))} }

// passage is one call's way through a gate. The zero value has no gate.
type passage struct {
	gate *Gate

	mu    sync.Mutex
	in    bool
	ended bool
}

// enter waits for a place, unless the call has one.
func (p *passage) enter(ctx context.Context) error {
	if p.gate == nil {
		return nil
	}
	select {
	case p.gate.places <- struct{}{}:
	case <-ctx.Done():
		return fmt.Errorf("waiting for other calls to end: %w", context.Cause(ctx))
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.in || p.ended {
		<-p.gate.places
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
		<-p.gate.places
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
