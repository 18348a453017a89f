package export_test

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	collectmetrics "go.opentelemetry.io/proto/otlp/collector/metrics/v1"
	collecttraces "go.opentelemetry.io/proto/otlp/collector/trace/v1"
	commonpb "go.opentelemetry.io/proto/otlp/common/v1"
	"go.uber.org/goleak"
	"google.golang.org/protobuf/proto"

	"github.com/dougu-go/dougu/mcp"
	"github.com/dougu-go/dougu/mcp/protocol"
	"github.com/dougu-go/dougu/otel"
	"github.com/dougu-go/dougu/otel/export"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// collector records the requests of exporters.
type collector struct {
	url string

	mu       sync.Mutex
	spans    []string
	about    map[string]string
	metrics  map[string]bool
	headers  http.Header
	requests int
}

func newCollector(t *testing.T) *collector {
	t.Helper()
	c := &collector{about: make(map[string]string), metrics: make(map[string]bool)}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if err := c.take(r); err != nil {
			t.Error(err)
			http.Error(w, err.Error(), http.StatusBadRequest)
		}
	}))
	t.Cleanup(server.Close)
	c.url = server.URL
	return c
}

func (c *collector) take(r *http.Request) error {
	var body io.Reader = r.Body
	if r.Header.Get("Content-Encoding") == "gzip" {
		unpacked, err := gzip.NewReader(r.Body)
		if err != nil {
			return err
		}
		body = unpacked
	}
	data, err := io.ReadAll(body)
	if err != nil {
		return err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.requests++
	c.headers = r.Header
	switch r.URL.Path {
	case "/v1/traces":
		var sent collecttraces.ExportTraceServiceRequest
		err = proto.Unmarshal(data, &sent)
		for _, of := range sent.ResourceSpans {
			c.note(of.Resource.GetAttributes())
			for _, scope := range of.ScopeSpans {
				for _, span := range scope.Spans {
					c.spans = append(c.spans, span.Name)
				}
			}
		}
	case "/v1/metrics":
		var sent collectmetrics.ExportMetricsServiceRequest
		err = proto.Unmarshal(data, &sent)
		for _, of := range sent.ResourceMetrics {
			for _, scope := range of.ScopeMetrics {
				for _, metric := range scope.Metrics {
					c.metrics[metric.Name] = true
				}
			}
		}
	default:
		err = errors.New("nobody sends to " + r.URL.Path)
	}
	return err
}

func (c *collector) note(all []*commonpb.KeyValue) {
	for _, a := range all {
		c.about[a.Key] = a.Value.GetStringValue()
	}
}

// environment sets variables, and none of the machine's own.
func environment(t *testing.T, vars map[string]string) {
	t.Helper()
	for _, name := range []string{"OTEL_SDK_DISABLED", "OTEL_SERVICE_NAME", "OTEL_RESOURCE_ATTRIBUTES", "OTEL_TRACES_EXPORTER", "OTEL_METRICS_EXPORTER", "OTEL_TRACES_SAMPLER",
		"OTEL_EXPORTER_OTLP_ENDPOINT", "OTEL_EXPORTER_OTLP_PROTOCOL", "OTEL_EXPORTER_OTLP_TRACES_PROTOCOL", "OTEL_EXPORTER_OTLP_HEADERS", "OTEL_EXPORTER_OTLP_COMPRESSION"} {
		t.Setenv(name, vars[name])
	}
}

// calls calls a tool, so that there is something to send.
func calls(t *testing.T, e *export.Exports, n int) {
	t.Helper()
	i, err := otel.New(otel.Options{Tracers: e.Tracers, Meters: e.Meters})
	if err != nil {
		t.Fatal(err)
	}
	handler := i.Server(func(context.Context, *protocol.Request) (protocol.Result, error) { return protocol.EmptyResult{}, nil })
	for range n {
		if _, err := handler(t.Context(), &protocol.Request{Method: "tools/list"}); err != nil {
			t.Fatal(err)
		}
	}
}

func TestExport_AllSignals(t *testing.T) {
	c := newCollector(t)
	environment(t, map[string]string{
		"OTEL_EXPORTER_OTLP_ENDPOINT": c.url, "OTEL_EXPORTER_OTLP_HEADERS": "x-tenant=ada", "OTEL_EXPORTER_OTLP_COMPRESSION": "gzip",
		"OTEL_SERVICE_NAME": "from-environment", "OTEL_RESOURCE_ATTRIBUTES": "deployment.environment.name=test",
	})
	e, err := export.Start(t.Context(), export.Config{Service: mcp.Implementation{Name: "own", Version: "1.2.3"}, FlushTimeout: time.Minute})
	if err != nil {
		t.Fatal(err)
	}
	calls(t, e, 3)
	if err := e.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	if len(c.spans) != 3 || c.spans[0] != "tools/list" || !c.metrics["mcp.server.operation.duration"] || c.headers.Get("X-Tenant") != "ada" {
		t.Errorf("sent were %q and %v with the headers %v", c.spans, c.metrics, c.headers)
	}
	for key, want := range map[string]string{"service.name": "from-environment", "service.version": "1.2.3", "deployment.environment.name": "test", "telemetry.sdk.language": "go"} {
		if c.about[key] != want {
			t.Errorf("%s is %q, want %q", key, c.about[key], want)
		}
	}
	for key := range c.about {
		if strings.HasPrefix(key, "process.command") || key == "process.owner" {
			t.Errorf("%s is told", key)
		}
	}
}

func TestExport_DisabledByEnvironment(t *testing.T) {
	for _, test := range []struct {
		vars            map[string]string
		traces, metrics bool
		problem         string
	}{
		{map[string]string{"OTEL_SDK_DISABLED": "TRUE"}, false, false, ""},
		{map[string]string{"OTEL_TRACES_EXPORTER": "none"}, false, true, ""},
		{map[string]string{"OTEL_METRICS_EXPORTER": "none"}, true, false, ""},
		{map[string]string{"OTEL_EXPORTER_OTLP_PROTOCOL": "grpc", "OTEL_EXPORTER_OTLP_TRACES_PROTOCOL": "http/protobuf", "OTEL_METRICS_EXPORTER": "none"}, true, false, ""},
		{map[string]string{"OTEL_EXPORTER_OTLP_PROTOCOL": "grpc"}, false, false, "http/protobuf"},
		{map[string]string{"OTEL_TRACES_EXPORTER": "zipkin"}, false, false, "otlp or none"},
	} {
		c := newCollector(t)
		test.vars["OTEL_EXPORTER_OTLP_ENDPOINT"] = c.url
		environment(t, test.vars)
		e, err := export.Start(t.Context(), export.Config{FlushTimeout: time.Minute})
		if test.problem != "" {
			if err == nil || !strings.Contains(err.Error(), test.problem) {
				t.Errorf("%v: %v", test.vars, err)
			}
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		if (e.Tracers != nil) != test.traces || (e.Meters != nil) != test.metrics {
			t.Errorf("%v: traces %v, metrics %v", test.vars, e.Tracers, e.Meters)
		}
		calls(t, e, 1)
		if err := e.Close(t.Context()); err != nil {
			t.Error(err)
		}
		if (len(c.spans) > 0) != test.traces || (len(c.metrics) > 0) != test.metrics {
			t.Errorf("%v: sent were %q and %v", test.vars, c.spans, c.metrics)
		}
	}
}

func TestExport_HangingCollector(t *testing.T) {
	asked, release := make(chan struct{}, 100), make(chan struct{})
	server := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		asked <- struct{}{}
		select {
		case <-release:
		case <-r.Context().Done():
		}
	}))
	defer server.Close()
	defer close(release)
	environment(t, map[string]string{"OTEL_EXPORTER_OTLP_ENDPOINT": server.URL})
	e, err := export.Start(t.Context(), export.Config{FlushTimeout: 100 * time.Millisecond})
	if err != nil {
		t.Fatal(err)
	}
	calls(t, e, 1_000) // more than one batch has: the first is being sent
	<-asked
	calls(t, e, 10_000) // more than the queue holds
	start := time.Now()
	if err := e.Close(t.Context()); err == nil {
		t.Error("what was never sent is said to be")
	}
	if took := time.Since(start); took > 20*time.Second {
		t.Errorf("closing took %v", took)
	}
}

func TestExport_MissingCollector(t *testing.T) {
	gone, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	_ = gone.Close()
	environment(t, map[string]string{"OTEL_EXPORTER_OTLP_ENDPOINT": "http://ada:hunter22@" + gone.Addr().String()})
	var log bytes.Buffer
	e, err := export.Start(t.Context(), export.Config{Log: slog.New(slog.NewTextHandler(&log, nil)), FlushTimeout: 100 * time.Millisecond})
	if err != nil {
		t.Fatal(err)
	}
	calls(t, e, 10)
	err = e.Close(t.Context())
	if err == nil {
		t.Fatal("what was never sent is said to be")
	}
	if all := err.Error() + log.String(); strings.Contains(all, "hunter22") {
		t.Errorf("a password is told: %s", all)
	}
}

func TestExport_RefusingCollector(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		http.Error(w, "no", http.StatusForbidden)
	}))
	defer server.Close()
	environment(t, map[string]string{"OTEL_EXPORTER_OTLP_ENDPOINT": server.URL})
	t.Setenv("OTEL_BSP_SCHEDULE_DELAY", "1")
	var mu sync.Mutex
	var log bytes.Buffer
	told := make(chan struct{}, 1)
	start := time.Now()
	e, err := export.Start(t.Context(), export.Config{Log: slog.New(slog.NewTextHandler(writer(func(p []byte) {
		mu.Lock()
		defer mu.Unlock()
		log.Write(p)
		select {
		case told <- struct{}{}:
		default:
		}
	}), nil))})
	if err != nil {
		t.Fatal(err)
	}
	for range 20 {
		calls(t, e, 1_000)
	}
	<-told
	_ = e.Close(t.Context())
	mu.Lock()
	defer mu.Unlock()
	if n, most := strings.Count(log.String(), "\n"), 1+int(time.Since(start)/time.Minute); n < 1 || n > most {
		t.Errorf("%d lines tell of it:\n%s", n, log.String())
	}
}

type writer func([]byte)

func (w writer) Write(p []byte) (int, error) {
	w(p)
	return len(p), nil
}
