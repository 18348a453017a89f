package httpserver

import (
	"context"
	"net/http"
	"runtime/debug"

	"github.com/dougu-go/dougu/internal/mcpheader"
	"github.com/dougu-go/dougu/internal/rpc"
	"github.com/dougu-go/dougu/mcp"
	"github.com/dougu-go/dougu/transport/internal/legacy"
	"github.com/dougu-go/dougu/transport/internal/peer"
)

// serveOlder serves a request of an older revision.
func (h *Handler) serveOlder(w http.ResponseWriter, r *http.Request, ctl *http.ResponseController, m *rpc.Message, meta mcp.RequestMeta) {
	accept := acceptedBy(r.Header)
	if !accept.json && !accept.stream {
		notAcceptable().of(m.ID).write(w)
		return
	}
	if rev := claimed(r.Header); rev != "" && !rev.Known() {
		refuse(http.StatusBadRequest, mcp.CodeInvalidRequest, "Unsupported MCP-Protocol-Version %.40q", string(rev)).of(m.ID).write(w)
		return
	}
	rep := &reply{w: w, ctl: ctl, opts: &h.opts, accept: accept}
	if r.Header.Get(mcpheader.SessionID) == "" {
		switch m.Method {
		case "initialize":
			h.initialize(rep, r, m, meta)
			return
		case "ping":
			req := mcp.Request{ID: mcp.ID(m.ID), Method: m.Method, Params: m.Params, Meta: meta, Peer: peerOf(r)}
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
		refuse(http.StatusBadRequest, mcp.CodeInvalidRequest, "Invalid request: the session has been initialized already").of(m.ID).write(w)
	case legacy.Immediate(m.Method):
		h.answerNow(rep, r, s, m, meta)
	default:
		h.call(rep, r, s, m, meta)
	}
}

// call runs a call of a session and waits until it is answered, or its client
// has left. The call itself goes on then.
func (h *Handler) call(rep *reply, r *http.Request, s *session, m *rpc.Message, meta mcp.RequestMeta) {
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
func (h *Handler) answerNow(rep *reply, r *http.Request, s *session, m *rpc.Message, meta mcp.RequestMeta) {
	req := mcp.Request{ID: mcp.ID(m.ID), Method: m.Method, Params: m.Params, Meta: s.older.Fill(meta), Peer: peerOf(r)}
	result, err := s.dispatch(r.Context(), &req)
	rep.answer(&req, result, err)
}

// dispatch serves a request in the session.
func (s *session) dispatch(ctx context.Context, req *mcp.Request) (mcp.Result, error) {
	result, err := peer.Dispatch(ctx, s.h.d, s.older, req)
	if err == nil {
		err = s.h.backend.served(ctx, s, req)
	}
	return result, err
}

// initialize opens a session.
func (h *Handler) initialize(rep *reply, r *http.Request, m *rpc.Message, meta mcp.RequestMeta) {
	req := mcp.Request{ID: mcp.ID(m.ID), Method: m.Method, Params: m.Params, Meta: meta, Peer: peerOf(r)}
	older, err := legacy.Open(m.Params)
	if err != nil {
		rep.answer(&req, nil, err)
		return
	}
	req.Meta = older.Fill(meta)
	if !h.take() {
		rep.refuse(busy(http.StatusServiceUnavailable, "%d requests are being served; come back later", h.opts.Concurrency).of(m.ID))
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
func (h *Handler) initialized(r *http.Request, older *legacy.Session, req *mcp.Request) (result mcp.Result, err error) {
	defer func() {
		<-h.running
		if v := recover(); v != nil {
			err = h.panicked(r.Context(), req, v)
		}
	}()
	return older.Initialized(r.Context(), h.d, req.Peer)
}

// panicked is the error for a request whose handler has panicked with v.
func (h *Handler) panicked(ctx context.Context, req *mcp.Request, v any) error {
	h.opts.Log.ErrorContext(ctx, "panic while serving a request", "method", req.Method, "panic", v, "stack", string(debug.Stack()))
	return mcp.Errorf(mcp.CodeInternal, "Internal error while serving %s", req.Method)
}

// answer ends the reply with the answer to a request that was served at once.
func (r *reply) answer(req *mcp.Request, result mcp.Result, failure error) {
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
