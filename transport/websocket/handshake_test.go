package websocket_test

import (
	"crypto/tls"
	"encoding/json"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/dougu-go/dougu/mcp"
	"github.com/dougu-go/dougu/mcp/protocol"
	"github.com/dougu-go/dougu/transport/websocket"
)

func TestHandshake_Access(t *testing.T) {
	url, _ := serve(t, fixture(t), &websocket.Options{Hosts: []string{"listed.example"}, Origins: []string{"https://app.example"}})
	host := url[len("ws://") : len(url)-len("/ws")]
	const rest = "Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n"
	for name, tc := range map[string]struct {
		request string // without the last line break
		status  int
		chosen  string // subprotocol
		want    string // part of the body
	}{
		"the subprotocol":              {"GET /ws HTTP/1.1\r\nHost: " + host + "\r\n" + rest + "Sec-WebSocket-Protocol: mcp\r\n", 101, "mcp", ""},
		"among others":                 {"GET /ws HTTP/1.1\r\nHost: " + host + "\r\n" + rest + "Sec-WebSocket-Protocol: chat, mcp\r\nSec-WebSocket-Protocol: x\r\n", 101, "mcp", ""},
		"no subprotocol":               {"GET /ws HTTP/1.1\r\nHost: " + host + "\r\n" + rest, 101, "", ""},
		"another subprotocol":          {"GET /ws HTTP/1.1\r\nHost: " + host + "\r\n" + rest + "Sec-WebSocket-Protocol: chat\r\n", 400, "", `subprotocol of this endpoint is \"mcp\"`},
		"compression is not wanted":    {"GET /ws HTTP/1.1\r\nHost: " + host + "\r\n" + rest + "Sec-WebSocket-Extensions: permessage-deflate\r\n", 101, "", ""},
		"a listed name":                {"GET /ws HTTP/1.1\r\nHost: listed.example\r\n" + rest, 101, "", ""},
		"a rebound name":               {"GET /ws HTTP/1.1\r\nHost: evil.example\r\n" + rest, 403, "", "evil.example"},
		"a page of the server's own":   {"GET /ws HTTP/1.1\r\nHost: " + host + "\r\n" + rest + "Origin: http://" + host + "\r\n", 101, "", ""},
		"a listed page":                {"GET /ws HTTP/1.1\r\nHost: " + host + "\r\n" + rest + "Origin: https://app.example\r\n", 101, "", ""},
		"a page of somebody else":      {"GET /ws HTTP/1.1\r\nHost: " + host + "\r\n" + rest + "Origin: https://evil.example\r\n", 403, "", "evil.example"},
		"a request that wants no more": {"GET /ws HTTP/1.1\r\nHost: " + host + "\r\n", 426, "", "Upgrade"},
		"another protocol":             {"GET /ws HTTP/1.1\r\nHost: " + host + "\r\n" + strings.Replace(rest, "websocket", "h2c", 1), 426, "", "websocket"},
		"a POST":                       {"POST /ws HTTP/1.1\r\nContent-Length: 0\r\nHost: " + host + "\r\n" + rest, 405, "", ""},
		"an old version":               {"GET /ws HTTP/1.1\r\nHost: " + host + "\r\n" + strings.Replace(rest, "13", "8", 1), 400, "", "13"},
		"a key that is none":           {"GET /ws HTTP/1.1\r\nHost: " + host + "\r\n" + strings.Replace(rest, "dGhlIHNh", "", 1), 400, "", "Key"},
		"HTTP/1.0":                     {"GET /ws HTTP/1.0\r\nHost: " + host + "\r\n" + rest, 426, "", "HTTP/1.1"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			conn, err := net.Dial("tcp", host)
			if err != nil {
				t.Fatal(err)
			}
			defer conn.Close()
			c, response := greetServer(t, conn, tc.request+"\r\n")
			if response.StatusCode != tc.status || response.Header.Get("Sec-WebSocket-Protocol") != tc.chosen || response.Header.Get("Sec-WebSocket-Extensions") != "" {
				t.Fatalf("answered %s, %v", response.Status, response.Header)
			}
			if tc.status == http.StatusSwitchingProtocols {
				c.sendText(ping)
				if got := c.message(); got != pong {
					t.Errorf("got %s", got)
				}
				return
			}
			body, err := io.ReadAll(response.Body)
			if err != nil || !strings.Contains(string(body), tc.want) {
				t.Errorf("answered %q, %v; want %q", body, err, tc.want)
			}
		})
	}
}

// TestHandshake_EarlyMessages checks that messages are not lost if a client sends them before the handshake response.
func TestHandshake_EarlyMessages(t *testing.T) {
	url, _ := serve(t, fixture(t), nil)
	conn, err := net.Dial("tcp", url[len("ws://"):len(url)-len("/ws")])
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	c, _ := greetServer(t, conn, handshake+"\r\n"+string(frame(final|opText, ping)))
	if got := c.message(); got != pong {
		t.Errorf("got %s", got)
	}
}

func TestHandler_MaxConns(t *testing.T) {
	url, _ := serve(t, fixture(t), &websocket.Options{MaxConns: 2})
	first, _ := open(t, url, "")
	open(t, url, "")
	_, refused := open(t, url, "")
	body, err := io.ReadAll(refused.Body)
	var answer struct {
		JSONRPC string
		Error   protocol.Error
	}
	if err != nil || json.Unmarshal(body, &answer) != nil || refused.StatusCode != 503 || refused.Header.Get("Retry-After") == "" || !strings.Contains(answer.Error.Message, "2 connections are open") {
		t.Errorf("answered %s %s, %v", refused.Status, body, err)
	}
	// One that goes makes room.
	first.send(frame(final|opClose, "\x03\xe8"))
	if code := first.closed(); code != 1000 {
		t.Errorf("closed with %d", code)
	}
	for range 1000 {
		if _, response := open(t, url, ""); response.StatusCode == http.StatusSwitchingProtocols {
			return
		}
	}
	t.Error("there is never room again")
}

// A WebSocket cannot be opened through everything that serves HTTP.
func TestHandshake_NoWebSocket(t *testing.T) {
	h := websocket.NewHandler(fixture(t), nil)
	w := httptest.NewRecorder()
	h.ServeHTTP(w, httptest.NewRequest("GET", "/ws", nil))
	if w.Code != http.StatusNotImplemented {
		t.Errorf("answered %d %s", w.Code, w.Body)
	}
	server := httptest.NewUnstartedServer(h)
	server.EnableHTTP2 = true
	server.StartTLS()
	defer server.Close()
	response, err := server.Client().Get(server.URL)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	if response.ProtoMajor != 2 || response.StatusCode != http.StatusNotImplemented {
		t.Errorf("over %s: %s", response.Proto, response.Status)
	}
	if err := h.Shutdown(t.Context()); err != nil {
		t.Error(err)
	}
}

// wrapped is a ResponseWriter as middleware makes them.
type wrapped struct{ http.ResponseWriter }

func (w wrapped) Unwrap() http.ResponseWriter { return w.ResponseWriter }

func TestHandler_MiddlewareAndTLS(t *testing.T) {
	h := websocket.NewHandler(fixture(t), &websocket.Options{Connection: quiet})
	server := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h.ServeHTTP(wrapped{w}, r.WithContext(protocol.WithPrincipal(r.Context(), "ada")))
	}))
	defer server.Close()
	client := websocket.Client{
		URL: strings.Replace(server.URL, "https", "wss", 1), Options: quiet,
		HTTPClient: &http.Client{Transport: &http.Transport{TLSClientConfig: &tls.Config{RootCAs: server.Client().Transport.(*http.Transport).TLSClientConfig.RootCAs}}},
	}
	c, err := mcp.Connect(t.Context(), client, info, nil)
	if err != nil {
		t.Fatal(err)
	}
	if who, err := mcp.Call[string](t.Context(), c, "who", nil); err != nil || who != "ada over websocket" {
		t.Errorf("who: %q, %v", who, err)
	}
	if err := c.Close(); err != nil {
		t.Errorf("closing: %v", err)
	}
	if err := h.Shutdown(t.Context()); err != nil {
		t.Error(err)
	}
}
