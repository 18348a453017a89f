package gateway_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"log"
	"log/slog"
	"net"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/dougu-go/dougu/mcp"
	"github.com/dougu-go/dougu/mcp/gateway"
	"github.com/dougu-go/dougu/mcp/protocol"
	"github.com/dougu-go/dougu/transport"
	"github.com/dougu-go/dougu/transport/httpclient"
	"github.com/dougu-go/dougu/transport/httpserver"
)

// faulty is a server over HTTP on a network in memory, whose machine fails as a test tells it. It keeps no session over a
// restart.
type faulty struct {
	d    protocol.Dispatcher
	with func(status int, body []byte) (int, []byte) // changes answers other than streams; nil: nothing

	mu     sync.Mutex
	now    fault
	conns  map[net.Conn]bool
	queue  chan net.Conn
	h      *httpserver.Handler
	server *http.Server
	served chan error
	dials  atomic.Int32
	runs   atomic.Int32 // requests that are being answered
}

// fault is the disturbance of a connection or a request.
type fault struct {
	refuses bool                                    // new connections
	hangs   bool                                    // takes connections and answers nothing
	stops   chan struct{}                           // answers nothing until it is closed
	answers func(w http.ResponseWriter) (done bool) // instead of the server
}

func newFaulty(t testing.TB, d protocol.Dispatcher) *faulty {
	f := &faulty{d: d, conns: make(map[net.Conn]bool)}
	f.start()
	t.Cleanup(f.stop)
	return f
}

func (f *faulty) Accept() (net.Conn, error) {
	conn, ok := <-f.queue
	if !ok {
		return nil, net.ErrClosed
	}
	return conn, nil
}

func (f *faulty) Close() error   { return nil }
func (f *faulty) Addr() net.Addr { return &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1), Port: 80} }

func (f *faulty) start() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.now.refuses = false
	f.queue = make(chan net.Conn, 1000)
	f.h = httpserver.NewHandler(f.d, &httpserver.Options{Log: slog.New(slog.DiscardHandler)})
	f.server = &http.Server{Handler: http.HandlerFunc(f.serve), ErrorLog: log.New(io.Discard, "", 0)}
	f.served = make(chan error, 1)
	go func(server *http.Server) { f.served <- server.Serve(f) }(f.server)
}

// stop ends the server as a crash does.
func (f *faulty) stop() {
	f.mu.Lock()
	if f.server == nil {
		f.mu.Unlock()
		return
	}
	server, h := f.server, f.h
	f.now.refuses, f.server = true, nil
	close(f.queue)
	f.mu.Unlock()
	f.cut()
	_ = server.Close()
	<-f.served
	gone, cancel := context.WithCancel(context.Background())
	cancel()
	_ = h.Shutdown(gone)
	for f.runs.Load() > 0 {
		time.Sleep(10 * time.Millisecond)
	}
}

// cut breaks all connections.
func (f *faulty) cut() {
	f.mu.Lock()
	defer f.mu.Unlock()
	for conn := range f.conns {
		_ = conn.Close()
	}
	clear(f.conns)
}

// fail has the machine fail from now on.
func (f *faulty) fail(how fault) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.now = how
}

func (f *faulty) current() fault {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.now
}

// heal ends every fault.
func (f *faulty) heal() {
	f.fail(fault{})
	f.mu.Lock()
	running := f.server != nil
	f.mu.Unlock()
	if !running {
		f.start()
	}
}

func (f *faulty) serve(w http.ResponseWriter, r *http.Request) {
	f.runs.Add(1)
	defer f.runs.Add(-1)
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return
	}
	r.Body = io.NopCloser(bytes.NewReader(body))
	now := f.current()
	if now.hangs {
		<-r.Context().Done()
		return
	}
	if now.stops != nil {
		<-now.stops
	}
	if now.answers != nil && now.answers(w) {
		return
	}
	f.mu.Lock()
	h := f.h
	f.mu.Unlock()
	if f.with != nil {
		w = &changed{ResponseWriter: w, with: f.with}
	}
	h.ServeHTTP(w, r)
}

// changed changes the answers that are errors.
type changed struct {
	http.ResponseWriter
	with   func(int, []byte) (int, []byte)
	status int
}

func (c *changed) WriteHeader(status int) {
	if c.status = status; status < 400 {
		c.ResponseWriter.WriteHeader(status)
	}
}

func (c *changed) Write(p []byte) (int, error) {
	if c.status < 400 {
		return c.ResponseWriter.Write(p)
	}
	status, body := c.with(c.status, p)
	c.Header().Set("Content-Length", fmt.Sprint(len(body)))
	c.ResponseWriter.WriteHeader(status)
	_, err := c.ResponseWriter.Write(body)
	return len(p), err
}

func (c *changed) Unwrap() http.ResponseWriter { return c.ResponseWriter }

// forgets400 answers 400 for a lost session, as server-everything does.
func forgets400(status int, body []byte) (int, []byte) {
	if status == http.StatusNotFound && strings.Contains(strings.ToLower(string(body)), "session") {
		return http.StatusBadRequest, []byte(`{"jsonrpc":"2.0","error":{"code":-32000,"message":"Bad Request: No valid session ID provided"},"id":null}`)
	}
	return status, body
}

func (f *faulty) dial(ctx context.Context, _, _ string) (net.Conn, error) {
	f.dials.Add(1)
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.now.refuses || f.server == nil {
		return nil, &net.OpError{Op: "dial", Net: "tcp", Err: errors.New("connection refused")}
	}
	near, far := net.Pipe()
	f.conns[far] = true
	f.queue <- far
	return near, nil
}

// transport is the way to the server, in a revision.
func (f *faulty) transport(t testing.TB, rev protocol.Revision) protocol.Transport {
	carrier := &http.Transport{DialContext: f.dial}
	t.Cleanup(carrier.CloseIdleConnections)
	return speaking{&httpclient.Client{
		URL: "http://127.0.0.1/mcp", HTTPClient: &http.Client{Transport: carrier},
		Options: &transport.Options{Log: slog.New(slog.DiscardHandler)},
	}, rev}
}

// The bounds of a gateway in front of an upstream that misbehaves.
const (
	failsWithin  = 3 * time.Second // a call while the upstream is away, or whose stream broke
	returnWithin = 5 * time.Second // until the first answer after the upstream is back
)

// calling is a client of a gateway whose upstream "up" misbehaves.
type calling struct {
	t *testing.T
	g *gateway.Gateway
	c *mcp.Client
}

// try calls a tool and returns the time that it took.
func (c calling) try(tool string) (text string, took time.Duration, err error) {
	began := time.Now()
	text, err = mcp.Call[string](c.t.Context(), c.c, tool, map[string]string{"text": "x"})
	return text, time.Since(began), err
}

// fails calls a tool that cannot be reached, and checks the error.
func (c calling) fails(tool string, says ...string) {
	c.t.Helper()
	text, took, err := c.try(tool)
	failure := new(mcp.ToolFailure)
	if !asFailure(err, &failure) || failure.ErrorCode() != "SERVER_UNAVAILABLE" || took > failsWithin {
		c.t.Errorf("after %v the call of %s ends with %q, %v", took, tool, text, err)
		return
	}
	for _, part := range append(says, "the server up ") {
		if !strings.Contains(failure.Error(), part) {
			c.t.Errorf("%q is not in: %s", part, failure)
		}
	}
}

// returns calls a tool until it answers.
func (c calling) returns(tool string) {
	c.t.Helper()
	began := time.Now()
	for {
		text, _, err := c.try(tool)
		if err == nil {
			c.t.Logf("%s answers %q after %v", tool, text, time.Since(began))
			return
		}
		if time.Since(began) > returnWithin {
			c.t.Fatalf("after %v: %v", time.Since(began), err)
		}
		time.Sleep(100 * time.Millisecond)
	}
}

// state is how the upstream is now.
func (c calling) state() gateway.Status {
	for _, status := range c.g.Status() {
		if status.Name == "up" {
			return status
		}
	}
	return gateway.Status{}
}
