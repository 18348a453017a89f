package otel_test

import (
	"context"
	"encoding/json"
	"testing"

	sdkmetric "go.opentelemetry.io/otel/sdk/metric"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"

	"github.com/dougu-go/dougu/mcp"
	"github.com/dougu-go/dougu/mcp/protocol"
	"github.com/dougu-go/dougu/otel"
	"github.com/dougu-go/dougu/transport"
)

func TestMiddleware_NoAllocationsWithoutProviders(t *testing.T) {
	var none *otel.Instruments
	idle, err := otel.New(otel.Options{})
	if err != nil {
		t.Fatal(err)
	}
	result := mcp.Text("done")
	serve := func(context.Context, *protocol.Request) (protocol.Result, error) { return result, nil }
	req, ctx := call("echo", `{"traceparent":"`+parent+`"}`), t.Context()
	for _, i := range []*otel.Instruments{none, idle} {
		handler := i.Server(serve)
		if n := testing.AllocsPerRun(100, func() { _, _ = handler(ctx, req) }); n != 0 {
			t.Errorf("a request costs %v allocations", n)
		}
		way := transport.InMemory{}
		if i.Client(way) != protocol.Transport(way) {
			t.Error("a transport was wrapped for nothing")
		}
		srv := newServer(t)
		if i.Dispatcher(srv) != protocol.Dispatcher(srv) {
			t.Error("a dispatcher was wrapped for nothing")
		}
		tool := i.Tool(func(context.Context, json.RawMessage) (*mcp.ToolResult, error) { return result, nil })
		if n := testing.AllocsPerRun(100, func() { _, _ = tool(ctx, nil) }); n != 0 {
			t.Errorf("a tool costs %v allocations", n)
		}
	}
}

func TestMiddleware_DispatcherStillWatchable(t *testing.T) {
	type watchable interface {
		Watch(protocol.SubscriptionFilter, func()) (protocol.Watch, bool)
	}
	w := observe(t, otel.Options{})
	if _, ok := w.Dispatcher(newServer(t)).(watchable); !ok {
		t.Error("a server that can be watched cannot any more")
	}
	if _, ok := w.Dispatcher(only(protocol.Rev20251125, newServer(t))).(watchable); ok {
		t.Error("what cannot be watched can")
	}
}

// The ratio to "none" is the cost of observation for a call, in process and over
// HTTP.
func BenchmarkServer(b *testing.B) {
	benchmark(b, func(b *testing.B, i *otel.Instruments) {
		srv := newServer(b, i.Server)
		req, ctx := call("echo", `{"traceparent":"`+parent+`"}`), b.Context()
		for b.Loop() {
			if _, err := srv.Dispatch(ctx, req); err != nil {
				b.Fatal(err)
			}
		}
	})
}

func BenchmarkHTTP(b *testing.B) {
	benchmark(b, func(b *testing.B, i *otel.Instruments) {
		client, err := mcp.Connect(b.Context(), i.Client(overHTTP(b, newServer(b, i.Server))), mcp.Implementation{Name: "bench", Version: "1"}, nil)
		if err != nil {
			b.Fatal(err)
		}
		defer client.Close()
		for b.Loop() {
			if _, err := mcp.Call[string](b.Context(), client, "echo", echoArgs{"hi"}); err != nil {
				b.Fatal(err)
			}
		}
	})
}

func benchmark(b *testing.B, run func(*testing.B, *otel.Instruments)) {
	meters := sdkmetric.NewMeterProvider(sdkmetric.WithReader(sdkmetric.NewManualReader()))
	traced := func(s sdktrace.Sampler) *sdktrace.TracerProvider {
		return sdktrace.NewTracerProvider(sdktrace.WithSampler(s), sdktrace.WithSpanProcessor(discard{}))
	}
	for _, c := range []struct {
		name string
		o    otel.Options
	}{
		{"none", otel.Options{}},
		{"metrics", otel.Options{Meters: meters}},
		{"unsampled", otel.Options{Tracers: traced(sdktrace.NeverSample())}},
		{"sampled", otel.Options{Tracers: traced(sdktrace.AlwaysSample())}},
		{"both", otel.Options{Tracers: traced(sdktrace.AlwaysSample()), Meters: meters}},
	} {
		b.Run(c.name, func(b *testing.B) {
			i, err := otel.New(c.o)
			if err != nil {
				b.Fatal(err)
			}
			b.ReportAllocs()
			run(b, i)
		})
	}
}

// discard is a processor that keeps nothing.
type discard struct{ sdktrace.SpanProcessor }

func (discard) OnStart(context.Context, sdktrace.ReadWriteSpan) {}
func (discard) OnEnd(sdktrace.ReadOnlySpan)                     {}
