package httpserver

import (
	"errors"
	"net/http"
	"sync"
	"sync/atomic"
	"time"

	"github.com/dougu-go/dougu/internal/rpc"
	"github.com/dougu-go/dougu/internal/sse"
	"github.com/dougu-go/dougu/mcp"
)

// errGone is returned when a client has left that cannot come back, for it has
// not been told of any event.
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
	reply   *reply   // what carries it now; nil when nobody reads
	opened  bool     // its events have ids and are kept
	ended   bool     // nothing more will be said
	seq     int64    // of the last event
	read    int64    // of the last event that was sent to somebody
	due     int      // answers that are still to come
	answers [][]byte // of a batch, while it may still become one JSON text

	// What others may do at any time; see settle.
	latest  atomic.Pointer[reply]   // that has carried it
	dropped atomic.Int64            // answers that will not come
	refused atomic.Pointer[refusal] // why all of it is given up

	remote atomic.Pointer[remoteReader] // a response of another Handler that carries it; nil without one
}

// eventID is what a client comes back with.
func (st *stream) eventID(seq int64) string {
	return st.session.h.backend.eventID(st, seq)
}

// send says something before the last answer. What passes is worth nothing
// later, and is left out while nobody reads.
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
	if st.session.older.Revision >= mcp.Rev20251125 {
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

// deliver writes an event to who reads. When that fails nobody does any more.
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
