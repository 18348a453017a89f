package websocket_test

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/dougu-go/dougu/mcp"
	"github.com/dougu-go/dougu/mcp/protocol"
	"github.com/dougu-go/dougu/transport/websocket"
)

type person struct {
	Name string `json:"name" jsonschema:"minLength=1"`
}

type sum struct {
	Sum   int64   `json:"sum"`
	Terms []int64 `json:"terms"`
}

type addArgs struct {
	A int64 `json:"a"`
	B int64 `json:"b,omitempty" jsonschema:"default=1"`
}

type echoArgs struct {
	Text string `json:"text"`
}

// fixture is a server with one tool for everything that a transport carries.
func fixture(t testing.TB) *mcp.Server {
	t.Helper()
	srv := mcp.NewServer(mcp.Implementation{Name: "fixture", Version: "1.0.0"}, &mcp.ServerOptions{Instructions: "Use the tools.", Log: discard})
	must := func(err error) {
		if err != nil {
			t.Fatal(err)
		}
	}
	must(mcp.AddTool(srv, mcp.Tool{Name: "greet"}, func(_ context.Context, in person) (string, error) { return "Hello, " + in.Name, nil }))
	must(mcp.AddTool(srv, mcp.Tool{Name: "echo"}, func(_ context.Context, in echoArgs) (string, error) { return in.Text, nil }))
	must(mcp.AddTool(srv, mcp.Tool{Name: "add"}, func(_ context.Context, in addArgs) (sum, error) { return sum{Sum: in.A + in.B}, nil }))
	must(mcp.AddTool(srv, mcp.Tool{Name: "who"}, func(ctx context.Context, _ struct{}) (string, error) {
		peer := mcp.CallFrom(ctx).Request.Peer
		if peer.Headers.Get("Sec-WebSocket-Key") != "" || peer.Address == "" {
			return "", errors.New("the peer is not who it is")
		}
		return peer.Principal + " over " + peer.Transport, nil
	}))
	must(mcp.AddTool(srv, mcp.Tool{Name: "fail"}, func(context.Context, struct{}) (mcp.None, error) {
		return mcp.None{}, &mcp.ToolError{Code: "FILE_NOT_FOUND", Message: "there is no a.txt", Next: "list the directory"}
	}))
	must(mcp.AddTool(srv, mcp.Tool{Name: "work"}, func(ctx context.Context, _ struct{}) (string, error) {
		for i := range 3 {
			mcp.Progress(ctx, float64(i), 2, "step")
		}
		//lint:ignore SA1019 every revision must go on working
		mcp.Log(ctx, protocol.LevelWarning, "work", map[string]int{"left": 0})
		return "done", nil
	}))
	must(mcp.AddTool(srv, mcp.Tool{Name: "ask"}, func(ctx context.Context, _ struct{}) (string, error) {
		answer, err := mcp.Elicit[person](ctx, "who", "Who are you?")
		if err != nil {
			return "", err
		}
		return "Hello, " + answer.Value.Name, nil
	}))
	must(mcp.AddTool(srv, mcp.Tool{Name: "grow"}, func(context.Context, struct{}) (string, error) {
		return "grown", srv.Replace("grown", mcp.Features{Tools: []mcp.ServerTool{
			mcp.NewTool(mcp.Tool{Name: "new"}, func(context.Context, struct{}) (mcp.None, error) { return mcp.None{}, nil }),
		}})
	}))
	return srv
}

// Everything that a client does is the same whatever the revision.
func TestClient_Revisions(t *testing.T) {
	for _, rev := range append(protocol.Revisions(), "") {
		t.Run(string(rev), func(t *testing.T) {
			t.Parallel()
			ctx := t.Context()
			url, _ := serve(t, fixture(t), nil)
			changed, logged := make(chan string, 10), make(chan protocol.LogNotification, 10)
			client, err := mcp.Connect(ctx, websocket.Client{URL: url, Options: quiet}, info, &mcp.ClientOptions{
				Revision: rev, LogLevel: protocol.LevelWarning,
				OnLog:         func(n protocol.LogNotification) { logged <- n },
				OnListChanged: func(list string) { changed <- list },
				Elicit: func(context.Context, mcp.ElicitForm) (mcp.Answer[json.RawMessage], error) {
					return mcp.Answer[json.RawMessage]{Action: mcp.Accept, Value: json.RawMessage(`{"name":"Ada"}`)}, nil
				},
			})
			if err != nil {
				t.Fatal(err)
			}
			if got := client.Server(); rev != "" && client.Revision() != rev || got.Server.Name != "fixture" || got.Instructions != "Use the tools." || got.Capabilities.Tools == nil {
				t.Errorf("connected at %s to %+v", client.Revision(), got)
			}
			if text, err := mcp.Call[string](ctx, client, "greet", person{Name: "World\n\u2028"}); err != nil || text != "Hello, World\n\u2028" {
				t.Errorf("greet: %q, %v", text, err)
			}
			if got, err := mcp.Call[sum](ctx, client, "add", addArgs{A: 9007199254740993, B: 2}); err != nil || got.Sum != 9007199254740995 {
				t.Errorf("add: %+v, %v", got, err)
			}
			if who, err := mcp.Call[string](ctx, client, "who", nil); err != nil || who != " over websocket" {
				t.Errorf("who: %q, %v", who, err)
			}
			var failure *mcp.ToolFailure
			if _, err := mcp.Call[mcp.None](ctx, client, "fail", nil); !errors.As(err, &failure) || failure.ErrorCode() != "FILE_NOT_FOUND" {
				t.Errorf("fail: %v", err)
			}
			var refused *protocol.Error
			if _, err := mcp.Call[mcp.None](ctx, client, "gret", nil); !errors.As(err, &refused) || refused.Code != protocol.CodeInvalidParams {
				t.Errorf("an unknown tool: %v", err)
			}
			var steps []float64
			if _, err := client.CallTool(ctx, "work", nil, &mcp.CallOptions{OnProgress: func(p protocol.ProgressNotification) { steps = append(steps, p.Progress) }}); err != nil || !slices.Equal(steps, []float64{0, 1, 2}) {
				t.Errorf("progress %v, %v", steps, err)
			}
			if n := <-logged; n.Level != protocol.LevelWarning || n.Logger != "work" || string(n.Data) != `{"left":0}` {
				t.Errorf("logged %+v", n)
			}
			var names []string
			for tool, err := range client.Tools(ctx) {
				if err != nil {
					t.Fatal(err)
				}
				names = append(names, tool.Name)
			}
			if len(names) != 8 || names[0] != "greet" {
				t.Errorf("tools: %v", names)
			}
			if _, err := mcp.Call[string](ctx, client, "grow", nil); err != nil {
				t.Error(err)
			}
			if list := <-changed; list != "tools" {
				t.Errorf("the list %q changed", list)
			}
			if rev >= protocol.Rev20250618 {
				if text, err := mcp.Call[string](ctx, client, "ask", nil); err != nil || text != "Hello, Ada" {
					t.Errorf("ask: %q, %v", text, err)
				}
			}
			if err := client.Close(); err != nil {
				t.Errorf("closing: %v", err)
			}
		})
	}
}

// Both eras share one connection.
func TestHandler_LegacyAndModern(t *testing.T) {
	url, _ := serve(t, fixture(t), nil)
	c, _ := open(t, url, "Sec-WebSocket-Protocol: mcp\r\n")
	const modern = `"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}`
	for _, tc := range []struct{ send, want string }{
		{`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"greet","arguments":{"name":"A"}}}`, `"error"`},
		{`{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"greet","arguments":{"name":"B"},` + modern + `}}`, `"resultType":"complete"`},
		{`{"jsonrpc":"2.0","id":3,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"c","version":"1"}}}`, `"protocolVersion":"2025-06-18"`},
		{`{"jsonrpc":"2.0","id":4,"method":"tools/call","params":{"name":"greet","arguments":{"name":"C"}}}`, `{"jsonrpc":"2.0","id":4,"result":{"content":[{"type":"text","text":"Hello, C"}]`},
		{`{"jsonrpc":"2.0","id":5,"method":"tools/call","params":{"name":"greet","arguments":{"name":"D"},` + modern + `}}`, `"resultType":"complete"`},
	} {
		c.sendText(tc.send)
		if got := c.message(); !strings.Contains(got, tc.want) {
			t.Errorf("%s\ngot  %s\nwant %s", tc.send, got, tc.want)
		}
	}
}

// Large messages go through, both ways.
func TestHandler_LargeMessages(t *testing.T) {
	url, _ := serve(t, fixture(t), nil)
	client, err := mcp.Connect(t.Context(), websocket.Client{URL: url, Options: quiet}, info, nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, size := range []int{1, 4095, 64 << 10, 64<<10 + 1, 3 << 20} {
		text := strings.Repeat("x", size)
		if got, err := mcp.Call[string](t.Context(), client, "echo", echoArgs{text}); err != nil || got != text {
			t.Errorf("%d bytes came back as %d, %v", size, len(got), err)
		}
	}
	if err := client.Close(); err != nil {
		t.Errorf("closing: %v", err)
	}
}
