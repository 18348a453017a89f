package websocket_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	coder "github.com/coder/websocket"

	"github.com/dougu-go/dougu/mcp"
	"github.com/dougu-go/dougu/mcp/protocol"
	"github.com/dougu-go/dougu/transport"
	"github.com/dougu-go/dougu/transport/websocket"
)

// once is a Reconnect that does not.
var once = transport.Reconnect{Attempts: -1}

func TestClient_UnreachableServers(t *testing.T) {
	gone, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	gone.Close()
	silent, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { silent.Close() })
	web := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/redirect":
			http.Redirect(w, r, "/elsewhere", http.StatusFound)
		case "/page":
			fmt.Fprint(w, "hello")
		case "/empty":
			w.WriteHeader(http.StatusBadGateway)
		default:
			http.Error(w, "who are you?", http.StatusUnauthorized)
		}
	}))
	t.Cleanup(web.Close)
	ws := strings.Replace(web.URL, "http", "ws", 1)
	token := func(context.Context) (string, error) { return "0123456789abcdef", nil }
	for name, tc := range map[string]struct {
		client websocket.Client
		status int
		want   string
	}{
		"nobody listens":              {client: websocket.Client{URL: "ws://" + gone.Addr().String()}, want: "refused"},
		"nobody answers":              {client: websocket.Client{URL: "ws://" + silent.Addr().String(), DialTimeout: 50 * time.Millisecond}, want: "did not answer within 50ms"},
		"a URL that is none":          {client: websocket.Client{URL: "ws://a b"}, want: "invalid"},
		"another scheme":              {client: websocket.Client{URL: "ftp://localhost"}, want: "ftp"},
		"no URL":                      {want: "scheme"},
		"not authenticated":           {client: websocket.Client{URL: ws}, status: 401, want: "401 Unauthorized: who are you?"},
		"a redirect":                  {client: websocket.Client{URL: ws + "/redirect"}, status: 302, want: "302 Found"},
		"a page":                      {client: websocket.Client{URL: ws + "/page"}, status: 200, want: "hello"},
		"an error without a word":     {client: websocket.Client{URL: ws + "/empty"}, status: 502, want: "502 Bad Gateway"},
		"a secret in the query":       {client: websocket.Client{URL: ws + "/page?key=secret"}, status: 200, want: "/page: "},
		"no token":                    {client: websocket.Client{URL: ws, Token: func(context.Context) (string, error) { return "", errors.New("locked") }}, want: "getting the token: locked"},
		"a token without encryption":  {client: websocket.Client{URL: "ws://192.0.2.1/ws", Token: token}, want: "without encryption; use wss://"},
		"the same, by another scheme": {client: websocket.Client{URL: "http://example.com/ws", Token: token}, want: "without encryption"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := mcp.Connect(t.Context(), tc.client, info, nil)
			var refused *websocket.StatusError
			if err == nil || !strings.Contains(err.Error(), tc.want) || strings.Contains(err.Error(), "secret") {
				t.Errorf("connecting: %v, want an error with %q", err, tc.want)
			} else if tc.status != 0 && (!errors.As(err, &refused) || refused.Status != tc.status) {
				t.Errorf("connecting: %#v, want a StatusError %d", err, tc.status)
			}
		})
	}
}

// TestClient_Handshake checks that the handshake has the token, which is requested for every connection, and the
// user's headers.
func TestClient_Handshake(t *testing.T) {
	h := websocket.NewHandler(fixture(t), &websocket.Options{Connection: quiet})
	seen := make(chan http.Header, 10)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		seen <- r.Header.Clone()
		h.ServeHTTP(w, r)
	}))
	defer server.Close()
	asked := 0
	transporter := websocket.Client{
		URL: server.URL, Header: http.Header{"X-Team": {"red"}}, Options: quiet, Reconnect: once,
		Token: func(context.Context) (string, error) {
			asked++
			return map[int]string{1: "first", 2: "second"}[asked], nil
		},
	}
	for _, want := range []string{"Bearer first", "Bearer second", ""} {
		client, err := mcp.Connect(t.Context(), transporter, info, nil)
		if err != nil {
			t.Fatal(err)
		}
		header := <-seen
		if header.Get("Authorization") != want || header.Get("X-Team") != "red" || header.Get("Sec-WebSocket-Protocol") != "mcp" || header.Get("Sec-WebSocket-Extensions") != "" {
			t.Errorf("the handshake has %v", header)
		}
		if err := client.Close(); err != nil {
			t.Errorf("closing: %v", err)
		}
	}
	if err := h.Shutdown(t.Context()); err != nil {
		t.Error(err)
	}
}

// script starts a WebSocket server that calls f with each connection and its number, from 1.
func script(t *testing.T, f func(n int, conn *coder.Conn)) string {
	t.Helper()
	var n atomic.Int64
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		conn, err := coder.Accept(w, r, &coder.AcceptOptions{Subprotocols: []string{"mcp"}})
		if err != nil {
			t.Error(err)
			return
		}
		defer conn.CloseNow()
		conn.SetReadLimit(1 << 20)
		f(int(n.Add(1)), conn)
	}))
	t.Cleanup(s.Close)
	return strings.Replace(s.URL, "http", "ws", 1)
}

// answer reads requests and sends the response for their method; other requests get none. It returns the method of
// the request for which last is the response.
func answer(conn *coder.Conn, answers map[string]string, last string) {
	for {
		_, data, err := conn.Read(context.Background())
		if err != nil {
			return
		}
		var m struct {
			ID     json.RawMessage
			Method string
		}
		if json.Unmarshal(data, &m) == nil && m.Method == last {
			return
		}
		if result, ok := answers[m.Method]; ok {
			_ = conn.Write(context.Background(), coder.MessageText, []byte(`{"jsonrpc":"2.0","id":`+string(m.ID)+`,"result":`+result+`}`))
		}
	}
}

var modernAnswers = map[string]string{
	"server/discover": `{"resultType":"complete","supportedVersions":["2026-07-28"],"capabilities":{"tools":{}},"ttlMs":0,"cacheScope":"private"}`,
	"tools/list":      `{"resultType":"complete","tools":[],"ttlMs":0,"cacheScope":"private"}`,
}

var olderAnswers = map[string]string{
	"initialize": `{"protocolVersion":"2025-11-25","capabilities":{},"serverInfo":{"name":"old","version":"1"}}`,
	"ping":       `{}`,
}

// An old server that leaves when it does not understand is asked as an old one.
func TestClient_ServerClosesOnRequest(t *testing.T) {
	url := script(t, func(n int, conn *coder.Conn) {
		answer(conn, olderAnswers, "server/discover")
	})
	client, err := mcp.Connect(t.Context(), websocket.Client{URL: url, Options: quiet}, info, nil)
	if err != nil {
		t.Fatal(err)
	}
	if client.Revision() != protocol.Rev20251125 || client.Server().Server.Name != "old" {
		t.Errorf("connected at %s to %+v", client.Revision(), client.Server())
	}
	if err := client.Ping(t.Context()); err != nil {
		t.Error(err)
	}
	if err := client.Close(); err != nil {
		t.Errorf("closing: %v", err)
	}
}

// A server that hangs in the handshake of the protocol is left when the caller
// has had enough.
func TestClient_HangingServer(t *testing.T) {
	opened := make(chan struct{}, 1)
	url := script(t, func(_ int, conn *coder.Conn) {
		opened <- struct{}{}
		answer(conn, nil, "")
	})
	ctx, cancel := context.WithCancel(t.Context())
	go func() {
		<-opened
		cancel()
	}()
	begun := time.Now()
	if _, err := mcp.Connect(ctx, websocket.Client{URL: url, Options: quiet}, info, nil); !errors.Is(err, context.Canceled) {
		t.Errorf("connecting: %v", err)
	}
	if took := time.Since(begun); took > 20*time.Second {
		t.Errorf("it took %v", took)
	}
}

func TestClient_CloseCodes(t *testing.T) {
	for name, tc := range map[string]struct {
		end  func(conn *coder.Conn)
		want string // part of the cause
	}{
		"regularly":              {func(c *coder.Conn) { c.Close(coder.StatusNormalClosure, "") }, "the server closed it"},
		"because it shuts down":  {func(c *coder.Conn) { c.Close(coder.StatusGoingAway, "later") }, "the server closed it"},
		"with a code of its own": {func(c *coder.Conn) { c.Close(4000, "tired") }, `"tired"`},
		"without a word":         {func(c *coder.Conn) { c.CloseNow() }, "the connection was lost"},
		"with something binary": {func(c *coder.Conn) {
			c.Write(context.Background(), coder.MessageBinary, []byte("x"))
			answer(c, nil, "")
		}, "binary"},
		"with what is not UTF-8": {func(c *coder.Conn) {
			c.Write(context.Background(), coder.MessageText, []byte("\xff"))
			answer(c, nil, "")
		}, "UTF-8"},
		"with too large a message": {func(c *coder.Conn) {
			c.Write(context.Background(), coder.MessageText, []byte(strings.Repeat("x", 2000)))
			answer(c, nil, "")
		}, "over the limit"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			url := script(t, func(n int, conn *coder.Conn) {
				if n == 1 {
					answer(conn, modernAnswers, "tools/call")
					tc.end(conn)
					return
				}
				answer(conn, modernAnswers, "")
			})
			events := make(chan transport.Reconnection, 10)
			client, err := mcp.Connect(t.Context(), websocket.Client{
				URL: url, Options: &transport.Options{MaxMessage: 1000, Drain: time.Millisecond, Log: discard},
				Reconnect: transport.Reconnect{Delay: time.Millisecond, OnReconnect: func(e transport.Reconnection) { events <- e }},
			}, info, nil)
			if err != nil {
				t.Fatal(err)
			}
			if _, err := client.CallTool(t.Context(), "any", nil, nil); !errors.Is(err, transport.ErrRequestLost) {
				t.Errorf("the call under way: %v", err)
			}
			if e := <-events; e.Err != nil || e.Cause == nil || !strings.Contains(e.Cause.Error(), tc.want) {
				t.Errorf("opened again with %v because of %v, want %q", e.Err, e.Cause, tc.want)
			}
			for _, err := range client.Tools(t.Context()) {
				t.Errorf("after that: %v", err)
			}
			if err := client.Close(); err != nil {
				t.Errorf("closing: %v", err)
			}
		})
	}
}

// A server that does not answer pings is left.
func TestClient_SilentServer(t *testing.T) {
	over := make(chan struct{})
	defer close(over)
	url := script(t, func(n int, conn *coder.Conn) {
		answer(conn, modernAnswers, "tools/call")
		<-over // nothing is read, so that pings stay unanswered
	})
	client, err := mcp.Connect(t.Context(), websocket.Client{URL: url, Ping: time.Second, Reconnect: once, Options: quiet}, info, nil)
	if err != nil {
		t.Fatal(err)
	}
	begun := time.Now()
	if _, err := client.CallTool(t.Context(), "any", nil, nil); !errors.Is(err, transport.ErrClosed) {
		t.Errorf("the call: %v", err)
	}
	if took := time.Since(begun); took > patience/3 {
		t.Errorf("it took %v to notice", took)
	}
	_ = client.Close()
}

// A whole server goes away and comes back: the client does not care.
func TestClient_RestartedServer(t *testing.T) {
	for _, rev := range []protocol.Revision{protocol.Latest, protocol.Rev20250618} {
		t.Run(string(rev), func(t *testing.T) {
			t.Parallel()
			l, err := net.Listen("tcp", "127.0.0.1:0")
			if err != nil {
				t.Fatal(err)
			}
			address := l.Addr().String()
			url, stop := serveOn(t, l, fixture(t), nil)
			changed, logged := make(chan string, 100), make(chan protocol.LogNotification, 100)
			away := make(chan error, 1000)
			client, err := mcp.Connect(t.Context(), websocket.Client{URL: url, Options: quiet, Reconnect: transport.Reconnect{
				Attempts: 1000, Delay: 10 * time.Millisecond, MaxDelay: 20 * time.Millisecond,
				OnReconnect: func(r transport.Reconnection) { away <- r.Err },
			}}, info, &mcp.ClientOptions{
				Revision: rev, LogLevel: protocol.LevelWarning, OnLog: func(n protocol.LogNotification) { logged <- n },
				OnListChanged: func(list string) { changed <- list },
			})
			if err != nil {
				t.Fatal(err)
			}
			stop()
			if err := <-away; err == nil {
				t.Error("nobody listens, and the connection was opened again")
			}
			waited := make(chan error, 1)
			go func() {
				_, err := mcp.Call[string](t.Context(), client, "greet", person{Name: "x"})
				waited <- err
			}()
			if l, err = listenAgain(address); err != nil {
				t.Fatal(err)
			}
			serveOn(t, l, fixture(t), nil)
			if err := <-waited; err != nil {
				t.Errorf("a call that waited: %v", err)
			}
			if list := <-changed; list != "tools" {
				t.Errorf("the list %q may have changed", list)
			}
			if _, err := mcp.Call[string](t.Context(), client, "work", nil); err != nil {
				t.Errorf("work: %v", err)
			}
			if n := <-logged; n.Level != protocol.LevelWarning {
				t.Errorf("logged %+v", n)
			}
			if err := client.Close(); err != nil {
				t.Errorf("closing: %v", err)
			}
		})
	}
}

// listenAgain listens on an address that has just been given up.
func listenAgain(address string) (l net.Listener, err error) {
	for late := time.Now().Add(patience); time.Now().Before(late); time.Sleep(10 * time.Millisecond) {
		if l, err = net.Listen("tcp", address); err == nil {
			return l, nil
		}
	}
	return nil, err
}

// plainTransport is an http.RoundTripper of the user's that tells nothing of its
// connections.
type plainTransport struct{ http.RoundTripper }

func (p plainTransport) RoundTrip(r *http.Request) (*http.Response, error) {
	return p.RoundTripper.RoundTrip(r.WithContext(context.WithoutCancel(context.Background())))
}

func TestClient_OwnHTTPTransport(t *testing.T) {
	url, _ := serve(t, fixture(t), nil)
	network := new(http.Transport)
	client, err := mcp.Connect(t.Context(), websocket.Client{URL: url, HTTPClient: &http.Client{Transport: plainTransport{network}}, Options: quiet}, info, nil)
	if err != nil {
		t.Fatal(err)
	}
	if text, err := mcp.Call[string](t.Context(), client, "greet", person{Name: "x"}); err != nil || text != "Hello, x" {
		t.Errorf("greet: %q, %v", text, err)
	}
	if err := client.Close(); err != nil {
		t.Errorf("closing: %v", err)
	}
	network.CloseIdleConnections()
}
