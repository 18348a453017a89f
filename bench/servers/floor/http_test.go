package main

import (
	"context"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/coder/websocket"
)

func post(t *testing.T, h http.Handler, session, body string) *httptest.ResponseRecorder {
	t.Helper()
	r := httptest.NewRequestWithContext(t.Context(), http.MethodPost, "/mcp", strings.NewReader(body))
	if session != "" {
		r.Header.Set(sessionHeader, session)
	}
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	return w
}

func TestStateless_Responses(t *testing.T) {
	t.Parallel()
	const meta = `"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}`
	tests := []struct {
		name, in string
		status   int
		out      string
	}{
		{"a call", `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"size","arguments":{"text":"道"},` + meta + `}}`, 200,
			`{"jsonrpc":"2.0","id":1,"result":{"resultType":"complete","content":[{"type":"text","text":"{\"bytes\":3}"}],"structuredContent":{"bytes":3},` +
				`"_meta":{"io.modelcontextprotocol/serverInfo":{"name":"floor","version":"1.0.0"}}}}`},
		{"a call of another revision", `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"size","arguments":{"text":"道"}}}`, 200, `"code":-32602`},
		{"a call of nothing", `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"sing",` + meta + `}}`, 200, `no such tool`},
		{"a ping", `{"jsonrpc":"2.0","id":1,"method":"ping"}`, 200, `"result":{}`},
		{"a notification", `{"jsonrpc":"2.0","method":"notifications/cancelled"}`, 202, ``},
		{"no JSON", `what?`, 400, `invalid character`},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			w := post(t, stateless{}, "", test.in)
			if w.Code != test.status || !strings.Contains(w.Body.String(), test.out) {
				t.Errorf("got %d %s, want %d %s", w.Code, w.Body, test.status, test.out)
			}
		})
	}
}

func TestSessions_Responses(t *testing.T) {
	t.Parallel()
	s := &sessions{known: make(map[string]struct{})}
	w := post(t, s, "", `{"jsonrpc":"2.0","id":1,"method":"initialize"}`)
	id := w.Header().Get(sessionHeader)
	if w.Code != 200 || id == "" {
		t.Fatalf("initialize is answered with %d %v", w.Code, w.Header())
	}
	if w := post(t, s, id, `{"jsonrpc":"2.0","method":"notifications/initialized"}`); w.Code != 202 {
		t.Errorf("a notification is answered with %d", w.Code)
	}
	const call = `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"size","arguments":{"text":"道"}}}`
	if w := post(t, s, id, call); w.Code != 200 || !strings.Contains(w.Body.String(), `"structuredContent":{"bytes":3}`) {
		t.Errorf("a call is answered with %d %s", w.Code, w.Body)
	}
	if w := post(t, s, "another", call); w.Code != 404 {
		t.Errorf("a call of no session is answered with %d", w.Code)
	}
	if w := post(t, s, id, `what?`); w.Code != 400 {
		t.Errorf("no JSON is answered with %d", w.Code)
	}
}

func TestListen_Stream(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	cancel() // ends the stream at once
	r := httptest.NewRequestWithContext(ctx, http.MethodPost, "/mcp",
		strings.NewReader(`{"jsonrpc":"2.0","id":7,"method":"subscriptions/listen"}`))
	w := httptest.NewRecorder()
	stateless{}.ServeHTTP(w, r)
	if !w.Flushed || !strings.Contains(w.Body.String(), `"io.modelcontextprotocol/subscriptionId":7`) {
		t.Errorf("got %t %s", w.Flushed, w.Body)
	}
}

func TestEcho_Frames(t *testing.T) {
	t.Parallel()
	server := httptest.NewServer(http.HandlerFunc(echo))
	defer server.Close()
	conn, _, err := websocket.Dial(t.Context(), server.URL, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.CloseNow()
	if err := conn.Write(t.Context(), websocket.MessageText, []byte("道具")); err != nil {
		t.Fatal(err)
	}
	if kind, got, err := conn.Read(t.Context()); kind != websocket.MessageText || string(got) != "道具" || err != nil {
		t.Errorf("got %v %q: %v", kind, got, err)
	}
}
