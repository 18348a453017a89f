package httpserver

import (
	"context"
	"net/http"
	"sync"
	"time"

	"github.com/dougu-go/dougu/internal/group"
)

// inFlight is an in-flight request, call or stream.
type inFlight struct {
	cancel context.CancelCauseFunc
	// isStream is true if the request does not end by itself, for example a
	// stream of changes. A shutdown cancels it at once.
	isStream bool
	links[inFlight]
}

// waitingFactor is the number of calls, running or waiting, per slot of Options.Concurrency.
const waitingFactor = 8

// inFlightSet is the set of in-flight requests of a Handler. The zero value is
// ready.
type inFlightSet struct {
	mu      sync.Mutex
	all     queue[inFlight, *inFlight]
	closing bool
	drained chan struct{} // once closing: closed when there are none
}

// enter adds f and reports whether it was admitted: a closing set admits none.
func (a *inFlightSet) enter(f *inFlight) bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.closing {
		return false
	}
	a.all.add(f)
	return true
}

// leave removes f.
func (a *inFlightSet) leave(f *inFlight) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.all.remove(f)
	if a.closing && a.all.first == nil {
		close(a.drained)
	}
}

// close admits no more requests and cancels streams. The returned channel is
// closed when the set is empty.
func (a *inFlightSet) close(cause error) (drained <-chan struct{}) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if !a.closing {
		a.closing, a.drained = true, make(chan struct{})
		if a.all.first == nil {
			close(a.drained)
		}
	}
	for f := a.all.first; f != nil; f = f.after {
		if f.isStream {
			f.cancel(cause)
		}
	}
	return a.drained
}

// cancel cancels all remaining requests.
func (a *inFlightSet) cancel(cause error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	for f := a.all.first; f != nil; f = f.after {
		f.cancel(cause)
	}
}

// idleWorker is how long a goroutine waits for its next call.
const idleWorker = 2 * time.Second

// workers run calls. Goroutines are kept for a while, which saves growing a new
// stack for every call.
type workers struct {
	group *group.Group
	idle  chan *call
	done  <-chan struct{}
}

// start runs a call on a goroutine that waits for one, or on a new one.
func (p *workers) start(c *call) {
	select {
	case p.idle <- c:
	default:
		p.group.Go(func() { p.work(c) })
	}
}

func (p *workers) work(c *call) {
	timer := time.NewTimer(idleWorker)
	defer timer.Stop()
	for {
		c.serve()
		timer.Reset(idleWorker)
		select {
		case c = <-p.idle:
		case <-timer.C:
			return
		case <-p.done:
			return
		}
	}
}

// take acquires a slot of Options.Concurrency without waiting.
func (h *Handler) take() bool {
	select {
	case h.running <- struct{}{}:
		return true
	default:
		return false
	}
}

// count counts a call of a session, unless there are too many.
func (h *Handler) count() bool {
	if h.calls.Add(1) > int64(waitingFactor*h.opts.Concurrency) {
		h.calls.Add(-1)
		return false
	}
	return true
}

// openStream counts a stream of changes, unless there are too many.
func (h *Handler) openStream() bool {
	if h.streams.Add(1) > int64(h.opts.MaxStreams) {
		h.streams.Add(-1)
		return false
	}
	return true
}

// queue holds elements in the order in which they were added; any of them may
// leave. Each has its place in itself, by embedding links, so that nothing is
// allocated, and is in one queue at most. The zero value is ready.
type queue[T any, P linked[T]] struct{ first, last P }

// links are the place of an element.
type links[T any] struct{ before, after *T }

func (l *links[T]) place() *links[T] { return l }

type linked[T any] interface {
	*T
	place() *links[T]
}

// add adds e as the last.
func (q *queue[T, P]) add(e P) {
	if e.place().before = q.last; q.last != nil {
		q.last.place().after = e
	} else {
		q.first = e
	}
	q.last = e
}

// remove takes out e, which is in the queue.
func (q *queue[T, P]) remove(e P) {
	at := e.place()
	if at.before != nil {
		P(at.before).place().after = at.after
	} else {
		q.first = at.after
	}
	if at.after != nil {
		P(at.after).place().before = at.before
	} else {
		q.last = at.before
	}
	*at = links[T]{}
}

// admit counts x among the work under way, or returns the reason for its refusal.
func (h *Handler) admit(x *exchange) *refusal {
	switch {
	case !x.accept.json && !x.accept.stream, x.isStream && !x.accept.stream:
		return notAcceptable()
	case x.isStream && !h.openStream():
		return busy(http.StatusServiceUnavailable, "%d streams are open; end one of them first", h.opts.MaxStreams)
	case !x.isStream && !h.take():
		return busy(http.StatusServiceUnavailable, "%d requests are being served; send this one again later", h.opts.Concurrency)
	}
	if !h.inFlightSet.enter(&x.inFlight) {
		h.uncount(x)
		return shuttingDown()
	}
	return nil
}

// dismiss ends the work that admit has admitted.
func (h *Handler) dismiss(x *exchange) {
	h.inFlightSet.leave(&x.inFlight)
	h.uncount(x)
}

func (h *Handler) uncount(x *exchange) {
	if x.isStream {
		h.streams.Add(-1)
		return
	}
	<-h.running
}

// admitCall counts c among the calls under way, or returns the reason for its refusal.
func (h *Handler) admitCall(c *call, from context.Context) *refusal {
	if !h.count() {
		return busy(http.StatusServiceUnavailable, "%d calls are waiting; send this one again later", waitingFactor*h.opts.Concurrency)
	}
	if !h.take() {
		h.calls.Add(-1)
		return busy(http.StatusServiceUnavailable, "%d requests are being served; send this one again later", h.opts.Concurrency)
	}
	ctx, cancel := context.WithCancelCause(context.WithoutCancel(from))
	c.ctx, c.inFlight.cancel = context.WithValue(ctx, callKey{}, c), cancel
	refused := c.s.register(c)
	if refused == nil && !h.inFlightSet.enter(&c.inFlight) {
		c.s.unregister(c)
		refused = shuttingDown()
	}
	if refused != nil {
		<-h.running
		h.calls.Add(-1)
	}
	return refused
}
