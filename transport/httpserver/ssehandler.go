package httpserver

import (
	"bytes"
	"context"
	"crypto/rand"
	"io"
	"log/slog"
	"net/http"
	"net/url"
	"sync"
	"sync/atomic"
	"time"

	"github.com/dougu-go/dougu/internal/mcpheader"
	"github.com/dougu-go/dougu/internal/origin"
	"github.com/dougu-go/dougu/internal/sse"
	"github.com/dougu-go/dougu/mcp/protocol"
	"github.com/dougu-go/dougu/transport"
	"github.com/dougu-go/dougu/transport/internal/peer"
)

// sseSession is the parameter of the address that messages are posted to.
const sseSession = "session"

// SSEOptions configure an SSEHandler: the accepted hosts and origins, and the
// limits. Nil and fields with their zero value select the defaults.
type SSEOptions struct {
	// Hosts and Origins are as in Options.
	Hosts, Origins []string
	// Endpoint is the address to which clients post messages: an absolute path
	// or a URL. The parameter "session" is added to its query. Default: the
	// address of the stream.
	Endpoint string
	// MaxSessions is the number of open streams. Further streams are refused
	// with status 503. Default 1000.
	MaxSessions int
	// KeepAlive is the interval of comments in a quiet stream. Default 15 s.
	KeepAlive time.Duration
	// BodyTimeout is the time in which the body of a message must arrive, and
	// then the time in which the session must read it. Default 30 s.
	BodyTimeout time.Duration
	// Connection limits each session. Nil selects the defaults.
	Connection *transport.Options
}

// Handler implements transport.Route.
func (o SSEOptions) Handler(d protocol.Dispatcher) transport.Handler { return NewSSEHandler(d, &o) }

// SSEHandler serves a Dispatcher over HTTP+SSE, the transport of revision
// 2024-11-05, for clients that know no other. GET opens a stream of events, the
// first of which says where to post messages; answers come on the stream. A
// session is the stream, and belongs to the principal that opened it.
//
// New clients should not use it: it was replaced by Streamable HTTP.
type SSEHandler struct {
	d           protocol.Dispatcher
	opts        Options // the limits of its responses and bodies
	conn        transport.Options
	address     string
	policy      origin.Policy
	inFlightSet inFlightSet
	bodies      bodies
	open        atomic.Int64

	mu       sync.Mutex
	sessions map[string]*sseServer
}

// NewSSEHandler returns an SSEHandler that serves d. opts may be nil.
func NewSSEHandler(d protocol.Dispatcher, opts *SSEOptions) *SSEHandler {
	var o SSEOptions
	if opts != nil {
		o = *opts
	}
	orElse(&o.MaxSessions, 1000)
	h := &SSEHandler{d: peer.Serving(d), address: o.Endpoint, sessions: make(map[string]*sseServer)}
	if o.Connection != nil {
		h.conn = *o.Connection
	}
	if h.conn.Log == nil {
		h.conn.Log = slog.Default()
	}
	shared := &Options{
		MaxMessage: h.conn.MaxMessage, MaxSessions: o.MaxSessions, Stall: h.conn.Stall,
		KeepAlive: o.KeepAlive, BodyTimeout: o.BodyTimeout, Log: h.conn.Log,
	}
	h.opts = shared.orDefault()
	h.bodies.opts = &h.opts
	h.policy = origin.Policy{Hosts: o.Hosts, Origins: o.Origins}
	return h
}

// ServeHTTP implements http.Handler.
func (h *SSEHandler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if err := h.policy.Check(r); err != nil {
		origin.Forbid(w, err)
		return
	}
	switch r.Method {
	case http.MethodGet:
		h.stream(w, r)
	case http.MethodPost:
		if refused := h.post(w, r); refused != nil {
			refused.write(w)
			return
		}
		w.WriteHeader(http.StatusAccepted)
	default:
		refused := refuse(http.StatusMethodNotAllowed, protocol.CodeInvalidRequest, "The method %.20s is not allowed; open a stream with GET", r.Method)
		refused.allow = "GET, POST"
		refused.write(w)
	}
}

// Shutdown implements transport.Handler: it ends all streams, each of which lets
// its running requests end for a while.
func (h *SSEHandler) Shutdown(ctx context.Context) error {
	select {
	case <-h.inFlightSet.close(errShutdown):
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// stream serves one session on the goroutine of its stream.
func (h *SSEHandler) stream(w http.ResponseWriter, r *http.Request) {
	if !acceptedBy(r.Header).stream {
		refuse(http.StatusNotAcceptable, protocol.CodeInvalidRequest, "Accept must allow text/event-stream").write(w)
		return
	}
	if h.open.Add(1); h.open.Load() > int64(h.opts.MaxSessions) {
		h.open.Add(-1)
		busy(http.StatusServiceUnavailable, "%d streams are open; try again later", h.opts.MaxSessions).write(w)
		return
	}
	defer h.open.Add(-1)
	ctx, cancel := context.WithCancelCause(r.Context())
	defer cancel(nil)
	f := &inFlight{cancel: cancel, isStream: true}
	if !h.inFlightSet.enter(f) {
		shuttingDown().write(w)
		return
	}
	defer h.inFlightSet.leave(f)
	from := peerOf(r)
	from.Transport = "sse"
	s := &sseServer{id: rand.Text(), principal: from.Principal, arrived: make(chan []byte), closed: make(chan struct{})}
	s.reply = reply{w: w, ctl: http.NewResponseController(w), opts: &h.opts, accept: accepted{stream: true}}
	h.add(s)
	defer h.remove(s)
	defer s.end()
	if s.send(sse.Event{Name: "endpoint", Data: []byte(h.endpoint(s))}.Append(nil)) != nil {
		return // the client has left
	}
	s.life.start(h.opts.KeepAlive, s.keepAlive)
	if err := transport.ServeStream(ctx, h.d, s, from, &h.conn); err != nil {
		h.conn.Log.Debug("a stream of HTTP+SSE has failed", "peer", from.Address, "error", err)
	}
}

// endpoint returns the address of a session. By default it is a query relative
// to the address of the stream, which is right at any path and behind any proxy.
func (h *SSEHandler) endpoint(s *sseServer) string {
	query := url.Values{sseSession: {s.id}}
	if h.address == "" {
		return "?" + query.Encode()
	}
	address, err := url.Parse(h.address)
	if err != nil {
		return h.address + "?" + query.Encode()
	}
	for name, values := range address.Query() {
		query[name] = values
	}
	query.Set(sseSession, s.id)
	address.RawQuery = query.Encode()
	return address.String()
}

func (h *SSEHandler) add(s *sseServer) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.sessions[s.id] = s
}

func (h *SSEHandler) remove(s *sseServer) {
	h.mu.Lock()
	defer h.mu.Unlock()
	delete(h.sessions, s.id)
}

// post hands a message to its session.
func (h *SSEHandler) post(w http.ResponseWriter, r *http.Request) *refusal {
	h.mu.Lock()
	s := h.sessions[r.URL.Query().Get(sseSession)]
	h.mu.Unlock()
	if s == nil || s.principal != protocol.PrincipalFrom(r.Context()) {
		return refuse(http.StatusNotFound, protocol.CodeInvalidRequest, "There is no such stream; open one with GET and post to the address that it names")
	}
	if rev := protocol.Revision(r.Header.Get(mcpheader.Version)); rev != "" && !rev.Known() {
		return refuse(http.StatusBadRequest, protocol.CodeInvalidRequest, "Unsupported MCP-Protocol-Version %.40q", string(rev))
	}
	var read body
	defer h.bodies.release(&read)
	if refused := h.bodies.read(http.NewResponseController(w), r, &read); refused != nil {
		return refused
	}
	return s.deliver(r.Context(), read.data, h.opts.BodyTimeout)
}

// sseServer is the server's side of one HTTP+SSE session, as a transport.Stream:
// messages that are read were posted, and written messages go out as events.
type sseServer struct {
	reply
	id, principal string
	arrived       chan []byte // from the request that posts to the reader, without a queue
	closed        chan struct{}
	once          sync.Once
}

// deliver hands a message to the reader, in the order of arrival.
func (s *sseServer) deliver(ctx context.Context, message []byte, timeout time.Duration) *refusal {
	timer := time.NewTimer(timeout)
	defer timer.Stop()
	select {
	case s.arrived <- message:
		return nil
	case <-timer.C:
		return busy(http.StatusServiceUnavailable, "earlier messages have not been read")
	case <-s.closed:
		return refuse(http.StatusNotFound, protocol.CodeInvalidRequest, "The stream has ended; open another with GET")
	case <-ctx.Done():
		return refuse(http.StatusBadRequest, protocol.CodeInvalidRequest, "The client has left") // it does not see this
	}
}

// Read implements transport.Stream.
func (s *sseServer) Read() ([]byte, error) {
	select {
	case message := <-s.arrived:
		return message, nil
	case <-s.closed:
		return nil, io.EOF
	}
}

// Write implements transport.Stream.
func (s *sseServer) Write(frames []byte) error {
	b := buffers.Get().(*[]byte)
	events := (*b)[:0]
	for line := range bytes.Lines(frames) {
		events = sse.Event{Name: "message", Data: bytes.TrimSuffix(line, []byte("\n"))}.Append(events)
	}
	*b = events
	err := s.send(events)
	putBuffer(b, err)
	return err
}

// Close implements transport.Stream.
func (s *sseServer) Close() error {
	s.once.Do(func() { close(s.closed) })
	s.abandon()
	return nil
}
