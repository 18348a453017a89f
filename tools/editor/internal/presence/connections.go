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

// Connections are the sessions with all editors of one kind, and the failed connection attempts. A key names the address of an
// editor, for example the path of its socket. A life identifies one run of an editor at that address, for example by its start
// time: a new run is tried at once. The methods are safe for concurrent use.
type Connections[S any, L comparable] struct {
	mu       sync.Mutex
	sessions map[string]S
	attempts map[string]attempt[L]
}

// attempt is a failed connection attempt.
type attempt[L comparable] struct {
	life  L
	err   error
	pause time.Duration
	next  time.Time
}

// NewConnections returns empty Connections.
func NewConnections[S any, L comparable]() *Connections[S, L] {
	return &Connections[S, L]{sessions: map[string]S{}, attempts: map[string]attempt[L]{}}
}

// Due reports whether a connection to an editor should be tried now.
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

// Ended removes a session.
func (c *Connections[S, L]) Ended(key string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.sessions, key)
}

// Failed records a failed attempt, and reports whether it was the first one for this run of the editor. The next attempt is due
// after one second. The delay doubles with each failure, up to 30 seconds. If err means that no program listens at the
// address, the delay is at most deserted; 0 sets no such limit.
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

// Keep removes failed attempts at addresses that are not in found.
func (c *Connections[S, L]) Keep(found map[string]bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for key := range c.attempts {
		if !found[key] {
			delete(c.attempts, key)
		}
	}
}

// All returns the sessions in any order.
func (c *Connections[S, L]) All() []S {
	c.mu.Lock()
	defer c.mu.Unlock()
	all := make([]S, 0, len(c.sessions))
	for _, s := range c.sessions {
		all = append(all, s)
	}
	return all
}

// Failure returns the error of an editor that refused the connection, or nil. deserted includes addresses at which no program
// listens.
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
