package grep

import (
	"runtime"
	"sync"
)

// pool keeps unused caches of a machine. It is safe for concurrent use.
type pool struct {
	machine *machine
	wide    func() *unicodeMatcher // for a machine that reads ASCII only
	mu      sync.Mutex
	free    []*cache
}

func (p *pool) get() *cache {
	if c := p.pop(); c != nil {
		return c
	}
	c := newCache(p.machine)
	c.wide = p.wide
	return c
}

func (p *pool) pop() *cache {
	p.mu.Lock()
	defer p.mu.Unlock()
	n := len(p.free)
	if n == 0 {
		return nil
	}
	c := p.free[n-1]
	p.free = p.free[:n-1]
	return c
}

func (p *pool) put(c *cache) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(p.free) < runtime.GOMAXPROCS(0) {
		p.free = append(p.free, c)
	}
}
