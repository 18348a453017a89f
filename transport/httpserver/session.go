package httpserver

import (
	"context"
	"crypto/rand"
	"net/http"
	"sync"
	"time"

	"github.com/dougu-go/dougu/internal/mcpheader"
	"github.com/dougu-go/dougu/internal/rpc"
	"github.com/dougu-go/dougu/mcp"
	"github.com/dougu-go/dougu/transport/internal/legacy"
	"github.com/dougu-go/dougu/transport/internal/peer"
)

// sessionQueue is how many calls of a session may wait, for their turn or for
// their client's answer.
const sessionQueue = 128

// session is a session of an older revision. It outlives the HTTP requests that
// belong to it, and owns its calls.
type session struct {
	h         *Handler
	id        string
	principal string
	older     *legacy.Session

	// Guarded by the table.
	busy           int // HTTP requests under way
	since          time.Time
	links[session] // among the idle ones

	mu      sync.Mutex
	ended   bool
	calls   map[rpc.ID]*call
	asked   map[rpc.ID]chan rpc.Message // questions without an answer
	lastAsk int64
	streams map[int64]*stream // those that a client can come back to
	last    int64             // number of the last stream
	turns   chan struct{}     // holds one element a call that runs
	changes changeStream

	record recordVersion // of the last adopted record; used by cluster
}

func newSession(h *Handler, older *legacy.Session, principal string) *session {
	return &session{h: h, id: rand.Text(), principal: principal, older: older}
}

// sessionOf finds the session that a request names, and counts the request.
func (h *Handler) sessionOf(r *http.Request) (*session, *refusal) {
	id := r.Header.Get(mcpheader.SessionID)
	if id == "" {
		return nil, refuse(http.StatusBadRequest, mcp.CodeInvalidRequest,
			"The request names no session in the header Mcp-Session-Id: send initialize first, or say in each request that it is of revision %s", mcp.Latest)
	}
	s, refused := h.backend.enter(r.Context(), id, mcp.PrincipalFrom(r.Context()))
	if refused != nil {
		return nil, refused
	}
	if rev := claimed(r.Header); rev != "" && (!rev.Known() || rev.Modern()) {
		h.sessions.leave(s)
		return nil, refuse(http.StatusBadRequest, mcp.CodeInvalidRequest, "Unsupported MCP-Protocol-Version %.40q", string(rev))
	}
	return s, nil
}

func unknownSession() *refusal {
	return refuse(http.StatusNotFound, mcp.CodeInvalidRequest, "The session does not exist or has ended; send initialize to open another")
}

// nullID reports whether an error without an id has "id":null in the session's
// revision: before 2025-11-25 the schema has no other.
func (s *session) nullID() bool { return s.older.Revision < mcp.Rev20251125 }

// join adds a call to those in flight.
func (s *session) join(c *call) *refusal {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case s.ended:
		return refuse(http.StatusNotFound, mcp.CodeInvalidRequest, "The session has ended; send initialize to open another")
	case s.calls[rpc.ID(c.req.ID)] != nil:
		return refuse(http.StatusBadRequest, mcp.CodeInvalidRequest, "Invalid request: the id %s belongs to a request that is still running", c.req.ID)
	case len(s.calls) >= s.h.opts.SessionConcurrency+sessionQueue:
		return busy(http.StatusTooManyRequests, "%d requests of this session are running or waiting; send this one again when others are answered", len(s.calls))
	}
	if s.calls == nil {
		s.calls = make(map[rpc.ID]*call)
	}
	if s.turns == nil {
		s.turns = make(chan struct{}, s.h.opts.SessionConcurrency)
	}
	s.calls[rpc.ID(c.req.ID)] = c
	return nil
}

// part removes a call from those in flight.
func (s *session) part(c *call) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.calls[rpc.ID(c.req.ID)] == c {
		delete(s.calls, rpc.ID(c.req.ID))
	}
}

// cancel ends a call because its client asks for that. What is not running is
// ignored.
func (s *session) cancel(id rpc.ID) (here bool) {
	s.mu.Lock()
	c := s.calls[id]
	s.mu.Unlock()
	if c != nil {
		c.abort(rpc.ErrCancelled)
	}
	return c != nil
}

// ask prepares a question to the client.
func (s *session) ask() (rpc.ID, chan rpc.Message) {
	s.mu.Lock()
	defer s.mu.Unlock()
	id, answer := s.h.backend.questionID(s), make(chan rpc.Message, 1)
	if s.asked == nil {
		s.asked = make(map[rpc.ID]chan rpc.Message)
	}
	s.asked[id] = answer
	return id, answer
}

// answered passes the client's answer to the call of this Handler that waits for it. An answer that no call waits for came too
// late and is dropped.
func (s *session) answered(m *rpc.Message) {
	s.mu.Lock()
	answer := s.asked[m.ID]
	delete(s.asked, m.ID)
	s.mu.Unlock()
	if answer != nil {
		answer <- *m
	}
}

// malformed fails the question that a malformed answer names, which would wait
// for ever otherwise.
func (s *session) malformed(ctx context.Context, id rpc.ID, why *rpc.Error) {
	e := &rpc.Error{Code: mcp.CodeInternal, Message: "the client's response is malformed: " + why.Message}
	s.h.backend.answer(ctx, s, &rpc.Message{Kind: rpc.Response, ID: id, Error: e.Append(nil)}) // it is refused anyway
}

// notified takes a notification of the client.
func (s *session) notified(m *rpc.Message) {
	if m.Method != "notifications/cancelled" {
		return
	}
	if id, ok := peer.CancelledID(m.Params); ok {
		if !s.cancel(id) {
			s.h.backend.cancelRemote(s, id)
		}
	}
}

func (s *session) forgetQuestion(id rpc.ID) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.asked, id)
}

// newStream returns a stream for one or more answers, which rep carries first.
func (s *session) newStream(rep *reply, answers int) *stream {
	s.mu.Lock()
	defer s.mu.Unlock()
	st := &stream{session: s, number: s.h.backend.streamNumber(s), reply: rep, due: answers}
	st.latest.Store(rep)
	return st
}

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

// end ends the session, whose calls are cancelled and whose streams are closed.
func (s *session) end(cause error) {
	s.older.End()
	s.mu.Lock()
	s.ended = true
	calls := s.calls
	s.calls = nil
	s.mu.Unlock()
	for _, c := range calls {
		c.abort(cause)
	}
	s.changes.end()
	s.h.backend.ended(s)
}

// delete ends a session at its client's request.
func (h *Handler) delete(w http.ResponseWriter, r *http.Request) {
	s, refused := h.sessionOf(r)
	if refused != nil {
		refused.write(w)
		return
	}
	defer h.sessions.leave(s)
	if refused := h.backend.delete(r.Context(), s); refused != nil {
		refused.write(w)
		return
	}
	h.sessions.remove(s, errSessionEnded)
	w.WriteHeader(http.StatusNoContent)
}

// serveNotification takes a notification of a session.
func (h *Handler) serveNotification(w http.ResponseWriter, r *http.Request, m *rpc.Message) {
	s, refused := h.sessionOf(r)
	if refused != nil {
		refused.write(w)
		return
	}
	defer h.sessions.leave(s)
	s.notified(m)
	w.WriteHeader(http.StatusAccepted)
}

// serveResponse takes the answer to a question of a session.
func (h *Handler) serveResponse(w http.ResponseWriter, r *http.Request, m *rpc.Message) {
	if rev := mcp.Revision(r.Header.Get(mcpheader.Version)); rev.Modern() {
		refuse(http.StatusBadRequest, mcp.CodeInvalidRequest, "Invalid request: clients of revision %s send no responses", rev).write(w)
		return
	}
	s, refused := h.sessionOf(r)
	if refused != nil {
		refused.write(w)
		return
	}
	defer h.sessions.leave(s)
	if refused := h.backend.answer(r.Context(), s, m); refused != nil {
		refused.write(w)
		return
	}
	w.WriteHeader(http.StatusAccepted)
}
