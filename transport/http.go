package transport

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"strings"
	"time"

	"github.com/dougu-go/dougu/internal/group"
	"github.com/dougu-go/dougu/mcp/protocol"
	"github.com/dougu-go/dougu/transport/internal/peer"
)

// Handler is an http.Handler that serves MCP. It can be mounted in any
// http.Server. Call Shutdown before http.Server.Shutdown, which does not end
// open streams.
type Handler interface {
	http.Handler
	// Shutdown refuses new requests and ends open requests and streams in
	// order. It returns nil if all have ended. If ctx ends first, it cancels
	// the rest and returns the cause of the end of ctx.
	Shutdown(ctx context.Context) error
}

// Route makes the Handler of one path. The option types of packages httpserver
// and websocket are routes.
type Route interface {
	// Handler returns a new Handler that serves d.
	Handler(d protocol.Dispatcher) Handler
}

// The limits of an HTTP endpoint. The time of a response has no limit, because
// streams stay open.
const (
	readHeaderTimeout = 10 * time.Second
	idleTimeout       = 2 * time.Minute
	maxHeaderBytes    = 64 << 10
	defaultMaxConns   = 16384
	defaultGrace      = 300 * time.Millisecond
)

// errGrace is the cause of the end of requests that take longer than HTTP.Grace.
var errGrace = errors.New("requests were cut off when the server ended")

// HTTP is the Endpoint that serves routes over HTTP/1.1, and with TLS also over
// HTTP/2. A client must send the header of a request within 10 s and in 64 KiB.
// A connection without a request is closed after 2 minutes.
//
// HTTP does not authenticate clients. Use a loopback address, or authenticate
// in Wrap, for example with package security/auth.
type HTTP struct {
	// Address is the host and port to listen on, for example "127.0.0.1:3000".
	// It is required unless Listener is set.
	Address string
	// Listener, if set, replaces Address. Serve closes it.
	Listener net.Listener
	// TLS, if set, enables TLS. It must have a certificate.
	TLS *tls.Config
	// Routes are the handlers by path, for example "/mcp". At least one is
	// required. Other paths have status 404.
	Routes map[string]Route
	// Wrap, if set, wraps the handler of all routes, for example with authentication.
	Wrap func(http.Handler) http.Handler
	// MaxConns is the largest number of open connections. Further connections
	// wait to be accepted. Default 16384.
	MaxConns int
	// Grace is the time in which open requests may end after ctx is done.
	// Slower requests are cancelled, which is no error of Serve. Default 300
	// ms.
	Grace time.Duration
	// Log receives errors of connections. Default: slog.Default().
	Log *slog.Logger
}

// Serve implements Endpoint. When ctx is done it stops accepting, shuts down
// every route, waits up to Grace for open requests and closes the remaining
// connections.
func (e HTTP) Serve(ctx context.Context, d protocol.Dispatcher) error {
	if err := peer.CheckServing(ctx, d); err != nil {
		return err
	}
	l, err := e.listen(ctx)
	if err != nil {
		return err
	}
	handlers, err := e.handlers(d)
	if err != nil {
		return errors.Join(err, l.Close())
	}
	base, stop := context.WithCancel(context.WithoutCancel(ctx))
	defer stop()
	server, silent := e.server(base, handlers), new(unusedConns)
	server.ConnState = silent.changed
	failed := make(chan error, 1)
	var accepting group.Group
	accepting.Go(func() { failed <- e.accept(server, l) })
	select {
	case err = <-failed:
		err = fmt.Errorf("serving HTTP on %s: %w", l.Addr(), err)
	case <-ctx.Done():
	}
	err = errors.Join(err, e.end(server, l, handlers, silent))
	accepting.Wait()
	return err
}

func (e HTTP) listen(ctx context.Context) (net.Listener, error) {
	l := e.Listener
	if l == nil && e.Address == "" {
		return nil, errors.New("an HTTP endpoint needs an Address, such as 127.0.0.1:3000, or a Listener")
	}
	if l == nil {
		var err error
		if l, err = new(net.ListenConfig).Listen(ctx, "tcp", e.Address); err != nil {
			return nil, fmt.Errorf("listening for HTTP: %w", err)
		}
	}
	return limitConns(l, e.MaxConns), nil
}

// handlers checks the configuration and returns the handler of each path.
func (e HTTP) handlers(d protocol.Dispatcher) (map[string]Handler, error) {
	if t := e.TLS; t != nil && len(t.Certificates) == 0 && t.GetCertificate == nil && t.GetConfigForClient == nil {
		return nil, errors.New("the TLS configuration of an HTTP endpoint has no certificate")
	}
	if len(e.Routes) == 0 {
		return nil, errors.New("an HTTP endpoint needs Routes, such as /mcp")
	}
	handlers := make(map[string]Handler, len(e.Routes))
	for path, route := range e.Routes {
		if !strings.HasPrefix(path, "/") || route == nil {
			return nil, fmt.Errorf("the route %q of an HTTP endpoint needs a path that begins with / and a Route", path)
		}
		handlers[path] = route.Handler(d)
	}
	return handlers, nil
}

func (e HTTP) server(base context.Context, handlers map[string]Handler) *http.Server {
	log := e.Log
	if log == nil {
		log = slog.Default()
	}
	var root http.Handler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if h, ok := handlers[r.URL.Path]; ok {
			h.ServeHTTP(w, r)
			return
		}
		http.NotFound(w, r)
	})
	if e.Wrap != nil {
		root = e.Wrap(root)
	}
	protocols := new(http.Protocols)
	protocols.SetHTTP1(true)
	protocols.SetHTTP2(e.TLS != nil)
	return &http.Server{
		Handler: root, TLSConfig: e.TLS.Clone(), Protocols: protocols,
		ReadHeaderTimeout: readHeaderTimeout, IdleTimeout: idleTimeout, MaxHeaderBytes: maxHeaderBytes,
		HTTP2:       &http.HTTP2Config{SendPingTimeout: 30 * time.Second, WriteByteTimeout: 30 * time.Second},
		BaseContext: func(net.Listener) context.Context { return base },
		ErrorLog:    slog.NewLogLogger(log.Handler(), slog.LevelWarn),
	}
}

func (e HTTP) accept(server *http.Server, l net.Listener) error {
	if e.TLS != nil {
		return server.ServeTLS(l, "", "")
	}
	return server.Serve(l)
}

// end closes the listener, shuts down the routes and closes the connections,
// all within Grace.
func (e HTTP) end(server *http.Server, l net.Listener, handlers map[string]Handler, silent *unusedConns) error {
	grace := e.Grace
	if grace <= 0 {
		grace = defaultGrace
	}
	ctx, cancel := context.WithTimeoutCause(context.Background(), grace, errGrace)
	defer cancel()
	_ = l.Close() // the server may have done so
	var (
		routes   group.Group
		failures = make(chan error, len(handlers))
	)
	for path, h := range handlers {
		routes.Go(func() {
			// Grace is the limit of this endpoint itself, so its end is no failure.
			if err := h.Shutdown(ctx); err != nil && !errors.Is(err, errGrace) && (ctx.Err() == nil || !errors.Is(err, ctx.Err())) {
				failures <- fmt.Errorf("shutting down %s: %w", path, err)
			}
		})
	}
	routes.Wait()
	close(failures)
	var err error
	for failure := range failures {
		err = errors.Join(err, failure)
	}
	silent.close()
	if server.Shutdown(ctx) != nil {
		// Grace is over.
		err = errors.Join(err, server.Close())
	}
	return err
}
