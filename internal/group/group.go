// Package group runs goroutines that have an owner: every one is counted,
// its panic is contained and reported, and its owner can wait for its end.
package group

import (
	"context"
	"runtime/debug"
	"sync"
	"time"
)

// Group owns goroutines. The zero value is ready to use and must not be copied
// after the first Go.
type Group struct {
	// OnPanic, when set before the first Go, receives what a goroutine
	// panicked with and its stack. Without it the panic is swallowed.
	OnPanic func(value any, stack []byte)

	wg sync.WaitGroup
}

// Go runs f in a goroutine of the group.
func (g *Group) Go(f func()) {
	g.wg.Add(1)
	go func() {
		defer g.wg.Done()
		defer g.contain()
		f()
	}()
}

func (g *Group) contain() {
	if v := recover(); v != nil && g.OnPanic != nil {
		g.OnPanic(v, debug.Stack())
	}
}

// Wait returns when every goroutine of the group has ended.
func (g *Group) Wait() { g.wg.Wait() }

// WaitFor waits like Wait, but at most d, and reports whether all have ended.
// When they have not, a goroutine goes on waiting for them.
func (g *Group) WaitFor(d time.Duration) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-g.ended():
		return true
	case <-timer.C:
		return false
	}
}

// WaitUntil waits like Wait, but not longer than ctx lasts, and reports whether all
// have ended. When they have not, a goroutine goes on waiting for them.
func (g *Group) WaitUntil(ctx context.Context) bool {
	select {
	case <-g.ended():
		return true
	case <-ctx.Done():
		return false
	}
}

// ended is closed when every goroutine has ended.
func (g *Group) ended() <-chan struct{} {
	done := make(chan struct{})
	go func() {
		defer close(done)
		g.wg.Wait()
	}()
	return done
}
