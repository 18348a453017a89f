package httpclient_test

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/dougu-go/dougu/internal/testdiff"

	"github.com/dougu-go/dougu/mcp/protocol"
	"github.com/dougu-go/dougu/transport"
	"github.com/dougu-go/dougu/transport/httpclient"
)

// Each request has headers with its metadata for proxies (2026-07-28,
// basic/transports/streamable-http, "Request Metadata").
func TestClient_ModernHeaders(t *testing.T) {
	for _, tc := range []struct{ method, params, name string }{
		{"tools/list", ``, ""},
		{"tools/call", `{"name":"greet","arguments":{"name":"Ada"}}`, "greet"},
		{"tools/call", `{"name":"grüßen"}`, "=?base64?Z3LDvMOfZW4=?="},
		{"tools/call", `{"name":" a"}`, "=?base64?IGE=?="},
		{"prompts/get", `{"name":"p q"}`, "p q"},
		{"resources/read", `{"uri":"file:///a%20b"}`, "file:///a%20b"},
		{"tasks/get", `{"taskId":"t1"}`, "t1"},
		{"completion/complete", `{"name":"x"}`, ""},
	} {
		bubble(t, tc.method+tc.params, func(t *testing.T) {
			f := modern(handlers{tc.method: func(w *reply, _ *request) { w.result(done) }})
			client := serve(t, f)
			client.Header = map[string][]string{"x-tenant": {"a"}, "accept": {"text/html"}}
			conn := connect(t, client, &newHost("").Host)
			if _, err := call(t.Context(), conn, tc.method, tc.params); err != nil {
				t.Fatal(err)
			}
			got := f.requests(tc.method)[0]
			want := map[string]string{
				"Mcp-Protocol-Version": "2026-07-28", "Mcp-Method": tc.method, "Mcp-Name": tc.name, "X-Tenant": "a",
				"Accept": "application/json, text/event-stream", "Content-Type": "application/json", "Mcp-Session-Id": "", "Authorization": "",
			}
			for header, value := range want {
				if got.Header.Get(header) != value || value != "" && len(got.Header[header]) != 1 {
					t.Errorf("%s is %q, want %q", header, got.Header[header], value)
				}
			}
			var params struct {
				Meta map[string]json.RawMessage `json:"_meta"`
			}
			if err := json.Unmarshal(got.Params, &params); err != nil || string(params.Meta["io.modelcontextprotocol/protocolVersion"]) != `"2026-07-28"` || params.Meta["io.modelcontextprotocol/clientCapabilities"] == nil {
				t.Errorf("the params are %s", got.Params)
			}
		})
	}
	bubble(t, "a name twice", func(t *testing.T) {
		conn := connect(t, serve(t, modern(nil)), &newHost("").Host)
		if _, err := call(t.Context(), conn, "tools/call", `{"name":"a","name":"b"}`); err == nil || !strings.Contains(err.Error(), "twice") {
			t.Errorf("sent: %v", err)
		}
	})
}

func TestClient_Responses(t *testing.T) {
	const large = 70_000
	for name, tc := range map[string]struct {
		answer  func(*reply, *request)
		want    string
		wantErr string
		as      any // the type of the error
	}{
		"a result":             {answer: func(w *reply, _ *request) { w.result(`{"n":1}`) }, want: `{"n":1}`},
		"JSON with parameters": {answer: func(w *reply, _ *request) { w.body(200, "Application/JSON; charset=UTF-8", w.response(`"result":1`)) }, want: `1`},
		"JSON with nonsense":   {answer: func(w *reply, _ *request) { w.body(200, "application/json; ;=", w.response(`"result":1`)) }, want: `1`},
		"a stream":             {answer: func(w *reply, _ *request) { w.message(w.response(`"result":2`)) }, want: `2`},
		"a stream with parameters": {answer: func(w *reply, _ *request) {
			w.body(200, "Text/Event-Stream;charset=utf-8", "data:"+w.response(`"result":2`)+"\n\n")
		}, want: `2`},
		"comments, ids and other kinds": {answer: func(w *reply, _ *request) {
			w.event(": ping", "id: 7", "retry: 1")
			w.event("event: other", "data: "+w.response(`"result":0`))
			w.event("event: message", "data: "+w.response(`"result":2`))
		}, want: `2`},
		"what follows the result": {answer: func(w *reply, r *request) {
			w.message(w.response(`"result":3`))
			w.message(w.response(`"result":4`))
			<-r.gone
		}, want: `3`},
		"an unknown method":      {answer: fails(404, `{"code":-32601,"message":"Method not found: x"}`), wantErr: "Method not found: x", as: new(*protocol.Error)},
		"invalid params":         {answer: fails(200, `{"code":-32602,"message":"no","data":{"uri":"x"}}`), wantErr: "no", as: new(*protocol.Error)},
		"an error in a stream":   {answer: func(w *reply, _ *request) { w.message(w.response(`"error":{"code":1,"message":"no"}`)) }, wantErr: "no", as: new(*protocol.Error)},
		"an error without an id": {answer: func(w *reply, _ *request) { w.json(400, `{"jsonrpc":"2.0","error":{"code":-32700,"message":"what?"}}`) }, wantErr: "what?", as: new(*protocol.Error)},
		"an error with the id null": {answer: func(w *reply, _ *request) {
			w.json(200, `{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"what?"}}`)
		}, wantErr: "what?", as: new(*protocol.Error)},
		"a malformed error":              {answer: fails(200, `{"code":"x"}`), wantErr: "malformed error object", as: new(*protocol.Error)},
		"400":                            {answer: text(400, "<html>\n\x1b[31m bad"), wantErr: "400 Bad Request: <html> [31m bad", as: new(*httpclient.StatusError)},
		"503":                            {answer: text(503, ""), wantErr: "503 Service Unavailable", as: new(*httpclient.StatusError)},
		"a status nobody knows":          {answer: text(799, strings.Repeat("é", 1000)), wantErr: "éé…", as: new(*httpclient.StatusError)},
		"nothing but acceptance":         {answer: text(202, ""), wantErr: "202 Accepted", as: new(*httpclient.StatusError)},
		"no content":                     {answer: func(w *reply, _ *request) { w.WriteHeader(204) }, wantErr: "204", as: new(*httpclient.StatusError)},
		"a page":                         {answer: func(w *reply, _ *request) { w.body(200, "text/html", "<h1>") }, wantErr: `content type "text/html"`, as: new(*httpclient.StatusError)},
		"the answer to another":          {answer: func(w *reply, _ *request) { w.json(200, `{"jsonrpc":"2.0","id":99,"result":{}}`) }, wantErr: "does not answer"},
		"the id as a string":             {answer: func(w *reply, r *request) { w.json(200, fmt.Sprintf(`{"jsonrpc":"2.0","id":"%s","result":{}}`, r.ID)) }, wantErr: "does not answer"},
		"an array":                       {answer: func(w *reply, _ *request) { w.json(200, "["+w.response(`"result":1`)+"]") }, wantErr: "does not answer"},
		"no JSON":                        {answer: func(w *reply, _ *request) { w.json(200, "{") }, wantErr: "does not answer"},
		"nothing":                        {answer: func(w *reply, _ *request) { w.json(200, "") }, wantErr: "does not answer"},
		"result and error":               {answer: func(w *reply, _ *request) { w.json(200, w.response(`"result":1,"error":{"code":1,"message":"x"}`)) }, wantErr: "malformed"},
		"too much":                       {answer: func(w *reply, _ *request) { w.result(`"` + strings.Repeat("x", large) + `"`) }, wantErr: "limit", as: new(*transport.TooLargeError)},
		"too much in an event":           {answer: func(w *reply, _ *request) { w.message(w.response(`"result":"` + strings.Repeat("x", large) + `"`)) }, wantErr: "limit"},
		"too much of an error":           {answer: text(500, strings.Repeat("x", 1<<20)), wantErr: "xx…", as: new(*httpclient.StatusError)},
		"a redirect that loses the body": {answer: func(w *reply, _ *request) { w.Header().Set("Location", "/x"); w.WriteHeader(302) }, wantErr: "302 Found, to /x", as: new(*httpclient.StatusError)},
		"a stream without the answer":    {answer: func(w *reply, _ *request) { w.message(`{"jsonrpc":"2.0","id":99,"result":{}}`) }, wantErr: "broke", as: nil},
	} {
		bubble(t, name, func(t *testing.T) {
			client := serve(t, modern(handlers{"x": tc.answer}))
			client.Options.MaxMessage = 65_536
			conn := connect(t, client, &newHost("").Host)
			got, err := call(t.Context(), conn, "x", "")
			switch {
			case tc.wantErr == "" && (err != nil || got != tc.want):
				t.Errorf("got %s, %v; want %s", got, err, tc.want)
			case tc.wantErr != "" && (err == nil || !strings.Contains(err.Error(), tc.wantErr)):
				t.Errorf("got %s, %v; want %q in the error", got, err, tc.wantErr)
			case tc.as != nil && !errors.As(err, tc.as):
				t.Errorf("%v is a %T", err, err)
			case err != nil && len(err.Error()) > 1000:
				t.Errorf("the error has %d bytes", len(err.Error()))
			}
		})
	}
}

// Notifications of a request arrive in order and before its result. Notifications
// without a request go to the host.
func TestClient_Notifications(t *testing.T) {
	bubble(t, "a call", func(t *testing.T) {
		h := newHost("")
		conn := connect(t, serve(t, modern(handlers{"tools/call": func(w *reply, r *request) {
			var params struct {
				Meta struct {
					Token json.RawMessage `json:"progressToken"`
				} `json:"_meta"`
			}
			if err := json.Unmarshal(r.Params, &params); err != nil {
				t.Error(err)
			}
			for i := range 3 {
				w.message(fmt.Sprintf(`{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":%s,"progress":%d}}`, params.Meta.Token, i))
				w.message(`{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":"foreign","progress":9}}`)
			}
			w.message(`{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","data":"x"}}`)
			w.message(`{"jsonrpc":"2.0","method":"notifications/message","params":7}`)
			w.message(`{"jsonrpc":"2.0","method":"notifications/progress","params":{"progress":"x"}}`)
			w.message(`{"jsonrpc":"2.0","id":1,"method":"roots/list"}`)
			w.message(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":` + string(r.ID) + `}}`)
			w.message(`nonsense`)
			w.message(w.response(`"result":` + done))
		}})), &h.Host)
		var steps []float64
		result, err := dispatch(t.Context(), conn, &protocol.Request{Method: "tools/call", Params: json.RawMessage(`{"name":"x"}`), Notify: func(_ context.Context, n protocol.Notification) error {
			time.Sleep(time.Second) // a slow receiver loses nothing
			steps = append(steps, n.(*protocol.ProgressNotification).Progress)
			return errors.New("nobody reads this")
		}})
		if diff := testdiff.Diff([]float64{0, 1, 2}, steps); diff != "" || result != done || err != nil {
			t.Errorf("%s, %v; progress %s", result, err, diff)
		}
		synctest.Wait()
		if h.notified() != "notifications/message" {
			t.Errorf("the host got %s", h.notified())
		}
	})
}

// Closing the response is the cancellation (2026-07-28,
// basic/transports/streamable-http).
func TestClient_CancelModernRequest(t *testing.T) {
	for name, begin := range map[string]func(*reply){"before the answer": func(*reply) {}, "in a stream": func(w *reply) { w.event(": wait") }} {
		bubble(t, name, func(t *testing.T) {
			ended := make(chan struct{})
			f := modern(handlers{"tools/call": func(w *reply, r *request) {
				begin(w)
				<-r.gone
				close(ended)
			}})
			conn := connect(t, serve(t, f), &newHost("").Host)
			enough := errors.New("enough")
			ctx, cancel := context.WithTimeoutCause(t.Context(), time.Minute, enough)
			defer cancel()
			if _, err := call(ctx, conn, "tools/call", `{"name":"x"}`); !errors.Is(err, enough) {
				t.Errorf("the caller got %v", err)
			}
			<-ended
			synctest.Wait()
			if got := f.log(); got != "server/discover tools/call" {
				t.Errorf("the server got %s", got)
			}
			if _, err := call(ctx, conn, "tools/call", `{"name":"x"}`); !errors.Is(err, enough) || len(f.requests("tools/call")) != 1 {
				t.Errorf("a request that nobody waits for: %v", err)
			}
		})
	}
}

// A broken stream loses its request (2026-07-28, changelog). A request that only
// reads is sent again with another id.
func TestClient_RequestLost(t *testing.T) {
	for _, tc := range []struct {
		method string
		sent   int
	}{{"tools/call", 1}, {"prompts/get", 1}, {"tools/list", 2}, {"resources/templates/list", 2}, {"resources/read", 2}} {
		for name, cut := range map[string]func(*reply, *request){
			"before the answer":  func(w *reply, _ *request) { hangUp(w) },
			"in the answer":      func(w *reply, _ *request) { w.Header().Set("Content-Length", "1000"); w.json(200, `{"jsonrpc"`) },
			"in a stream":        func(w *reply, _ *request) { w.event("id: 1", "data:"); hangUp(w) },
			"a stream that ends": func(w *reply, _ *request) { w.event("id: 1", "retry: 5", "data:") },
		} {
			bubble(t, tc.method+" "+name, func(t *testing.T) {
				f := modern(handlers{tc.method: cut})
				conn := connect(t, serve(t, f), &newHost("").Host)
				if _, err := call(t.Context(), conn, tc.method, ""); !errors.Is(err, httpclient.ErrRequestLost) {
					t.Errorf("got %v", err)
				}
				ids := make(map[string]bool)
				for _, r := range f.requests(tc.method) {
					ids[string(r.ID)] = true
				}
				if len(ids) != tc.sent || len(f.requests(tc.method)) != tc.sent || len(f.requests("GET")) != 0 {
					t.Errorf("sent with the ids %v, want %d", ids, tc.sent)
				}
				f.answers(tc.method, flaky(cut, func(w *reply, _ *request) { w.result(done) }))
				if got, err := call(t.Context(), conn, tc.method, ""); tc.sent == 2 && (got != done || err != nil) {
					t.Errorf("the second time: %s, %v", got, err)
				}
			})
		}
	}
}

// hangUp breaks the connection.
func hangUp(w *reply) {
	if conn, _, err := w.ResponseWriter.(interface {
		Hijack() (net.Conn, *bufio.ReadWriter, error)
	}).Hijack(); err == nil {
		_ = conn.Close()
	}
}
