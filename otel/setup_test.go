package otel_test

import (
	"context"
	"encoding/json"
	"log/slog"
	"slices"
	"strings"
	"testing"

	"go.opentelemetry.io/otel/attribute"
	sdkmetric "go.opentelemetry.io/otel/sdk/metric"
	"go.opentelemetry.io/otel/sdk/metric/metricdata"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"
	"go.opentelemetry.io/otel/trace"
	"go.uber.org/goleak"

	"github.com/dougu-go/dougu/mcp"
	"github.com/dougu-go/dougu/mcp/protocol"
	"github.com/dougu-go/dougu/otel"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// parent is a trace that another program has begun.
const parent = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"

// observer records the spans and metrics of instruments.
type observer struct {
	*otel.Instruments
	spans   *tracetest.SpanRecorder
	metrics *sdkmetric.ManualReader
	tracers trace.TracerProvider
}

func observe(t testing.TB, o otel.Options) *observer {
	t.Helper()
	w := &observer{spans: tracetest.NewSpanRecorder(), metrics: sdkmetric.NewManualReader()}
	w.tracers = sdktrace.NewTracerProvider(sdktrace.WithSpanProcessor(w.spans))
	o.Tracers = w.tracers
	o.Meters = sdkmetric.NewMeterProvider(sdkmetric.WithReader(w.metrics))
	var err error
	if w.Instruments, err = otel.New(o); err != nil {
		t.Fatal(err)
	}
	return w
}

// one is the only span that has ended with a name.
func (w *observer) one(t testing.TB, name string) sdktrace.ReadOnlySpan {
	t.Helper()
	found := w.all(name)
	if len(found) != 1 {
		var names []string
		for _, s := range w.spans.Ended() {
			names = append(names, s.Name())
		}
		t.Fatalf("%d spans are called %q, of %q", len(found), name, names)
	}
	return found[0]
}

func (w *observer) all(name string) (found []sdktrace.ReadOnlySpan) {
	for _, s := range w.spans.Ended() {
		if s.Name() == name {
			found = append(found, s)
		}
	}
	return found
}

// said is an attribute of a span as text.
func said(s sdktrace.ReadOnlySpan, key string) string {
	for _, a := range s.Attributes() {
		if string(a.Key) == key {
			return a.Value.String()
		}
	}
	return ""
}

func parentOf(s sdktrace.ReadOnlySpan) string {
	if !s.Parent().IsValid() {
		return ""
	}
	return s.Parent().TraceID().String() + "/" + s.Parent().SpanID().String()
}

func idOf(s sdktrace.ReadOnlySpan) string {
	return s.SpanContext().TraceID().String() + "/" + s.SpanContext().SpanID().String()
}

// points are the attributes of a histogram's points, each as one text, sorted.
func (w *observer) points(t testing.TB, name string) (all []string) {
	t.Helper()
	var got metricdata.ResourceMetrics
	if err := w.metrics.Collect(t.Context(), &got); err != nil {
		t.Fatal(err)
	}
	for _, scope := range got.ScopeMetrics {
		for _, m := range scope.Metrics {
			if m.Name != name {
				continue
			}
			for _, p := range m.Data.(metricdata.Histogram[float64]).DataPoints {
				all = append(all, strings.Join(texts(p.Attributes), " "))
			}
		}
	}
	slices.Sort(all)
	return all
}

func texts(set attribute.Set) (all []string) {
	for _, a := range set.ToSlice() {
		all = append(all, string(a.Key)+"="+a.Value.String())
	}
	return all
}

type echoArgs struct {
	Text string `json:"text,omitempty"`
}

// newServer has a tool for each way in which a call can end.
func newServer(t testing.TB, use ...mcp.Middleware) *mcp.Server {
	t.Helper()
	srv := mcp.NewServer(mcp.Implementation{Name: "test", Version: "1"}, &mcp.ServerOptions{Log: slog.New(slog.DiscardHandler)})
	tool := func(name string, h func(context.Context, echoArgs) (string, error)) mcp.ServerTool {
		return mcp.NewTool(mcp.Tool{Name: name, Description: name}, h)
	}
	err := srv.Replace("test", mcp.Features{
		Tools: []mcp.ServerTool{
			tool("echo", func(_ context.Context, in echoArgs) (string, error) { return in.Text, nil }),
			tool("fail", func(context.Context, echoArgs) (string, error) {
				return "", &mcp.ToolError{Code: "NO_LUCK", Message: "a secret of the user's"}
			}),
			tool("panic", func(context.Context, echoArgs) (string, error) { panic("boom") }),
			tool("trace", func(ctx context.Context, _ echoArgs) (string, error) { return mcp.TraceFrom(ctx).Parent, nil }),
			tool("ask", func(ctx context.Context, _ echoArgs) (string, error) {
				answer, err := mcp.Elicit[struct {
					Name string `json:"name"`
				}](ctx, "name", "Who?")
				return answer.Value.Name, err
			}),
			tool("progress", func(ctx context.Context, _ echoArgs) (string, error) {
				mcp.Progress(ctx, 1, 2, "halfway")
				return "done", nil
			}),
			tool("wait", func(ctx context.Context, _ echoArgs) (string, error) {
				<-ctx.Done()
				return "", context.Cause(ctx)
			}),
		},
		Prompts: []mcp.ServerPrompt{mcp.NewPrompt(mcp.Prompt{Name: "greet"}, func(context.Context, struct{}) (*mcp.PromptResult, error) {
			return new(mcp.PromptResult), nil
		})},
		Resources: []mcp.ServerResource{mcp.NewResource(mcp.Resource{URI: "note:///one?key=secret", Name: "one"}, func(context.Context, string) ([]mcp.ResourceContents, error) {
			return []mcp.ResourceContents{{Text: "1"}}, nil
		})},
	})
	if err != nil {
		t.Fatal(err)
	}
	srv.Use(use...)
	t.Cleanup(srv.Close)
	return srv
}

// request is one of 2026-07-28, with members of _meta.
func request(method, params, meta string) *protocol.Request {
	return &protocol.Request{
		ID: "7", Method: method, Params: json.RawMessage(params),
		Meta: protocol.RequestMeta{Revision: protocol.Latest, Raw: json.RawMessage(meta)}, Peer: protocol.Peer{Transport: "stdio"},
	}
}

func call(tool, meta string) *protocol.Request {
	return request("tools/call", `{"name":"`+tool+`","arguments":{"text":"what is private"}}`, meta)
}
