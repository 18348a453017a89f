package httpserver

import (
	"context"
	"errors"
	"net/http"
	"time"

	"github.com/dougu-go/dougu/internal/sse"
	"github.com/dougu-go/dougu/mcp"
)

// Poll ends the response of the call that ctx belongs to, and has its client
// come back after a while for the rest, so that a long call holds no connection
// open (2025-11-25, basic/transports, "Sending Messages to the Server"). The
// call goes on. It reports whether the client will come back: where there is no
// such thing, in other revisions and on other transports, it does nothing.
func Poll(ctx context.Context, after time.Duration) bool {
	c, _ := ctx.Value(callKey{}).(*call)
	return c != nil && !c.over.Load() && c.s.older.Revision >= mcp.Rev20251125 && c.stream.poll(after)
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

// attach has rep carry the stream from now on, instead of what did before. What
// was said while nobody read comes first; lost tells that it is no longer kept.
func (st *stream) attach(rep *reply) (lost bool) {
	st.takeOver(st.latest.Load())
	defer st.unlock()
	unread, refused := st.missed(st.read)
	if st.replace(rep) != nil {
		return false
	}
	if st.session.older.Revision >= mcp.Rev20251125 {
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

// replace opens rep and ends what carried the stream before; the lock is held.
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

// resume has rep carry the stream from the event after seq on: first what was
// missed, then what is new.
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
		return nil, refuse(http.StatusInternalServerError, mcp.CodeInternal, "What came after this event could not be read")
	}
	return events, nil
}

func eventsLost() *refusal {
	return refuse(http.StatusBadRequest, mcp.CodeInvalidRequest, "What came after this event is no longer kept; an answer that was among it is lost")
}

func unknownEvent() *refusal {
	return refuse(http.StatusBadRequest, mcp.CodeInvalidRequest, "Last-Event-ID is not the id of an event of this session")
}
