package search

import (
	"context"
	"fmt"
	"sync/atomic"
	"time"
)

const (
	// waitingFactor is how many calls may wait for each one that works, maxTurnWait how long one does.
	waitingFactor = 8
	maxTurnWait   = 2 * time.Second
	// comeBack is after how long a call that was refused is to be repeated.
	comeBack = 2 * time.Second
)

// turns bound how many searches work at once. They use the processors alone, so that more at once would only make all of them late,
// and hold more memory.
type turns struct {
	working chan struct{}
	calls   atomic.Int64 // that work or wait
}

func newTurns(n int) *turns { return &turns{working: make(chan struct{}, n)} }

// take waits for a turn, in the order of the calls, until done gives it back. It is RATE_LIMITED if too many wait, or for too long.
func (t *turns) take(ctx context.Context) (done func(), err error) {
	if t.calls.Add(1) > int64((1+waitingFactor)*cap(t.working)) {
		t.calls.Add(-1)
		return nil, t.busy()
	}
	done = func() { <-t.working; t.calls.Add(-1) }
	select {
	case t.working <- struct{}{}:
		return done, nil
	default:
	}
	patience := time.NewTimer(maxTurnWait)
	defer patience.Stop()
	select {
	case t.working <- struct{}{}:
		return done, nil
	case <-patience.C:
		err = t.busy()
	case <-ctx.Done():
		err = fmt.Errorf("waiting for other searches: %w", context.Cause(ctx))
	}
	t.calls.Add(-1)
	return nil, err
}

func (t *turns) busy() error {
	return busy{problem(codeRateLimited, fmt.Sprintf("Call again in %.0f seconds.", comeBack.Seconds()),
		"the server is busy: %d searches run at once, and too many wait for them", cap(t.working))}
}

// busy is the error of a call that was not let in.
type busy struct{ error }

func (b busy) Unwrap() error { return b.error }

// ErrorDetails tells programs when to come back.
func (b busy) ErrorDetails() map[string]any {
	return map[string]any{"limit": "server", "retryAfterSeconds": int(comeBack.Seconds())}
}

// inTurn is a handler that works when it is its turn.
func inTurn[In, Out any](s *Search, h func(context.Context, In) (Out, error)) func(context.Context, In) (Out, error) {
	return func(ctx context.Context, in In) (out Out, err error) {
		done, err := s.turns.take(ctx)
		if err != nil {
			return out, err
		}
		defer done()
		return h(ctx, in)
	}
}
