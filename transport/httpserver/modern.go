package httpserver

import (
	"context"
	"errors"
	"net/http"
	"sync/atomic"

	"github.com/dougu-go/dougu/internal/mcpheader"
	"github.com/dougu-go/dougu/internal/rpc"
	"github.com/dougu-go/dougu/mcp/protocol"
	"github.com/dougu-go/dougu/transport/internal/peer"
)

var (
	errShutdown = errors.New("the server is shutting down")
	errAnswered = errors.New("the request has been answered")
)

// exchange is one request of revision 2026-07-28. It is served on the goroutine
// of its HTTP request, and ends when the client leaves.
type exchange struct {
	inFlight
	reply
	h        *Handler
	req      protocol.Request
	answered atomic.Bool
}

// serveModern serves a message of revision 2026-07-28.
func (h *Handler) serveModern(w http.ResponseWriter, r *http.Request, ctl *http.ResponseController, m *rpc.Message, meta protocol.RequestMeta) {
	if refused := checkModern(r.Header, m, &meta); refused != nil {
		refused.write(w)
		return
	}
	if m.Kind == rpc.Notification {
		// None is defined over HTTP, so there is nothing to do but to take it.
		w.WriteHeader(http.StatusAccepted)
		return
	}
	ctx, cancel := context.WithCancelCause(r.Context())
	defer cancel(nil)
	x := &exchange{h: h}
	x.inFlight = inFlight{cancel: cancel, isStream: m.Method == "subscriptions/listen"}
	x.reply = reply{w: w, ctl: ctl, opts: &h.opts, accept: acceptedBy(r.Header)}
	x.req = protocol.Request{
		ID: protocol.ID(m.ID), Method: m.Method, Params: m.Params, Meta: meta,
		Peer: peerOf(r), Notify: x.notify,
	}
	if refused := h.admit(x); refused != nil {
		refused.of(m.ID).write(w)
		return
	}
	defer h.dismiss(x)
	x.life.start(h.opts.StreamAfter, x.keepAlive)
	defer x.end()
	result, err := x.dispatch(ctx)
	x.answered.Store(true)
	switch {
	case r.Context().Err() != nil: // the client has left
	case x.isStream && errors.Is(context.Cause(ctx), errShutdown) && x.begun():
		x.answer(&protocol.ListenResult{Subscription: x.req.ID}, nil)
	case x.isStream && errors.Is(context.Cause(ctx), errShutdown):
		x.refuse(shuttingDown().of(m.ID)) // it was not acknowledged
	default:
		x.answer(result, err)
	}
}

// checkModern refuses a message that is not in order, for the first of these
// reasons: it does not say which revision it speaks; its header says another;
// the revision is not spoken; something else is missing; the other headers
// contradict it; its method is one that older revisions had.
func checkModern(header http.Header, m *rpc.Message, meta *protocol.RequestMeta) *refusal {
	const bad = http.StatusBadRequest
	if m.Kind == rpc.Notification {
		if rev := protocol.Revision(header.Get(mcpheader.Version)); rev != "" && !rev.Known() {
			return refuseError(bad, "", protocol.UnsupportedRevision(rev), protocol.Latest)
		}
		return nil // which headers it must have is not defined
	}
	if meta.Revision == "" {
		return refuse(bad, protocol.CodeInvalidParams, "Invalid params: _meta[\"io.modelcontextprotocol/protocolVersion\"] is missing; it repeats the header MCP-Protocol-Version").of(m.ID)
	}
	if err := mcpheader.CheckVersion(header, string(meta.Revision)); err != nil {
		return mismatch(m.ID, err)
	}
	if err := peer.CheckModern(meta); err != nil {
		return refuseError(bad, m.ID, err, protocol.Latest)
	}
	if err := mcpheader.CheckStandard(header, m.Method, m.Params); err != nil {
		return mismatch(m.ID, err)
	}
	switch m.Method {
	case "initialize", "ping", "logging/setLevel", "resources/subscribe", "resources/unsubscribe":
		return refuse(http.StatusNotFound, protocol.CodeMethodNotFound, "Method not found: %s does not exist in revision %s", m.Method, meta.Revision).of(m.ID)
	}
	return nil
}

func mismatch(id rpc.ID, err error) *refusal {
	return refuse(http.StatusBadRequest, protocol.CodeHeaderMismatch, "Header mismatch: %v", err).of(id)
}

// dispatch has the request served. A panic is its error.
func (x *exchange) dispatch(ctx context.Context) (result protocol.Result, err error) {
	defer func() {
		if v := recover(); v != nil {
			result, err = nil, x.h.panicked(ctx, &x.req, v)
		}
	}()
	if x.req.Method == "tools/call" {
		if err := x.h.params.check(ctx, x.h, &x.req); err != nil {
			return nil, err
		}
	}
	return x.h.d.Dispatch(ctx, &x.req)
}

// notify sends a notification of the request. A client that does not take
// streams misses it.
func (x *exchange) notify(_ context.Context, n protocol.Notification) error {
	if x.answered.Load() {
		return errAnswered
	}
	b := buffers.Get().(*[]byte)
	all, event := appendEvent(appendNotification((*b)[:0], n, x.req.Meta.Revision), 0, "")
	*b = all
	err := x.send(event)
	putBuffer(b, err)
	switch {
	case errors.Is(err, errNoStream) && !x.isStream:
		return nil
	case err != nil:
		x.cancel(err) // as if the client had left
	}
	return err
}

// answer ends the exchange.
func (x *exchange) answer(result protocol.Result, failure error) {
	b := buffers.Get().(*[]byte)
	message, e := appendAnswer((*b)[:0], x.req.ID, result, failure, x.req.Meta.Revision)
	*b = message
	err := errReplied
	if e != nil || x.accept.json {
		as := headOf(failure)
		if as.status == http.StatusOK {
			as.status = statusOf(e)
		}
		err = x.json(as, message)
	}
	if err == errReplied {
		all, event := appendEvent(message, 0, "")
		*b = all
		err = x.last(event)
	}
	putBuffer(b, err) // a client that has left needs no answer
}

// statusOf is the HTTP status for an answer.
func statusOf(e *rpc.Error) int {
	if e == nil {
		return http.StatusOK
	}
	switch e.Code {
	case protocol.CodeHeaderMismatch, protocol.CodeMissingCapability, protocol.CodeUnsupportedRevision:
		return http.StatusBadRequest
	case protocol.CodeMethodNotFound:
		return http.StatusNotFound
	}
	return http.StatusOK
}
