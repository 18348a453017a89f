package mcp

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/dougu-go/dougu/internal/group"
)

// TimeoutError is what a request fails with that its server has left unanswered
// for too long. It is a context.DeadlineExceeded, and no *Error: nothing has
// come from the server, which was told that the request is cancelled.
type TimeoutError struct {
	Method string
	After  time.Duration // the limit that was reached
}

func (e *TimeoutError) Error() string {
	return fmt.Sprintf("the server did not answer %s within %v", e.Method, e.After)
}

// Unwrap returns context.DeadlineExceeded.
func (e *TimeoutError) Unwrap() error { return context.DeadlineExceeded }

// limits are how long a request may take, and how long in spite of progress.
// What is not positive is no limit.
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
		hard = hardFactor * soft
	}
	return soft, hard
}

// deadlines are those of all requests under way. They stand still while the
// client answers a question, since in sessions nobody knows which request it
// belongs to.
type deadlines struct {
	mu      sync.Mutex
	running map[*deadline]struct{}
	asked   int // questions that are being answered
}

// begin returns a context that ends with a *TimeoutError, and what holds its
// clock: nil when there is no limit. stop must be called.
func (s *deadlines) begin(ctx context.Context, method string, soft, hard time.Duration) (context.Context, *deadline, func()) {
	if soft <= 0 && hard <= 0 {
		return ctx, nil, func() {}
	}
	ctx, cancel := context.WithCancelCause(ctx)
	d := &deadline{method: method, soft: soft, hard: hard, cancel: cancel}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.running == nil {
		s.running = make(map[*deadline]struct{})
	}
	s.running[d] = struct{}{}
	d.start(s.asked > 0)
	return ctx, d, func() {
		s.mu.Lock()
		delete(s.running, d)
		s.mu.Unlock()
		d.timer.Stop()
		cancel(nil)
	}
}

// pause stops all clocks until as many resumes have come.
func (s *deadlines) pause() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.asked++; s.asked > 1 {
		return
	}
	for d := range s.running {
		d.pause()
	}
}

func (s *deadlines) resume() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.asked--; s.asked > 0 {
		return
	}
	for d := range s.running {
		d.resume()
	}
}

// deadline ends the context of one request. Its timer may fire early, since what
// postpones the end does not touch it.
type deadline struct {
	method     string
	soft, hard time.Duration // no limit unless positive
	cancel     context.CancelCauseFunc

	mu      sync.Mutex
	timer   *time.Timer
	softEnd time.Time
	hardEnd time.Time
	paused  bool
	left    time.Duration // of soft, while paused
}

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

// end is when the request ends as things stand, and by which limit; the zero
// time means never.
func (d *deadline) end() (time.Time, time.Duration) {
	switch soft := d.soft > 0 && !d.paused; {
	case soft && (d.hard <= 0 || d.softEnd.Before(d.hardEnd)):
		return d.softEnd, d.soft
	case d.hard > 0:
		return d.hardEnd, d.hard
	}
	return time.Time{}, 0
}

// check ends the request, or waits for the end that has been postponed.
func (d *deadline) check() {
	d.mu.Lock()
	defer d.mu.Unlock()
	end, limit := d.end()
	if end.IsZero() {
		return // resume starts the timer again
	}
	if left := time.Until(end); left > 0 {
		d.timer.Reset(left)
		return
	}
	d.cancel(&TimeoutError{Method: d.method, After: limit})
}

// extend grants the whole time again. A nil deadline does nothing.
func (d *deadline) extend() {
	if d == nil {
		return
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	d.softEnd, d.left = time.Now().Add(d.soft), d.soft
}

func (d *deadline) pause() {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.paused, d.left = true, max(time.Until(d.softEnd), time.Millisecond)
}

func (d *deadline) resume() {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.paused, d.softEnd = false, time.Now().Add(d.left)
	if end, _ := d.end(); !end.IsZero() {
		d.timer.Reset(time.Until(end))
	}
}
