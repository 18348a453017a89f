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
	"github.com/dougu-go/dougu/mcp"
)

// Handler serves MCP to those who reach it over HTTP. It can be mounted in any
// http.Server; whoever does that calls Shutdown before the server's own, which
// does not end what stays open.
type Handler interface {
	http.Handler
	// Shutdown refuses what is new, ends what is open in order, and returns
	// when nothing is left or ctx is done, with the cause of that.
	Shutdown(ctx context.Context) error
}

// Route makes the Handler of one path: the options of package httpserver and
// of package websocket are routes.
type Route interface {
	Handler(d mcp.Dispatcher) Handler
}

// The limits of an HTTP endpoint. There is none on how long a response takes:
// streams stay open.
const (
	readHeaderTimeout = 10 * time.Second
	idleTimeout       = 2 * time.Minute
	maxHeaderBytes    = 64 << 10
	defaultMaxConns   = 16384
	defaultGrace      = 300 * time.Millisecond
)

// errGrace is the cause of the end of an HTTP endpoint whose requests take longer than its Grace.
var errGrace = errors.New("requests were cut off when the server ended")

// HTTP is the Endpoint that serves routes over HTTP/1.1, and over HTTP/2 where
// there is TLS. Connections must send the head of a request within 10 s and in
// 64 KiB, and are closed after 2 minutes without one.
//
// It authenticates nobody unless Wrap does: give it a loopback address, or
// something like package auth.
type HTTP struct {
	// Address is the host and port to listen on, such as "127.0.0.1:3000".
	Address string
	// Listener, if set, is listened on instead; Serve closes it.
	Listener net.Listener
	// TLS, if set, has at least a certificate.
	TLS *tls.Config
	// Routes are what is served, by path, such as "/mcp". Other paths are not
	// found.
	Routes map[string]Route
	// Wrap, if set, puts something in front of all routes.
	Wrap func(http.Handler) http.Handler
	// MaxConns is how many connections are open at once; more wait to be
	// accepted. Default 16384.
	MaxConns int
	// Grace is how long open requests may take to end once serving ends. Requests
	// that take longer are cancelled, which is no error of Serve. Default 300 ms.
	Grace time.Duration
	// Log receives what goes wrong with connections. Default: slog.Default().
	Log *slog.Logger
}

// Serve implements Endpoint. When ctx is done it stops accepting, shuts down
// every route, lets requests end for a while and closes what is left.
func (e HTTP) Serve(ctx context.Context, d mcp.Dispatcher) error {
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
	server, silent := e.server(base, handlers), new(silentConns)
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

// handlers makes the handler of every path.
func (e HTTP) handlers(d mcp.Dispatcher) (map[string]Handler, error) {
	if t := e.TLS; t != nil && len(t.Certificates) == 0 && t.GetCertificate == nil && t.GetConfigForClient == nil {
		return nil, errors.New("the TLS configuration of an HTTP endpoint has no certificate")
	}
	if len(e.Routes) == 0 {
		return nil, errors.New("an HTTP endpoint needs Routes, such as /mcp")
	}
	handlers := make(map[string]Handler, len(e.Routes))
	for path, route := range e.Routes {
		if !strings.HasPrefix(path, "/") || route == nil {
			return nil, fmt.Errorf("the route %q of an HTTP endpoint needs a path that begins with / and something to serve", path)
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

// end ends what is served, in order.
func (e HTTP) end(server *http.Server, l net.Listener, handlers map[string]Handler, silent *silentConns) error {
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
			// The end of our own time limit is no failure.
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
		// What did not end in time is cut off; that is what Grace is for.
		err = errors.Join(err, server.Close())
	}
	return err
}
