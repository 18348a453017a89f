package httpserver

import (
	"errors"
	"fmt"
	"net/http"
	"slices"
	"sync"
	"time"

	"github.com/dougu-go/dougu/internal/group"
	"github.com/dougu-go/dougu/internal/jsonx"
	"github.com/dougu-go/dougu/internal/rpc"
	"github.com/dougu-go/dougu/internal/sse"
	"github.com/dougu-go/dougu/mcp/protocol"
	"github.com/dougu-go/dougu/transport/internal/peer"
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
	over  chan struct{} // closed at the end; nil without a waiter

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

// canFlush reports whether w can flush written bytes.
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
	r.life.reschedule(r.opts.KeepAlive)
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

// abandon ends the reply and cuts off a write in progress.
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

// cut makes the current write and all later writes fail.
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

// errCut is the error of a write to a reply that was cut off.
var errCut = errors.New("the response was given up for a newer one")

// life holds the timer and the write deadline of a reply. Its lock is never
// held during a write. The zero value is ready.
type life struct {
	mu    sync.Mutex
	timer *time.Timer
	over  bool
	isCut bool
}

// start has tick called after a while.
func (l *life) start(after time.Duration, tick func()) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if !l.over {
		l.timer = group.AfterFunc(after, tick)
	}
}

// reschedule has it called again, unless the reply is over.
func (l *life) reschedule(after time.Duration) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if !l.over && l.timer != nil {
		l.timer.Reset(after)
	}
}

// end is the end of the reply.
func (l *life) end() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.over = true
	if l.timer != nil {
		l.timer.Stop()
	}
}

func (l *life) isOver() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.over
}

// grant sets the write deadline for the next write. Where the connection has no
// deadlines, the HTTP server must have its own.
func (l *life) grant(ctl *http.ResponseController, timeout time.Duration) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.isCut {
		return errCut
	}
	_ = ctl.SetWriteDeadline(time.Now().Add(timeout))
	return nil
}

// withdraw is the end of grant. The deadline is not left standing: the
// connection may be used again, and in HTTP/2 it would end a stream that is
// merely quiet.
func (l *life) withdraw(ctl *http.ResponseController) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if !l.isCut {
		_ = ctl.SetWriteDeadline(time.Time{})
	}
}

// cut gives the client no more time. Once the reply is over its connection may
// be another's already.
func (l *life) cut(ctl *http.ResponseController) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if !l.over && !l.isCut {
		l.isCut = true
		_ = ctl.SetWriteDeadline(time.Unix(1, 0))
	}
}

// head is the status of a response, and headers beside the ones of its content.
type head struct {
	status int
	header http.Header
}

// headOf is the head of the response to a request that has failed with an error,
// or not. An error may say that HTTP has a status for it, and headers that belong to
// that, with a method HTTPStatus: that a better access token is needed, for
// example (2026-07-28, basic/authorization, "Scope Challenge Handling"). A response
// that has begun has a head already.
func headOf(failure error) head {
	if failure == nil {
		return head{status: http.StatusOK}
	}
	var said interface {
		error
		HTTPStatus() (int, http.Header)
	}
	if errors.As(failure, &said) {
		status, header := said.HTTPStatus()
		if status >= 400 && status < 600 { // a JSON-RPC error is no other answer
			return head{status, header}
		}
	}
	return head{status: http.StatusOK}
}

// add adds the headers to a response.
func (a head) add(to http.Header) {
	for name, values := range a.header {
		for _, value := range values {
			to.Add(name, value)
		}
	}
}

// keptBuffer is the largest buffer that is kept for reuse.
const keptBuffer = 256 << 10

// buffers are where outgoing messages are put together. No handler can reach
// one.
var buffers = sync.Pool{New: func() any { b := make([]byte, 0, 2048); return &b }}

// putBuffer is the end of a buffer from which something was written, or not. After
// a failure HTTP/2 may still be reading it: then it is not used again.
func putBuffer(b *[]byte, err error) {
	if err == nil && cap(*b) <= keptBuffer {
		buffers.Put(b)
	}
}

// appendNotification appends a notification as a revision has it.
func appendNotification(dst []byte, n protocol.Notification, rev protocol.Revision) []byte {
	dst = jsonx.AppendQuoted(append(dst, `{"jsonrpc":"2.0","method":`...), n.Method())
	dst = n.AppendParams(append(dst, `,"params":`...), rev)
	return append(dst, '}')
}

// appendAnswer appends the response to a request, and returns the error that it
// carries, if any.
func appendAnswer(dst []byte, id protocol.ID, result protocol.Result, failure error, rev protocol.Revision) ([]byte, *rpc.Error) {
	start := len(dst)
	if failure == nil {
		dst = append(append(dst, `{"jsonrpc":"2.0","id":`...), id...)
		out, err := appendResult(append(dst, `,"result":`...), result, rev)
		if err == nil {
			return append(out, '}'), nil
		}
		failure = protocol.Errorf(protocol.CodeInternal, "Internal error: the result could not be encoded: %v", err)
	}
	e := peer.WireError(failure, rev)
	return rpc.AppendError(dst[:start], rpc.ID(id), false, e), e
}

// appendResult appends a result. That it panics, or that there is none, is an
// error of the request.
func appendResult(dst []byte, result protocol.Result, rev protocol.Revision) (out []byte, err error) {
	defer func() {
		if v := recover(); v != nil {
			out, err = dst, fmt.Errorf("%v", v)
		}
	}()
	return result.AppendJSON(dst, rev)
}

// appendEvent appends the event that carries the message at the end of dst,
// which begins at start, and returns the event alone.
func appendEvent(dst []byte, start int, id string) (all, event []byte) {
	end := len(dst)
	all = sse.Event{ID: id, Data: dst[start:end]}.Append(dst)
	return all, all[end:]
}
