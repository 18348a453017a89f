package transport_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/dougu-go/dougu/mcp"
	"github.com/dougu-go/dougu/mcp/protocol"
	"github.com/dougu-go/dougu/transport"
)

var quiet = &transport.Options{Log: slog.New(slog.DiscardHandler)}

func dial(t *testing.T, srv protocol.Dispatcher, opts *mcp.ClientOptions) *mcp.Client {
	t.Helper()
	client, err := mcp.Connect(t.Context(), transport.InMemory{Server: srv, Options: quiet}, mcp.Implementation{Name: "test", Version: "0"}, opts)
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

// The methods of a client have the same results in all revisions.
func TestClient_EveryRevision(t *testing.T) {
	for _, rev := range protocol.Revisions() {
		t.Run(string(rev), func(t *testing.T) {
			t.Parallel()
			ctx := t.Context()
			changed := make(chan string, 10)
			logged := make(chan protocol.LogNotification, 10)
			srv := fixture(t)
			client := dial(t, srv, &mcp.ClientOptions{
				Revision: rev, LogLevel: protocol.LevelWarning,
				OnLog:         func(n protocol.LogNotification) { logged <- n },
				OnListChanged: func(list string) { changed <- list },
				Elicit: func(_ context.Context, form mcp.ElicitForm) (mcp.Answer[json.RawMessage], error) {
					if strings.HasPrefix(form.Message, "Are you sure") {
						return mcp.Answer[json.RawMessage]{Action: mcp.Accept}, nil
					}
					return mcp.Answer[json.RawMessage]{Action: mcp.Accept, Value: json.RawMessage(`{"name":"Ada"}`)}, nil
				},
			})
			if got := client.Server(); client.Revision() != rev || got.Server.Name != "fixture" || got.Instructions != "Use the tools." || got.Capabilities.Tools == nil {
				t.Errorf("connected at %s to %+v", client.Revision(), got)
			}
			if text, err := mcp.Call[string](ctx, client, "greet", person{Name: "World"}); err != nil || text != "Hello, World" {
				t.Errorf("greet: %q, %v", text, err)
			}
			if got, err := mcp.Call[sum](ctx, client, "add", addArgs{A: 9007199254740993, B: 2}); err != nil || got.Sum != 9007199254740995 {
				t.Errorf("add: %+v, %v", got, err)
			}
			if got, err := mcp.Call[[]int](ctx, client, "list", nil); err != nil || !slices.Equal(got, []int{1, 2}) {
				t.Errorf("list: %v, %v", got, err)
			}
			var failure *mcp.ToolFailure
			if _, err := mcp.Call[mcp.None](ctx, client, "fail", nil); !errors.As(err, &failure) || failure.ErrorCode() != "FILE_NOT_FOUND" || !strings.Contains(err.Error(), "list the directory") {
				t.Errorf("fail: %v", err)
			}
			var refused *protocol.Error
			if _, err := mcp.Call[mcp.None](ctx, client, "gret", nil); !errors.As(err, &refused) || refused.Code != protocol.CodeInvalidParams || !strings.Contains(err.Error(), "greet") {
				t.Errorf("an unknown tool: %v", err)
			}
			var steps []float64
			if _, err := client.CallTool(ctx, "work", nil, &mcp.CallOptions{OnProgress: func(p protocol.ProgressNotification) { steps = append(steps, p.Progress) }}); err != nil || !slices.Equal(steps, []float64{0, 1, 2}) {
				t.Errorf("progress %v, %v", steps, err)
			}
			if n := <-logged; n.Level != protocol.LevelWarning || n.Logger != "work" || string(n.Data) != `{"left":0}` {
				t.Errorf("logged %+v", n)
			}
			if media, err := client.CallTool(ctx, "media", nil, nil); err != nil || len(media.Content) != 4 {
				t.Errorf("media: %+v, %v", media, err)
			} else if image, ok := media.Content[0].(mcp.ImageContent); !ok || string(image.Data) != "png" || image.MIMEType != "image/png" {
				t.Errorf("image: %+v", media.Content[0])
			}
			var names []string
			for tool, err := range client.Tools(ctx) {
				if err != nil {
					t.Fatal(err)
				}
				names = append(names, tool.Name)
			}
			if len(names) != 11 || names[0] != "greet" || slices.Contains(names, "slow") {
				t.Errorf("tools: %v", names)
			}
			if list := firstChange(t, srv, changed); list != "tools" {
				t.Errorf("the list %q changed", list)
			}
			if rev >= protocol.Rev20250618 {
				if text, err := mcp.Call[string](ctx, client, "ask", nil); err != nil || text != "Hello, Ada" {
					t.Errorf("ask: %q, %v", text, err)
				}
			}
		})
	}
}

// firstChange changes the list of tools until the client receives a
// notification. Changes before the subscription is open are lost.
func firstChange(t *testing.T, srv *mcp.Server, changed <-chan string) string {
	t.Helper()
	for late := time.Now().Add(time.Minute); time.Now().Before(late); {
		for _, f := range []mcp.Features{{Tools: []mcp.ServerTool{grown}}, {}} {
			if err := srv.Replace("grown", f); err != nil {
				t.Fatal(err)
			}
			select {
			case list := <-changed:
				return list
			case <-time.After(100 * time.Millisecond):
			}
		}
	}
	t.Fatal("the client hears of no change")
	return ""
}

func TestClient_CancelledCall(t *testing.T) {
	for _, rev := range []protocol.Revision{protocol.Latest, protocol.Rev20250618} {
		t.Run(string(rev), func(t *testing.T) {
			t.Parallel()
			began, ended := make(chan struct{}), make(chan error, 1)
			srv := mcp.NewServer(mcp.Implementation{Name: "s"}, nil)
			if err := mcp.AddTool(srv, mcp.Tool{Name: "block"}, func(ctx context.Context, _ struct{}) (string, error) {
				close(began)
				<-ctx.Done()
				ended <- context.Cause(ctx)
				return "", ctx.Err()
			}); err != nil {
				t.Fatal(err)
			}
			client := dial(t, srv, &mcp.ClientOptions{Revision: rev})
			ctx, cancel := context.WithCancel(t.Context())
			go func() {
				<-began
				cancel()
			}()
			if _, err := client.CallTool(ctx, "block", nil, nil); !errors.Is(err, context.Canceled) {
				t.Errorf("the caller got %v", err)
			}
			if err := <-ended; err == nil || !strings.Contains(err.Error(), "cancelled") {
				t.Errorf("the handler's context ended with %v", err)
			}
		})
	}
}

// scripted is a server that responds by method with raw JSON members. It does
// not respond to unknown methods.
type scripted map[string]string

// The cases are the responses of servers to the first request of a client.
func TestClient_Negotiation(t *testing.T) {
	const (
		discovered  = `"result":{"resultType":"complete","supportedVersions":["2026-07-28"],"capabilities":{"tools":{}},"ttlMs":0,"cacheScope":"private"}`
		initialized = `"result":{"protocolVersion":"2025-06-18","capabilities":{},"serverInfo":{"name":"old","version":"1"}}`
	)
	for name, tc := range map[string]struct {
		server   scripted
		silent   bool              // the server does not answer the probe
		revision protocol.Revision // pinned
		want     protocol.Revision
		wantErr  string
	}{
		"a modern server":                      {server: scripted{"server/discover": discovered}, want: protocol.Latest},
		"an old one, method not found":         {server: scripted{"server/discover": `"error":{"code":-32601,"message":"?"}`, "initialize": initialized}, want: protocol.Rev20250618},
		"an old one, invalid params":           {server: scripted{"server/discover": `"error":{"code":-32602,"message":"?"}`, "initialize": initialized}, want: protocol.Rev20250618},
		"an old one, a code of its own":        {server: scripted{"server/discover": `"error":{"code":0,"message":"not initialized"}`, "initialize": initialized}, want: protocol.Rev20250618},
		"an old one that says nothing":         {server: scripted{"initialize": initialized}, silent: true, want: protocol.Rev20250618},
		"an old one that answers nonsense":     {server: scripted{"server/discover": `"result":[]`, "initialize": initialized}, want: protocol.Rev20250618},
		"a modern one with sessions alone":     {server: scripted{"server/discover": `"error":{"code":-32022,"message":"?","data":{"supported":["2025-06-18","2025-03-26"],"requested":"2026-07-28"}}`, "initialize": initialized}, want: protocol.Rev20250618},
		"one that discovers sessions alone":    {server: scripted{"server/discover": `"result":{"supportedVersions":["2025-06-18"],"capabilities":{}}`, "initialize": initialized}, want: protocol.Rev20250618},
		"pinned to a session":                  {server: scripted{"initialize": initialized}, revision: protocol.Rev20250618, want: protocol.Rev20250618},
		"pinned to a session it does not have": {server: scripted{"initialize": initialized}, revision: protocol.Rev20241105, wantErr: "2025-06-18"},
		"pinned to the latest, an old server":  {server: scripted{"server/discover": `"error":{"code":-32601,"message":"who?"}`}, revision: protocol.Latest, wantErr: "who?"},
		"pinned to what does not exist":        {server: scripted{}, revision: "2030-01-01", wantErr: "2030-01-01"},
		"a revision nobody knows":              {server: scripted{"server/discover": `"error":{"code":1,"message":"?"}`, "initialize": `"result":{"protocolVersion":"1999-01-01","capabilities":{},"serverInfo":{"name":"x","version":"1"}}`}, wantErr: "1999-01-01"},
		"a refusal":                            {server: scripted{"server/discover": `"error":{"code":1,"message":"?"}`, "initialize": `"error":{"code":-32603,"message":"no"}`}, wantErr: "no"},
		"a refusal that names what is spoken":  {server: scripted{"server/discover": `"error":{"code":1,"message":"?"}`, "initialize 2025-11-25": `"error":{"code":-32602,"message":"no","data":{"supported":["2025-06-18"]}}`, "initialize 2025-06-18": initialized}, want: protocol.Rev20250618},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			opts := &mcp.ClientOptions{Revision: tc.revision, ProbeTimeout: time.Minute}
			if tc.silent {
				opts.ProbeTimeout = 50 * time.Millisecond
			}
			client, err := mcp.Connect(t.Context(), tc.server, mcp.Implementation{Name: "test"}, opts)
			if tc.wantErr != "" {
				if err == nil || !strings.Contains(err.Error(), tc.wantErr) {
					t.Errorf("connecting: %v, want an error with %q", err, tc.wantErr)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			if client.Revision() != tc.want {
				t.Errorf("connected at %s, want %s", client.Revision(), tc.want)
			}
			if err := client.Close(); err != nil {
				t.Error(err)
			}
		})
	}
}

func TestClient_Pages(t *testing.T) {
	srv := mcp.NewServer(mcp.Implementation{Name: "s"}, &mcp.ServerOptions{PageSize: 3})
	var tools []mcp.ServerTool
	for i := range 7 {
		tools = append(tools, mcp.NewTool(mcp.Tool{Name: fmt.Sprintf("tool%d", i)}, func(context.Context, struct{}) (mcp.None, error) { return mcp.None{}, nil }))
	}
	if err := srv.Replace("all", mcp.Features{Tools: tools}); err != nil {
		t.Fatal(err)
	}
	client := dial(t, srv, nil)
	var names []string
	for tool, err := range client.Tools(t.Context()) {
		if err != nil {
			t.Fatal(err)
		}
		if names = append(names, tool.Name); len(names) == 4 {
			// The second page begins at tool3 all the same: the cursor is a place
			// in the list, not a number.
			if err := srv.Replace("all", mcp.Features{Tools: tools[1:]}); err != nil {
				t.Fatal(err)
			}
		}
	}
	if got := strings.Join(names, " "); got != "tool0 tool1 tool2 tool3 tool4 tool5 tool6" {
		t.Errorf("listed %s", got)
	}
	for range client.Tools(t.Context()) {
		break // an iteration may end early
	}
}

func TestClient_ConcurrentCalls(t *testing.T) {
	var running, most atomic.Int64
	srv := mcp.NewServer(mcp.Implementation{Name: "s"}, nil)
	if err := mcp.AddTool(srv, mcp.Tool{Name: "double"}, func(_ context.Context, in addArgs) (int64, error) {
		n := running.Add(1)
		defer running.Add(-1)
		for m := most.Load(); n > m && !most.CompareAndSwap(m, n); m = most.Load() {
		}
		return 2 * in.A, nil
	}); err != nil {
		t.Fatal(err)
	}
	client := dial(t, srv, nil)
	results := make(chan error, 500)
	for i := range int64(500) {
		go func() {
			got, err := mcp.Call[int64](t.Context(), client, "double", addArgs{A: i})
			if err == nil && got != 2*i {
				err = fmt.Errorf("double %d gave %d", i, got)
			}
			results <- err
		}()
	}
	for range 500 {
		if err := <-results; err != nil {
			t.Error(err)
		}
	}
	if most.Load() > 32 {
		t.Errorf("%d calls ran at once, at most 32 may", most.Load())
	}
}
