package httpserver

import (
	"context"
	"errors"
	"io"
	"mime"
	"net/http"
	"os"
	"runtime/debug"
	"strings"
	"sync/atomic"
	"time"

	"github.com/dougu-go/dougu/internal/group"
	"github.com/dougu-go/dougu/internal/jsonx"
	"github.com/dougu-go/dougu/internal/mcpheader"
	"github.com/dougu-go/dougu/internal/origin"
	"github.com/dougu-go/dougu/internal/rpc"
	"github.com/dougu-go/dougu/mcp/protocol"
	"github.com/dougu-go/dougu/transport/internal/peer"
)

// lastGrace is how long Shutdown waits for requests and goroutines that it has cancelled.
const lastGrace = 200 * time.Millisecond

// Handler serves a Dispatcher over Streamable HTTP at one address: independent
// requests of revision 2026-07-28, and sessions of revisions 2025-03-26 to
// 2025-11-25 (2026-07-28, basic/versioning and basic/transports/streamable-http).
// It can be mounted at any path of an http.ServeMux.
//
// A request of 2026-07-28 is cancelled when its client disconnects. A request of
// a session continues, and a client that resumes the stream receives the missed
// events.
//
// The principal of a request is the one that protocol.WithPrincipal has set in its
// context. A session belongs to the principal that opened it.
//
// An error of the Dispatcher, or an error that it wraps, may have a method
// HTTPStatus() (int, http.Header). If the response has not begun, it gets this
// status and these headers. A status outside 400 to 599 is ignored.
type Handler struct {
	d           protocol.Dispatcher
	opts        Options
	policy      origin.Policy
	running     chan struct{} // semaphore of Options.Concurrency; one element for each running request
	calls       atomic.Int64  // running and waiting calls of sessions
	streams     atomic.Int64  // open streams of changes: subscriptions/listen, and GET of a session
	inFlightSet inFlightSet   // in-flight HTTP requests, which Shutdown ends
	bodies      bodies        // reads request bodies within Options.MaxBodies
	params      paramHeaders  // checks headers that repeat arguments of tools

	sessions sessionTable    // legacy sessions
	backend  backend         // local, or the cluster of Options.Shared
	workers  workers         // goroutines that run the calls of sessions
	group    group.Group     // all goroutines that outlive an HTTP request
	base     context.Context // parent of the contexts of session calls; stop ends it
	stop     context.CancelCauseFunc
}

// NewHandler returns a Handler that serves d. opts may be nil. Call Shutdown to
// end its sessions and goroutines.
func NewHandler(d protocol.Dispatcher, opts *Options) *Handler {
	h := &Handler{d: peer.Serving(d), opts: opts.orDefault()}
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
		refused := refuse(http.StatusMethodNotAllowed, protocol.CodeInvalidRequest, "The method %.20s is not allowed; send messages with POST", r.Method)
		if refused.allow = "POST, GET, DELETE"; modern {
			refused.allow = "POST"
		}
		refused.write(w)
	}
}

// Shutdown implements transport.Handler. New requests are refused with status
// 503. Streams of changes (subscriptions/listen, and GET of a session) end with
// their final message. Running requests may end by themselves until ctx is done;
// then they are cancelled, and the error is the cause of the end of ctx. At last
// all sessions end, except shared ones.
func (h *Handler) Shutdown(ctx context.Context) error {
	drained := h.inFlightSet.close(errShutdown)
	select {
	case <-drained:
	case <-ctx.Done():
	}
	began := time.Now()
	err := h.cancelRemaining(ctx, drained)
	h.sessions.close()
	h.stop(errShutdown)
	if !h.group.WaitFor(lastGrace - time.Since(began)) {
		h.opts.Log.Warn("something is still running after its HTTP handler was shut down")
	}
	h.backend.leave()
	return err
}

// cancelRemaining cancels in-flight requests and returns the cause of the end of
// ctx. It returns nil if all requests have ended already.
func (h *Handler) cancelRemaining(ctx context.Context, drained <-chan struct{}) error {
	select {
	case <-drained:
		return nil
	default:
	}
	h.inFlightSet.cancel(errShutdown)
	grace := time.NewTimer(lastGrace)
	defer grace.Stop()
	select {
	case <-drained:
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
	meta, err := protocol.ReadMeta(m.Params)
	switch {
	case err == nil && len(m.Params) > 0 && m.Params[0] == '[':
		err = protocol.Errorf(protocol.CodeInvalidParams, "Invalid params: params must be an object")
		fallthrough
	case err != nil:
		refuseError(http.StatusBadRequest, m.ID, err, protocol.Latest).write(w)
	case meta.Revision != "" || claimed(r.Header).Modern():
		h.serveModern(w, r, ctl, &m, meta)
	case m.Kind == rpc.Notification:
		h.serveNotification(w, r, &m)
	default:
		h.serveOlder(w, r, ctl, &m, meta)
	}
}

// claimed returns the revision in the header MCP-Protocol-Version, or "".
func claimed(header http.Header) protocol.Revision {
	return protocol.Revision(header.Get(mcpheader.Version))
}

// peerOf returns the peer that sent an HTTP request.
func peerOf(r *http.Request) protocol.Peer {
	return protocol.Peer{Principal: protocol.PrincipalFrom(r.Context()), Transport: "http", Address: r.RemoteAddr, Headers: r.Header}
}

// accepted holds the media types that a client accepts: JSON, an event stream.
type accepted struct{ json, stream bool }

// bothAccepted is the Accept header that the specification prescribes.
const bothAccepted = "application/json, text/event-stream"

// acceptedBy reads the Accept header. A client without this header accepts both.
func acceptedBy(h http.Header) accepted {
	values := h["Accept"]
	if len(values) == 0 || len(values) == 1 && (values[0] == bothAccepted || values[0] == "" || values[0] == "*/*") {
		return accepted{json: true, stream: true}
	}
	var a accepted
	for _, value := range values {
		for item := range strings.SplitSeq(value, ",") {
			media, params, _ := strings.Cut(item, ";")
			if isZero(params) {
				continue
			}
			switch strings.ToLower(strings.TrimSpace(media)) {
			case "*/*":
				return accepted{json: true, stream: true}
			case "application/json", "application/*":
				a.json = true
			case "text/event-stream", "text/*":
				a.stream = true
			}
		}
	}
	return a
}

// isZero reports whether the parameters of a media range have the weight zero
// (q=0), which excludes the media range.
func isZero(params string) bool {
	for param := range strings.SplitSeq(params, ";") {
		name, value, _ := strings.Cut(param, "=")
		if strings.EqualFold(strings.TrimSpace(name), "q") {
			value = strings.TrimSpace(value)
			return strings.HasPrefix(value, "0") && strings.Trim(value, "0.") == ""
		}
	}
	return false
}

func notAcceptable() *refusal {
	return refuse(http.StatusNotAcceptable, protocol.CodeInvalidRequest, "Accept must allow application/json and text/event-stream")
}

const (
	// firstBody is the size in bytes of the first buffer for a body. Bodies up to
	// this size do not count for Options.MaxBodies.
	firstBody = 64 << 10
	// prefixRead is the number of bytes of a too large body that are searched for
	// the id of the request.
	prefixRead = 4 << 10
)

// checkContent refuses bodies that are not plain JSON.
func checkContent(h http.Header) *refusal {
	if encoding := h.Get("Content-Encoding"); encoding != "" && !strings.EqualFold(encoding, "identity") {
		return refuse(http.StatusUnsupportedMediaType, protocol.CodeInvalidRequest, "The body must not be encoded; send it without Content-Encoding")
	}
	kind := h.Get("Content-Type")
	if kind == "" || kind == "application/json" {
		return nil
	}
	if media, _, err := mime.ParseMediaType(kind); err != nil && !errors.Is(err, mime.ErrInvalidMediaParameter) || media != "application/json" {
		return refuse(http.StatusUnsupportedMediaType, protocol.CodeInvalidRequest, "The Content-Type must be application/json")
	}
	return nil
}

// body is the content of an HTTP request. Its bytes are never reused, because the
// parsed message points into them.
type body struct {
	data  []byte
	taken int64 // bytes of Options.MaxBodies that the body uses; 0 for a small body
}

// bodies reads the bodies of requests. Options.MaxBodies limits the memory of all
// bodies larger than firstBody. Smaller bodies do not count, because the number of
// requests is limited.
type bodies struct {
	opts *Options
	held atomic.Int64 // sum of body.taken
}

// release returns the memory of a body to the budget at the end of its request.
func (b *bodies) release(read *body) {
	if read.taken > 0 {
		b.held.Add(-read.taken)
	}
}

// read reads the body of a request. release must be called even if it is refused.
func (b *bodies) read(ctl *http.ResponseController, r *http.Request, into *body) *refusal {
	if refused := checkContent(r.Header); refused != nil {
		return refused
	}
	// Where the connection has no deadlines, the server must have its own.
	_ = ctl.SetReadDeadline(time.Now().Add(b.opts.BodyTimeout))
	defer ctl.SetReadDeadline(time.Time{})
	limit := b.opts.MaxMessage
	if r.ContentLength > int64(limit) {
		return tooLarge(r, limit)
	}
	err := b.fill(into, r.Body, r.ContentLength)
	switch {
	case err != nil:
		return b.unread(into, err)
	case len(into.data) > limit:
		return refuseLarge(into.data, limit)
	}
	return nil
}

// unread returns the refusal of a body that could not be read to its end. The
// connection is closed, because the rest of the body may still follow.
func (b *bodies) unread(into *body, err error) *refusal {
	var refused *refusal
	switch {
	case errors.Is(err, errBodies):
		refused = busy(http.StatusServiceUnavailable, "large messages are being served; send this one again later")
	case errors.Is(err, os.ErrDeadlineExceeded):
		refused = refuse(http.StatusRequestTimeout, protocol.CodeInvalidRequest, "The body of the request did not arrive within %v", b.opts.BodyTimeout)
	default:
		refused = refuse(http.StatusBadRequest, protocol.CodeInvalidRequest, "The body of the request could not be read")
	}
	refused.id, refused.closeConn = idIn(into.data), true
	return refused
}

// errBodies is the error of a body for which Options.MaxBodies has no room.
var errBodies = errors.New("too much is being read")

// fill reads a body of size bytes; a negative size is unknown. It stops after
// Options.MaxMessage bytes are exceeded. The buffer grows with the received bytes.
func (b *bodies) fill(into *body, r io.Reader, size int64) error {
	first := int64(512)
	if size >= 0 {
		first = max(min(size, firstBody), 1)
	}
	data := make([]byte, 0, first)
	defer func() { into.data = data }()
	for len(data) <= b.opts.MaxMessage && (size < 0 || int64(len(data)) < size) {
		if len(data) == cap(data) {
			grown := 2 * int64(cap(data))
			if size >= 0 {
				grown = min(grown, size)
			}
			if grown > firstBody && !b.take(into, grown) {
				return errBodies
			}
			data = append(make([]byte, 0, grown), data...)
		}
		n, err := r.Read(data[len(data):cap(data)])
		data = data[:len(data)+n]
		if err == io.EOF {
			break
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// take reserves size bytes of Options.MaxBodies for a body. It returns false if
// there is no room.
func (b *bodies) take(into *body, size int64) bool {
	more := size - into.taken
	if b.held.Add(more) > int64(b.opts.MaxBodies) {
		b.held.Add(-more)
		return false
	}
	into.taken = size
	return true
}

// tooLarge refuses a body because of its Content-Length. A client that has sent
// "Expect: 100-continue" waits before it sends the body. The body is not read
// then, because a read would send "100 Continue".
func tooLarge(r *http.Request, limit int) *refusal {
	var prefix []byte
	if r.Header.Get("Expect") == "" {
		prefix = make([]byte, prefixRead)
		n, _ := r.Body.Read(prefix) // the bytes that have come by now will do
		prefix = prefix[:n]
	}
	return refuseLarge(prefix, limit)
}

// refuseLarge returns the refusal, with status 413, of a message that begins with
// beginning. The connection is closed.
func refuseLarge(beginning []byte, limit int) *refusal {
	refused := refuse(http.StatusRequestEntityTooLarge, protocol.CodeInvalidRequest,
		"Invalid request: the message is over the limit of %d bytes; send less at once, or raise the limit of the server", limit)
	refused.id, refused.closeConn = idIn(beginning), true
	return refused
}

// idIn returns the id in the beginning of a message, or "" if it is not found.
func idIn(beginning []byte) rpc.ID {
	prefix := beginning[:min(len(beginning), prefixRead)]
	members := jsonx.Object(prefix)
	for members.Next() {
		value := members.Value()
		if string(members.Key()) != "id" {
			continue
		}
		if &value[len(value)-1] == &prefix[len(prefix)-1] {
			continue // the value ends with the prefix, so that it may be cut
		}
		m, err := rpc.Parse(append(append([]byte(`{"jsonrpc":"2.0","method":"","id":`), value...), '}'))
		if err == nil {
			return m.ID
		}
	}
	return ""
}

func isArray(body []byte) bool {
	i := jsonx.Space(body, 0)
	return i < len(body) && body[i] == '['
}
