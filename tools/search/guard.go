package search

import (
	"context"
	"errors"
	"sync/atomic"
	"time"

	"github.com/sony/gobreaker/v2"

	"github.com/dougu-go/dougu/security"
)

// BreakerOptions say when a plugin that fails is left alone. The zero value has the defaults.
type BreakerOptions struct {
	// Failures is how many in a row, within Window, keep calls from the plugin. Default 5.
	Failures int
	// Recovery is for how long, until one call tries again. Default 1 minute.
	Recovery time.Duration
	// Window is after how long failures are forgotten. Default 5 minutes.
	Window time.Duration
}

func (o BreakerOptions) withDefaults() BreakerOptions {
	if o.Failures <= 0 {
		o.Failures = 5
	}
	if o.Recovery <= 0 {
		o.Recovery = time.Minute
	}
	if o.Window <= 0 {
		o.Window = 5 * time.Minute
	}
	return o
}

// guard stands before a plugin: it bounds how long a call takes, and lets none through for a while after many have failed.
type guard struct {
	name     string
	code     string // of errors that have none
	timeout  time.Duration
	recovery time.Duration
	breaker  *gobreaker.CircuitBreaker[any]
	opened   atomic.Int64 // when the breaker has opened last, in nanoseconds
}

func newGuard(name, code string, timeout time.Duration, o BreakerOptions) *guard {
	o = o.withDefaults()
	g := &guard{name: name, code: code, timeout: timeout, recovery: o.Recovery}
	g.breaker = gobreaker.NewCircuitBreaker[any](gobreaker.Settings{
		Name: name, Interval: o.Window, Timeout: o.Recovery,
		ReadyToTrip: func(c gobreaker.Counts) bool { return int(c.ConsecutiveFailures) >= o.Failures },
		IsExcluded:  func(err error) bool { return err != nil && callersMaking(err) },
		OnStateChange: func(_ string, _, to gobreaker.State) {
			if to == gobreaker.StateOpen {
				g.opened.Store(time.Now().UnixNano())
			}
		},
	})
	return g
}

// gone is an error of a call that its caller has ended.
type gone struct{ error }

func (g gone) Unwrap() error { return g.error }

// callersMaking tells whether an error says nothing about how well the plugin works.
func callersMaking(err error) bool {
	if _, ok := errors.AsType[gone](err); ok {
		return true
	}
	switch security.CodeOf(err) {
	case security.InternalError, security.Timeout, codeIndexUnavailable, codeIssuesUnavailable, codeUnknownOutcome:
		return false
	}
	return true // it was refused for what was asked, or for who asks how often
}

// guarded calls a plugin. Errors have codes.
func guarded[T any](ctx context.Context, g *guard, f func(ctx context.Context) (T, error)) (T, error) {
	v, err := g.breaker.Execute(func() (any, error) {
		limited, cancel := context.WithTimeout(ctx, g.timeout)
		defer cancel()
		v, err := f(limited)
		switch {
		case err == nil:
			return v, nil
		case ctx.Err() != nil:
			return v, gone{err}
		case limited.Err() != nil && !coded(err):
			return v, slow(g.name, g.timeout)
		}
		return v, broken(g.code, g.name, err)
	})
	if left, ok := errors.AsType[gone](err); ok {
		err = left.error
	}
	if errors.Is(err, gobreaker.ErrOpenState) || errors.Is(err, gobreaker.ErrTooManyRequests) {
		err = g.refusal()
	}
	result, _ := v.(T)
	return result, err
}

// refusal is the error of a call that is not let through.
func (g *guard) refusal() error {
	again := g.retryAt()
	wait := max(time.Until(again).Round(time.Second), time.Second)
	return problem(codeCircuitOpen, "Call again in "+wait.String()+", or go on without it.",
		"the plugin %s has failed too often and is left alone until %s", g.name, again.UTC().Format(time.RFC3339))
}

// retryAt is when the next call is let through, if none is now.
func (g *guard) retryAt() time.Time { return time.Unix(0, g.opened.Load()).Add(g.recovery) }

// state is closed while calls are let through.
func (g *guard) state() gobreaker.State { return g.breaker.State() }
