package mcp

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/dougu-go/dougu/internal/group"
)

// TimeoutError is the error of a request without a response in time. It matches
// context.DeadlineExceeded and is no *protocol.Error. The server was notified of the cancellation.
type TimeoutError struct {
	Method string        // Method is the method of the request.
	After  time.Duration // After is the limit that was reached.
}

// Error returns the method and the limit.
func (e *TimeoutError) Error() string {
	return fmt.Sprintf("the server did not answer %s within %v", e.Method, e.After)
}

// Unwrap returns context.DeadlineExceeded.
func (e *TimeoutError) Unwrap() error { return context.DeadlineExceeded }

// limits returns the time limits of a request: soft restarts with each progress notification, hard
// does not. A value that is not positive means no limit.
func (c *Client) limits(opts *CallOptions) (soft, hard time.Duration) {
	soft, hard = c.opts.Timeout, c.opts.HardTimeout
	if soft == 0 {
		soft = defaultTimeout
	}
	if opts.Timeout != 0 {
		soft, hard = opts.Timeout, 0
	}
	if opts.HardTimeout != 0 {
		hard = opts.HardTimeout
	}
	if hard == 0 {
		hard = hardTimeoutFactor * soft
	}
	return soft, hard
}

// deadlines holds the time limits of all in-flight requests. All of them are suspended while the
// client answers a question, since a question of a session does not name its request.
type deadlines struct {
	mu        sync.Mutex
	active    map[*deadline]struct{} // deadlines of the in-flight requests
	questions int                    // number of questions that are being answered
}

// begin returns a context that is cancelled with a *TimeoutError, and its deadline, which is nil
// without limits. The caller must call the returned function at the end.
func (s *deadlines) begin(ctx context.Context, method string, soft, hard time.Duration) (context.Context, *deadline, func()) {
	if soft <= 0 && hard <= 0 {
		return ctx, nil, func() {}
	}
	ctx, cancel := context.WithCancelCause(ctx)
	d := &deadline{method: method, soft: soft, hard: hard, cancel: cancel}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.active == nil {
		s.active = make(map[*deadline]struct{})
	}
	s.active[d] = struct{}{}
	d.start(s.questions > 0)
	return ctx, d, func() {
		s.mu.Lock()
		delete(s.active, d)
		s.mu.Unlock()
		d.timer.Stop()
		cancel(nil)
	}
}

// pause suspends all deadlines. Each pause needs one resume.
func (s *deadlines) pause() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.questions++; s.questions > 1 {
		return
	}
	for d := range s.active {
		d.pause()
	}
}

// resume ends one pause; the last one continues all deadlines.
func (s *deadlines) resume() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.questions--; s.questions > 0 {
		return
	}
	for d := range s.active {
		d.resume()
	}
}

// deadline ends the context of one request. Its timer may fire early, because extend and pause do
// not reset it.
type deadline struct {
	method     string
	soft, hard time.Duration           // no limit unless positive
	cancel     context.CancelCauseFunc // cancels the context of the request

	mu      sync.Mutex  // guards the fields below
	timer   *time.Timer // runs check
	softEnd time.Time   // end by the soft limit
	hardEnd time.Time   // end by the hard limit
	paused  bool
	left    time.Duration // remaining part of soft while paused
}

// start starts the limits. paused means that a question is being answered now.
func (d *deadline) start(paused bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	now := time.Now()
	d.softEnd, d.hardEnd = now.Add(d.soft), now.Add(d.hard)
	d.paused, d.left = paused, d.soft
	first := d.soft
	if first <= 0 || d.hard > 0 && d.hard < first {
		first = d.hard
	}
	d.timer = group.AfterFunc(first, d.check)
}

// end returns the time at which the request ends, and the limit that causes it. The zero time means
// never.
func (d *deadline) end() (time.Time, time.Duration) {
	switch soft := d.soft > 0 && !d.paused; {
	case soft && (d.hard <= 0 || d.softEnd.Before(d.hardEnd)):
		return d.softEnd, d.soft
	case d.hard > 0:
		return d.hardEnd, d.hard
	}
	return time.Time{}, 0
}

// check cancels the request if its end has come; otherwise it resets the timer to the end.
func (d *deadline) check() {
	d.mu.Lock()
	defer d.mu.Unlock()
	end, limit := d.end()
	if end.IsZero() {
		return // resume resets the timer
	}
	if left := time.Until(end); left > 0 {
		d.timer.Reset(left)
		return
	}
	d.cancel(&TimeoutError{Method: d.method, After: limit})
}

// extend restarts the soft limit after progress. A nil deadline does nothing.
func (d *deadline) extend() {
	if d == nil {
		return
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	d.softEnd, d.left = time.Now().Add(d.soft), d.soft
}

// pause suspends the soft limit.
func (d *deadline) pause() {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.paused, d.left = true, max(time.Until(d.softEnd), time.Millisecond)
}

// resume continues the soft limit with the remaining time.
func (d *deadline) resume() {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.paused, d.softEnd = false, time.Now().Add(d.left)
	if end, _ := d.end(); !end.IsZero() {
		d.timer.Reset(time.Until(end))
	}
}
