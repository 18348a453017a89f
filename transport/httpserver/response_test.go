package httpserver_test

import (
	"bufio"
	"context"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/dougu-go/dougu/mcp"
	"github.com/dougu-go/dougu/mcp/protocol"
	"github.com/dougu-go/dougu/transport/httpserver"
)

// onNetwork serves a fixture on a real socket, with TLS and HTTP/2 if wanted.
func onNetwork(t *testing.T, opts *httpserver.Options, h2 bool) (*fixture, *httptest.Server) {
	t.Helper()
	f := newFixture(t)
	opts.Log = (&panicLog{t: t}).logger()
	h := httpserver.NewHandler(f, opts)
	server := httptest.NewUnstartedServer(h)
	server.EnableHTTP2 = h2
	if h2 {
		server.StartTLS()
	} else {
		server.Start()
	}
	t.Cleanup(func() {
		if err := h.Shutdown(context.Background()); err != nil {
			t.Errorf("shutting down: %v", err)
		}
		server.Close()
	})
	return f, server
}

func sendTo(t *testing.T, server *httptest.Server, method, body string, header ...string) *http.Response {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), method, server.URL, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	for i := 0; i+1 < len(header); i += 2 {
		r.Header.Set(header[i], header[i+1])
	}
	resp, err := server.Client().Do(r)
	if err != nil {
		t.Fatal(err)
	}
	return resp
}

// Streams may be quiet for longer than a client may take to read, on either
// version of HTTP.
func TestResponse_QuietStream(t *testing.T) {
	for name, h2 := range map[string]bool{"HTTP/1.1": false, "HTTP/2": true} {
		t.Run(name, func(t *testing.T) {
			const stall = time.Second
			f, server := onNetwork(t, &httpserver.Options{Stall: stall, BodyTimeout: stall, KeepAlive: time.Hour}, h2)
			listen := `{"jsonrpc":"2.0","id":1,"method":"subscriptions/listen","params":{"notifications":{"toolsListChanged":true},` + metaMember + `}}`
			resp := sendTo(t, server, http.MethodPost, listen, "Mcp-Protocol-Version", "2026-07-28", "Mcp-Method", "subscriptions/listen")
			defer resp.Body.Close()
			if resp.Proto != map[bool]string{false: "HTTP/1.1", true: "HTTP/2.0"}[h2] {
				t.Fatalf("spoken: %s", resp.Proto)
			}
			stream := bufio.NewReader(resp.Body)
			awaitEvent(t, stream, "acknowledged")
			time.Sleep(2 * stall) // it must pass, that is the test
			if _, err := f.grow(t.Context(), none{}); err != nil {
				t.Fatal(err)
			}
			awaitEvent(t, stream, "list_changed")
			f.Close()
			awaitEvent(t, stream, `"result"`)
			if _, err := io.ReadAll(stream); err != nil {
				t.Errorf("the end: %v", err)
			}
		})
	}
}

// A client that resumes a stream receives the events of the interruption.
func TestStream_ResumeOverNetwork(t *testing.T) {
	f, server := onNetwork(t, &httpserver.Options{}, false)
	resp := sendTo(t, server, http.MethodPost, initializeBody(protocol.Rev20251125))
	_ = resp.Body.Close()
	session := resp.Header.Get("Mcp-Session-Id")

	conn, err := net.Dial("tcp", server.Listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	body := callBody("1", "ask", `{}`)
	r, err := http.NewRequest(http.MethodPost, server.URL, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Mcp-Session-Id", session)
	if err := r.Write(conn); err != nil {
		t.Fatal(err)
	}
	first, err := http.ReadResponse(bufio.NewReader(conn), r)
	if err != nil {
		t.Fatal(err)
	}
	id, _ := awaitEvent(t, bufio.NewReader(first.Body), "elicitation/create")
	_ = conn.(*net.TCPConn).SetLinger(0) // the connection is reset, as by a network that fails
	_ = conn.Close()

	answer := sendTo(t, server, http.MethodPost, `{"jsonrpc":"2.0","id":1,"result":{"action":"accept","content":{"name":"Ada"}}}`, "Mcp-Session-Id", session)
	_ = answer.Body.Close()
	back := sendTo(t, server, http.MethodGet, "", "Mcp-Session-Id", session, "Last-Event-ID", id)
	defer back.Body.Close()
	awaitEvent(t, bufio.NewReader(back.Body), "accept Ada")
	if got := f.notes(); len(got) != 0 {
		t.Errorf("%q", got)
	}
}

// A client that leaves ends its request also on HTTP/2, where its connection
// stays.
func TestHandler_ClientLeavesHTTP2(t *testing.T) {
	f, server := onNetwork(t, &httpserver.Options{}, true)
	ctx, leave := context.WithCancel(t.Context())
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, server.URL, strings.NewReader(modernBody("1", "wait", `{}`)))
	if err != nil {
		t.Fatal(err)
	}
	for i, header := 0, modernHeader("wait"); i < len(header); i += 2 {
		r.Header.Set(header[i], header[i+1])
	}
	go func() {
		<-f.begun
		leave()
	}()
	if resp, err := server.Client().Do(r); err == nil {
		_ = resp.Body.Close()
		t.Errorf("status %d", resp.StatusCode)
	}
	deadline := time.Now().Add(20 * time.Second)
	for len(f.notes()) == 0 && time.Now().Before(deadline) {
		time.Sleep(time.Millisecond)
	}
	if got := f.notes(); len(got) != 1 || got[0] != "ended: context canceled" {
		t.Errorf("%q", got)
	}
}

// A ResponseWriter without Flush gets no event stream.
func TestResponse_WithoutFlusher(t *testing.T) {
	h := httpserver.NewHandler(newFixture(t), &httpserver.Options{Log: noLog})
	defer h.Shutdown(context.Background())
	serve := func(body string, header ...string) *httptest.ResponseRecorder {
		r := httptest.NewRequest(http.MethodPost, "/", strings.NewReader(body))
		for i := 0; i+1 < len(header); i += 2 {
			r.Header.Set(header[i], header[i+1])
		}
		w := httptest.NewRecorder()
		h.ServeHTTP(struct{ http.ResponseWriter }{w}, r)
		return w
	}
	session := serve(initializeBody(protocol.Rev20251125)).Header().Get("Mcp-Session-Id")
	for _, try := range [][]string{
		{callBody("1", "work", `{}`), "Mcp-Session-Id", session},
		append([]string{modernBody("1", "work", `{}`)}, modernHeader("work")...),
	} {
		w := serve(try[0], try[1:]...)
		if w.Code != http.StatusOK || w.Header().Get("Content-Type") != "application/json" || !strings.Contains(w.Body.String(), "done") {
			t.Errorf("status %d, %s", w.Code, w.Body)
		}
	}
	listen := `{"jsonrpc":"2.0","id":1,"method":"subscriptions/listen","params":{"notifications":{},` + metaMember + `}}`
	if w := serve(listen, "Mcp-Protocol-Version", "2026-07-28", "Mcp-Method", "subscriptions/listen"); errorCode(t, w.Body.String()) == 0 {
		t.Errorf("subscriptions/listen: status %d, %s", w.Code, w.Body)
	}
}

// Bodies may come without their size being known.
func TestHandler_ChunkedBody(t *testing.T) {
	_, server := onNetwork(t, &httpserver.Options{MaxMessage: 100 << 10}, false)
	for size, want := range map[int]int{1: 200, 600: 200, 90 << 10: 200, 100 << 10: 413} {
		body := `{"jsonrpc":"2.0","id":7,"method":"ping","params":{"padding":"` + strings.Repeat("x", size) + `"}}`
		resp, err := server.Client().Post(server.URL, "application/json", io.MultiReader(strings.NewReader(body)))
		if err != nil {
			t.Fatal(err)
		}
		answer, _ := io.ReadAll(resp.Body)
		_ = resp.Body.Close()
		if resp.StatusCode != want || !strings.Contains(string(answer), `"id":7`) {
			t.Errorf("%d bytes: status %d, %s", size, resp.StatusCode, answer)
		}
	}
}

// Large answers come whole, as JSON and as an event.
func TestResponse_LargeAnswer(t *testing.T) {
	f, server := onNetwork(t, &httpserver.Options{}, false)
	text := strings.Repeat("0123456789", 50_000)
	if err := f.Replace("large", mcp.Features{Tools: []mcp.ServerTool{
		mcp.NewTool(mcp.Tool{Name: "large"}, func(context.Context, none) (string, error) { return text, nil }),
	}}); err != nil {
		t.Fatal(err)
	}
	opened := sendTo(t, server, http.MethodPost, initializeBody(protocol.Rev20250618))
	_ = opened.Body.Close()
	for _, accept := range []string{"application/json", "text/event-stream"} {
		for _, try := range [][]string{
			append([]string{modernBody("1", "large", `{}`), "Accept", accept}, modernHeader("large")...),
			{callBody("1", "large", `{}`), "Accept", accept, "Mcp-Session-Id", opened.Header.Get("Mcp-Session-Id")},
		} {
			resp := sendTo(t, server, http.MethodPost, try[0], try[1:]...)
			answer, err := io.ReadAll(resp.Body)
			_ = resp.Body.Close()
			if err != nil || resp.Header.Get("Content-Type") != accept || !strings.Contains(string(answer), `"`+text+`"`) {
				t.Errorf("%s: %d bytes of %s, %v", accept, len(answer), resp.Header.Get("Content-Type"), err)
			}
		}
	}
}
