package presence

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/dougu-go/dougu/tools/editor/internal/local"
)

const (
	retryPause   = time.Second      // after the first failure to connect; doubled after each
	longestPause = 30 * time.Second // between attempts
	silentPause  = 2 * time.Second  // after an attempt that ended with ErrNoAnswer
)

// ErrNoAnswer is wrapped by the error of a connection attempt to an editor that listens and does not answer. Its documents are
// not known.
var ErrNoAnswer = errors.New("does not answer")

// Connections are the sessions with all editors of one kind, and the connection attempts. A key names the address of an
// editor, for example the path of its socket. A life identifies one run of an editor at that address, for example by its start
// time: a new run is tried at once. The methods are safe for concurrent use.
type Connections[S any, L comparable] struct {
	mu       sync.Mutex
	sessions map[string]S
	attempts map[string]attempt[L] // failed attempts
	trials   map[string]*trial     // attempts that have not ended
}

// attempt is a failed connection attempt.
type attempt[L comparable] struct {
	life  L
	err   error
	pause time.Duration
	next  time.Time
	pid   int
}

// trial is a connection attempt that has not ended.
type trial struct {
	begun time.Time
	ended chan struct{}
	pid   int // of the editor; 0 if not known
}

// NewConnections returns empty Connections.
func NewConnections[S any, L comparable]() *Connections[S, L] {
	return &Connections[S, L]{sessions: map[string]S{}, attempts: map[string]attempt[L]{}, trials: map[string]*trial{}}
}

// Begin reports whether a connection to an editor should be tried now. After true, the caller calls Connected, Failed or Ended.
func (c *Connections[S, L]) Begin(key string, life L) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if _, connected := c.sessions[key]; connected || c.trials[key] != nil {
		return false
	}
	if before, failed := c.attempts[key]; failed && before.life == life && time.Now().Before(before.next) {
		return false
	}
	c.trials[key] = &trial{begun: time.Now(), ended: make(chan struct{})}
	return true
}

// Dialed records the process that listens at the address of an attempt; 0 if it is not known.
func (c *Connections[S, L]) Dialed(key string, pid int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if t := c.trials[key]; t != nil {
		t.pid = pid
	}
}

// end ends an attempt and returns its process. It is called with mu held.
func (c *Connections[S, L]) end(key string) (pid int) {
	t := c.trials[key]
	if t == nil {
		return 0
	}
	delete(c.trials, key)
	close(t.ended)
	return t.pid
}

// Await waits for the attempts that have not ended. It waits for an attempt until the attempt is patience old, and not beyond
// the end of ctx. It does not wait for an editor whose attempt before ended with ErrNoAnswer.
func (c *Connections[S, L]) Await(ctx context.Context, patience time.Duration) {
	c.mu.Lock()
	waiting := make([]*trial, 0, len(c.trials))
	for key, t := range c.trials {
		if !errors.Is(c.attempts[key].err, ErrNoAnswer) {
			waiting = append(waiting, t)
		}
	}
	c.mu.Unlock()
	for _, t := range waiting {
		left := time.Until(t.begun.Add(patience))
		if left <= 0 {
			continue
		}
		timer := time.NewTimer(left)
		select {
		case <-t.ended:
		case <-timer.C:
		case <-ctx.Done():
		}
		timer.Stop()
	}
}

// Unanswered returns the processes of editors that listen and have not answered, by key, 0 for an unknown process: those of
// attempts that have not ended after patience, and of attempts that ended with ErrNoAnswer.
func (c *Connections[S, L]) Unanswered(patience time.Duration) map[string]int {
	pids := make(map[string]int)
	c.mu.Lock()
	defer c.mu.Unlock()
	for key, t := range c.trials {
		if time.Since(t.begun) >= patience {
			pids[key] = t.pid
		}
	}
	for key, a := range c.attempts { // also during the next attempt
		if t := c.trials[key]; errors.Is(a.err, ErrNoAnswer) && (t == nil || time.Since(t.begun) < patience) {
			pids[key] = a.pid
		}
	}
	return pids
}

// Connected adds a session.
func (c *Connections[S, L]) Connected(key string, s S) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.end(key)
	delete(c.attempts, key)
	c.sessions[key] = s
}

// Ended removes a session. It also ends an attempt to connect, without a record of a failure.
func (c *Connections[S, L]) Ended(key string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.end(key)
	delete(c.sessions, key)
}

// Failed records a failed attempt, and reports whether it was the first one for this run of the editor. The next attempt is due
// after one second. The delay doubles with each failure, up to 30 seconds, or two seconds for ErrNoAnswer. If err means that no
// program listens at the address, the delay is at most deserted; 0 sets no such limit.
func (c *Connections[S, L]) Failed(key string, life L, err error, deserted time.Duration) (first bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	pid := c.end(key)
	pause := retryPause
	before, failed := c.attempts[key]
	if first = !failed || before.life != life; !first {
		pause = min(2*before.pause, longestPause)
	}
	if deserted > 0 && local.IsDeserted(err) {
		pause = min(pause, deserted)
	}
	if errors.Is(err, ErrNoAnswer) {
		pause = min(pause, silentPause)
	}
	c.attempts[key] = attempt[L]{life, err, pause, time.Now().Add(pause), pid}
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
