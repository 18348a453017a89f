package main

import (
	"compress/gzip"
	"context"
	"encoding/hex"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"sync"
	"testing"
	"time"

	collect "go.opentelemetry.io/proto/otlp/collector/trace/v1"
	tracepb "go.opentelemetry.io/proto/otlp/trace/v1"
	"go.uber.org/goleak"
	"google.golang.org/protobuf/proto"

	"github.com/dougu-go/dougu/internal/group"
	"github.com/dougu-go/dougu/mcp"
	"github.com/dougu-go/dougu/otel"
	"github.com/dougu-go/dougu/otel/export"
	"github.com/dougu-go/dougu/transport"
	"github.com/dougu-go/dougu/transport/httpclient"
)

// asProgram lets the test's own program be the command.
const asProgram = "TRACED_TEST_PROGRAM"

func TestMain(m *testing.M) {
	if os.Getenv(asProgram) != "" {
		main()
		return
	}
	goleak.VerifyTestMain(m)
}

// span is one that a collector has got.
type span struct{ name, kind, id, parent, trace string }

type collector struct {
	url   string
	mu    sync.Mutex
	spans []span
}

// newCollector returns a collector to which this program and its child processes send.
func newCollector(t *testing.T) *collector {
	t.Helper()
	c := new(collector)
	server := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/v1/traces" {
			c.take(t, r)
		}
	}))
	t.Cleanup(server.Close)
	c.url = server.URL
	t.Setenv("OTEL_EXPORTER_OTLP_ENDPOINT", c.url)
	t.Setenv("OTEL_EXPORTER_OTLP_COMPRESSION", "gzip")
	return c
}

func (c *collector) take(t *testing.T, r *http.Request) {
	body, err := gzip.NewReader(r.Body)
	if err != nil {
		t.Error(err)
		return
	}
	data, err := io.ReadAll(body)
	var sent collect.ExportTraceServiceRequest
	if err == nil {
		err = proto.Unmarshal(data, &sent)
	}
	if err != nil {
		t.Error(err)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, of := range sent.ResourceSpans {
		for _, scope := range of.ScopeSpans {
			for _, s := range scope.Spans {
				kind := "server"
				if s.Kind == tracepb.Span_SPAN_KIND_CLIENT {
					kind = "client"
				}
				c.spans = append(c.spans, span{s.Name, kind, hex.EncodeToString(s.SpanId), hex.EncodeToString(s.ParentSpanId), hex.EncodeToString(s.TraceId)})
			}
		}
	}
}

// one is the only span of a name and kind.
func (c *collector) one(t *testing.T, name, kind string) span {
	t.Helper()
	c.mu.Lock()
	defer c.mu.Unlock()
	var found []span
	for _, s := range c.spans {
		if s.name == name && s.kind == kind {
			found = append(found, s)
		}
	}
	if len(found) != 1 {
		t.Fatalf("%d spans of a %s are called %q, of %v", len(found), kind, name, c.spans)
	}
	return found[0]
}

// serve runs a server until stop is called, which waits for its end.
func serve(t *testing.T, upstream string) (url string, stop func()) {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	var running group.Group
	running.Go(func() {
		if err := (&config{listener: listener, upstream: upstream, flush: time.Minute}).run(ctx); err != nil {
			t.Errorf("serving: %v", err)
		}
	})
	stop = func() {
		cancel()
		running.Wait()
	}
	t.Cleanup(stop)
	return "http://" + listener.Addr().String() + "/mcp", stop
}

// observe is a client's own instruments.
func observe(t *testing.T) (*otel.Instruments, *export.Exports) {
	t.Helper()
	exports, err := export.Start(t.Context(), export.Config{Service: mcp.Implementation{Name: "client"}, FlushTimeout: time.Minute})
	if err != nil {
		t.Fatal(err)
	}
	instruments, err := otel.New(otel.Options{Tracers: exports.Tracers})
	if err != nil {
		t.Fatal(err)
	}
	return instruments, exports
}

func TestTraced_OneTrace(t *testing.T) {
	c := newCollector(t)
	back, stopBack := serve(t, "")
	front, stopFront := serve(t, back)
	instruments, exports := observe(t)
	client, err := mcp.Connect(t.Context(), instruments.Client(&httpclient.Client{URL: front}), mcp.Implementation{Name: "test", Version: "1"}, nil)
	if err != nil {
		t.Fatal(err)
	}
	got, err := mcp.Call[string](t.Context(), client, "up_greet", greetArgs{"Ada"})
	if err != nil || got != "Hello, Ada" {
		t.Fatalf("%q, %v", got, err)
	}
	_ = client.Close()
	stopFront()
	stopBack()
	if err := exports.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	way := []span{c.one(t, "tools/call up_greet", "client"), c.one(t, "tools/call up_greet", "server"), c.one(t, "tools/call greet", "client"), c.one(t, "tools/call greet", "server")}
	for n, s := range way[1:] {
		if s.parent != way[n].id || s.trace != way[0].trace {
			t.Errorf("%v is not beneath %v", s, way[n])
		}
	}
}

func TestTraced_TraceOfParentProcess(t *testing.T) {
	c := newCollector(t)
	const parent = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"
	child := transport.Command{Path: os.Args[0], Env: []string{asProgram + "=1", "TRACEPARENT=" + parent}, Grace: time.Minute}
	client, err := mcp.Connect(t.Context(), child, mcp.Implementation{Name: "test", Version: "1"}, nil)
	if err != nil {
		t.Fatal(err)
	}
	if got, err := mcp.Call[string](t.Context(), client, "greet", greetArgs{"Ada"}); err != nil || got != "Hello, Ada" {
		t.Fatalf("%q, %v", got, err)
	}
	if err := client.Close(); err != nil { // which waits for its end, and the end of its sending
		t.Fatal(err)
	}
	if s := c.one(t, "tools/call greet", "server"); s.trace != parent[3:35] || s.parent != parent[36:52] {
		t.Errorf("the span is %v", s)
	}
}
