package httpserver

import (
	"context"
	"math"
	"net/http"
	"strconv"

	"github.com/dougu-go/dougu/internal/mcpheader"
	"github.com/dougu-go/dougu/internal/rpc"
	"github.com/dougu-go/dougu/internal/sse"
	"github.com/dougu-go/dougu/mcp/protocol"
)

// local is the backend of sessions that belong to one Handler. Streams and
// questions are counted from 1 on, and the stream of changes has the number 0.
type local struct{ h *Handler }

// create implements backend: the table of sessions is all there is.
func (l *local) create(context.Context, *session) *refusal { return nil }

// enter implements backend.
func (l *local) enter(_ context.Context, id, principal string) (*session, *refusal) {
	if s := l.h.sessions.enter(id, principal); s != nil {
		return s, nil
	}
	return nil, unknownSession()
}

// served implements backend.
func (l *local) served(context.Context, *session, *protocol.Request) error { return nil }

// delete implements backend.
func (l *local) delete(context.Context, *session) *refusal { return nil }

// ended implements backend: no client can resume a stream of the session any more.
func (l *local) ended(s *session) {
	if err := l.h.opts.Events.Forget(context.WithoutCancel(l.h.base), s.id); err != nil {
		l.h.opts.Log.Warn("the events of a session could not be forgotten", "error", err)
	}
}

// inUse implements backend: only HTTP requests keep a session.
func (l *local) inUse(*session) bool { return false }

// abortStatus implements backend: the session is gone.
func (l *local) abortStatus(error) int { return http.StatusNotFound }

// questionID implements backend.
func (l *local) questionID(s *session) rpc.ID {
	s.lastAsk++
	return rpc.ID(strconv.FormatInt(s.lastAsk, 10))
}

// answer implements backend.
func (l *local) answer(_ context.Context, s *session, m *rpc.Message) *refusal {
	s.answered(m)
	return nil
}

// cancelRemote implements backend: all calls run here, so the call has ended.
func (l *local) cancelRemote(*session, rpc.ID) {}

// streamNumber implements backend.
func (l *local) streamNumber(s *session) int64 {
	s.last++
	return s.last
}

// changesNumber implements backend.
func (l *local) changesNumber() int64 { return 0 }

// eventID implements backend.
func (l *local) eventID(st *stream, seq int64) string {
	return string(eventRef{number: st.number, seq: seq}.appendTo(make([]byte, 0, 24)))
}

// opened implements backend.
func (l *local) opened(*stream) {}

// emit implements backend. An event that cannot be stored is delivered, but a
// client cannot resume the stream before it.
func (l *local) emit(st *stream, message []byte, _ bool) {
	st.seq++
	if err := l.h.opts.Events.Append(context.WithoutCancel(l.h.base), st.key(), KeptEvent{Seq: st.seq, Data: message}); err != nil {
		l.h.opts.Log.Warn("an event could not be stored for a resuming client", "error", err)
	}
	st.deliver(sse.Event{ID: st.eventID(st.seq), Data: message})
	if st.reply != nil {
		st.read = st.seq
	}
}

// dismissReader implements backend: no other Handler carries a stream.
func (l *local) dismissReader(*stream) {}

// read implements backend.
func (l *local) read(_ context.Context, s *session, r *http.Request, rep *reply) (*stream, *refusal) {
	last := r.Header.Get(mcpheader.LastEventID)
	number, seq, ok := int64(0), int64(0), true
	if last != "" {
		number, seq, ok = parseEventID(last)
	}
	if !ok {
		return nil, unknownEvent()
	}
	if number != 0 {
		st := l.stream(s, number)
		if st == nil {
			return nil, unknownEvent()
		}
		return st, st.resume(rep, seq)
	}
	st, missed := s.changes.open(s, peerOf(r))
	if st == nil {
		return nil, refuse(http.StatusNotFound, protocol.CodeInvalidRequest, "The session has ended; send initialize to open another")
	}
	missed = s.awaitFollower(r.Context()) != nil || missed
	switch last {
	case "":
		missed = st.attach(rep) || missed
	default:
		if refused := st.resume(rep, seq); refused != nil {
			return nil, refused
		}
	}
	if missed {
		l.h.notifyListsChanged(r.Context(), st, peerOf(r))
	}
	return st, nil
}

// stream returns the stream that a client resumes, or nil for an unknown
// number. A stream that has ended exists in the event store alone.
func (l *local) stream(s *session, number int64) *stream {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case number > s.last:
		return nil
	case s.streams[number] != nil:
		return s.streams[number]
	}
	return &stream{session: s, number: number, ended: true, seq: math.MaxInt64 - 1}
}

// leave implements backend.
func (l *local) leave() {}
