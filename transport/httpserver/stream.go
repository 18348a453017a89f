package httpserver

import (
	"context"
	"errors"
	"net/http"
	"sync"
	"sync/atomic"
	"time"

	"github.com/dougu-go/dougu/internal/group"
	"github.com/dougu-go/dougu/internal/rpc"
	"github.com/dougu-go/dougu/internal/sse"
	"github.com/dougu-go/dougu/mcp/protocol"
)

// errGone is the error of a stream whose client has left before its first event.
// Without an event id the client cannot resume the stream.
var errGone = errors.New("the client has left")

// stream is what a session has to say about one call, or a batch of them, or
// about changes. It outlives the HTTP responses that carry it: from its first
// event on a client can come back for the rest (2025-11-25, basic/transports,
// "Resumability and Redelivery").
type stream struct {
	session *session
	number  int64    // in the ids of its events
	changes bool     // it belongs to no call
	request rpc.ID   // of the one request that it answers
	batch   [][]byte // the messages of the batch that it answers, instead

	mu      sync.Mutex
	reply   *reply   // the response that carries it; nil without a connected client
	opened  bool     // its events have ids and are kept
	ended   bool     // nothing more will be said
	seq     int64    // of the last event
	read    int64    // sequence number of the last event that was sent to a client
	due     int      // answers that are still to come
	answers [][]byte // of a batch, while it may still become one JSON text

	// Set by other goroutines without the lock; see settle.
	latest  atomic.Pointer[reply]   // that has carried it
	dropped atomic.Int64            // answers that will not come
	refused atomic.Pointer[refusal] // why all of it is given up

	remote atomic.Pointer[remoteReader] // a response of another Handler that carries it; nil without one
}

// eventID returns the id with which a client resumes the stream after the event.
func (st *stream) eventID(seq int64) string {
	return st.session.h.backend.eventID(st, seq)
}

// send sends a message before the last answer. A passing message, for example
// progress, is dropped while no client is connected.
func (st *stream) send(message []byte, passing bool) error {
	st.mu.Lock()
	defer st.unlock()
	switch {
	case st.ended:
		return errAnswered
	case st.reply == nil && !st.opened:
		return errGone
	case st.reply == nil && passing && st.remote.Load() == nil:
		return nil
	}
	if err := st.open(); err != nil {
		return err
	}
	st.emit(message, passing)
	return nil
}

// open makes the response a stream, if it is none yet. Since 2025-11-25 it
// begins with an event that has an id and no data, so that a client can come
// back whatever happens. The lock is held.
func (st *stream) open() error {
	if st.opened {
		return nil
	}
	if err := st.reply.open(); err != nil {
		if errors.Is(err, errReplied) {
			st.reply, err = nil, errGone
		}
		return err
	}
	st.opened = true
	st.session.remember(st)
	st.session.h.backend.opened(st)
	if st.session.older.Revision >= protocol.Rev20251125 {
		st.prime(st.seq, st.session.h.opts.Retry)
	}
	for _, answer := range st.answers {
		st.emit(answer, false)
	}
	st.answers = nil
	return nil
}

// prime tells the client the id that it can come back with for what comes after
// an event, and when.
func (st *stream) prime(seq int64, retry time.Duration) {
	st.deliver(sse.Event{ID: st.eventID(seq), Retry: retry, Data: []byte{}})
}

// emit stores an event and delivers it.
func (st *stream) emit(message []byte, passing bool) { st.session.h.backend.emit(st, message, passing) }

func (st *stream) key() EventStream { return EventStream{Session: st.session.id, Number: st.number} }

// remember keeps a stream where a client that comes back finds it.
func (s *session) remember(st *stream) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.streams == nil {
		s.streams = make(map[int64]*stream)
	}
	s.streams[st.number] = st
}

// forget is the end of remember.
func (s *session) forget(st *stream) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.streams, st.number)
}

// deliver writes an event to the response that carries the stream, and detaches
// a response that fails.
func (st *stream) deliver(e sse.Event) {
	if st.reply == nil {
		return
	}
	b := buffers.Get().(*[]byte)
	*b = e.Append((*b)[:0])
	err := st.reply.send(*b)
	if putBuffer(b, err); err != nil {
		st.reply = nil
	}
}

// answer takes the answer to one of the requests, and ends the stream with the
// last. as is the head of its response if that has nothing else in it. The error is
// what went wrong while message itself was being written.
func (st *stream) answer(message []byte, as head) (err error) {
	st.mu.Lock()
	defer st.unlock()
	if st.ended {
		return nil
	}
	switch {
	case st.opened:
		st.emit(message, false)
	case st.reply == nil:
		// The client has left and cannot come back.
	case st.batch != nil:
		st.answers = append(st.answers, append([]byte(nil), message...))
	case st.reply.accept.json, as.status != http.StatusOK:
		err = st.reply.json(as, message)
		st.reply = nil
	case st.open() == nil:
		st.emit(message, false)
	}
	if st.due--; st.due == 0 {
		st.finish()
	}
	return err
}

// finish ends the stream after its last answer; the lock is held.
func (st *stream) finish() {
	if rep := st.reply; rep != nil && len(st.answers) > 0 {
		if !rep.accept.json && st.open() == nil {
			st.close()
			return
		}
		_ = rep.json(headOf(nil), joined(st.answers)) // else the client has left
	}
	st.close()
}

// joined is the array of the answers to a batch.
func joined(answers [][]byte) []byte {
	array := []byte{'['}
	for i, answer := range answers {
		if i > 0 {
			array = append(array, ',')
		}
		array = append(array, answer...)
	}
	return append(array, ']')
}

// close ends the stream and the response that carries it; the lock is held.
func (st *stream) close() {
	st.ended = true
	st.session.h.backend.dismissReader(st)
	if st.reply != nil {
		st.reply.status(http.StatusAccepted) // unless something was sent
		st.reply = nil
	}
	if st.opened {
		st.session.forget(st)
	}
}

// cutAfter is the time that a write in progress may take when the stream is to
// end. A client that reads needs less.
const cutAfter = 500 * time.Millisecond

// Code that ends a stream from outside must not wait for a stalled client: it
// stores its request in the stream, and the holder of the lock applies it.

// unlock unlocks the stream and applies the requests of other goroutines.
func (st *stream) unlock() {
	st.mu.Unlock()
	st.settle()
}

// settle applies the requests of other goroutines. If the lock is held, its
// holder settles when it unlocks.
func (st *stream) settle() {
	for (st.dropped.Load() > 0 || st.refused.Load() != nil) && st.mu.TryLock() {
		st.apply()
		st.mu.Unlock()
	}
}

// apply is settle with the lock held.
func (st *stream) apply() {
	dropped, why := st.dropped.Swap(0), st.refused.Swap(nil)
	if st.ended {
		return
	}
	if why != nil {
		if st.reply != nil {
			st.reply.refuse(why) // unless something was said already
			st.reply = nil
		}
		st.close()
		return
	}
	if st.due -= int(dropped); st.due <= 0 {
		st.finish()
	}
}

// drop says that the answer to one of the requests will not come.
func (st *stream) drop() {
	st.dropped.Add(1)
	st.settle()
}

// refuse ends the stream. If the response has not begun, the client receives the
// reason. A write in progress is cut off after cutAfter.
func (st *stream) refuse(why *refusal) {
	st.refused.CompareAndSwap(nil, why)
	st.settle()
	if rep := st.latest.Load(); rep != nil && st.refused.Load() != nil {
		group.AfterFunc(cutAfter, func() {
			if st.refused.Load() != nil {
				rep.cut()
			}
		})
	}
}

// isRead reports whether a response carries the stream.
func (st *stream) isRead() bool {
	rep := st.latest.Load()
	return rep != nil && !rep.life.isOver()
}

// takeOver locks the stream. If a write to rep holds the lock, takeOver cuts
// rep off, which is to end anyway.
func (st *stream) takeOver(rep *reply) {
	if st.mu.TryLock() {
		return
	}
	if rep != nil {
		rep.cut()
	}
	st.mu.Lock()
}

// tick keeps a response of the stream alive. When something else is being said
// there is no need for it.
func (st *stream) tick(rep *reply) {
	if !st.mu.TryLock() {
		rep.life.reschedule(rep.opts.KeepAlive)
		return
	}
	defer st.unlock()
	if !st.ended && st.reply == rep && st.open() == nil && st.reply == rep {
		rep.keepAlive()
	}
}

// detach is the end of a response; the stream goes on.
func (st *stream) detach(rep *reply) {
	st.takeOver(rep)
	if st.reply == rep {
		st.reply = nil
	}
	st.unlock()
	rep.end()
}

// Poll ends the HTTP response of the call that ctx belongs to and asks the
// client to resume the stream after a delay, so that a long call holds no
// connection (2025-11-25, basic/transports, "Sending Messages to the Server").
// The call continues. Poll returns true if the client can resume. In other
// revisions and on other transports it does nothing and returns false.
func Poll(ctx context.Context, after time.Duration) bool {
	c, _ := ctx.Value(callKey{}).(*call)
	return c != nil && !c.over.Load() && c.s.older.Revision >= protocol.Rev20251125 && c.stream.poll(after)
}

func (st *stream) poll(after time.Duration) bool {
	st.mu.Lock()
	defer st.unlock()
	if st.ended {
		return false
	}
	rep := st.reply
	if rep == nil {
		return st.opened
	}
	if st.open() != nil {
		return false
	}
	st.deliver(sse.Event{Retry: max(after, time.Millisecond)})
	rep.end()
	st.reply = nil
	return true
}

// attach makes rep the response that carries the stream. The events that no
// client has received come first; lost reports that they are no longer stored.
func (st *stream) attach(rep *reply) (lost bool) {
	st.takeOver(st.latest.Load())
	defer st.unlock()
	unread, refused := st.missed(st.read)
	if st.replace(rep) != nil {
		return false
	}
	if st.session.older.Revision >= protocol.Rev20251125 {
		st.prime(st.read, st.session.h.opts.Retry)
	} else {
		st.comment()
	}
	st.replay(unread)
	return refused != nil
}

// replay delivers events that were emitted before; with the last of them,
// everything has been read.
func (st *stream) replay(events []KeptEvent) {
	for _, e := range events {
		if isIntroduction(e.Data) {
			continue
		}
		st.deliver(sse.Event{ID: st.eventID(e.Seq), Data: e.Data})
	}
	if st.reply != nil {
		st.read = st.seq
	}
}

// comment sends something that says nothing, so that the client gets the
// headers.
func (st *stream) comment() {
	if st.reply != nil && st.reply.send(sse.AppendComment(nil, "")) != nil {
		st.reply = nil
	}
}

// replace opens rep and ends the response that carried the stream before; the lock is held.
func (st *stream) replace(rep *reply) error {
	if st.reply != nil {
		st.reply.end()
		st.reply = nil
	}
	st.session.h.backend.dismissReader(st)
	if err := rep.open(); err != nil {
		rep.end()
		return err
	}
	st.opened, st.reply = true, rep
	st.latest.Store(rep)
	return nil
}

// resume makes rep the response that carries the stream, beginning with the event after seq.
func (st *stream) resume(rep *reply, seq int64) *refusal {
	st.takeOver(st.latest.Load())
	defer st.unlock()
	if seq > st.seq {
		return unknownEvent()
	}
	missed, refused := st.missed(seq)
	if refused != nil {
		return refused
	}
	if st.ended && len(missed) == 0 {
		rep.status(http.StatusNoContent) // there is nothing to come back for
		return nil
	}
	if st.replace(rep) != nil {
		return nil
	}
	st.replay(missed)
	if st.ended {
		rep.end()
		st.reply = nil
		return nil
	}
	st.comment()
	return nil
}

// missed returns the events after seq.
func (st *stream) missed(seq int64) ([]KeptEvent, *refusal) {
	if seq == st.seq {
		return nil, nil
	}
	h := st.session.h
	events, err := h.opts.Events.After(context.WithoutCancel(h.base), st.key(), seq)
	for i := range events {
		if events[i].Seq != seq+1+int64(i) {
			err = ErrEventsLost // it could not be kept at the time
		}
	}
	switch {
	case errors.Is(err, ErrEventsLost):
		return nil, eventsLost()
	case err != nil:
		h.opts.Log.Warn("the events of a stream could not be read", "error", err)
		return nil, refuse(http.StatusInternalServerError, protocol.CodeInternal, "The events after this event could not be read")
	}
	return events, nil
}

func eventsLost() *refusal {
	return refuse(http.StatusBadRequest, protocol.CodeInvalidRequest, "The events after this event are no longer stored; an answer among them is lost")
}

func unknownEvent() *refusal {
	return refuse(http.StatusBadRequest, protocol.CodeInvalidRequest, "Last-Event-ID is not the id of an event of this session")
}
