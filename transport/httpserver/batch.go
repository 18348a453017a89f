package httpserver

import (
	"net/http"

	"github.com/dougu-go/dougu/internal/jsonx"
	"github.com/dougu-go/dougu/internal/mcpheader"
	"github.com/dougu-go/dougu/internal/rpc"
	"github.com/dougu-go/dougu/mcp/protocol"
	"github.com/dougu-go/dougu/transport/internal/legacy"
	"github.com/dougu-go/dougu/transport/internal/peer"
)

// maxBatch is how many messages a batch may hold.
const maxBatch = 256

// serveBatch serves an array of messages, which exists in revision 2025-03-26
// alone (basic, "Batching"). The answers come in one array, or each as an event
// of one stream.
func (h *Handler) serveBatch(w http.ResponseWriter, r *http.Request, ctl *http.ResponseController, body []byte) {
	elements, refused := splitBatch(body)
	if refused != nil {
		refused.write(w)
		return
	}
	if r.Header.Get(mcpheader.SessionID) == "" || claimed(r.Header).Modern() {
		noBatches().write(w)
		return
	}
	s, refused := h.sessionOf(r)
	if refused != nil {
		refused.write(w)
		return
	}
	defer h.sessions.leave(s)
	accept := acceptedBy(r.Header)
	switch {
	case s.older.Revision != protocol.Rev20250326:
		refused = noBatches()
		refused.nullID = s.nullID()
		refused.write(w)
		return
	case !accept.json && !accept.stream:
		notAcceptable().write(w)
		return
	}
	rep := &reply{w: w, ctl: ctl, opts: &h.opts, accept: accept, over: make(chan struct{})}
	st := s.newStream(rep, len(elements))
	st.batch = elements
	rep.life.start(h.opts.StreamAfter, func() { st.tick(rep) })
	for _, element := range elements {
		h.serveElement(r, s, st, element)
	}
	h.await(r, rep, st)
}

func noBatches() *refusal {
	return refuse(http.StatusBadRequest, protocol.CodeInvalidRequest, "Invalid request: batches exist in sessions of revision %s only; send one message at a time", protocol.Rev20250326)
}

// splitBatch returns the elements of a batch.
func splitBatch(body []byte) (elements [][]byte, refused *refusal) {
	all := jsonx.Array(body)
	for all.Next() {
		if len(elements) == maxBatch {
			return nil, refuse(http.StatusBadRequest, protocol.CodeInvalidRequest, "Invalid request: a batch holds at most %d messages", maxBatch)
		}
		elements = append(elements, all.Value())
	}
	err := all.Err()
	if err == nil {
		err = jsonx.Valid(body) // nothing follows it
	}
	switch {
	case err != nil:
		return nil, refuse(http.StatusBadRequest, protocol.CodeParse, "Parse error: %v", err)
	case len(elements) == 0:
		return nil, refuse(http.StatusBadRequest, protocol.CodeInvalidRequest, "Invalid request: a batch must not be empty")
	}
	return elements, nil
}

// serveElement serves one message of a batch. Each takes part in the stream with
// an answer, or with none.
func (h *Handler) serveElement(r *http.Request, s *session, st *stream, element []byte) {
	m, malformed := rpc.Parse(element)
	switch {
	case malformed != nil && m.Kind == rpc.Response:
		s.malformed(r.Context(), m.ID, malformed)
		st.drop()
	case malformed != nil:
		st.answer(rpc.AppendError(nil, m.ID, s.nullID(), malformed), headOf(nil))
	case m.Kind == rpc.Response:
		h.backend.answer(r.Context(), s, &m) // an answer in a batch gets no status of its own
		st.drop()
	case m.Kind == rpc.Notification:
		s.notified(&m)
		st.drop()
	default:
		if err := h.serveRequest(r, s, st, &m); err != nil {
			st.answer(rpc.AppendError(nil, m.ID, false, err), headOf(nil))
		}
	}
}

// serveRequest starts one request of a batch, or says why it is not served.
func (h *Handler) serveRequest(r *http.Request, s *session, st *stream, m *rpc.Message) *rpc.Error {
	meta, err := protocol.ReadMeta(m.Params)
	switch {
	case err != nil:
		return peer.WireError(err, s.older.Revision)
	case m.Method == "initialize":
		return &rpc.Error{Code: protocol.CodeInvalidRequest, Message: "Invalid request: initialize must not be part of a batch"}
	case meta.Revision != "":
		return &rpc.Error{Code: protocol.CodeInvalidRequest, Message: "Invalid request: a request of revision " + string(meta.Revision) + " must not be part of a batch"}
	case legacy.Immediate(m.Method):
		req := protocol.Request{ID: protocol.ID(m.ID), Method: m.Method, Params: m.Params, Meta: s.older.Fill(meta), Peer: peerOf(r)}
		result, err := s.dispatch(r.Context(), &req)
		message, _ := appendAnswer(nil, req.ID, result, err, req.Meta.Revision)
		st.answer(message, headOf(nil))
		return nil
	}
	c, refused := h.newCall(r, s, st, m, meta)
	if refused != nil {
		return refused.err
	}
	h.workers.start(c)
	return nil
}
