package otel_test

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/trace"

	"github.com/dougu-go/dougu/mcp"
	"github.com/dougu-go/dougu/mcp/protocol"
	"github.com/dougu-go/dougu/otel"
)

func TestEndings(t *testing.T) {
	for _, test := range []struct {
		req  *protocol.Request
		name string            // of the span
		want map[string]string // attributes of the span
		at   string            // of the measurement
	}{
		{call("echo", ""), "tools/call echo",
			map[string]string{"mcp.method.name": "tools/call", "gen_ai.tool.name": "echo", "gen_ai.operation.name": "execute_tool", "mcp.protocol.version": "2026-07-28", "network.transport": "pipe", "jsonrpc.request.id": "7"},
			"gen_ai.operation.name=execute_tool gen_ai.tool.name=echo mcp.method.name=tools/call mcp.protocol.version=2026-07-28 network.transport=pipe"},
		{call("fail", ""), "tools/call fail",
			map[string]string{"error.type": "tool_error", "dougu.tool.error.code": "NO_LUCK"},
			"error.type=tool_error gen_ai.operation.name=execute_tool gen_ai.tool.name=fail mcp.method.name=tools/call mcp.protocol.version=2026-07-28 network.transport=pipe"},
		{call("panic", ""), "tools/call panic", map[string]string{"error.type": "tool_error", "dougu.tool.error.code": "INTERNAL_ERROR"}, ""},
		{call("nobody", ""), "tools/call",
			map[string]string{"error.type": "-32602", "rpc.response.status_code": "-32602", "gen_ai.tool.name": "nobody"},
			"error.type=-32602 mcp.method.name=tools/call mcp.protocol.version=2026-07-28 network.transport=pipe rpc.response.status_code=-32602"},
		{call("two words", ""), "tools/call", map[string]string{"error.type": "-32602"}, ""},
		{call(strings.Repeat("x", 200), ""), "tools/call", map[string]string{"error.type": "-32602"}, ""},
		{request("nothing/like/it", "", ""), "_OTHER", map[string]string{"error.type": "-32601"}, ""},
		{request("a\nb", "", ""), "_OTHER", map[string]string{"error.type": "-32601"}, ""},
		{request("tools/list", "", ""), "tools/list", map[string]string{"mcp.method.name": "tools/list"}, ""},
		{request("prompts/get", `{"name":"greet"}`, ""), "prompts/get greet", map[string]string{"gen_ai.prompt.name": "greet"}, ""},
		{request("resources/read", `{"uri":"note:///one?key=secret"}`, ""), "resources/read", map[string]string{"mcp.resource.uri": "note:///one", "error.type": ""}, ""},
		{request("resources/read", `{"uri":"https://ada:secret@example.com/x?t=1#f"}`, ""), "resources/read", map[string]string{"mcp.resource.uri": "https://example.com/x", "error.type": "-32602"}, ""},
		{request("tools/call", `{"name":7}`, ""), "tools/call", map[string]string{"error.type": "-32602"}, ""},
		{request("tools/call", `nonsense`, ""), "tools/call", map[string]string{"error.type": "-32602"}, ""},
		{request("server/discover", "", ""), "server/discover", nil, ""},
	} {
		w := observe(t, otel.Options{})
		srv := newServer(t, w.Server)
		_, _ = srv.Dispatch(t.Context(), test.req)
		span := w.one(t, test.name)
		if span.SpanKind() != trace.SpanKindServer || span.Parent().IsValid() {
			t.Errorf("%s: a %s span with the parent %v", test.name, span.SpanKind(), span.Parent())
		}
		if failed := said(span, "error.type") != ""; failed != (span.Status().Code == codes.Error) {
			t.Errorf("%s: the status is %v", test.name, span.Status())
		}
		for key, want := range test.want {
			if got := said(span, key); got != want {
				t.Errorf("%s: %s is %q, want %q", test.name, key, got, want)
			}
		}
		if all := fmt.Sprint(span.Attributes(), span.Events(), span.Status()); strings.Contains(all, "secret") || strings.Contains(all, "private") {
			t.Errorf("%s: a secret is told: %s", test.name, all)
		}
		if got := w.points(t, "mcp.server.operation.duration"); len(got) != 1 || test.at != "" && got[0] != test.at {
			t.Errorf("%s: measured as %q", test.name, got)
		}
	}
}

func TestMiddleware_PanicRecorded(t *testing.T) {
	w := observe(t, otel.Options{})
	srv := newServer(t, w.Server, func(mcp.Handler) mcp.Handler {
		return func(context.Context, *protocol.Request) (protocol.Result, error) { panic("boom") }
	})
	if _, err := srv.Dispatch(t.Context(), call("echo", "")); err == nil {
		t.Error("no error")
	}
	if got := said(w.one(t, "tools/call echo"), "error.type"); got != "panic" {
		t.Errorf("error.type is %q", got)
	}
}

func TestMiddleware_CancelledCall(t *testing.T) {
	w := observe(t, otel.Options{})
	late, cancel := context.WithTimeoutCause(t.Context(), 0, context.DeadlineExceeded)
	defer cancel()
	gone, giveUp := context.WithCancel(t.Context())
	giveUp()
	handler := w.Server(func(ctx context.Context, _ *protocol.Request) (protocol.Result, error) {
		<-ctx.Done()
		return nil, context.Cause(ctx)
	})
	for want, ctx := range map[string]context.Context{"timeout": late, "cancelled": gone} {
		_, _ = handler(ctx, request("x/"+want, "", ""))
		if got := said(w.one(t, "x/"+want), "error.type"); got != want {
			t.Errorf("error.type is %q, want %q", got, want)
		}
	}
}

func TestMiddleware_RecordArguments(t *testing.T) {
	w := observe(t, otel.Options{Arguments: true})
	srv := newServer(t, w.Server)
	long := strings.Repeat("x", 100_000)
	for _, test := range []struct{ params, want string }{
		{`{"name":"echo","arguments":{"text":"hi","password":"12345"}}`, `{"password":"[redacted]","text":"hi"}`},
		{`{"name":"echo","arguments":{"text":"` + long + `"}}`, `[100011 bytes]`},
		{`{"name":"echo"}`, ""},
	} {
		before := len(w.spans.Ended())
		_, _ = srv.Dispatch(t.Context(), request("tools/call", test.params, ""))
		if got := said(w.spans.Ended()[before], "gen_ai.tool.call.arguments"); got != test.want {
			t.Errorf("recorded %q, want %q", got, test.want)
		}
	}
}

func TestMiddleware_RequestParent(t *testing.T) {
	const named = "4bf92f3577b34da6a3ce929d0e0e4736/00f067aa0ba902b7"
	const other = "00-aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa-bbbbbbbbbbbbbbbb-01"
	env := otel.EnvironmentParent(func(name string) string {
		return map[string]string{"TRACEPARENT": "00-cccccccccccccccccccccccccccccccc-dddddddddddddddd-01"}[name]
	})
	quoted := func(s string) string { return fmt.Sprintf(`{"traceparent":%q}`, s) }
	for _, test := range []struct {
		what, meta, header string
		env                bool
		want               string
	}{
		{"nothing", "", "", false, ""},
		{"_meta", quoted(parent), "", false, named},
		{"_meta before the header", quoted(parent), other, true, named},
		{"the header when _meta has none", `{"progressToken":1}`, other, true, "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa/bbbbbbbbbbbbbbbb"},
		{"the environment when nothing else has one", `{}`, "", true, "cccccccccccccccccccccccccccccccc/dddddddddddddddd"},
		{"escaped", `{"trace\u0070arent":"\u00300-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"}`, "", false, named},
		{"the first of two", `{"traceparent":"` + parent + `","traceparent":"` + other + `"}`, "", false, named},
		{"a version to come", quoted("01" + parent[2:] + "-more"), "", false, named},
		{"a header that is nonsense", "", "nonsense", false, ""},

		// An invalid traceparent begins a new trace.
		{"version ff", quoted("ff" + parent[2:]), other, true, ""},
		{"zeros", quoted("00-00000000000000000000000000000000-00f067aa0ba902b7-01"), other, true, ""},
		{"a zero span", quoted("00-4bf92f3577b34da6a3ce929d0e0e4736-0000000000000000-01"), other, true, ""},
		{"capitals", quoted(strings.ToUpper(parent)), other, true, ""},
		{"more than version 00 has", quoted(parent + "-more"), other, true, ""},
		{"short", quoted(parent[:20]), other, true, ""},
		{"empty", quoted(""), other, true, ""},
		{"a number", `{"traceparent":7}`, other, true, ""},
		{"an object", `{"traceparent":{"traceparent":"` + parent + `"}}`, other, true, ""},
		{"long", quoted(parent + strings.Repeat("0", 100_000)), other, true, ""},
		{"not an object", `[]`, "", false, ""},
		{"half an object", `{"traceparent":"` + parent, "", false, ""},
	} {
		o := otel.Options{}
		if test.env {
			o.Parent = env
		}
		w := observe(t, o)
		req := call("trace", test.meta)
		if test.header != "" {
			req.Peer = protocol.Peer{Transport: "http", Headers: http.Header{"Traceparent": {test.header}}}
		}
		result, err := newServer(t, w.Server).Dispatch(t.Context(), req)
		if err != nil {
			t.Errorf("%s: %v", test.what, err)
			continue
		}
		span := w.one(t, "tools/call trace")
		if got := parentOf(span); got != test.want {
			t.Errorf("%s: the parent is %q, want %q", test.what, got, test.want)
		}
		told := fmt.Sprintf("00-%s-%s-01", span.SpanContext().TraceID(), span.SpanContext().SpanID())
		if got := result.(*mcp.ToolResult).Content[0].(mcp.TextContent).Text; got != told {
			t.Errorf("%s: the handler is told %q, want %q", test.what, got, told)
		}
	}
}

func TestMiddleware_LinkedContextSpan(t *testing.T) {
	w := observe(t, otel.Options{})
	srv := newServer(t, w.Server)
	ctx, outer := w.tracers.Tracer("test").Start(t.Context(), "POST /mcp")
	_, _ = srv.Dispatch(ctx, call("echo", `{"traceparent":"`+parent+`"}`))
	_, _ = srv.Dispatch(ctx, request("tools/list", "", ""))
	outer.End()
	linked := w.one(t, "tools/call echo")
	if got := linked.Links(); len(got) != 1 || got[0].SpanContext.SpanID() != outer.SpanContext().SpanID() || parentOf(linked) == "" {
		t.Errorf("linked to %v, the parent is %q", got, parentOf(linked))
	}
	if got := w.one(t, "tools/list").Parent().SpanID(); got != outer.SpanContext().SpanID() {
		t.Errorf("without a trace of its own the parent is %s", got)
	}
}

func TestUntrustedTraces(t *testing.T) {
	w := observe(t, otel.Options{Untrusted: func(req *protocol.Request) bool { return req.Peer.Principal == "" }})
	var baggage string
	srv := newServer(t, w.Server, func(next mcp.Handler) mcp.Handler {
		return func(ctx context.Context, req *protocol.Request) (protocol.Result, error) {
			baggage = mcp.TraceFrom(ctx).Baggage
			return next(ctx, req)
		}
	})
	meta := `{"traceparent":"` + parent + `","baggage":"user=ada"}`
	_, _ = srv.Dispatch(t.Context(), request("tools/list", "", meta))
	span := w.one(t, "tools/list")
	if len(span.Links()) != 1 || span.Links()[0].SpanContext.TraceID().String() != parent[3:35] || parentOf(span) != "" || baggage != "" {
		t.Errorf("linked to %v with the parent %q and the baggage %q", span.Links(), parentOf(span), baggage)
	}
	known := request("prompts/list", "", meta)
	known.Peer.Principal = "ada"
	_, _ = srv.Dispatch(t.Context(), known)
	if got := parentOf(w.one(t, "prompts/list")); !strings.HasPrefix(got, parent[3:35]) || baggage != "user=ada" {
		t.Errorf("the parent of whom we know is %q, the baggage %q", got, baggage)
	}
}

func TestMiddleware_NotificationEvents(t *testing.T) {
	w := observe(t, otel.Options{})
	srv := newServer(t, w.Server)
	req := call("progress", "")
	req.Meta.ProgressToken = []byte("1")
	var told []string
	req.Notify = func(_ context.Context, n protocol.Notification) error {
		told = append(told, n.Method())
		return nil
	}
	_, _ = srv.Dispatch(t.Context(), req)
	span := w.one(t, "tools/call progress")
	if len(span.Events()) != 1 || span.Events()[0].Name != "notifications/progress" || !slices.Equal(told, []string{"notifications/progress"}) {
		t.Errorf("the events are %v, told was %q", span.Events(), told)
	}
}

func TestMiddleware_QuestionEndsSpan(t *testing.T) {
	w := observe(t, otel.Options{})
	srv := newServer(t, w.Server)
	meta, err := protocol.ReadMeta([]byte(`{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{"elicitation":{}}}}`))
	if err != nil {
		t.Fatal(err)
	}
	req := call("ask", "")
	req.Meta = meta
	if _, err := srv.Dispatch(t.Context(), req); err != nil {
		t.Fatal(err)
	}
	span := w.one(t, "tools/call ask")
	if said(span, "dougu.result.type") != "input_required" || said(span, "error.type") != "" {
		t.Errorf("the attributes are %v", span.Attributes())
	}
}
