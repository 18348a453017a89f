package httpserver

import (
	"context"
	"crypto/rand"
	"net/http"
	"strconv"
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

	far *farSession // nil where sessions are not shared
}

func newSession(h *Handler, older *legacy.Session, principal string) *session {
	s := &session{h: h, id: rand.Text(), principal: principal, older: older}
	if h.shared != nil {
		s.far = new(farSession)
	}
	return s
}

// sessionOf finds the session that a request names, and counts the request.
func (h *Handler) sessionOf(r *http.Request) (*session, *refusal) {
	id := r.Header.Get(mcpheader.SessionID)
	if id == "" {
		return nil, refuse(http.StatusBadRequest, mcp.CodeInvalidRequest,
			"The request names no session in the header Mcp-Session-Id: send initialize first, or say in each request that it is of revision %s", mcp.Latest)
	}
	s, refused := h.enter(r.Context(), id, mcp.PrincipalFrom(r.Context()))
	if refused != nil {
		return nil, refused
	}
	if rev := claimed(r.Header); rev != "" && (!rev.Known() || rev.Modern()) {
		h.sessions.leave(s)
		return nil, refuse(http.StatusBadRequest, mcp.CodeInvalidRequest, "Unsupported MCP-Protocol-Version %.40q", string(rev))
	}
	return s, nil
}

// enter finds the session of that id and principal.
func (h *Handler) enter(ctx context.Context, id, principal string) (*session, *refusal) {
	if h.shared != nil {
		return h.shared.enter(ctx, id, principal)
	}
	if s := h.sessions.enter(id, principal); s != nil {
		return s, nil
	}
	return nil, unknownSession()
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
	s.lastAsk++
	id, answer := rpc.ID(strconv.FormatInt(s.lastAsk, 10)), make(chan rpc.Message, 1)
	if s.far != nil {
		id = s.h.shared.nextQuestion()
	}
	if s.asked == nil {
		s.asked = make(map[rpc.ID]chan rpc.Message)
	}
	s.asked[id] = answer
	return id, answer
}

// answered hands the client's answer to the call that waits for it. An answer
// that nobody waits for came too late.
func (s *session) answered(ctx context.Context, m rpc.Message) *refusal {
	if s.far != nil {
		if to, elsewhere := s.h.shared.asker(m.ID); elsewhere {
			return s.h.shared.handOn(ctx, to, s, &m)
		}
	}
	s.answeredHere(m)
	return nil
}

// answeredHere is answered for a call that runs here.
func (s *session) answeredHere(m rpc.Message) {
	s.mu.Lock()
	answer := s.asked[m.ID]
	delete(s.asked, m.ID)
	s.mu.Unlock()
	if answer != nil {
		answer <- m
	}
}

// malformed fails the question that a malformed answer names, which would wait
// for ever otherwise.
func (s *session) malformed(ctx context.Context, id rpc.ID, why *rpc.Error) {
	e := &rpc.Error{Code: mcp.CodeInternal, Message: "the client's response is malformed: " + why.Message}
	s.answered(ctx, rpc.Message{Kind: rpc.Response, ID: id, Error: e.Append(nil)}) // it is refused anyway
}

// notified takes a notification of the client.
func (s *session) notified(m *rpc.Message) {
	if m.Method != "notifications/cancelled" {
		return
	}
	if id, ok := peer.CancelledID(m.Params); ok {
		if !s.cancel(id) && s.far != nil {
			s.h.shared.tellAll(relayed{Kind: relayCancel, Session: s.id, ID: id})
		}
	}
}

func (s *session) forgetQuestion(id rpc.ID) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.asked, id)
}

// newStream prepares a stream for one or more answers. ids are those of the
// requests, where sessions are shared.
func (s *session) newStream(rep *reply, answers int, ids []rpc.ID) *stream {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.last++
	st := &stream{session: s, number: s.last, reply: rep, due: answers}
	if s.far != nil {
		st.number, st.far = randomNumber(), &farStream{ids: ids}
	}
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
	if s.far != nil {
		return // others may go on with it
	}
	if err := s.h.opts.Events.Forget(context.WithoutCancel(s.h.base), s.id); err != nil {
		s.h.opts.Log.Warn("the events of a session could not be forgotten", "error", err)
	}
}

// delete ends a session at its client's request.
func (h *Handler) delete(w http.ResponseWriter, r *http.Request) {
	s, refused := h.sessionOf(r)
	if refused != nil {
		refused.write(w)
		return
	}
	defer h.sessions.leave(s)
	if h.shared != nil {
		if refused := h.shared.delete(r.Context(), s); refused != nil {
			refused.write(w)
			return
		}
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
	if refused := s.answered(r.Context(), *m); refused != nil {
		refused.write(w)
		return
	}
	w.WriteHeader(http.StatusAccepted)
}
