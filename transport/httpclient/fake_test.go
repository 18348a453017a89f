package httpclient_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log"
	"log/slog"
	"net"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/dougu-go/dougu/mcp"
	"github.com/dougu-go/dougu/mcp/protocol"
	"github.com/dougu-go/dougu/transport"
	"github.com/dougu-go/dougu/transport/httpclient"
)

// Responses of servers to the first requests.
const (
	discovered = `{"resultType":"complete","supportedVersions":["2026-07-28"],"capabilities":{"tools":{"listChanged":true}},"ttlMs":0,"cacheScope":"private","_meta":{"io.modelcontextprotocol/serverInfo":{"name":"fake","version":"1"}}}`
	done       = `{"resultType":"complete"}`
)

func initialized(rev protocol.Revision) string {
	return fmt.Sprintf(`{"protocolVersion":%q,"capabilities":{"tools":{"listChanged":true},"resources":{"subscribe":true},"logging":{}},"serverInfo":{"name":"fake","version":"1"}}`, rev)
}

// request is a request that a fake server has received.
type request struct {
	HTTP   string // the HTTP method
	Path   string
	Header http.Header
	Body   string
	ID     json.RawMessage
	Method string
	Params json.RawMessage
	Result json.RawMessage
	Error  json.RawMessage
	at     time.Time
	gone   <-chan struct{} // closed when the client goes away
}

// reply is how a fake server answers.
type reply struct {
	http.ResponseWriter
	request *request
}

// result answers with a result.
func (r *reply) result(result string) { r.json(200, r.response(`"result":`+result)) }

// fail answers with an error in a response of a status.
func (r *reply) fail(status int, e string) { r.json(status, r.response(`"error":`+e)) }

func (r *reply) json(status int, body string) { r.body(status, "application/json", body) }

func (r *reply) body(status int, kind, body string) {
	r.Header().Set("Content-Type", kind)
	r.WriteHeader(status)
	_, _ = io.WriteString(r, body)
}

// response is a response to the request with a member.
func (r *reply) response(member string) string {
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,%s}`, r.request.ID, member)
}

// event begins or continues a stream of events.
func (r *reply) event(lines ...string) {
	if r.Header().Get("Content-Type") == "" {
		r.Header().Set("Content-Type", "text/event-stream")
		r.WriteHeader(200)
	}
	_, _ = io.WriteString(r, strings.Join(lines, "\n")+"\n\n")
	r.ResponseWriter.(http.Flusher).Flush()
}

// message sends a message as an event.
func (r *reply) message(message string) { r.event("data: " + message) }

// fake is a server with configured responses: by JSON-RPC method, or "GET",
// "DELETE" and "answer" (to a question). It has default responses for the rest.
type fake struct {
	on map[string]func(w *reply, r *request)

	mu  sync.Mutex
	got []*request
}

func (f *fake) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	got := &request{HTTP: r.Method, Path: r.URL.Path, Header: r.Header, Body: string(body), at: time.Now(), gone: r.Context().Done()}
	_ = json.Unmarshal(body, got)
	kind := got.Method
	switch {
	case got.HTTP != http.MethodPost:
		kind = got.HTTP
	case kind == "":
		kind = "answer"
	}
	answer := &reply{w, got}
	f.mu.Lock()
	f.got = append(f.got, got)
	on := f.on[kind]
	f.mu.Unlock()
	switch {
	case on != nil:
		on(answer, got)
	case got.HTTP != http.MethodPost:
		w.WriteHeader(http.StatusMethodNotAllowed)
	case got.ID == nil || kind == "answer":
		w.WriteHeader(http.StatusAccepted)
	default:
		answer.fail(http.StatusNotFound, `{"code":-32601,"message":"Method not found"}`)
	}
}

// answers changes how the server answers.
func (f *fake) answers(kind string, on func(w *reply, r *request)) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.on[kind] = on
}

// requests returns the received requests of a kind: a JSON-RPC method, an HTTP
// method other than POST, or "answer".
func (f *fake) requests(kind string) (found []*request) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, r := range f.got {
		if r.Method == kind || r.HTTP == kind && kind != http.MethodPost || kind == "answer" && r.HTTP == http.MethodPost && r.Method == "" {
			found = append(found, r)
		}
	}
	return found
}

type handlers = map[string]func(w *reply, r *request)

// modern is a server of 2026-07-28.
func modern(on handlers) *fake {
	f := &fake{on: handlers{"server/discover": func(w *reply, _ *request) { w.result(discovered) }}}
	for method, h := range on {
		f.on[method] = h
	}
	return f
}

// session is a server of an older revision that names its sessions s1, s2 …
func session(rev protocol.Revision, on handlers) *fake {
	var sessions int
	f := &fake{on: handlers{
		"server/discover": func(w *reply, _ *request) { w.body(400, "text/plain", "Bad Request: no session") },
		"initialize": func(w *reply, _ *request) {
			sessions++
			w.Header().Set("Mcp-Session-Id", fmt.Sprintf("s%d", sessions))
			w.result(initialized(rev))
		},
	}}
	for method, h := range on {
		f.on[method] = h
	}
	return f
}

// network is one server that can be dialled, without any real network.
type network struct {
	conns  chan net.Conn
	closed chan struct{}
	once   sync.Once
}

func (n *network) Accept() (net.Conn, error) {
	select {
	case c := <-n.conns:
		return c, nil
	case <-n.closed:
		return nil, net.ErrClosed
	}
}

func (n *network) Close() error {
	n.once.Do(func() { close(n.closed) })
	return nil
}

func (n *network) Addr() net.Addr { return &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1), Port: 80} }

func (n *network) dial(ctx context.Context, _, _ string) (net.Conn, error) {
	near, far := net.Pipe()
	select {
	case n.conns <- far:
		return near, nil
	case <-n.closed:
		return nil, &net.OpError{Op: "dial", Net: "tcp", Err: fmt.Errorf("connection refused")}
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// serve runs a server until the test ends, and returns a client for it.
func serve(t *testing.T, h http.Handler) *httpclient.Client {
	t.Helper()
	n := &network{conns: make(chan net.Conn), closed: make(chan struct{})}
	// A WaitGroup must not grow from nothing while it is waited for, as requests may.
	var serving atomic.Int32
	ended := make(chan struct{}, 1)
	server := &http.Server{ErrorLog: log.New(io.Discard, "", 0), Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		serving.Add(1)
		defer func() {
			serving.Add(-1)
			select {
			case ended <- struct{}{}:
			default:
			}
		}()
		h.ServeHTTP(w, r)
	})}
	served := make(chan error, 1)
	go func() { served <- server.Serve(n) }()
	carrier := &http.Transport{DialContext: n.dial}
	t.Cleanup(func() {
		carrier.CloseIdleConnections()
		_ = server.Close()
		<-served
		for serving.Load() > 0 {
			<-ended
		}
	})
	return &httpclient.Client{
		URL: "http://server/mcp", HTTPClient: &http.Client{Transport: carrier},
		Options: &transport.Options{Log: slog.New(slog.DiscardHandler)},
	}
}

// host is a client that answers questions by method and records notifications.
type host struct {
	protocol.Host
	mu    sync.Mutex
	notes []string
}

func newHost(rev protocol.Revision) *host {
	h := &host{}
	h.Host = protocol.Host{
		Info: mcp.Implementation{Name: "test", Version: "0"}, Revision: rev,
		Notified: func(n protocol.Notification) {
			h.mu.Lock()
			defer h.mu.Unlock()
			h.notes = append(h.notes, n.Method())
		},
	}
	return h
}

func (h *host) notified() string {
	h.mu.Lock()
	defer h.mu.Unlock()
	return strings.Join(h.notes, " ")
}

// connect connects, and closes at the end of the test.
func connect(t *testing.T, client protocol.Transport, h *protocol.Host) protocol.Conn {
	t.Helper()
	conn, err := client.Connect(t.Context(), h)
	if err != nil {
		t.Fatalf("connecting: %v", err)
	}
	t.Cleanup(func() {
		if err := conn.Close(); err != nil {
			t.Errorf("closing: %v", err)
		}
	})
	return conn
}

// call sends a request and returns its raw result.
func call(ctx context.Context, conn protocol.Conn, method, params string) (string, error) {
	req := &protocol.Request{Method: method}
	if params != "" {
		req.Params = json.RawMessage(params)
	}
	return dispatch(ctx, conn, req)
}

func dispatch(ctx context.Context, conn protocol.Conn, req *protocol.Request) (string, error) {
	result, err := conn.Dispatch(ctx, req)
	if err != nil {
		return "", err
	}
	raw, err := result.AppendJSON(nil, protocol.Latest)
	return string(raw), err
}

// bubble runs a test of a server in a bubble, where time stands still while
// anything runs, and which does not end before every goroutine has.
func bubble(t *testing.T, name string, f func(t *testing.T)) {
	t.Run(name, func(t *testing.T) {
		t.Parallel()
		synctest.Test(t, f)
	})
}
