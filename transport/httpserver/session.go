package httpserver

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"net/http"
	"runtime/debug"
	"sync"
	"sync/atomic"
	"time"

	"github.com/dougu-go/dougu/internal/mcpheader"
	"github.com/dougu-go/dougu/internal/rpc"
	"github.com/dougu-go/dougu/mcp/protocol"
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
	streams map[int64]*stream // by number; a client can resume them
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
		return nil, refuse(http.StatusBadRequest, protocol.CodeInvalidRequest,
			"The request names no session in the header Mcp-Session-Id: send initialize first, or say in each request that it is of revision %s", protocol.Latest)
	}
	s, refused := h.backend.enter(r.Context(), id, protocol.PrincipalFrom(r.Context()))
	if refused != nil {
		return nil, refused
	}
	if rev := claimed(r.Header); rev != "" && (!rev.Known() || rev.Modern()) {
		h.sessions.leave(s)
		return nil, refuse(http.StatusBadRequest, protocol.CodeInvalidRequest, "Unsupported MCP-Protocol-Version %.40q", string(rev))
	}
	return s, nil
}

func unknownSession() *refusal {
	return refuse(http.StatusNotFound, protocol.CodeInvalidRequest, "The session does not exist or has ended; send initialize to open another")
}

// nullID reports whether an error without an id has "id":null in the session's
// revision: before 2025-11-25 the schema has no other.
func (s *session) nullID() bool { return s.older.Revision < protocol.Rev20251125 }

// register adds a call, or returns the reason for its refusal.
func (s *session) register(c *call) *refusal {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case s.ended:
		return refuse(http.StatusNotFound, protocol.CodeInvalidRequest, "The session has ended; send initialize to open another")
	case s.calls[rpc.ID(c.req.ID)] != nil:
		return refuse(http.StatusBadRequest, protocol.CodeInvalidRequest, "Invalid request: the id %s belongs to a request that is still running", c.req.ID)
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

// unregister removes a call.
func (s *session) unregister(c *call) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.calls[rpc.ID(c.req.ID)] == c {
		delete(s.calls, rpc.ID(c.req.ID))
	}
}

// cancel ends a call at the request of its client. It reports whether the call
// runs at this Handler.
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

// answered passes the client's answer to the call of this Handler that waits
// for it. An answer that no call waits for came too late and is dropped.
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
	e := &rpc.Error{Code: protocol.CodeInternal, Message: "the client's response is malformed: " + why.Message}
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
	if rev := protocol.Revision(r.Header.Get(mcpheader.Version)); rev.Modern() {
		refuse(http.StatusBadRequest, protocol.CodeInvalidRequest, "Invalid request: clients of revision %s send no responses", rev).write(w)
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

// serveOlder serves a request of an older revision.
func (h *Handler) serveOlder(w http.ResponseWriter, r *http.Request, ctl *http.ResponseController, m *rpc.Message, meta protocol.RequestMeta) {
	accept := acceptedBy(r.Header)
	if !accept.json && !accept.stream {
		notAcceptable().of(m.ID).write(w)
		return
	}
	if rev := claimed(r.Header); rev != "" && !rev.Known() {
		refuse(http.StatusBadRequest, protocol.CodeInvalidRequest, "Unsupported MCP-Protocol-Version %.40q", string(rev)).of(m.ID).write(w)
		return
	}
	rep := &reply{w: w, ctl: ctl, opts: &h.opts, accept: accept}
	if r.Header.Get(mcpheader.SessionID) == "" {
		switch m.Method {
		case "initialize":
			h.initialize(rep, r, m, meta)
			return
		case "ping":
			req := protocol.Request{ID: protocol.ID(m.ID), Method: m.Method, Params: m.Params, Meta: meta, Peer: peerOf(r)}
			result, err := peer.Dispatch(r.Context(), h.d, nil, &req)
			rep.answer(&req, result, err)
			return
		}
	}
	s, refused := h.sessionOf(r)
	if refused != nil {
		refused.of(m.ID).write(w)
		return
	}
	defer h.sessions.leave(s)
	switch {
	case m.Method == "initialize":
		refuse(http.StatusBadRequest, protocol.CodeInvalidRequest, "Invalid request: the session has been initialized already").of(m.ID).write(w)
	case legacy.Immediate(m.Method):
		h.answerNow(rep, r, s, m, meta)
	default:
		h.call(rep, r, s, m, meta)
	}
}

// call runs a call of a session and waits until it is answered, or its client
// has left. The call itself goes on then.
func (h *Handler) call(rep *reply, r *http.Request, s *session, m *rpc.Message, meta protocol.RequestMeta) {
	rep.over = make(chan struct{})
	st := s.newStream(rep, 1)
	st.request = m.ID
	c, refused := h.newCall(r, s, st, m, meta)
	if refused != nil {
		rep.refuse(refused)
		return
	}
	rep.life.start(h.opts.StreamAfter, func() { st.tick(rep) })
	h.workers.start(c)
	h.await(r, rep, st)
}

func (h *Handler) await(r *http.Request, rep *reply, st *stream) {
	select {
	case <-rep.over:
	case <-r.Context().Done():
		st.detach(rep)
	}
}

// answerNow answers a request that concerns the session itself and never waits.
func (h *Handler) answerNow(rep *reply, r *http.Request, s *session, m *rpc.Message, meta protocol.RequestMeta) {
	req := protocol.Request{ID: protocol.ID(m.ID), Method: m.Method, Params: m.Params, Meta: s.older.Fill(meta), Peer: peerOf(r)}
	result, err := s.dispatch(r.Context(), &req)
	rep.answer(&req, result, err)
}

// dispatch serves a request in the session.
func (s *session) dispatch(ctx context.Context, req *protocol.Request) (protocol.Result, error) {
	result, err := peer.Dispatch(ctx, s.h.d, s.older, req)
	if err == nil {
		err = s.h.backend.served(ctx, s, req)
	}
	return result, err
}

// initialize opens a session.
func (h *Handler) initialize(rep *reply, r *http.Request, m *rpc.Message, meta protocol.RequestMeta) {
	req := protocol.Request{ID: protocol.ID(m.ID), Method: m.Method, Params: m.Params, Meta: meta, Peer: peerOf(r)}
	older, err := legacy.Open(m.Params)
	if err != nil {
		rep.answer(&req, nil, err)
		return
	}
	req.Meta = older.Fill(meta)
	if !h.take() {
		rep.refuse(busy(http.StatusServiceUnavailable, "%d requests are being served; try again later", h.opts.Concurrency).of(m.ID))
		return
	}
	result, err := h.initialized(r, older, &req)
	if err != nil {
		rep.answer(&req, nil, err)
		return
	}
	s := newSession(h, older, req.Peer.Principal)
	if refused := h.backend.create(r.Context(), s); refused != nil {
		older.End()
		rep.refuse(refused.of(m.ID))
		return
	}
	if refused := h.sessions.add(s); refused != nil {
		older.End()
		rep.refuse(refused.of(m.ID))
		return
	}
	defer h.sessions.leave(s)
	rep.w.Header().Set(mcpheader.SessionID, s.id)
	rep.answer(&req, result, nil)
}

// initialized is the result of initialize. A panic is its error.
func (h *Handler) initialized(r *http.Request, older *legacy.Session, req *protocol.Request) (result protocol.Result, err error) {
	defer func() {
		<-h.running
		if v := recover(); v != nil {
			err = h.panicked(r.Context(), req, v)
		}
	}()
	return older.Initialized(r.Context(), h.d, req.Peer)
}

// panicked is the error for a request whose handler has panicked with v.
func (h *Handler) panicked(ctx context.Context, req *protocol.Request, v any) error {
	h.opts.Log.ErrorContext(ctx, "panic while serving a request", "method", req.Method, "panic", v, "stack", string(debug.Stack()))
	return protocol.Errorf(protocol.CodeInternal, "Internal error while serving %s", req.Method)
}

// answer ends the reply with the answer to a request that was served at once.
func (r *reply) answer(req *protocol.Request, result protocol.Result, failure error) {
	b := buffers.Get().(*[]byte)
	message, _ := appendAnswer((*b)[:0], req.ID, result, failure, req.Meta.Revision)
	*b = message
	var err error
	if as := headOf(failure); r.accept.json || as.status != http.StatusOK {
		err = r.json(as, message)
	} else {
		all, event := appendEvent(message, 0, "")
		*b = all
		err = r.last(event)
	}
	putBuffer(b, err) // a client that has left needs no answer
}

// refuseMalformed answers a message that cannot be understood.
func (h *Handler) refuseMalformed(w http.ResponseWriter, r *http.Request, m *rpc.Message, why *rpc.Error) {
	refused := &refusal{status: http.StatusBadRequest, id: m.ID, err: why}
	if s, unknown := h.sessionOf(r); unknown == nil {
		defer h.sessions.leave(s)
		refused.nullID = s.nullID()
		if m.Kind == rpc.Response {
			s.malformed(r.Context(), m.ID, why)
		}
	}
	if m.Kind == rpc.Response {
		refused.id = "" // it is the id of a question of ours
	}
	refused.write(w)
}

// call is one request of a session. It runs on a goroutine of its own, for it
// goes on when the HTTP request that brought it ends.
type call struct {
	inFlight
	s       *session
	stream  *stream
	req     protocol.Request
	ctx     context.Context
	over    atomic.Bool            // it was answered or aborted: nothing of it is sent any more
	asking  atomic.Pointer[rpc.ID] // the question that waits for its answer
	running bool                   // it holds a slot of Options.Concurrency; only its goroutine reads this
	turn    bool                   // it holds a slot of Options.SessionConcurrency
}

type callKey struct{}

// newCall admits a request of a session, whose stream takes its answer.
func (h *Handler) newCall(r *http.Request, s *session, st *stream, m *rpc.Message, meta protocol.RequestMeta) (*call, *refusal) {
	if err := s.older.Check(m.Method); err != nil {
		return nil, refuseError(http.StatusOK, m.ID, err, s.older.Revision)
	}
	c := &call{s: s, stream: st, running: true}
	c.req = protocol.Request{
		ID: protocol.ID(m.ID), Method: m.Method, Params: m.Params, Meta: s.older.Fill(meta),
		Peer: peerOf(r), Notify: c.notify, Asker: c,
	}
	if refused := h.admitCall(c, r.Context()); refused != nil {
		return nil, refused.of(m.ID)
	}
	return c, nil
}

// serve runs the call and answers it.
func (c *call) serve() {
	h := c.s.h
	defer func() {
		c.rest()
		h.calls.Add(-1)
		h.inFlightSet.leave(&c.inFlight)
		c.cancel(nil)
	}()
	result, err := c.dispatch()
	c.s.unregister(c) // with the answer, the client may use the id again
	if c.over.Swap(true) {
		return // aborted
	}
	b := buffers.Get().(*[]byte)
	*b, _ = appendAnswer((*b)[:0], c.req.ID, result, err, c.req.Meta.Revision)
	putBuffer(b, c.stream.answer(*b, headOf(err)))
}

// dispatch has the request served when its turn comes. A panic is its error.
func (c *call) dispatch() (result protocol.Result, err error) {
	defer func() {
		if v := recover(); v != nil {
			result, err = nil, c.s.h.panicked(c.ctx, &c.req, v)
		}
	}()
	select {
	case c.s.turns <- struct{}{}:
		c.turn = true
	case <-c.ctx.Done():
		return nil, context.Cause(c.ctx)
	}
	return c.s.dispatch(c.ctx, &c.req)
}

// rest releases the slots of a call that is suspended or over.
func (c *call) rest() {
	if c.running {
		c.running = false
		<-c.s.h.running
	}
	if c.turn {
		c.turn = false
		<-c.s.turns
	}
}

// resume acquires both slots again in the order of a new call, so that a call
// with a slot of its session never waits for one.
func (c *call) resume() {
	select {
	case c.s.h.running <- struct{}{}:
		c.running = true
	case <-c.ctx.Done():
		return
	}
	select {
	case c.s.turns <- struct{}{}:
		c.turn = true
	case <-c.ctx.Done():
	}
}

// abort ends the call without an answer.
func (c *call) abort(cause error) {
	if !c.over.Swap(true) {
		if cause == rpc.ErrCancelled {
			c.withdraw()
			c.stream.drop()
		} else {
			status := c.s.h.backend.abortStatus(cause)
			c.stream.refuse(refuse(status, protocol.CodeInvalidRequest, "The request was given up: %v", cause).of(rpc.ID(c.req.ID)))
		}
	}
	c.cancel(cause)
}

// withdraw cancels the open question to the client, if there is one.
func (c *call) withdraw() {
	if id := c.asking.Swap(nil); id != nil {
		why := peer.CancelParams(*id, "the call that asks has ended")
		_ = c.stream.send(rpc.AppendRequest(nil, "", "notifications/cancelled", why), false) // the client may have left
	}
}

// notify sends a notification of the call.
func (c *call) notify(_ context.Context, n protocol.Notification) error {
	if c.over.Load() {
		return errAnswered
	}
	b := buffers.Get().(*[]byte)
	defer putBuffer(b, nil) // the message that is sent is a copy
	*b = appendNotification((*b)[:0], n, c.req.Meta.Revision)
	passing := false
	switch n.(type) {
	case *protocol.ProgressNotification, *protocol.LogNotification:
		passing = true
	}
	if err := c.stream.send(*b, passing); err != nil && !passing {
		return err
	}
	return nil
}

// Ask implements protocol.Asker: questions are requests on the stream of the call,
// and their answers come as HTTP requests of their own.
func (c *call) Ask(ctx context.Context, questions map[string]protocol.InputRequest) (map[string]json.RawMessage, error) {
	return legacy.Asker{Request: c.ask}.Ask(ctx, questions)
}

// ask sends a request to the client and waits, for as long as the call may
// take, also when the client has to come back first.
func (c *call) ask(ctx context.Context, method string, params json.RawMessage) (json.RawMessage, error) {
	id, answer := c.s.ask()
	defer c.s.forgetQuestion(id)
	c.asking.Store(&id)
	if err := c.stream.send(rpc.AppendRequest(nil, id, method, params), false); err != nil {
		return nil, err
	}
	c.rest()
	defer c.resume()
	select {
	case m := <-answer:
		c.asking.Store(nil)
		if m.Error != nil {
			return nil, answeredError(m.Error)
		}
		return m.Result, nil
	case <-ctx.Done():
	}
	c.withdraw()
	return nil, context.Cause(ctx)
}

// answeredError reads the error that a client answers a question with.
func answeredError(raw []byte) error {
	var e struct {
		Code    int64           `json:"code"`
		Message string          `json:"message"`
		Data    json.RawMessage `json:"data"`
	}
	if err := json.Unmarshal(raw, &e); err != nil {
		return protocol.Errorf(protocol.CodeInternal, "The client answered with a malformed error: %v", err)
	}
	return &protocol.Error{Code: e.Code, Message: e.Message, Data: e.Data}
}
