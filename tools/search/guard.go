package search

import (
	"context"
	"errors"
	"sync/atomic"
	"time"

	"github.com/sony/gobreaker/v2"

	"github.com/dougu-go/dougu/security"
)

// BreakerOptions configure the circuit breaker of a plugin. The zero value uses the defaults.
type BreakerOptions struct {
	// Failures is the number of consecutive failures within Window after which calls are rejected. Default 5.
	Failures int
	// Recovery is the time for which calls are rejected. Then one call is let through as a test. Default 1 minute.
	Recovery time.Duration
	// Window is the interval after which failures are forgotten. Default 5 minutes.
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

// guard wraps the calls of a plugin: it limits their time, and rejects calls after repeated failures.
type guard struct {
	name     string
	code     string // error code of plugin errors without a code
	timeout  time.Duration
	recovery time.Duration
	breaker  *gobreaker.CircuitBreaker[any]
	opened   atomic.Int64 // time at which the breaker opened last, in nanoseconds since 1970
}

// newGuard returns a guard for the plugin name whose calls may take up to timeout.
func newGuard(name, code string, timeout time.Duration, o BreakerOptions) *guard {
	o = o.withDefaults()
	g := &guard{name: name, code: code, timeout: timeout, recovery: o.Recovery}
	g.breaker = gobreaker.NewCircuitBreaker[any](gobreaker.Settings{
		Name: name, Interval: o.Window, Timeout: o.Recovery,
		ReadyToTrip: func(c gobreaker.Counts) bool { return int(c.ConsecutiveFailures) >= o.Failures },
		IsExcluded:  func(err error) bool { return err != nil && isCallerError(err) },
		OnStateChange: func(_ string, _, to gobreaker.State) {
			if to == gobreaker.StateOpen {
				g.opened.Store(time.Now().UnixNano())
			}
		},
	})
	return g
}

// callerError wraps an error of a call that was cancelled by its caller.
type callerError struct{ error }

func (g callerError) Unwrap() error { return g.error }

// isCallerError reports whether an error does not count as a failure of the plugin.
func isCallerError(err error) bool {
	if _, ok := errors.AsType[callerError](err); ok {
		return true
	}
	switch security.CodeOf(err) {
	case security.InternalError, security.Timeout, codeIndexUnavailable, codeIssuesUnavailable, codeUnknownOutcome:
		return false
	}
	return true // the arguments were invalid, or the caller exceeded a limit
}

// guarded calls f with the time limit of g. All returned errors have codes. After repeated failures it returns CIRCUIT_OPEN
// without a call.
func guarded[T any](ctx context.Context, g *guard, f func(ctx context.Context) (T, error)) (T, error) {
	v, err := g.breaker.Execute(func() (any, error) {
		limited, cancel := context.WithTimeout(ctx, g.timeout)
		defer cancel()
		v, err := f(limited)
		switch {
		case err == nil:
			return v, nil
		case ctx.Err() != nil:
			return v, callerError{err}
		case limited.Err() != nil && !hasCode(err):
			return v, timeoutError(g.name, g.timeout)
		}
		return v, pluginError(g.code, g.name, err)
	})
	if left, ok := errors.AsType[callerError](err); ok {
		err = left.error
	}
	if errors.Is(err, gobreaker.ErrOpenState) || errors.Is(err, gobreaker.ErrTooManyRequests) {
		err = g.refusal()
	}
	result, _ := v.(T)
	return result, err
}

// refusal is the error of a call that is rejected by the breaker.
func (g *guard) refusal() error {
	again := g.retryAt()
	wait := max(time.Until(again).Round(time.Second), time.Second)
	return problem(codeCircuitOpen, "Call again in "+wait.String()+", or continue without it.",
		"the plugin %s has failed repeatedly and is disabled until %s", g.name, again.UTC().Format(time.RFC3339))
}

// retryAt returns the time of the next test call while the breaker is open.
func (g *guard) retryAt() time.Time { return time.Unix(0, g.opened.Load()).Add(g.recovery) }

// state returns the state of the breaker; calls pass while it is closed.
func (g *guard) state() gobreaker.State { return g.breaker.State() }
