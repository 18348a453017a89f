package mcp_test

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net"
	"sync"
	"testing"

	"github.com/dougu-go/dougu/internal/rpc"
	"github.com/dougu-go/dougu/mcp"
	"github.com/dougu-go/dougu/mcp/mcptest"
	"github.com/dougu-go/dougu/mcp/protocol"
	"github.com/dougu-go/dougu/transport"
)

// fake is a server that a test makes up: a function for each method. It offers
// everything.
type fake map[string]mcp.Handler

const everything = `"capabilities":{"tools":{"listChanged":true},"prompts":{"listChanged":true},"resources":{"listChanged":true,"subscribe":true},"completions":{},"logging":{}}`

func (f fake) Dispatch(ctx context.Context, req *protocol.Request) (protocol.Result, error) {
	if h, ok := f[req.Method]; ok {
		return h(ctx, req)
	}
	if req.Method == "server/discover" {
		return protocol.RawResult(`{"resultType":"complete","supportedVersions":["2026-07-28"],` + everything + `,"ttlMs":0,"cacheScope":"private"}`), nil
	}
	return nil, protocol.Errorf(protocol.CodeMethodNotFound, "Method not found: %s", req.Method)
}

// direct is a transport that asks a fake without any wire.
type direct struct {
	fake
	rev protocol.Revision
}

func (d direct) Connect(context.Context, *protocol.Host) (protocol.Conn, error) { return d, nil }
func (d direct) Discovered() *protocol.DiscoverResult                           { return new(protocol.DiscoverResult) }
func (d direct) Revision() protocol.Revision                                    { return d.rev }
func (d direct) Close() error                                                   { return nil }
func (d direct) Done() <-chan struct{}                                          { return nil }

// says is a handler that always answers the same.
func says(result string) mcp.Handler {
	return func(context.Context, *protocol.Request) (protocol.Result, error) {
		return protocol.RawResult(result), nil
	}
}

// counted is a handler whose result has the number of its call, for %d.
func counted(result string) mcp.Handler {
	var mu sync.Mutex
	calls := 0
	return func(context.Context, *protocol.Request) (protocol.Result, error) {
		mu.Lock()
		defer mu.Unlock()
		calls++
		return protocol.RawResult(fmt.Sprintf(result, calls)), nil
	}
}

// inEveryRevision runs a test in a bubble for each revision.
func inEveryRevision(t *testing.T, test func(t *testing.T, rev protocol.Revision)) {
	t.Helper()
	for _, rev := range protocol.Revisions() {
		t.Run(string(rev), func(t *testing.T) {
			mcptest.Bubble(t, func(t *testing.T) { test(t, rev) })
		})
	}
}

// wire is a server that a test plays by hand, message by message: whatever it
// does wrong is on purpose. It is a Transport for one connection.
type wire func(w *wireServer)

// wireServer is the server's side of a connection.
type wireServer struct {
	conn  net.Conn
	lines *bufio.Scanner
}

// wireMessage is what the client has sent.
type wireMessage struct {
	ID     json.RawMessage
	Method string
	Params struct {
		Meta struct {
			ProgressToken json.RawMessage `json:"progressToken"`
		} `json:"_meta"`
		RequestID json.RawMessage `json:"requestId"`
	}
}

// Connect implements protocol.Transport. The server's side begins after the first
// request, server/discover, has been answered.
func (f wire) Connect(ctx context.Context, host *protocol.Host) (protocol.Conn, error) {
	return wireFromStart(func(w *wireServer) {
		w.answer(w.next().ID, `{"resultType":"complete","supportedVersions":["2026-07-28"],`+everything+`}`)
		f(w)
	}).Connect(ctx, host)
}

// wireFromStart is a wire that plays the handshake too.
type wireFromStart func(w *wireServer)

// Connect implements protocol.Transport.
func (f wireFromStart) Connect(ctx context.Context, host *protocol.Host) (protocol.Conn, error) {
	near, far := net.Pipe()
	go func() {
		defer far.Close()
		f(&wireServer{conn: far, lines: bufio.NewScanner(far)})
	}()
	return transport.ConnectStream(ctx, rpc.NewLines(near, near, near.Close, 0), host, nil)
}

// next is the next message of the client; without a method, at the end.
func (w *wireServer) next() wireMessage {
	var m wireMessage
	if w.lines.Scan() {
		_ = json.Unmarshal(w.lines.Bytes(), &m)
	}
	return m
}

// untilClosed reads and throws away, so that the client can go on.
func (w *wireServer) untilClosed() {
	for w.lines.Scan() {
	}
}

func (w *wireServer) send(format string, args ...any) {
	_, _ = io.WriteString(w.conn, fmt.Sprintf(format, args...)+"\n")
}

func (w *wireServer) answer(id json.RawMessage, result string) {
	w.send(`{"jsonrpc":"2.0","id":%s,"result":%s}`, id, result)
}

// acknowledge opens a subscription that was asked for with id.
func (w *wireServer) acknowledge(id json.RawMessage, filter string) {
	w.notify("subscriptions/acknowledged", id, `"notifications":`+filter)
}

// notify sends a notification of a subscription.
func (w *wireServer) notify(method string, id json.RawMessage, members string) {
	if members != "" {
		members = "," + members
	}
	w.send(`{"jsonrpc":"2.0","method":"notifications/%s","params":{"_meta":{"io.modelcontextprotocol/subscriptionId":%s}%s}}`, method, id, members)
}

// dial connects to a server that is played by hand.
func dial(t *testing.T, server protocol.Transport, opts *mcp.ClientOptions) *mcp.Client {
	t.Helper()
	client, err := mcp.Connect(t.Context(), server, mcp.Implementation{Name: "test", Version: "1"}, opts)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := client.Close(); err != nil {
			t.Errorf("closing: %v", err)
		}
	})
	return client
}

var quiet = slog.New(slog.DiscardHandler)

// inMemory is a transport to a server whose logs nobody wants to read.
func inMemory(d protocol.Dispatcher) protocol.Transport {
	return transport.InMemory{Server: d, Options: &transport.Options{Log: quiet}}
}
