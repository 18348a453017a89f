package search

import (
	"context"
	"fmt"
	"sync/atomic"
	"time"
)

const (
	// queueFactor is the number of calls that may queue for each running call; maxQueueTime limits the time in the queue.
	queueFactor  = 8
	maxQueueTime = 2 * time.Second
	// retryDelay is the delay that a rejected caller is asked to wait.
	retryDelay = 2 * time.Second
)

// concurrencyLimiter limits the number of concurrent searches. Searches are bound by the processors: more of them at once would
// only delay each other and use more memory.
type concurrencyLimiter struct {
	slots chan struct{} // one element for each running call
	calls atomic.Int64  // number of running and queued calls
}

// newConcurrencyLimiter returns a limiter for n concurrent calls.
func newConcurrencyLimiter(n int) *concurrencyLimiter {
	return &concurrencyLimiter{slots: make(chan struct{}, n)}
}

// acquire waits for a slot. The caller releases it with done. The error is RATE_LIMITED if the queue is full or the wait
// exceeds maxQueueTime.
func (t *concurrencyLimiter) acquire(ctx context.Context) (done func(), err error) {
	if t.calls.Add(1) > int64((1+queueFactor)*cap(t.slots)) {
		t.calls.Add(-1)
		return nil, t.busyError()
	}
	done = func() { <-t.slots; t.calls.Add(-1) }
	select {
	case t.slots <- struct{}{}:
		return done, nil
	default:
	}
	timeout := time.NewTimer(maxQueueTime)
	defer timeout.Stop()
	select {
	case t.slots <- struct{}{}:
		return done, nil
	case <-timeout.C:
		err = t.busyError()
	case <-ctx.Done():
		err = fmt.Errorf("waiting for other searches: %w", context.Cause(ctx))
	}
	t.calls.Add(-1)
	return nil, err
}

// busyError returns the RATE_LIMITED error.
func (t *concurrencyLimiter) busyError() error {
	return rateLimitError{problem(codeRateLimited, fmt.Sprintf("Call again in %.0f seconds.", retryDelay.Seconds()),
		"the server is busy: %d searches are running and the queue is full", cap(t.slots))}
}

// rateLimitError is the error of a call that was rejected for lack of a slot.
type rateLimitError struct{ error }

func (b rateLimitError) Unwrap() error { return b.error }

// ErrorDetails returns the limit's name and the delay in seconds after which the call can be repeated.
func (b rateLimitError) ErrorDetails() map[string]any {
	return map[string]any{"limit": "server", "retryAfterSeconds": int(retryDelay.Seconds())}
}

// limitConcurrency returns a handler that runs h within the concurrency limit of s.
func limitConcurrency[In, Out any](s *Search, h func(context.Context, In) (Out, error)) func(context.Context, In) (Out, error) {
	return func(ctx context.Context, in In) (out Out, err error) {
		done, err := s.limiter.acquire(ctx)
		if err != nil {
			return out, err
		}
		defer done()
		return h(ctx, in)
	}
}
