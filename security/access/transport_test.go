package access_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/dougu-go/dougu/mcp"
	"github.com/dougu-go/dougu/mcp/protocol"
	"github.com/dougu-go/dougu/security/access"
	"github.com/dougu-go/dougu/security/auth"
	"github.com/dougu-go/dougu/transport"
	"github.com/dougu-go/dougu/transport/httpclient"
	"github.com/dougu-go/dougu/transport/httpserver"
	"github.com/dougu-go/dougu/transport/websocket"
)

var quietly = &transport.Options{Log: quiet}

// wires are the transports.
var wires = map[string]func(t *testing.T, d protocol.Dispatcher) protocol.Transport{
	"memory": func(_ *testing.T, d protocol.Dispatcher) protocol.Transport {
		return transport.InMemory{Server: d, Options: quietly}
	},
	"tcp": func(t *testing.T, d protocol.Dispatcher) protocol.Transport {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithCancel(context.Background())
		ended := make(chan error, 1)
		go func() { ended <- transport.ServeListener(ctx, d, l, quietly) }()
		t.Cleanup(func() {
			cancel()
			if err := <-ended; err != nil {
				t.Error(err)
			}
		})
		return transport.Dial{Network: "tcp", Address: l.Addr().String(), Options: quietly}
	},
	"http": func(t *testing.T, d protocol.Dispatcher) protocol.Transport {
		return &httpclient.Client{URL: routed(t, d, httpserver.Options{Log: quiet}, nil), Options: quietly}
	},
	"sse": func(t *testing.T, d protocol.Dispatcher) protocol.Transport {
		return &httpclient.Client{URL: routed(t, d, httpserver.SSEOptions{Connection: quietly}, nil), SSE: true, Options: quietly}
	},
	"websocket": func(t *testing.T, d protocol.Dispatcher) protocol.Transport {
		return &websocket.Client{URL: "ws" + routed(t, d, websocket.Options{Connection: quietly}, nil)[len("http"):], Options: quietly}
	},
}

// routed serves d over HTTP and returns its address.
func routed(t *testing.T, d protocol.Dispatcher, route transport.Route, wrap func(http.Handler) http.Handler) string {
	t.Helper()
	h := route.Handler(d)
	var front http.Handler = h
	if wrap != nil {
		front = wrap(h)
	}
	web := httptest.NewServer(front)
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
		defer cancel()
		if err := h.Shutdown(ctx); err != nil {
			t.Error(err)
		}
		web.Close()
	})
	return web.URL
}

func connect(t *testing.T, wire protocol.Transport, name string, rev protocol.Revision) (*mcp.Client, error) {
	t.Helper()
	return mcp.Connect(t.Context(), wire, mcp.Implementation{Name: name, Version: "1"}, &mcp.ClientOptions{Revision: rev, CacheEntries: -1, Log: quiet})
}

// On each transport and in each revision, allowed clients are served, further ones receive
// CONNECTION_LIMIT, and a free place is used again.
func TestControl_Transports(t *testing.T) {
	for name, wire := range wires {
		for _, rev := range []protocol.Revision{protocol.Rev20241105, protocol.Rev20251125, protocol.Latest} {
			if name == "http" && rev == protocol.Rev20241105 {
				continue // which has another transport
			}
			t.Run(name+" "+string(rev), func(t *testing.T) {
				control, srv := guarded(t, access.Options{Allowed: []string{"cursor", "vscode"}, MaxConnections: 1})
				to := wire(t, srv)
				refusedAs(t, to, "other", rev, "CLIENT_NOT_ALLOWED", -32600)
				cursor, err := connect(t, to, "cursor-vscode", rev)
				if err != nil {
					t.Fatal(err)
				}
				for range 2 {
					if result, err := cursor.CallTool(t.Context(), "search", nil, nil); err != nil || result.IsError {
						t.Errorf("%+v, %v", result, err)
					}
				}
				refusedAs(t, to, "Visual Studio Code", rev, "CONNECTION_LIMIT", -32003)
				if err := cursor.Close(); err != nil {
					t.Error(err)
				}
				if rev.Modern() { // nothing tells that it has gone
					return
				}
				deadline := time.Now().Add(10 * time.Second)
				for control.Stats().Active > 0 && time.Now().Before(deadline) {
					time.Sleep(time.Millisecond)
				}
				other, err := connect(t, to, "Visual Studio Code", rev)
				if err != nil {
					t.Fatalf("when the first has gone: %v, %+v", err, control.Stats())
				}
				if err := other.Close(); err != nil {
					t.Error(err)
				}
			})
		}
	}
}

func refusedAs(t *testing.T, to protocol.Transport, name string, rev protocol.Revision, code string, rpc int64) {
	t.Helper()
	c, err := connect(t, to, name, rev)
	if err == nil {
		_ = c.Close()
	}
	var refused *protocol.Error
	if !errors.As(err, &refused) || refused.Code != rpc || !strings.Contains(string(refused.Data), code) {
		t.Errorf("%s is answered %v", name, err)
	}
}

// play writes lines in order, each after the response to the one before.
func play(t *testing.T, srv *mcp.Server, lines ...string) (answers []string) {
	t.Helper()
	fromServer, toClient := io.Pipe()
	fromClient, toServer := io.Pipe()
	ended := make(chan error, 1)
	go func() { ended <- transport.ServeIO(t.Context(), srv, fromClient, toClient, quietly) }()
	buf := make([]byte, 64<<10)
	for _, line := range lines {
		if _, err := io.WriteString(toServer, line+"\n"); err != nil {
			t.Fatal(err)
		}
		n, err := fromServer.Read(buf)
		if err != nil {
			t.Fatal(err)
		}
		answers = append(answers, string(bytes.TrimSpace(buf[:n])))
	}
	_ = toServer.Close()
	go func() { _, _ = io.Copy(io.Discard, fromServer) }()
	if err := <-ended; err != nil {
		t.Error(err)
	}
	_ = fromServer.Close()
	return answers
}

const opening = `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"NAME","version":"1"}}}`

// After initialize was refused nothing else is answered either, until it is not
// any more.
func TestControl_RefusedSession(t *testing.T) {
	_, srv := guarded(t, access.Options{Allowed: []string{"cursor"}})
	answers := play(t, srv,
		strings.Replace(opening, "NAME", "other", 1),
		`{"jsonrpc":"2.0","id":2,"method":"ping"}`,
		`{"jsonrpc":"2.0","id":3,"method":"tools/list"}`,
		`{"jsonrpc":"2.0","id":4,"method":"resources/subscribe","params":{"uri":"a:b"}}`,
		strings.Replace(opening, "NAME", "cursor", 1),
		`{"jsonrpc":"2.0","id":6,"method":"ping"}`,
		`{"jsonrpc":"2.0","id":7,"method":"tools/list"}`,
		strings.Replace(opening, "NAME", "cursor", 1),
	)
	for i, want := range []string{"CLIENT_NOT_ALLOWED", "CLIENT_NOT_ALLOWED", "CLIENT_NOT_ALLOWED", "CLIENT_NOT_ALLOWED", `"serverInfo"`, `"result":{}`, `"createIssue"`, "initialized already"} {
		if !strings.Contains(answers[i], want) {
			t.Errorf("answer %d is %s, want %s", i, answers[i], want)
		}
	}
}

// Over HTTP, where the transport validates call headers against the tools, a call counts once, and
// the token's permissions reach the tools.
func TestControl_TokensOverHTTP(t *testing.T) {
	tokens, err := auth.ParseTokens("ann=a-token-for-everything,ann=a-token-for-reading[docs:read],bob=a-token-of-bobs-own[issues:write]")
	if err != nil {
		t.Fatal(err)
	}
	for _, rev := range []protocol.Revision{protocol.Rev20250618, protocol.Latest} {
		for token, want := range map[string]string{"a-token-for-everything": "", "a-token-for-reading": "PERMISSION_REQUIRED", "a-token-of-bobs-own": ""} {
			_, srv := guarded(t, access.Options{Allowed: []string{"cursor"}, PerMinute: 4, Default: []string{}})
			url := routed(t, srv, httpserver.Options{Log: quiet}, tokens.Wrap)
			c, err := connect(t, &httpclient.Client{URL: url, Header: http.Header{"Authorization": {"Bearer " + token}}, Options: quietly}, "cursor", rev)
			if err != nil {
				t.Fatal(err)
			}
			for i, want := range []string{want, want, want, "RATE_LIMITED"} { // connecting was the first
				result, err := c.CallTool(t.Context(), "createIssue", nil, nil)
				if err != nil || result.ErrorCode() != want {
					t.Errorf("%s, %s, call %d: %+v, %v", rev, token, i, result, err)
				}
			}
			if err := c.Close(); err != nil {
				t.Error(err)
			}
		}
	}
}
