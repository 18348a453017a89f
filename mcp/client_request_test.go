package mcp_test

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/dougu-go/dougu/mcp"
	"github.com/dougu-go/dougu/mcp/mcptest"
	"github.com/dougu-go/dougu/mcp/protocol"
)

// metaOf is the _meta of a request without the protocol's own members.
func metaOf(t *testing.T, req *protocol.Request) string {
	t.Helper()
	meta := make(map[string]json.RawMessage)
	if req.Meta.Raw != nil {
		if err := json.Unmarshal(req.Meta.Raw, &meta); err != nil {
			t.Fatal(err)
		}
	}
	for key := range meta {
		if strings.HasPrefix(key, "io.modelcontextprotocol/") || key == "progressToken" {
			delete(meta, key)
		}
	}
	text, err := json.Marshal(meta)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// Requests of any method can be sent; what the caller puts into _meta arrives,
// what is the protocol's own does not.
func TestRequest(t *testing.T) {
	inEveryRevision(t, func(t *testing.T, rev protocol.Revision) {
		var params, meta string
		client := mcptest.Connect(t, fake{"x/y": func(ctx context.Context, req *protocol.Request) (protocol.Result, error) {
			result, err := echoParams(t, `{"params":%s}`)(ctx, req)
			params, meta = string(result.(protocol.RawResult)), metaOf(t, req)
			return protocol.RawResult(`{"answer":42}`), err
		}}, &mcp.ClientOptions{Revision: rev})
		for _, tc := range []struct {
			params       string
			opts         *mcp.CallOptions
			want, inMeta string
		}{
			{``, nil, `{}`, `{}`},
			{`{}`, nil, `{}`, `{}`},
			{`{"b":1,"a":[1,{}]}`, nil, `{"a":[1,{}],"b":1}`, `{}`},
			{`{"_meta":{"x":9007199254740993,"progressToken":1},"a":1}`, nil, `{"a":1}`, `{"x":9007199254740993}`},
			{`{"_meta":{"x":1,"y":1}}`, &mcp.CallOptions{Meta: mcp.Meta{"y": 2, "z": 3}}, `{}`, `{"x":1,"y":2,"z":3}`},
		} {
			got, err := client.Request(t.Context(), "x/y", json.RawMessage(tc.params), tc.opts)
			if err != nil || !strings.Contains(string(got), `"answer":42`) {
				t.Errorf("params %s: %s, %v", tc.params, got, err)
			}
			quoted, err := json.Marshal(tc.want)
			if err != nil || params != `{"params":`+string(quoted)+`}` || meta != tc.inMeta {
				t.Errorf("params %s arrived as %s with _meta %s, want %s with %s", tc.params, params, meta, tc.want, tc.inMeta)
			}
		}
		for _, params := range []string{`[1]`, `5`, `{"a":`, `{"_meta":1}`, `x`} {
			if got, err := client.Request(t.Context(), "x/y", json.RawMessage(params), nil); err == nil {
				t.Errorf("params %s were answered with %s", params, got)
			}
		}
		if _, err := client.Request(t.Context(), "subscriptions/listen", nil, nil); err == nil || !strings.Contains(err.Error(), "Subscribe") {
			t.Errorf("subscribing by a request: %v", err)
		}
		var e *protocol.Error
		if _, err := client.Request(t.Context(), "no/such", nil, nil); !errors.As(err, &e) || e.Code != protocol.CodeMethodNotFound {
			t.Errorf("an unknown method: %v", err)
		}
	})
}

// A type of result that no revision has is an extension's, or a mistake.
func TestRequest_UnknownResultType(t *testing.T) {
	srv := fake{"tools/call": says(`{"resultType":"task","taskId":"1"}`)}
	plain := mcptest.Connect(t, srv, nil)
	extended := mcptest.Connect(t, srv, &mcp.ClientOptions{Extensions: map[string]json.RawMessage{"com.example/tasks": nil}})
	params := json.RawMessage(`{"name":"t"}`)
	if got, err := extended.Request(t.Context(), "tools/call", params, nil); err != nil || !strings.Contains(string(got), `"taskId":"1"`) {
		t.Errorf("with an extension: %s, %v", got, err)
	}
	if _, err := extended.CallTool(t.Context(), "t", nil, nil); err == nil || !strings.Contains(err.Error(), `"task"`) {
		t.Errorf("as the result of a tool: %v", err)
	}
	if _, err := plain.Request(t.Context(), "tools/call", params, nil); err == nil || !strings.Contains(err.Error(), `"task"`) {
		t.Errorf("without an extension: %v", err)
	}
}

// Requests carry the trace that their context is a part of, also a handler's.
func TestRequest_TraceContext(t *testing.T) {
	inEveryRevision(t, func(t *testing.T, rev protocol.Revision) {
		var metas []string
		backend := mcptest.Connect(t, fake{
			"tools/call": func(_ context.Context, req *protocol.Request) (protocol.Result, error) {
				metas = append(metas, metaOf(t, req))
				return mcp.Text(""), nil
			},
			"subscriptions/listen": func(ctx context.Context, req *protocol.Request) (protocol.Result, error) {
				if req.ID != `"session"` {
					metas = append(metas, metaOf(t, req))
				}
				return &protocol.ListenResult{Subscription: req.ID}, req.Notify(ctx, &protocol.AcknowledgedNotification{Subscription: req.ID})
			},
		}, &mcp.ClientOptions{Revision: rev})
		trace := mcp.TraceContext{Parent: "00-p", State: `a="b"`, Baggage: "k=v"}
		const sent = `{"baggage":"k=v","traceparent":"00-p","tracestate":"a=\"b\""}`
		call := func(ctx context.Context, opts *mcp.CallOptions) {
			if _, err := backend.CallTool(ctx, "t", nil, opts); err != nil {
				t.Error(err)
			}
		}
		traced := mcp.WithTrace(t.Context(), trace)
		call(t.Context(), nil)
		call(traced, nil)
		call(traced, &mcp.CallOptions{Meta: mcp.Meta{"x": 1}})
		call(traced, &mcp.CallOptions{Meta: mcp.Meta{"traceparent": "00-mine"}})
		front := mcptest.Connect(t, mcptest.Server(t, mcp.Features{Tools: []mcp.ServerTool{
			mcp.NewTool(mcp.Tool{Name: "t"}, func(ctx context.Context, _ struct{}) (mcp.None, error) { call(ctx, nil); return mcp.None{}, nil }),
		}}), &mcp.ClientOptions{Revision: rev})
		if _, err := front.CallTool(traced, "t", nil, nil); err != nil {
			t.Error(err)
		}
		want := []string{`{}`, sent, `{"baggage":"k=v","traceparent":"00-p","tracestate":"a=\"b\"","x":1}`, `{"traceparent":"00-mine"}`, sent}
		if rev.Modern() {
			sub, err := backend.Subscribe(traced, protocol.SubscriptionFilter{ToolsListChanged: true}, nil)
			if err != nil {
				t.Fatal(err)
			}
			<-sub.Done()
			want = append(want, sent)
		}
		if got, want := strings.Join(metas, "\n"), strings.Join(want, "\n"); got != want {
			t.Errorf("sent\n%s\nwant\n%s", got, want)
		}
	})
}

func TestPing(t *testing.T) {
	inEveryRevision(t, func(t *testing.T, rev protocol.Revision) {
		discovered := 0
		client := mcptest.Connect(t, fake{"server/discover": func(context.Context, *protocol.Request) (protocol.Result, error) {
			discovered++
			return protocol.RawResult(`{"resultType":"complete","supportedVersions":["2026-07-28"],` + everything + `,"ttlMs":100000}`), nil
		}}, &mcp.ClientOptions{Revision: rev})
		before := discovered
		for range 2 {
			if err := client.Ping(t.Context()); err != nil {
				t.Error(err)
			}
		}
		if rev.Modern() && discovered != before+2 {
			t.Errorf("the server was asked %d times, want twice", discovered-before)
		}
		if err := client.Close(); err != nil {
			t.Error(err)
		}
		if err := client.Ping(t.Context()); err == nil {
			t.Error("a closed connection gives signs of life")
		}
	})
}

// Servers of older revisions are told that the roots have changed.
func TestRootsChanged(t *testing.T) {
	roots := func(context.Context) ([]mcp.Root, error) { return nil, nil }
	for _, rev := range protocol.Revisions() {
		mcptest.Bubble(t, func(t *testing.T) {
			var seen []string
			finished := make(chan struct{})
			client, err := mcp.Connect(t.Context(), wireFromStart(func(w *wireServer) {
				defer close(finished)
				w.answer(w.next().ID, `{"supportedVersions":["2026-07-28"],"protocolVersion":"`+string(rev)+`","capabilities":{},"serverInfo":{"name":"s","version":"1"}}`)
				for m := w.next(); m.Method != ""; m = w.next() {
					seen = append(seen, m.Method)
				}
			}), mcp.Implementation{Name: "test"}, &mcp.ClientOptions{Revision: rev, Roots: roots})
			if err != nil {
				t.Fatal(err)
			}
			if err := client.RootsChanged(t.Context()); err != nil {
				t.Error(err)
			}
			if err := client.Close(); err != nil {
				t.Error(err)
			}
			<-finished
			want := "notifications/initialized notifications/roots/list_changed"
			if rev.Modern() {
				want = ""
			}
			if got := strings.Join(seen, " "); got != want {
				t.Errorf("%s: the client sent %q, want %q", rev, got, want)
			}
		})
	}
	if err := mcptest.Connect(t, fake{}, nil).RootsChanged(t.Context()); err == nil {
		t.Error("a client without roots says that they have changed")
	}
	deaf, err := mcp.Connect(t.Context(), direct{fake: fake{}, rev: protocol.Rev20251125}, mcp.Implementation{}, &mcp.ClientOptions{Roots: roots})
	if err != nil {
		t.Fatal(err)
	}
	if err := deaf.RootsChanged(t.Context()); err == nil {
		t.Error("a transport without notifications has sent one")
	}
}

// Log levels are asked for in the way of the revision.
func TestConnect_LogLevel(t *testing.T) {
	inEveryRevision(t, func(t *testing.T, rev protocol.Revision) {
		var levels []string
		client := mcptest.Connect(t, fake{"tools/call": func(_ context.Context, req *protocol.Request) (protocol.Result, error) {
			levels = append(levels, string(req.Meta.LogLevel))
			return mcp.Text(""), nil
		}}, &mcp.ClientOptions{Revision: rev, LogLevel: protocol.LevelError})
		if _, err := client.CallTool(t.Context(), "t", nil, nil); err != nil || strings.Join(levels, " ") != "error" {
			t.Errorf("asked for %v, %v", levels, err)
		}
	})
	_, err := mcp.Connect(t.Context(), inMemory(fake{}), mcp.Implementation{}, &mcp.ClientOptions{Revision: protocol.Rev20251125, LogLevel: "loud"})
	if err == nil || !strings.Contains(err.Error(), "log level") {
		t.Errorf("a level that is none: %v", err)
	}
}

// A faulty middleware of a client is an error of the request.
func TestClientUse_NoResult(t *testing.T) {
	for name, result := range map[string]protocol.Result{"nil": nil, "nil pointer": (*protocol.EmptyResult)(nil)} {
		client := mcptest.Connect(t, fake{}, &mcp.ClientOptions{Use: []mcp.Middleware{func(mcp.Handler) mcp.Handler {
			return func(context.Context, *protocol.Request) (protocol.Result, error) { return result, nil }
		}}})
		if _, err := client.ReadResource(t.Context(), "a:b", nil); err == nil || !strings.Contains(err.Error(), "resources/read: a middleware returned neither") {
			t.Errorf("%s: error %v", name, err)
		}
	}
}
