// Package group runs goroutines that have an owner: every goroutine is counted, its
// panic is contained and reported, and its owner can wait for its end.
//
// A panic is never lost. A group with [Group.OnPanic] gives it to that function. Any
// other group logs it with its stack at once, and panics with it again in the
// goroutine of the owner that waits for the group.
package group

import (
	"context"
	"fmt"
	"log/slog"
	"runtime/debug"
	"sync"
	"sync/atomic"
	"time"
)

// Group owns goroutines. The zero value is ready to use and must not be copied
// after the first Go.
type Group struct {
	// OnPanic, when set before the first Go, receives the value and the stack of a
	// panic, and the group's Wait does not panic. By default the panic is logged by
	// slog.Default and Wait panics with a *Panic.
	OnPanic func(value any, stack []byte)

	wg     sync.WaitGroup
	failed atomic.Pointer[Panic] // the first panic that OnPanic did not receive
}

// Panic is the panic of a goroutine of a group. The owner of the group panics with it.
type Panic struct {
	Value any
	Stack []byte // of the goroutine that panicked

	logged bool
}

// Error returns the value without the stack.
func (p *Panic) Error() string { return fmt.Sprintf("panic in a goroutine: %v", p.Value) }

// Unwrap returns the value if it is an error.
func (p *Panic) Unwrap() error {
	err, _ := p.Value.(error)
	return err
}

// Go runs f in a goroutine of the group.
func (g *Group) Go(f func()) {
	g.wg.Add(1)
	go func() {
		defer g.wg.Done()
		p := try(f)
		if p == nil {
			return
		}
		g.report(p)
		if g.OnPanic == nil {
			g.failed.CompareAndSwap(nil, p)
		}
	}()
}

// The delay before Keep runs its function again, which doubles with every panic.
const (
	firstDelay   = time.Second
	longestDelay = time.Minute
)

// Keep runs f in a goroutine of the group, and again after a panic, until f returns
// or ctx ends. It is for work that lasts as long as its owner, like watching.
// Each panic is reported: to OnPanic, or by slog.Default. Wait does not panic for it.
func (g *Group) Keep(ctx context.Context, f func()) {
	g.Go(func() {
		for delay := firstDelay; ; delay = min(2*delay, longestDelay) {
			p := try(f)
			if p == nil {
				return
			}
			g.report(p)
			timer := time.NewTimer(delay)
			select {
			case <-timer.C:
			case <-ctx.Done():
				timer.Stop()
				return
			}
		}
	})
}

// AfterFunc is time.AfterFunc, but a panic of f does not end the program: it is
// logged by slog.Default. The owner is the code that can stop the timer. It does not
// wait for f, which must be short, or start its work with Go.
func AfterFunc(d time.Duration, f func()) *time.Timer {
	return time.AfterFunc(d, func() {
		if p := try(f); p != nil {
			new(Group).report(p)
		}
	})
}

// try runs f and returns its panic.
func try(f func()) (p *Panic) {
	defer func() {
		if v := recover(); v != nil {
			p = asPanic(v)
		}
	}()
	f()
	return nil
}

// asPanic returns the panic that was recovered as v. The panic of an inner group keeps its stack.
func asPanic(v any) *Panic {
	if p, ok := v.(*Panic); ok {
		return p
	}
	return &Panic{Value: v, Stack: debug.Stack()}
}

// report gives a panic to OnPanic, or logs it unless an inner group has.
func (g *Group) report(p *Panic) {
	switch {
	case g.OnPanic != nil:
		g.OnPanic(p.Value, p.Stack)
	case !p.logged:
		p.logged = true
		slog.Default().Error("panic in a goroutine", "panic", p.Value, "stack", string(p.Stack))
	}
}

// Wait returns when every goroutine of the group has ended. Without OnPanic it
// panics with the first *Panic of them.
func (g *Group) Wait() {
	g.wg.Wait()
	g.fail()
}

// fail panics if a goroutine has panicked.
func (g *Group) fail() {
	if p := g.failed.Load(); p != nil {
		panic(p)
	}
}

// WaitFor waits like Wait, but at most d, and reports whether all have ended.
// When they have not, a goroutine goes on waiting for them.
func (g *Group) WaitFor(d time.Duration) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-g.ended():
		g.fail()
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
		g.fail()
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
