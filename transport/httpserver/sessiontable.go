package httpserver

import (
	"errors"
	"net/http"
	"sync"
	"time"
)

var (
	errSessionIdle    = errors.New("the session was not used for too long")
	errSessionEvicted = errors.New("the session had to make room for others")
	errSessionEnded   = errors.New("the client has ended the session")
)

// sessionTable holds the legacy sessions of a Handler. Sessions without a running
// HTTP request are in a list, the longest idle first. One goroutine, which runs
// while there are sessions, ends sessions that are idle for SessionIdle.
type sessionTable struct {
	h *Handler

	mu     sync.Mutex
	byID   map[string]*session
	idle   queue[session, *session]
	swept  bool // the goroutine runs
	closed bool
	empty  chan struct{} // wakes the goroutine when there are none
}

func (t *sessionTable) init(h *Handler) {
	t.h, t.byID, t.empty = h, make(map[string]*session), make(chan struct{}, 1)
}

// add adds a session with one request under way. When there are too many, the
// one that has been idle longest ends.
func (t *sessionTable) add(s *session) *refusal {
	t.mu.Lock()
	if t.closed {
		t.mu.Unlock()
		return shuttingDown()
	}
	evicted, refused := t.insert(s)
	t.mu.Unlock()
	if evicted != nil {
		evicted.end(errSessionEvicted)
	}
	return refused
}

// insert is add with the lock held. The caller must end the evicted session
// after it has released the lock.
func (t *sessionTable) insert(s *session) (evicted *session, refused *refusal) {
	if len(t.byID) >= t.h.opts.MaxSessions {
		if evicted = t.leastUsed(); evicted == nil {
			return nil, busy(http.StatusServiceUnavailable, "%d sessions are open, all in use; try again later", t.h.opts.MaxSessions)
		}
		t.drop(evicted)
	}
	s.busy = 1
	t.byID[s.id] = s
	if !t.swept {
		t.swept = true
		t.h.group.Go(t.sweep)
	}
	return evicted, nil
}

// leastUsed returns the session that has been idle longest, if possible one
// that is not in use. It looks at 64 sessions at most.
func (t *sessionTable) leastUsed() *session {
	tried := 0
	for s := t.idle.first; s != nil && tried < 64; s = s.after {
		if !t.h.backend.inUse(s) {
			return s
		}
		tried++
	}
	return t.idle.first
}

// enter finds the session of a request and counts the request; nil when there is
// none of that id for that principal.
func (t *sessionTable) enter(id, principal string) *session {
	t.mu.Lock()
	defer t.mu.Unlock()
	s := t.byID[id]
	if s == nil || s.principal != principal {
		return nil
	}
	if s.busy++; s.busy == 1 {
		t.idle.remove(s)
	}
	return s
}

// leave is the end of a request.
func (t *sessionTable) leave(s *session) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if s.busy--; s.busy > 0 || t.byID[s.id] != s {
		return
	}
	s.since = time.Now()
	t.idle.add(s)
}

// drop removes a session; the lock is held.
func (t *sessionTable) drop(s *session) {
	delete(t.byID, s.id)
	if s.busy == 0 {
		t.idle.remove(s)
	}
	if len(t.byID) == 0 {
		select {
		case t.empty <- struct{}{}:
		default:
		}
	}
}

// remove removes a session, if it is there, and ends it.
func (t *sessionTable) remove(s *session, cause error) {
	t.mu.Lock()
	present := t.byID[s.id] == s
	if present {
		t.drop(s)
	}
	t.mu.Unlock()
	if present {
		s.end(cause)
	}
}

// sweep ends sessions that are idle for too long, until there are none left.
func (t *sessionTable) sweep() {
	timer := time.NewTimer(t.h.opts.SessionIdle)
	defer timer.Stop()
	for {
		select {
		case <-timer.C:
		case <-t.empty:
		case <-t.h.base.Done():
			return
		}
		next, ok := t.expire()
		if !ok {
			return
		}
		timer.Reset(next)
	}
}

// expire ends sessions that are idle for too long and returns the time until the
// next check. ok is false if there are no sessions.
func (t *sessionTable) expire() (next time.Duration, ok bool) {
	for {
		t.mu.Lock()
		s := t.idle.first
		next = t.h.opts.SessionIdle
		if s != nil {
			next -= time.Since(s.since)
		}
		if s == nil || next > 0 {
			t.swept = len(t.byID) > 0
			defer t.mu.Unlock()
			return next, t.swept
		}
		if t.h.backend.inUse(s) { // its client may be busy at another Handler
			t.idle.remove(s)
			s.since = time.Now()
			t.idle.add(s)
			t.mu.Unlock()
			continue
		}
		t.drop(s)
		t.mu.Unlock()
		s.end(errSessionIdle)
	}
}

// close ends all sessions; no more are added.
func (t *sessionTable) close() {
	t.mu.Lock()
	all := t.byID
	t.byID, t.idle, t.closed = nil, queue[session, *session]{}, true
	t.mu.Unlock()
	for _, s := range all {
		s.end(errShutdown)
	}
}
