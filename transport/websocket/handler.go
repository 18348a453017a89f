package websocket

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/coder/websocket"

	"github.com/dougu-go/dougu/internal/group"
	"github.com/dougu-go/dougu/internal/origin"
	"github.com/dougu-go/dougu/mcp/protocol"
	"github.com/dougu-go/dougu/transport"
	"github.com/dougu-go/dougu/transport/internal/peer"
)

// Handler serves a Dispatcher over WebSocket; see the package comment. ServeHTTP
// opens a connection and returns; a goroutine of the Handler serves the connection.
//
// A connection ends when a side closes it, at Shutdown, or at the deadline of the
// context of the HTTP request that opened it. Package security/auth sets this
// deadline to the expiry of the request's token.
type Handler struct {
	dispatcher protocol.Dispatcher
	opts       Options
	policy     *origin.Policy  // permitted hosts and origins
	serving    group.Group     // one goroutine for each connection
	life       context.Context // ends with Shutdown
	stop       context.CancelFunc

	mu     sync.Mutex // guards the fields below
	count  int        // open connections, including handshakes in progress
	open   map[*connection]struct{}
	closed bool          // Shutdown was called
	empty  chan struct{} // closed when closed is true and count is zero
}

// connection is an open connection.
type connection struct {
	ctx    context.Context
	until  time.Time // deadline of the connection, the expiry of its token; zero for none
	stream *stream
	peer   protocol.Peer
	err    error // result of transport.ServeStream; nil until the connection ends
}

// valued is a context that ends with the embedded Context and has the values of
// values. For a connection it is the life of the Handler with the values of the HTTP
// request, whose own context ends when ServeHTTP returns. It needs less memory than a
// cancellable context for each connection.
type valued struct {
	context.Context
	values context.Context
}

// Value implements context.Context.
func (v valued) Value(key any) any {
	// The embedded Context comes first, because package context finds the parent to
	// cancel with by a private key.
	if value := v.Context.Value(key); value != nil {
		return value
	}
	return v.values.Value(key)
}

// NewHandler returns a Handler that serves d. opts may be nil. Call Shutdown to end
// its connections.
func NewHandler(d protocol.Dispatcher, opts *Options) *Handler {
	h := &Handler{dispatcher: peer.Serving(d), opts: opts.orDefault(), open: make(map[*connection]struct{}), empty: make(chan struct{})}
	h.life, h.stop = context.WithCancel(context.Background())
	h.policy = h.opts.policy()
	h.serving.OnPanic = func(v any, stack []byte) {
		h.opts.Connection.Log.Error("panic in a connection", "panic", v, "stack", string(stack))
	}
	return h
}

// ServeHTTP implements http.Handler. It returns when the connection is open. A
// client over Options.MaxConns receives status 503 with Retry-After.
func (h *Handler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if err := h.policy.Check(r); err != nil {
		origin.Forbid(w, err)
		return
	}
	if offered := offers(r); len(offered) > 0 && !slices.Contains(offered, subprotocol) {
		refuse(w, http.StatusBadRequest, fmt.Sprintf("The subprotocol of this endpoint is %q", subprotocol))
		return
	}
	if !canHijack(w) {
		refuse(w, http.StatusNotImplemented, "A proxy in front of this endpoint does not pass WebSocket connections")
		return
	}
	if why := h.reserve(); why != "" {
		w.Header().Set("Retry-After", "5")
		refuse(w, http.StatusServiceUnavailable, why)
		return
	}
	// smallHijacker gives the connection small read and write buffers, because idle
	// connections keep them. Its wire is the network connection after Accept.
	hijacker := &smallHijacker{ResponseWriter: w}
	conn, err := websocket.Accept(hijacker, r, &websocket.AcceptOptions{
		Subprotocols: []string{subprotocol}, InsecureSkipVerify: true, // h.policy has checked the origin
	})
	if err != nil { // Accept has sent the response
		h.remove(nil)
		return
	}
	stream := newStream(conn, hijacker.wire.Conn, h.opts.Connection.MaxMessage, websocket.StatusGoingAway)
	stream.wire = hijacker.wire
	c := &connection{ctx: valued{h.life, r.Context()}, stream: stream, peer: protocol.Peer{
		Principal: protocol.PrincipalFrom(r.Context()), Transport: "websocket", Address: r.RemoteAddr, Headers: headers(r.Header),
	}}
	c.until, _ = r.Context().Deadline()
	h.add(c)
	stream.startPings(h.opts.Ping)
	h.serving.Go(func() { h.serve(c) })
}

// offers returns the subprotocols that a client offers.
func offers(r *http.Request) []string {
	var offered []string
	for _, line := range r.Header.Values("Sec-WebSocket-Protocol") {
		for token := range strings.SplitSeq(line, ",") {
			offered = append(offered, strings.TrimSpace(token))
		}
	}
	return offered
}

// headers returns the headers of the handshake that describe the client.
func headers(h http.Header) http.Header {
	h = h.Clone()
	for name := range h {
		if strings.HasPrefix(name, "Sec-Websocket-") || name == "Connection" || name == "Upgrade" {
			delete(h, name)
		}
	}
	return h
}

// refuse answers a handshake with a JSON-RPC error without an id.
func refuse(w http.ResponseWriter, status int, why string) {
	body, err := json.Marshal(map[string]any{"jsonrpc": "2.0", "error": map[string]any{"code": protocol.CodeInvalidRequest, "message": why}})
	if err != nil {
		return // strings always encode
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_, _ = w.Write(body) // the refused client may have closed the connection
}

// serve serves a connection until it ends. Its stack frame is small, because every idle connection keeps it.
func (h *Handler) serve(c *connection) {
	defer h.ended(c)
	if !c.until.IsZero() {
		var cancel context.CancelFunc
		c.ctx, cancel = context.WithDeadline(c.ctx, c.until)
		defer cancel()
	}
	c.err = transport.ServeStream(c.ctx, h.dispatcher, c.stream, c.peer, h.opts.Connection)
}

// ended releases a connection that has ended and logs its error. A lost client is
// logged at the level Debug, any other failure at Warn.
func (h *Handler) ended(c *connection) {
	defer h.remove(c)
	c.stream.abandon()
	switch {
	case c.err == nil:
	case errors.Is(c.err, errLost): // normal for a client that was killed
		h.opts.Connection.Log.Debug("a WebSocket connection was lost", "peer", c.peer.Address, "error", c.err)
	default:
		h.opts.Connection.Log.Warn("a WebSocket connection failed", "peer", c.peer.Address, "error", c.err)
	}
}

// reserve counts a connection. If that is not possible, it returns the reason for the
// client; otherwise why is empty.
func (h *Handler) reserve() (why string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	switch {
	case h.closed:
		return "The server is shutting down"
	case h.count >= h.opts.MaxConns:
		return fmt.Sprintf("The server is busy: %d connections are open; try again later", h.count)
	}
	h.count++
	return ""
}

// add registers a connection that reserve has counted, so that Shutdown can end it.
func (h *Handler) add(c *connection) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.open[c] = struct{}{}
}

// remove reverses reserve and add. c is nil if the handshake has failed.
func (h *Handler) remove(c *connection) {
	h.mu.Lock()
	defer h.mu.Unlock()
	delete(h.open, c)
	if h.count--; h.count == 0 && h.closed {
		close(h.empty)
	}
}

// Shutdown implements transport.Handler. Running requests have the time Options.Connection.Drain (default 2 s) to finish.
// Then the connections are closed with code 1001. If ctx ends first, the remaining connections are cut off without a
// closing handshake, and their requests are cancelled. The error then contains the number of connections.
func (h *Handler) Shutdown(ctx context.Context) error {
	h.mu.Lock()
	if !h.closed {
		h.closed = true
		if h.count == 0 {
			close(h.empty)
		}
	}
	h.mu.Unlock()
	h.stop()
	select {
	case <-h.empty:
		return nil
	case <-ctx.Done():
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	for c := range h.open {
		c.stream.cut()
	}
	return fmt.Errorf("%d connections were cut off: %w", h.count, context.Cause(ctx))
}
