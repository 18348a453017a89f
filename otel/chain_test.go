package otel_test

import (
	"context"
	"encoding/json"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/trace"

	"github.com/dougu-go/dougu/mcp"
	"github.com/dougu-go/dougu/mcp/gateway"
	"github.com/dougu-go/dougu/mcp/protocol"
	"github.com/dougu-go/dougu/otel"
	"github.com/dougu-go/dougu/transport"
	"github.com/dougu-go/dougu/transport/httpclient"
	"github.com/dougu-go/dougu/transport/httpserver"
)

// connect connects a client that is observed.
func (w *observer) connect(t testing.TB, by protocol.Transport, opts *mcp.ClientOptions) *mcp.Client {
	t.Helper()
	client, err := mcp.Connect(t.Context(), w.Client(by), mcp.Implementation{Name: "test", Version: "1"}, w.Answers(opts))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = client.Close() }) // the test may have closed it
	return client
}

// overHTTP serves d over HTTP.
func overHTTP(t testing.TB, d protocol.Dispatcher) *httpclient.Client {
	t.Helper()
	handler := httpserver.NewHandler(d, nil)
	server := httptest.NewServer(handler)
	t.Cleanup(func() {
		_ = handler.Shutdown(context.Background())
		server.Close()
	})
	return &httpclient.Client{URL: server.URL}
}

var revisions = []protocol.Revision{protocol.Rev20241105, protocol.Rev20250326, protocol.Rev20250618, protocol.Rev20251125, protocol.Latest}

// descends checks that each span is the parent of the next.
func descends(t testing.TB, spans ...sdktrace.ReadOnlySpan) {
	t.Helper()
	for n, s := range spans[1:] {
		if parentOf(s) != idOf(spans[n]) {
			t.Errorf("the parent of span %d, %s of %s, is %s and not %s of %s", n+1, s.Name(), idOf(s), parentOf(s), spans[n].Name(), idOf(spans[n]))
		}
	}
}

func ofKind(spans []sdktrace.ReadOnlySpan, kind trace.SpanKind) (found []sdktrace.ReadOnlySpan) {
	for _, s := range spans {
		if s.SpanKind() == kind {
			found = append(found, s)
		}
	}
	return found
}

func TestTrace_ClientAndServer(t *testing.T) {
	for _, rev := range revisions {
		for _, by := range []string{"memory", "http"} {
			t.Run(string(rev)+" "+by, func(t *testing.T) {
				w := observe(t, otel.Options{})
				srv := newServer(t, w.Server)
				var way protocol.Transport = transport.InMemory{Server: srv}
				if by == "http" {
					way = overHTTP(t, srv)
				}
				client := w.connect(t, way, &mcp.ClientOptions{Revision: rev})
				ctx, root := w.tracers.Tracer("test").Start(t.Context(), "root")
				got, err := mcp.Call[string](ctx, client, "trace", nil)
				root.End()
				if err != nil {
					t.Fatal(err)
				}
				spans := w.all("tools/call trace")
				if len(spans) != 2 {
					t.Fatalf("%d spans of a call", len(spans))
				}
				sent, served := ofKind(spans, trace.SpanKindClient)[0], ofKind(spans, trace.SpanKindServer)[0]
				descends(t, w.one(t, "root"), sent, served)
				if !strings.Contains(got, served.SpanContext().SpanID().String()) {
					t.Errorf("the handler belongs to %s, want %s", got, idOf(served))
				}
				if said(sent, "mcp.protocol.version") != string(rev) || said(served, "mcp.protocol.version") != string(rev) {
					t.Errorf("the revisions are %q and %q", said(sent, "mcp.protocol.version"), said(served, "mcp.protocol.version"))
				}
				if by == "http" && (said(sent, "server.address") != "127.0.0.1" || said(sent, "network.protocol.name") != "http" || said(served, "client.address") != "127.0.0.1") {
					t.Errorf("the places are %v and %v", sent.Attributes(), served.Attributes())
				}
				opened := "initialize"
				if rev.Modern() {
					opened = "server/discover"
				}
				if len(ofKind(w.all(opened), trace.SpanKindClient)) != 1 || len(ofKind(w.all(opened), trace.SpanKindServer)) != 1 {
					t.Errorf("the connection was opened in %d spans", len(w.all(opened)))
				}
			})
		}
	}
}

func TestTrace_Gateway(t *testing.T) {
	for _, front := range revisions {
		for _, back := range []protocol.Revision{protocol.Rev20251125, protocol.Latest} {
			t.Run(string(front)+" to "+string(back), func(t *testing.T) {
				// Each has instruments of its own, as it has in a process of its own.
				mine, between, behind, inside := observe(t, otel.Options{}), observe(t, otel.Options{}), observe(t, otel.Options{}), observe(t, otel.Options{})
				remote := overHTTP(t, only(back, newServer(t, behind.Server)))
				g, err := gateway.New(gateway.Options{},
					gateway.Upstream{Name: "far", Connect: gateway.Always(between.Client(remote))},
					gateway.Upstream{Name: "near", Server: newServer(t, inside.Server)})
				if err != nil {
					t.Fatal(err)
				}
				t.Cleanup(func() { _ = g.Close() })
				client := mine.connect(t, overHTTP(t, between.Dispatcher(g)), &mcp.ClientOptions{Revision: front})
				ctx, root := mine.tracers.Tracer("test").Start(t.Context(), "root")
				for _, tool := range []string{"far_echo", "near_echo"} {
					if got, err := mcp.Call[string](ctx, client, tool, echoArgs{"hi"}); err != nil || got != "hi" {
						t.Fatalf("%q, %v", got, err)
					}
				}
				root.End()
				descends(t, mine.one(t, "root"), mine.one(t, "tools/call far_echo"), between.one(t, "tools/call far_echo"),
					between.one(t, "tools/call echo"), behind.one(t, "tools/call echo"))
				descends(t, mine.one(t, "root"), mine.one(t, "tools/call near_echo"), between.one(t, "tools/call near_echo"), inside.one(t, "tools/call echo"))
				// The request of the transport in the name of a session has no client.
				for _, w := range []*observer{between, behind} {
					for _, s := range ofKind(w.all("subscriptions/listen"), trace.SpanKindServer) {
						if said(s, "mcp.protocol.version") != string(protocol.Latest) {
							t.Errorf("a session listens: %v", s.Attributes())
						}
					}
				}
				if got := said(behind.one(t, "tools/call echo"), "mcp.protocol.version"); got != string(back) {
					t.Errorf("the upstream was spoken to in %s", got)
				}
			})
		}
	}
}

// only refuses requests of the latest revision unless that is the one.
func only(rev protocol.Revision, d protocol.Dispatcher) protocol.Dispatcher {
	if rev.Modern() {
		return d
	}
	return older{d}
}

type older struct{ protocol.Dispatcher }

func (d older) Dispatch(ctx context.Context, req *protocol.Request) (protocol.Result, error) {
	if req.Meta.Session() == nil {
		return nil, protocol.UnsupportedRevision(req.Meta.Revision)
	}
	return d.Dispatcher.Dispatch(ctx, req)
}

func TestTrace_UninstrumentedGateway(t *testing.T) {
	mine, behind := observe(t, otel.Options{}), observe(t, otel.Options{})
	g, err := gateway.New(gateway.Options{}, gateway.Upstream{Name: "far", Connect: gateway.Always(overHTTP(t, newServer(t, behind.Server)))})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = g.Close() })
	client := mine.connect(t, overHTTP(t, g), nil)
	if _, err := mcp.Call[string](t.Context(), client, "far_echo", nil); err != nil {
		t.Fatal(err)
	}
	descends(t, mine.one(t, "tools/call far_echo"), behind.one(t, "tools/call echo"))
}

func TestTrace_Questions(t *testing.T) {
	for _, rev := range []protocol.Revision{protocol.Rev20250618, protocol.Rev20251125, protocol.Latest} {
		t.Run(string(rev), func(t *testing.T) {
			w := observe(t, otel.Options{})
			var within string
			client := w.connect(t, overHTTP(t, newServer(t, w.Server)), &mcp.ClientOptions{
				Revision: rev,
				Elicit: func(ctx context.Context, _ mcp.ElicitForm) (mcp.Answer[json.RawMessage], error) {
					within = trace.SpanContextFromContext(ctx).SpanID().String()
					return mcp.Answer[json.RawMessage]{Action: mcp.Accept, Value: json.RawMessage(`{"name":"Ada"}`)}, nil
				},
			})
			ctx, root := w.tracers.Tracer("test").Start(t.Context(), "root")
			got, err := mcp.Call[string](ctx, client, "ask", nil)
			root.End()
			if err != nil || got != "Ada" {
				t.Fatalf("%q, %v", got, err)
			}
			calls, questions := w.all("tools/call ask"), w.all("elicitation/create")
			if rev.Modern() {
				if len(calls) != 4 || len(questions) != 1 {
					t.Fatalf("%d spans of the call and %d of the question", len(calls), len(questions))
				}
				descends(t, w.one(t, "root"), questions[0])
			} else {
				if len(calls) != 2 || len(questions) != 2 {
					t.Fatalf("%d spans of the call and %d of the question", len(calls), len(questions))
				}
				put, answered := ofKind(questions, trace.SpanKindClient)[0], ofKind(questions, trace.SpanKindServer)[0]
				descends(t, w.one(t, "root"), ofKind(calls, trace.SpanKindClient)[0], ofKind(calls, trace.SpanKindServer)[0], put, answered)
				questions = questions[:0]
				questions = append(questions, answered)
			}
			if want := questions[0].SpanContext().SpanID().String(); within != want {
				t.Errorf("the question is answered in span %s, want %s", within, want)
			}
		})
	}
}

func TestMetrics_Sessions(t *testing.T) {
	w := observe(t, otel.Options{})
	srv := newServer(t, w.Server)
	for _, rev := range []protocol.Revision{protocol.Rev20250618, protocol.Latest} {
		client := w.connect(t, transport.InMemory{Server: srv}, &mcp.ClientOptions{Revision: rev})
		if err := client.Close(); err != nil {
			t.Fatal(err)
		}
	}
	if got := w.points(t, "mcp.client.session.duration"); !slices.Equal(got, []string{"mcp.protocol.version=2025-06-18", "mcp.protocol.version=2026-07-28"}) {
		t.Errorf("the client has measured %q", got)
	}
	if got := w.points(t, "mcp.server.session.duration"); len(got) != 1 {
		t.Errorf("the server has measured %q", got)
	}
}

func TestTrace_SubscriptionSpanEnd(t *testing.T) {
	w := observe(t, otel.Options{})
	srv := newServer(t, w.Server)
	client := w.connect(t, transport.InMemory{Server: srv}, nil)
	heard := make(chan protocol.Notification, 1)
	sub, err := client.Subscribe(t.Context(), protocol.SubscriptionFilter{ToolsListChanged: true}, func(n protocol.Notification) { heard <- n })
	if err != nil {
		t.Fatal(err)
	}
	if got := w.all("subscriptions/listen"); len(got) != 2 {
		t.Errorf("%d spans have ended", len(got))
	}
	if err := srv.Remove("test"); err != nil {
		t.Fatal(err)
	}
	<-heard
	_ = sub.Close()
	for _, point := range append(w.points(t, "mcp.server.operation.duration"), w.points(t, "mcp.client.operation.duration")...) {
		if strings.Contains(point, "subscriptions/listen") {
			t.Errorf("how long it lasted was measured: %s", point)
		}
	}
}

func TestTrace_ClientFailures(t *testing.T) {
	w := observe(t, otel.Options{})
	client := w.connect(t, transport.InMemory{Server: newServer(t)}, nil)
	_, _ = mcp.Call[string](t.Context(), client, "fail", nil)
	_, _ = mcp.Call[string](t.Context(), client, "nobody", nil)
	_, _ = client.ReadResource(t.Context(), "x:y?secret", nil)
	_, _ = client.CallTool(t.Context(), "wait", nil, &mcp.CallOptions{Timeout: 1})
	for name, want := range map[string]string{"tools/call fail": "tool_error", "tools/call nobody": "-32602", "resources/read": "-32602", "tools/call wait": "timeout"} {
		span := w.one(t, name)
		if got := said(span, "error.type"); got != want {
			t.Errorf("%s: error.type is %q, want %q", name, got, want)
		}
		if strings.Contains(span.Status().Description, "secret") {
			t.Errorf("%s: the status is %v", name, span.Status())
		}
	}
	if got := said(w.one(t, "tools/call fail"), "dougu.tool.error.code"); got != "NO_LUCK" {
		t.Errorf("the code of the tool's error is %q", got)
	}
	gone := otherPlace(t, w)
	if got := said(gone, "error.type"); got != "_OTHER" || said(gone, "server.port") != "1" {
		t.Errorf("the span of a connection that fails has %v", gone.Attributes())
	}
}

func otherPlace(t *testing.T, w *observer) sdktrace.ReadOnlySpan {
	t.Helper()
	_, err := w.Client(transport.Dial{Network: "tcp", Address: "127.0.0.1:1"}).Connect(t.Context(), new(protocol.Host))
	if err == nil {
		t.Fatal("connected to nobody")
	}
	return w.one(t, "initialize")
}
