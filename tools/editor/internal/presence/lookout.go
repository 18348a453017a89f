// Package presence is what adapters for editors that come and go have in common: to look out for them, to tell those who watch, and to
// know by their folders which files are their business.
package presence

import (
	"context"
	"time"
)

// Lookout looks for editors every now and then, and at once for those who ask.
type Lookout struct {
	asked chan chan struct{}
	over  chan struct{} // closed when Run has returned
}

// NewLookout makes a Lookout, which looks while its Run runs.
func NewLookout() *Lookout {
	return &Lookout{asked: make(chan chan struct{}), over: make(chan struct{})}
}

// Run calls look, one time after the other, until ctx ends. It is called once.
func (l *Lookout) Run(ctx context.Context, every time.Duration, look func()) {
	defer close(l.over)
	ticker := time.NewTicker(every)
	defer ticker.Stop()
	var done chan struct{} // of who has asked for the look that comes
	for {
		look()
		if done != nil {
			close(done)
			done = nil
		}
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
		case done = <-l.asked:
		}
	}
}

// Look has Run look now, and returns when that is done, ctx ends or Run has returned.
func (l *Lookout) Look(ctx context.Context) {
	done := make(chan struct{})
	select {
	case l.asked <- done:
	case <-ctx.Done():
		return
	case <-l.over:
		return
	}
	select {
	case <-done:
	case <-ctx.Done():
	case <-l.over:
	}
}
