package httpclient_test

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/dougu-go/dougu/mcp/protocol"
	"github.com/dougu-go/dougu/transport"
	"github.com/dougu-go/dougu/transport/httpclient"
)

// canned is an http.RoundTripper that answers a handshake properly and the rest
// with one response.
type canned struct {
	rev    protocol.Revision
	status int
	header http.Header
	body   string
}

func (c canned) RoundTrip(r *http.Request) (*http.Response, error) {
	if err := r.Context().Err(); err != nil {
		return nil, err
	}
	var m request
	if r.Body != nil {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			return nil, err
		}
		_ = json.Unmarshal(body, &m)
	}
	resp := &http.Response{StatusCode: 200, Header: http.Header{"Content-Type": {"application/json"}, "Mcp-Session-Id": {"s"}}, Request: r, ProtoMajor: 1, ProtoMinor: 1}
	body := ""
	switch {
	case m.Method == "server/discover":
		body = `{"jsonrpc":"2.0","id":` + string(m.ID) + `,"result":` + discovered + `}`
	case m.Method == "initialize":
		body = `{"jsonrpc":"2.0","id":` + string(m.ID) + `,"result":` + initialized(c.rev) + `}`
	case r.Method == http.MethodPost && m.ID != nil, r.Method == http.MethodGet:
		resp.StatusCode, resp.Header, body = c.status, c.header.Clone(), strings.ReplaceAll(c.body, "ID", string(m.ID))
	default:
		resp.StatusCode = 202
	}
	resp.Body = io.NopCloser(strings.NewReader(body))
	return resp, nil
}

// For any response of a server, the request ends and leaves no goroutine.
func FuzzClient_Response(f *testing.F) {
	const result = `{"jsonrpc":"2.0","id":ID,"result":{"tools":[{"name":"x","inputSchema":{"properties":{"a":{"type":"string","x-mcp-header":"A"}}}}]}}`
	for _, body := range []string{
		result, "data: " + result + "\n\n", "id: 1\nretry: 1\ndata:\n\n", "[" + result + "]", "", "\x00", `{"jsonrpc":"2.0","id":ID,"error":{"code":-32020,"message":"x"}}`,
		"data: {\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}\n\n", "data: {\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"roots/list\"}\n\ndata: " + result + "\n\n",
		"data: {\"jsonrpc\":\"2.0\",\"method\":\"notifications/cancelled\",\"params\":{\"requestId\":ID}}\n\n",
	} {
		for _, kind := range []string{"application/json", "text/event-stream", "Text/Event-Stream; a=\"", ""} {
			f.Add(200, kind, "Location", "/x", body)
		}
		f.Add(404, "application/json", "Mcp-Session-Id", "é\x7f", body)
		f.Add(307, "", "Location", "http://evil/", body)
		f.Add(401, "", "WWW-Authenticate", "Bearer", body)
	}
	f.Fuzz(func(t *testing.T, status int, kind, name, value, body string) {
		header := http.Header{"Content-Type": {kind}}
		header.Add(name, value)
		for _, rev := range []protocol.Revision{protocol.Latest, protocol.Rev20251125, protocol.Rev20250326} {
			exchange(t, rev, canned{rev, status, header, body})
		}
	})
}

// exchange opens a connection, lists and calls a tool, and closes.
func exchange(t *testing.T, rev protocol.Revision, answer canned) {
	client := &httpclient.Client{
		URL: "http://server/mcp", HTTPClient: &http.Client{Transport: answer},
		Options: &transport.Options{MaxMessage: 4096, Log: slog.New(slog.DiscardHandler)},
	}
	h := newHost(rev)
	h.Answer = func(context.Context, protocol.InputRequest) (json.RawMessage, error) { return nil, errors.New("no") }
	conn, err := client.Connect(t.Context(), &h.Host)
	if err != nil {
		t.Fatalf("%s: connecting: %v", rev, err)
	}
	for _, method := range []string{"tools/list", "tools/call", "subscriptions/listen"} {
		ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
		began := time.Now()
		result, err := dispatch(ctx, conn, &protocol.Request{Method: method, Params: json.RawMessage(`{"name":"x","arguments":{"a":"b"},"notifications":{}}`), Notify: func(context.Context, protocol.Notification) error { return nil }})
		if err == nil && !json.Valid([]byte(result)) {
			t.Errorf("%s %s: %q", rev, method, result)
		}
		if took := time.Since(began); took > time.Minute {
			t.Errorf("%s %s took %v", rev, method, took)
		}
		cancel()
	}
	if err := conn.Close(); err != nil {
		t.Errorf("%s: closing: %v", rev, err)
	}
}
