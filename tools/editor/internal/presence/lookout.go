// Package presence contains common parts of adapters for editors that start and end: periodic searches ([Lookout]),
// notification of watchers ([Announcer]), batches of changed files ([Changes]), and the assignment of files to editors by
// folder.
package presence

import (
	"context"
	"time"
)

// Lookout runs a search for editors periodically and on request.
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
	var waiting []chan struct{} // closed after the requested search
	for {
		look()
		for _, done := range waiting {
			close(done)
		}
		waiting = waiting[:0]
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
		case done := <-l.asked:
			waiting = append(waiting, done)
		}
		for more := true; more; { // one search serves all requests before it
			select {
			case done := <-l.asked:
				waiting = append(waiting, done)
			default:
				more = false
			}
		}
	}
}

// Refresh has Run look now, and returns when that is done, ctx ends or Run has returned.
func (l *Lookout) Refresh(ctx context.Context) {
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
