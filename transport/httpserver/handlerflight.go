package httpserver

import (
	"context"
	"sync"
)

// flight is one thing that is under way and can be ended.
type flight struct {
	cancel context.CancelCauseFunc
	// endless things go on until somebody ends them: when everything is to end,
	// they are not waited for.
	endless bool
	links[flight]
}

// flights are all that are under way. The zero value is ready.
type flights struct {
	mu      sync.Mutex
	all     queue[flight, *flight]
	closing bool
	landed  chan struct{} // once closing: closed when there are none
}

// enter adds f, unless no more are let in.
func (a *flights) enter(f *flight) bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.closing {
		return false
	}
	a.all.add(f)
	return true
}

// leave removes f.
func (a *flights) leave(f *flight) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.all.remove(f)
	if a.closing && a.all.first == nil {
		close(a.landed)
	}
}

// close lets no more in and ends those that are endless. What it returns is
// closed when none is left.
func (a *flights) close(cause error) (landed <-chan struct{}) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if !a.closing {
		a.closing, a.landed = true, make(chan struct{})
		if a.all.first == nil {
			close(a.landed)
		}
	}
	for f := a.all.first; f != nil; f = f.after {
		if f.endless {
			f.cancel(cause)
		}
	}
	return a.landed
}

// cancel ends all that are left.
func (a *flights) cancel(cause error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	for f := a.all.first; f != nil; f = f.after {
		f.cancel(cause)
	}
}
