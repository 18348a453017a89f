package transport_test

import (
	"context"
	"errors"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/dougu-go/dougu/mcp"
	"github.com/dougu-go/dougu/mcp/protocol"
	"github.com/dougu-go/dougu/transport"
)

// fragile is a Transport whose connections the test breaks, and whose server
// can be unreachable.
type fragile struct {
	transport.InMemory

	mu           sync.Mutex
	conn         protocol.Conn // the last
	opened       int
	revs         []protocol.Revision // that were asked for
	failuresLeft int                 // attempts that fail before the server is back
	attempts     []time.Time
}

func (f *fragile) Connect(ctx context.Context, host *protocol.Host) (protocol.Conn, error) {
	f.mu.Lock()
	f.attempts = append(f.attempts, time.Now())
	f.revs = append(f.revs, host.Revision)
	if f.failuresLeft > 0 {
		f.failuresLeft--
		f.mu.Unlock()
		return nil, errors.New("the server is away")
	}
	f.mu.Unlock()
	conn, err := f.InMemory.Connect(ctx, host)
	f.mu.Lock()
	defer f.mu.Unlock()
	f.conn = conn
	f.opened++
	return conn, err
}

// disconnect breaks the open connection.
func (f *fragile) disconnect() {
	f.mu.Lock()
	conn := f.conn
	f.mu.Unlock()
	_ = conn.Close()
}

func (f *fragile) goAway(attempts int) {
	f.mu.Lock()
	f.failuresLeft = attempts
	f.mu.Unlock()
	f.disconnect()
}

func (f *fragile) connections() int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.opened
}

// recordingServer is a server that records its requests.
type recordingServer struct {
	*mcp.Server
	mu       sync.Mutex
	requests []string
	began    chan struct{} // receives whenever "wait" begins
	pass     chan struct{} // releases "wait"
	stall    string        // method that waits like "wait" does, once
}

func newStation(t testing.TB) *recordingServer {
	s := &recordingServer{Server: mcp.NewServer(mcp.Implementation{Name: "station"}, &mcp.ServerOptions{Log: quiet.Log}), began: make(chan struct{}, 10), pass: make(chan struct{})}
	if err := errors.Join(
		mcp.AddTool(s.Server, mcp.Tool{Name: "greet"}, func(_ context.Context, in person) (string, error) { return "Hello, " + in.Name, nil }),
		mcp.AddTool(s.Server, mcp.Tool{Name: "wait"}, func(ctx context.Context, _ struct{}) (string, error) {
			return "waited", s.wait(ctx)
		}),
		mcp.AddTool(s.Server, mcp.Tool{Name: "log"}, func(ctx context.Context, _ struct{}) (string, error) {
			//lint:ignore SA1019 every revision must go on working
			mcp.Log(ctx, protocol.LevelWarning, "station", "careful")
			//lint:ignore SA1019 every revision must go on working
			mcp.Log(ctx, protocol.LevelError, "station", "broken")
			return "logged", nil
		}),
	); err != nil {
		t.Fatal(err)
	}
	return s
}

func (s *recordingServer) wait(ctx context.Context) error {
	s.began <- struct{}{}
	select {
	case <-s.pass:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

func (s *recordingServer) Dispatch(ctx context.Context, req *protocol.Request) (protocol.Result, error) {
	s.mu.Lock()
	s.requests = append(s.requests, req.Method)
	stall := s.stall == req.Method
	if stall {
		s.stall = ""
	}
	s.mu.Unlock()
	if stall {
		if err := s.wait(ctx); err != nil {
			return nil, err
		}
	}
	return s.Server.Dispatch(ctx, req)
}

func (s *recordingServer) count(method string) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	n := 0
	for _, m := range s.requests {
		if m == method {
			n++
		}
	}
	return n
}

// reconnecting returns a client of a recordingServer over a fragile Transport.
func reconnecting(t *testing.T, policy transport.Reconnect, opts *mcp.ClientOptions) (*mcp.Client, *recordingServer, *fragile) {
	t.Helper()
	s := newStation(t)
	f := &fragile{InMemory: transport.InMemory{Server: s, Options: &transport.Options{Drain: time.Millisecond, Log: quiet.Log}}}
	client, err := mcp.Connect(t.Context(), transport.Reconnecting{Transport: f, Reconnect: policy}, mcp.Implementation{Name: "test"}, opts)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = client.Close() })
	return client, s, f
}

// forEachEra runs a test in a synctest bubble for a modern and a legacy server.
func forEachEra(t *testing.T, test func(*testing.T, protocol.Revision)) {
	for _, rev := range []protocol.Revision{protocol.Latest, protocol.Rev20251125} {
		t.Run(string(rev), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) { test(t, rev) })
		})
	}
}
