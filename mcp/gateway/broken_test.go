package gateway_test

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/dougu-go/dougu/internal/waittest"
	"github.com/dougu-go/dougu/mcp"
	"github.com/dougu-go/dougu/mcp/gateway"
	"github.com/dougu-go/dougu/mcp/protocol"
	"github.com/dougu-go/dougu/mcp/tasks"
	"github.com/dougu-go/dougu/transport"
)

// cutting is the way to a server whose answers to some requests are lost.
type cutting struct {
	protocol.Transport
	rev  protocol.Revision
	cuts string // the method of requests whose answers are lost
	left atomic.Int32
	sent atomic.Int32 // requests of the method
}

// Connect implements protocol.Transport.
func (c *cutting) Connect(ctx context.Context, host *protocol.Host) (protocol.Conn, error) {
	conn, err := speaking{c.Transport, c.rev}.Connect(ctx, host)
	return cuttingConn{conn, c}, err
}

type cuttingConn struct {
	protocol.Conn
	of *cutting
}

// Dispatch implements protocol.Dispatcher.
func (c cuttingConn) Dispatch(ctx context.Context, req *protocol.Request) (protocol.Result, error) {
	result, err := c.Conn.Dispatch(ctx, req)
	if req.Method == c.of.cuts {
		if c.of.sent.Add(1); c.of.left.Add(-1) >= 0 {
			return nil, errors.New("the stream broke")
		}
	}
	return result, err
}

// newCutting is the way to a server with a tool that only reads, and may run as a task.
func newCutting(t *testing.T, rev protocol.Revision, method string) *cutting {
	t.Helper()
	runner := tasks.New(&tasks.Options{PollInterval: 20 * time.Millisecond})
	t.Cleanup(func() {
		if err := runner.Close(); err != nil {
			t.Error(err)
		}
	})
	srv := mcp.NewServer(mcp.Implementation{Name: "cut", Version: "1"}, &mcp.ServerOptions{Tasks: runner})
	tool := mcp.NewTool(mcp.Tool{Name: "look", Annotations: mcp.ReadOnly()}, func(context.Context, struct{}) (string, error) { return "seen", nil })
	if err := srv.Replace("test", mcp.Features{Tools: []mcp.ServerTool{tool.With(mcp.ToolOptions{Task: mcp.TaskOptional})}}); err != nil {
		t.Fatal(err)
	}
	c := &cutting{Transport: transport.InMemory{Server: srv}, rev: rev, cuts: method}
	c.left.Store(1)
	return c
}

// TestTasks_BrokenCall sends a call that may have created a task once, though its tool only reads, and a plain call of the tool twice.
func TestTasks_BrokenCall(t *testing.T) {
	for _, rev := range eras {
		t.Run(string(rev), func(t *testing.T) {
			up := newCutting(t, rev, "tools/call")
			g := newGateway(t, gateway.Options{}, gateway.Upstream{Name: "up", Connect: gateway.Always(up)})
			plain := connect(t, g, protocol.Latest, mcp.ClientOptions{})
			if text, err := mcp.Call[string](t.Context(), plain, "up_look", nil); text != "seen" || err != nil || up.sent.Load() != 2 {
				t.Errorf("a plain call: %q, %v after %d requests", text, err, up.sent.Load())
			}
			up.sent.Store(0)
			up.left.Store(1)
			s := newSession(t, g)
			if raw, err := s.send("tools/call", `{"name":"up_look","arguments":{},"task":{}}`); err == nil || up.sent.Load() != 1 {
				t.Errorf("a call of a session as a task: %s, %v after %d requests", raw, err, up.sent.Load())
			}
			up.sent.Store(0)
			up.left.Store(1)
			var opts mcp.ClientOptions
			tasks.Declare(&opts)
			task, err := tasks.Start(t.Context(), connect(t, g, protocol.Latest, opts), "up_look", nil, nil)
			if err != nil {
				t.Fatal(err)
			}
			result, err := task.Wait(t.Context())
			if err != nil || !result.IsError || result.ErrorCode() != "SERVER_UNAVAILABLE" || up.sent.Load() != 1 {
				t.Errorf("a call as a task: %+v, %v after %d requests", result, err, up.sent.Load())
			}
		})
	}
}

// TestTasks_BrokenGet asks for a task once more when the answer is lost.
func TestTasks_BrokenGet(t *testing.T) {
	for _, rev := range eras {
		t.Run(string(rev), func(t *testing.T) {
			up := newCutting(t, rev, "tasks/get")
			g := newGateway(t, gateway.Options{}, gateway.Upstream{Name: "up", Connect: gateway.Always(up)})
			s := newSession(t, g)
			s.expect("tasks/get", s.begin("up_look"), `"status":"`)
			if up.sent.Load() < 2 {
				t.Errorf("the upstream has seen %d requests", up.sent.Load())
			}
		})
	}
}

// TestLogin_OfTask has the user of a call as a task log in first, and tells a client that cannot do that by an error.
func TestLogin_OfTask(t *testing.T) {
	for _, rev := range eras {
		t.Run(string(rev), func(t *testing.T) {
			o := newOffice(t)
			o.loggedIn[""] = true
			way := guarded{newCutting(t, rev, ""), o, ""}
			g := newGateway(t, gateway.Options{}, gateway.Upstream{Name: "up", Login: o.login, Connect: func(context.Context, string) (protocol.Transport, error) {
				return way, o.check("")
			}})
			s := newSession(t, g)
			s.begin("up_look")
			o.revoke("")
			const call = `{"name":"up_look","arguments":{},"task":{}}`
			if raw, err := s.send("tools/call", call); err == nil || !strings.Contains(err.Error(), "NEEDS_LOGIN") {
				t.Errorf("a client that opens no pages: %s, %v", raw, err)
			}
			conn, err := speaking{transport.InMemory{Server: g}, protocol.Rev20251125}.Connect(t.Context(), &protocol.Host{
				Capabilities: protocol.ClientCapabilities{Elicitation: &protocol.ElicitationCapability{URL: new(struct{})}},
				Answer: func(context.Context, protocol.InputRequest) (json.RawMessage, error) {
					o.finish("https://login.example//1", true)
					return json.RawMessage(`{"action":"accept"}`), nil
				},
			})
			if err != nil {
				t.Fatal(err)
			}
			defer conn.Close()
			if raw, err := (&session{t: t, Conn: conn}).send("tools/call", call); err != nil || !strings.Contains(raw, `"taskId"`) {
				t.Errorf("a client that opens pages: %s, %v", raw, err)
			}
		})
	}
}

// TestLogin_LostWithoutCalls tells of a login that is no longer good when a ping, or a check of the principal, finds that.
func TestLogin_LostWithoutCalls(t *testing.T) {
	for name, every := range map[string]time.Duration{"by a ping": 20 * time.Millisecond, "by a check": time.Hour} {
		t.Run(name, func(t *testing.T) {
			o := newOffice(t)
			g := newGateway(t, gateway.Options{PingEvery: every}, o.upstream())
			o.loggedIn["alice"] = true
			alice := connect(t, as(g, "alice"), protocol.Latest, mcp.ClientOptions{})
			if got, err := whoami(t, alice); got != "alice" || err != nil {
				t.Fatalf("%q, %v", got, err)
			}
			o.revoke("alice")
			waittest.Until(t, "alice needs a login", func() bool {
				if every == time.Hour {
					g.Check(t.Context(), "alice")
				}
				state := g.StatusFor("alice")[0].State
				if state == gateway.Down {
					t.Fatal("the upstream is said to be down")
				}
				return state == gateway.NeedsLogin
			})
			got, err := whoami(t, alice)
			wantLogin(t, got, err)
			o.finish("https://login.example/alice/1", true)
			waittest.Until(t, "alice's calls are answered again", func() bool {
				got, err = whoami(t, alice)
				return got == "alice" && err == nil
			})
		})
	}
}

// brokenOffice is the way to an office whose first call breaks off after the gateway has found that the login is not good any more.
type brokenOffice struct {
	protocol.Transport
	calls *atomic.Int32
	await func(ctx context.Context) // returns when the gateway has found it
}

// Connect implements protocol.Transport.
func (b brokenOffice) Connect(ctx context.Context, host *protocol.Host) (protocol.Conn, error) {
	conn, err := b.Transport.Connect(ctx, host)
	return brokenConn{conn, b}, err
}

type brokenConn struct {
	protocol.Conn
	of brokenOffice
}

// Dispatch implements protocol.Dispatcher.
func (b brokenConn) Dispatch(ctx context.Context, req *protocol.Request) (protocol.Result, error) {
	switch {
	case req.Method == "tools/call" && b.of.calls.Add(1) == 1:
		b.of.await(ctx)
		return nil, errors.New("the stream broke")
	case b.of.calls.Load() == 1:
		return nil, gateway.ErrLoginNeeded
	}
	return b.Conn.Dispatch(ctx, req)
}

// TestLogin_BrokenCall does not send a call again after a login that may have been carried out before.
func TestLogin_BrokenCall(t *testing.T) {
	o := newOffice(t)
	o.loggedIn[""] = true
	calls := new(atomic.Int32)
	var g *gateway.Gateway
	await := func(ctx context.Context) {
		for g.Status()[0].State == gateway.Ready && ctx.Err() == nil {
			time.Sleep(time.Millisecond)
		}
	}
	up := gateway.Upstream{Name: "office", Connect: func(ctx context.Context, principal string) (protocol.Transport, error) {
		way, err := o.connect(ctx, principal)
		return brokenOffice{way, calls, await}, err
	}, Login: func(context.Context, string) (*gateway.Login, error) {
		ended := make(chan struct{})
		close(ended)
		return &gateway.Login{Ended: ended}, nil
	}}
	g = newGateway(t, gateway.Options{PingEvery: 20 * time.Millisecond}, up)
	_, err := whoami(t, connect(t, g, protocol.Latest, mcp.ClientOptions{}))
	if err == nil || !strings.Contains(err.Error(), "may have taken effect") || calls.Load() != 1 {
		t.Errorf("the call ends with %v after %d requests", err, calls.Load())
	}
}
