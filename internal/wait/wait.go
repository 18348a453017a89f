// Package wait pauses a goroutine until a time has passed or its context ends, and tells whether a channel is closed.
package wait

import (
	"context"
	"time"
)

// Sleep waits for d. If ctx ends first, Sleep returns its cause.
func Sleep(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// IsClosed reports whether a channel without values is closed.
func IsClosed(c <-chan struct{}) bool {
	select {
	case <-c:
		return true
	default:
		return false
	}
}
