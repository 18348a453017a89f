package websocket_test

import (
	"context"
	"errors"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/dougu-go/dougu/mcp"
	"github.com/dougu-go/dougu/mcp/protocol"
	"github.com/dougu-go/dougu/transport"
	"github.com/dougu-go/dougu/transport/websocket"
)

// gate is a server with a tool that begins and then waits to be let through, or
// for the end of its context if it is stubborn in nothing.
type gate struct {
	*mcp.Server
	began, pass chan struct{}
	ended       chan error
}

func newGate(t testing.TB) *gate {
	g := &gate{Server: mcp.NewServer(mcp.Implementation{Name: "gate"}, nil), began: make(chan struct{}, 100), pass: make(chan struct{}), ended: make(chan error, 100)}
	if err := mcp.AddTool(g.Server, mcp.Tool{Name: "wait"}, func(ctx context.Context, _ struct{}) (string, error) {
		g.began <- struct{}{}
		select {
		case <-g.pass:
			return "passed", nil
		case <-ctx.Done():
			g.ended <- context.Cause(ctx)
			return "", ctx.Err()
		}
	}); err != nil {
		t.Fatal(err)
	}
	return g
}

const waitRequest = `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"wait","_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}}}`

// server is a Handler behind a test server.
func server(t *testing.T, h *websocket.Handler) string {
	t.Helper()
	s := httptest.NewServer(h)
	t.Cleanup(s.Close)
	return strings.Replace(s.URL, "http", "ws", 1) + "/ws"
}

func TestShutdown_Drain(t *testing.T) {
	g := newGate(t)
	h := websocket.NewHandler(g, &websocket.Options{Connection: &transport.Options{Drain: time.Minute, Log: discard}})
	url := server(t, h)
	busy, _ := open(t, url, "")
	idle, _ := open(t, url, "")
	busy.sendText(waitRequest)
	<-g.began
	down := make(chan error, 1)
	go func() { down <- h.Shutdown(t.Context()) }()
	if code := idle.closed(); code != 1001 {
		t.Errorf("the idle connection was closed with %d", code)
	}
	if _, refused := open(t, url, ""); refused.StatusCode != 503 {
		t.Errorf("a new connection was answered %s", refused.Status)
	}
	close(g.pass)
	if got := busy.message(); !strings.Contains(got, "passed") {
		t.Errorf("the request under way got %s", got)
	}
	if code := busy.closed(); code != 1001 {
		t.Errorf("the busy connection was closed with %d", code)
	}
	idle.conn.Close()
	busy.conn.Close()
	if err := <-down; err != nil {
		t.Errorf("shutting down: %v", err)
	}
	if err := h.Shutdown(t.Context()); err != nil {
		t.Errorf("shutting down again: %v", err)
	}
}

func TestShutdown_Timeout(t *testing.T) {
	g := newGate(t)
	h := websocket.NewHandler(g, &websocket.Options{Connection: &transport.Options{Drain: 20 * time.Second, Log: discard}})
	url := server(t, h)
	c, _ := open(t, url, "")
	c.sendText(waitRequest)
	<-g.began
	why := errors.New("no time")
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(why)
	if err := h.Shutdown(ctx); !errors.Is(err, why) || !strings.Contains(err.Error(), "1 connections were cut off") {
		t.Errorf("shutting down: %v", err)
	}
	if code := c.closed(); code != 0 {
		t.Errorf("closed with %d", code)
	}
	close(g.pass)
	if err := h.Shutdown(t.Context()); err != nil {
		t.Errorf("waiting for the rest: %v", err)
	}
}

// A client that is gone takes its requests with it.
func TestHandler_ConnectionEnds(t *testing.T) {
	g := newGate(t)
	url, _ := serve(t, g, &websocket.Options{Connection: &transport.Options{Drain: time.Millisecond, Log: discard}})
	for name, leave := range map[string]func(*raw){
		"with a word":    func(c *raw) { c.send(frame(final|opClose, "\x03\xe8")) },
		"without a word": func(c *raw) { c.conn.Close() },
		"by cancelling": func(c *raw) {
			c.sendText(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}`)
		},
	} {
		c, _ := open(t, url, "")
		c.sendText(waitRequest)
		<-g.began
		leave(c)
		select {
		case err := <-g.ended:
			if err == nil {
				t.Errorf("%s: no cause", name)
			}
		case <-time.After(patience):
			t.Errorf("%s: the request goes on", name)
		}
	}
}

// failing is a Dispatcher that panics on the goroutine of the connection.
func TestHandler_DispatcherPanics(t *testing.T) {
	url, _ := serve(t, dispatcher(func(context.Context, *protocol.Request) (protocol.Result, error) { panic("argh") }), nil)
	c, _ := open(t, url, "")
	c.sendText(waitRequest)
	if got := c.message(); !strings.Contains(got, "Internal error") {
		t.Errorf("got %s", got)
	}
}

type dispatcher func(ctx context.Context, req *protocol.Request) (protocol.Result, error)

func (d dispatcher) Dispatch(ctx context.Context, req *protocol.Request) (protocol.Result, error) {
	return d(ctx, req)
}
