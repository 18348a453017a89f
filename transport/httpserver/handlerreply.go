package httpserver

import (
	"errors"
	"net/http"
	"slices"
	"sync"

	"github.com/dougu-go/dougu/internal/sse"
)

var (
	// errNoStream is returned where a response cannot become a stream.
	errNoStream = errors.New("the response cannot be a stream: the client does not accept text/event-stream, or the HTTP server cannot send one")
	// errReplied is returned once a response has ended.
	errReplied = errors.New("the response has ended")
)

// maxPiece is how much a client must take at once before it counts as stalled.
const maxPiece = 64 << 10

// replyPhase is how far a reply has come.
type replyPhase uint8

const (
	replyFresh     replyPhase = iota // nothing has been sent
	replyStreaming                   // it is a stream of events
	replyOver                        // nothing more can be sent
)

// reply is the response to one HTTP request. It is a stream of events from the
// moment that something is sent before the last message; until then it may
// still become a single JSON text. Once it is over the ResponseWriter is not
// touched any more. Any goroutine may call its methods; writing to a client that
// does not read ends it after a while.
type reply struct {
	accept accepted
	opts   *Options

	mu    sync.Mutex
	w     http.ResponseWriter
	ctl   *http.ResponseController
	phase replyPhase
	over  chan struct{} // closed with the end; nil where nobody waits for it

	life life
}

// open makes the reply a stream. The headers go out with the first event.
func (r *reply) open() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.stream()
}

// stream is open with the lock held.
func (r *reply) stream() error {
	switch {
	case r.phase == replyOver:
		return errReplied
	case r.phase == replyStreaming:
		return nil
	case !r.accept.stream:
		return errNoStream
	case !canFlush(r.w):
		r.accept.stream = false
		return errNoStream
	}
	h := r.w.Header()
	h.Set("Content-Type", "text/event-stream")
	h.Set("Cache-Control", "no-store")
	h.Set("X-Accel-Buffering", "no")
	r.w.WriteHeader(http.StatusOK)
	r.phase = replyStreaming
	return nil
}

// canFlush reports whether w can send what has been written at once.
func canFlush(w http.ResponseWriter) bool {
	for {
		switch t := w.(type) {
		case http.Flusher, interface{ FlushError() error }:
			return true
		case interface{ Unwrap() http.ResponseWriter }:
			w = t.Unwrap()
		default:
			return false
		}
	}
}

// send sends events, opening the stream for them.
func (r *reply) send(events []byte) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if err := r.stream(); err != nil {
		return err
	}
	return r.write(events)
}

// last sends the last events and ends the reply.
func (r *reply) last(events []byte) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if err := r.stream(); err != nil {
		return err
	}
	err := r.write(events)
	r.finish()
	return err
}

// keepAlive sends a comment, and has its caller called again in time. When
// something else is being written there is no need for one.
func (r *reply) keepAlive() {
	if r.mu.TryLock() {
		err := r.stream()
		if err == nil {
			err = r.write(sse.AppendComment(nil, ""))
		}
		r.mu.Unlock()
		if err != nil {
			return
		}
	}
	r.life.again(r.opts.KeepAlive)
}

// json ends the reply with one JSON text, unless it is a stream already: then
// the error is errReplied.
func (r *reply) json(as head, body []byte) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.phase != replyFresh {
		return errReplied
	}
	as.add(r.w.Header())
	setJSON(r.w.Header(), len(body))
	r.w.WriteHeader(as.status)
	err := r.write(body)
	r.finish()
	return err
}

// status ends a reply that has nothing to say. A stream just ends.
func (r *reply) status(status int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.phase == replyFresh {
		r.w.WriteHeader(status)
	}
	r.finish()
}

// refuse ends a reply with a refusal. A stream just ends.
func (r *reply) refuse(why *refusal) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.phase == replyFresh {
		why.write(r.w)
	}
	r.finish()
}

// begun reports whether something has been sent.
func (r *reply) begun() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.phase != replyFresh
}

// end ends the reply: when it returns nothing touches the ResponseWriter.
func (r *reply) end() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.finish()
}

// abandon is end that does not wait for somebody who writes.
func (r *reply) abandon() {
	if !r.mu.TryLock() {
		r.cut()
		r.mu.Lock()
	}
	defer r.mu.Unlock()
	r.finish()
}

// write sends bytes at once and fails when the client does not go on taking
// them.
func (r *reply) write(b []byte) error {
	err := error(nil)
	for piece := range slices.Chunk(b, maxPiece) {
		if err = r.life.grant(r.ctl, r.opts.Stall); err != nil {
			break
		}
		if _, err = r.w.Write(piece); err != nil {
			break
		}
	}
	if err == nil {
		if err = r.ctl.Flush(); errors.Is(err, http.ErrNotSupported) {
			err = nil
		}
	}
	if err != nil {
		r.finish()
		return err
	}
	r.life.withdraw(r.ctl)
	return nil
}

// cut makes what is being written fail, and all that would be.
func (r *reply) cut() { r.life.cut(r.ctl) }

// finish is end with the lock held.
func (r *reply) finish() {
	if r.phase == replyOver {
		return
	}
	r.phase = replyOver
	r.life.end()
	if r.over != nil {
		close(r.over)
	}
}
