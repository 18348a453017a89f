package httpserver

import (
	"context"
	"net/http"
	"runtime/debug"
	"sync/atomic"
	"time"

	"github.com/dougu-go/dougu/internal/group"
	"github.com/dougu-go/dougu/internal/mcpheader"
	"github.com/dougu-go/dougu/internal/origin"
	"github.com/dougu-go/dougu/internal/rpc"
	"github.com/dougu-go/dougu/mcp"
)

// waitingFactor is how many times more calls may wait, for their turn or for
// their client, than are served at once.
const waitingFactor = 8

// lastGrace is how long Shutdown waits for requests and goroutines that it has cancelled.
const lastGrace = 200 * time.Millisecond

// Handler serves a Dispatcher over Streamable HTTP: revision 2026-07-28, in
// which every request stands alone, and the sessions of 2025-03-26 to
// 2025-11-25, at once and at one address, which may be any path of an
// http.ServeMux (2026-07-28, basic/versioning and
// basic/transports/streamable-http).
//
// A request of 2026-07-28 is cancelled when its client leaves. One of a session
// goes on, and a client that comes back gets what it has missed.
//
// Who sent a request is what mcp.WithPrincipal has said in its context; sessions
// belong to the principal that opened them.
//
// An error that the Dispatcher returns may have a method HTTPStatus() (int,
// http.Header), or one within it: while nothing else was sent, the response gets that
// status, from 400 to 599, and those headers.
type Handler struct {
	d       mcp.Dispatcher
	opts    Options
	policy  origin.Policy
	running chan struct{} // holds one element a request that is served
	calls   atomic.Int64  // calls of sessions, also those that wait
	streams atomic.Int64  // open streams of changes
	flights flights
	bodies  bodies
	params  paramHeaders

	sessions sessionTable
	backend  backend
	workers  workers
	group    group.Group
	base     context.Context // of what outlives HTTP requests
	stop     context.CancelCauseFunc
}

// NewHandler returns a Handler that serves d. opts may be nil. Shutdown ends
// what it has begun.
func NewHandler(d mcp.Dispatcher, opts *Options) *Handler {
	h := &Handler{d: d, opts: opts.orDefault()}
	h.policy = origin.Policy{Hosts: h.opts.Hosts, Origins: h.opts.Origins}
	h.bodies.opts = &h.opts
	h.running = make(chan struct{}, h.opts.Concurrency)
	h.base, h.stop = context.WithCancelCause(context.Background())
	h.group.OnPanic = func(v any, stack []byte) {
		h.opts.Log.Error("panic in an HTTP handler", "panic", v, "stack", string(stack))
	}
	h.workers = workers{group: &h.group, idle: make(chan *call), done: h.base.Done()}
	h.sessions.init(h)
	h.backend = &local{h: h}
	if h.opts.Shared != nil {
		h.backend = joinCluster(h)
	}
	return h
}

// ServeHTTP implements http.Handler.
func (h *Handler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	defer func() {
		if v := recover(); v != nil {
			h.opts.Log.ErrorContext(r.Context(), "panic in an HTTP handler", "panic", v, "stack", string(debug.Stack()))
			panic(http.ErrAbortHandler) // so that the client does not take it for an answer
		}
	}()
	if err := h.policy.Check(r); err != nil {
		origin.Forbid(w, err)
		return
	}
	rev := claimed(r.Header)
	modern := rev.Known() && rev.Modern()
	switch {
	case r.Method == http.MethodPost:
		h.post(w, r)
	case r.Method == http.MethodGet && !modern:
		h.get(w, r)
	case r.Method == http.MethodDelete && !modern:
		h.delete(w, r)
	default:
		refused := refuse(http.StatusMethodNotAllowed, mcp.CodeInvalidRequest, "The method %.20s is not allowed; send messages with POST", r.Method)
		if refused.allow = "POST, GET, DELETE"; modern {
			refused.allow = "POST"
		}
		refused.write(w)
	}
}

// Shutdown implements transport.Handler: new requests are refused with status
// 503, streams of changes end with their final message, and those requests that
// are being served may end by themselves until ctx is done, when they are
// cancelled and the error is the cause of that. Then all sessions end, unless they
// are shared.
func (h *Handler) Shutdown(ctx context.Context) error {
	landed := h.flights.close(errShutdown)
	select {
	case <-landed:
	case <-ctx.Done():
	}
	began := time.Now()
	err := h.landNow(ctx, landed)
	h.sessions.close()
	h.stop(errShutdown)
	if !h.group.WaitFor(lastGrace - time.Since(began)) {
		h.opts.Log.Warn("something is still running after its HTTP handler was shut down")
	}
	h.backend.leave()
	return err
}

// landNow cancels what is still under way, and returns why that was necessary.
func (h *Handler) landNow(ctx context.Context, landed <-chan struct{}) error {
	select {
	case <-landed:
		return nil
	default:
	}
	h.flights.cancel(errShutdown)
	grace := time.NewTimer(lastGrace)
	defer grace.Stop()
	select {
	case <-landed:
	case <-grace.C:
	}
	return context.Cause(ctx)
}

// post serves one message, or an array of them.
func (h *Handler) post(w http.ResponseWriter, r *http.Request) {
	ctl := http.NewResponseController(w)
	var read body
	defer h.bodies.release(&read)
	if refused := h.bodies.read(ctl, r, &read); refused != nil {
		refused.write(w)
		return
	}
	if isArray(read.data) {
		h.serveBatch(w, r, ctl, read.data)
		return
	}
	m, malformed := rpc.Parse(read.data)
	if malformed != nil {
		h.refuseMalformed(w, r, &m, malformed)
		return
	}
	if m.Kind == rpc.Response {
		h.serveResponse(w, r, &m)
		return
	}
	meta, err := mcp.ReadMeta(m.Params)
	switch {
	case err == nil && len(m.Params) > 0 && m.Params[0] == '[':
		err = mcp.Errorf(mcp.CodeInvalidParams, "Invalid params: params must be an object")
		fallthrough
	case err != nil:
		refuseError(http.StatusBadRequest, m.ID, err, mcp.Latest).write(w)
	case meta.Revision != "" || claimed(r.Header).Modern():
		h.serveModern(w, r, ctl, &m, meta)
	case m.Kind == rpc.Notification:
		h.serveNotification(w, r, &m)
	default:
		h.serveOlder(w, r, ctl, &m, meta)
	}
}

// claimed is the revision that the headers name, empty if they do not.
func claimed(header http.Header) mcp.Revision {
	return mcp.Revision(header.Get(mcpheader.Version))
}

// take takes a place among the requests that are served.
func (h *Handler) take() bool {
	select {
	case h.running <- struct{}{}:
		return true
	default:
		return false
	}
}

// count counts a call of a session, unless there are too many.
func (h *Handler) count() bool {
	if h.calls.Add(1) > int64(waitingFactor*h.opts.Concurrency) {
		h.calls.Add(-1)
		return false
	}
	return true
}

// openStream counts a stream of changes, unless there are too many.
func (h *Handler) openStream() bool {
	if h.streams.Add(1) > int64(h.opts.MaxStreams) {
		h.streams.Add(-1)
		return false
	}
	return true
}
