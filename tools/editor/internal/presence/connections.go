package presence

import (
	"sync"
	"time"

	"github.com/dougu-go/dougu/tools/editor/internal/local"
)

const (
	retryPause   = time.Second      // after the first failure to connect; doubled after each
	longestPause = 30 * time.Second // between attempts
)

// Connections holds the sessions with all editors of one kind, and the attempts to connect that have failed. A key names the place
// where an editor listens, for example by the path of its socket. A life names one editor at that place, for example by the time when
// it began to listen: a new editor there is tried at once. Its methods may be called concurrently.
type Connections[S any, L comparable] struct {
	mu       sync.Mutex
	sessions map[string]S
	attempts map[string]attempt[L]
}

// attempt is a connection that was not made.
type attempt[L comparable] struct {
	life  L
	err   error
	pause time.Duration
	next  time.Time
}

// NewConnections makes Connections without any.
func NewConnections[S any, L comparable]() *Connections[S, L] {
	return &Connections[S, L]{sessions: map[string]S{}, attempts: map[string]attempt[L]{}}
}

// Due reports whether an editor that listens should be connected to now.
func (c *Connections[S, L]) Due(key string, life L) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if _, connected := c.sessions[key]; connected {
		return false
	}
	before, failed := c.attempts[key]
	return !failed || before.life != life || !time.Now().Before(before.next)
}

// Connected adds a session.
func (c *Connections[S, L]) Connected(key string, s S) {
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.attempts, key)
	c.sessions[key] = s
}

// Ended removes a session that has ended.
func (c *Connections[S, L]) Ended(key string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.sessions, key)
}

// Failed notes that a connection was not made, and reports whether that was the first attempt at this editor. The next attempt is due
// after a second, and after twice the pause with each failure, but at most half a minute; deserted, unless it is 0, bounds the pause
// where no program listens.
func (c *Connections[S, L]) Failed(key string, life L, err error, deserted time.Duration) (first bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	pause := retryPause
	before, failed := c.attempts[key]
	if first = !failed || before.life != life; !first {
		pause = min(2*before.pause, longestPause)
	}
	if deserted > 0 && local.IsDeserted(err) {
		pause = min(pause, deserted)
	}
	c.attempts[key] = attempt[L]{life, err, pause, time.Now().Add(pause)}
	return first
}

// Keep forgets the failed attempts at places that were not found again.
func (c *Connections[S, L]) Keep(found map[string]bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for key := range c.attempts {
		if !found[key] {
			delete(c.attempts, key)
		}
	}
}

// All returns the sessions, in no order.
func (c *Connections[S, L]) All() []S {
	c.mu.Lock()
	defer c.mu.Unlock()
	all := make([]S, 0, len(c.sessions))
	for _, s := range c.sessions {
		all = append(all, s)
	}
	return all
}

// Failure returns the error of an editor that listens and does not take the connection, or nil. deserted includes places where no
// program listens.
func (c *Connections[S, L]) Failure(deserted bool) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, a := range c.attempts {
		if deserted || !local.IsDeserted(a.err) {
			return a.err
		}
	}
	return nil
}
