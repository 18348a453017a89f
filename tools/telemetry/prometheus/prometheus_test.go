package prometheus_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	client "github.com/prometheus/client_golang/prometheus"
	"go.uber.org/goleak"

	"github.com/dougu-go/dougu/mcp"
	"github.com/dougu-go/dougu/mcp/protocol"
	"github.com/dougu-go/dougu/tools/telemetry"
	"github.com/dougu-go/dougu/tools/telemetry/prometheus"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// call runs one tool call on a server that the recorder measures.
func call(t testing.TB, r *telemetry.Recorder, tool string, takes time.Duration, fails error) {
	t.Helper()
	srv := mcp.NewServer(mcp.Implementation{Name: "s"}, &mcp.ServerOptions{Log: slog.New(slog.DiscardHandler)})
	srv.Use(r.Requests)
	made := mcp.NewRawTool(mcp.Tool{Name: tool, InputSchema: json.RawMessage(`{"type":"object"}`)}, func(context.Context, json.RawMessage) (*mcp.ToolResult, error) {
		time.Sleep(takes)
		return mcp.Text("done"), fails
	})
	if err := srv.Replace("test", mcp.Features{Tools: []mcp.ServerTool{made.Wrap(r.Middleware)}}); err != nil {
		t.Fatal(err)
	}
	params := json.RawMessage(`{"name":"` + tool + `","arguments":{"query":"s3cret"},"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{},` +
		`"io.modelcontextprotocol/clientInfo":{"name":"cursor","version":"1.0"}}}`)
	meta, err := protocol.ReadMeta(params)
	if err != nil {
		t.Fatal(err)
	}
	req := &protocol.Request{ID: "1", Method: "tools/call", Params: params, Meta: meta, Peer: protocol.Peer{Principal: "alice", Transport: "http"}}
	if _, err := srv.Dispatch(context.Background(), req); err != nil {
		t.Fatal(err)
	}
}

// The counts of a Recorder are exported by method and by tool.
func TestHandler_Recorder(t *testing.T) {
	synctest.Test(t, testHandlerRecorder) // makes the durations exact
}

func testHandlerRecorder(t *testing.T) {
	r := telemetry.NewRecorder()
	call(t, r, "search", 3*time.Millisecond, nil)
	call(t, r, "search", 3*time.Second, nil)
	call(t, r, "create", 0, &mcp.ToolError{Code: "RATE_LIMITED", Message: "s3cret"})
	call(t, r, "edit", 0, &mcp.ToolError{Code: "INVALID_PARAMS", Message: "the query is empty"})
	text := scrape(t, prometheus.Handler(prometheus.Options{Namespace: "cqm", Recorder: r}))
	for _, line := range []string{
		`cqm_requests_total{method="tools/call",outcome="rejected"} 1`, `cqm_tool_calls_total{outcome="rejected",tool="edit"} 1`,
		`cqm_tool_calls_total{outcome="failed",tool="edit"} 0`, `cqm_tool_errors_total{class="caller",code="INVALID_PARAMS"} 1`,
		"# HELP cqm_requests_total Requests that have ended, by method and outcome.", "# TYPE cqm_requests_total counter",
		`cqm_requests_total{method="tools/call",outcome="asked"} 0`, `cqm_requests_total{method="tools/call",outcome="cancelled"} 0`,
		`cqm_requests_total{method="tools/call",outcome="failed"} 1`, `cqm_requests_total{method="tools/call",outcome="succeeded"} 2`,
		`cqm_request_duration_seconds_count{method="tools/call"} 3`, `cqm_tool_errors_total{class="server",code="RATE_LIMITED"} 1`,
		`cqm_client_calls_total{client="cursor",transport="http",version="1.0"} 4`, "cqm_requests_in_flight 0",
		`cqm_tool_call_duration_seconds_bucket{tool="search",le="0.0025"} 0`, `cqm_tool_call_duration_seconds_bucket{tool="search",le="0.005"} 1`,
		`cqm_tool_call_duration_seconds_bucket{tool="search",le="5"} 2`, `cqm_tool_call_duration_seconds_bucket{tool="search",le="+Inf"} 2`,
		`cqm_tool_call_duration_seconds_sum{tool="search"} 3.003`, `cqm_tool_calls_total{outcome="failed",tool="create"} 1`,
		"process_cpu_seconds_total", "process_resident_memory_bytes", "go_goroutines", "cqm_heap_bytes", "cqm_sessions_active 1",
	} {
		if !strings.Contains(text, line) {
			t.Errorf("there is no %s", line)
		}
	}
	for _, secret := range []string{"s3cret", "alice"} {
		if strings.Contains(text, secret) {
			t.Errorf("it shows %s", secret)
		}
	}
}

func scrape(t testing.TB, h http.Handler) string {
	t.Helper()
	w := httptest.NewRecorder()
	h.ServeHTTP(w, httptest.NewRequest("GET", "/metrics", nil))
	body, err := io.ReadAll(w.Result().Body)
	if err != nil || w.Code != http.StatusOK || !strings.HasPrefix(w.Header().Get("Content-Type"), "text/plain") {
		t.Fatalf("%d %s: %v\n%s", w.Code, w.Header(), err, body)
	}
	return string(body)
}

func TestHandler_Sources(t *testing.T) {
	checked := time.Unix(1_700_000_000, 0)
	o := prometheus.Options{Sources: prometheus.Sources{
		Connections: func() prometheus.Connections {
			return prometheus.Connections{Active: 2, Max: 10, Total: 7, ByClient: map[string]int{"cursor": 2}, TotalByClient: map[string]int64{"cursor": 7}, Refused: map[string]int64{"CONNECTION_LIMIT": 3}}
		},
		Breakers: func() []prometheus.Breaker {
			return []prometheus.Breaker{{Name: "github", State: "open", Failures: 5}, {Name: "filesystem", State: "closed"}, {Name: "github", State: "closed"}}
		},
		Indexes: func() []prometheus.Index {
			return []prometheus.Index{{Name: "filesystem", State: "ready", Files: 10, Pieces: 90, Pending: 1, Source: 1000, Disk: 500, Checked: checked}, {Name: "new", State: "empty"}}
		},
		Caches: func() []prometheus.Cache {
			return []prometheus.Cache{{Name: "answers", Entries: 4, Hits: 20, Misses: 10}}
		},
	}}
	text := scrape(t, prometheus.Handler(o))
	for _, line := range []string{
		"dougu_connections_active 2", "dougu_connections_max 10", "dougu_connections_total 7", `dougu_connections_active_by_client{client="cursor"} 2`,
		`dougu_connections_by_client_total{client="cursor"} 7`, `dougu_refused_total{code="CONNECTION_LIMIT"} 3`,
		`dougu_breaker_state{breaker="github",state="open"} 1`, `dougu_breaker_failures{breaker="github"} 5`, `dougu_breaker_state{breaker="filesystem",state="closed"} 1`,
		`dougu_index_state{index="filesystem",state="ready"} 1`, `dougu_index_files{index="filesystem"} 10`, `dougu_index_pending_files{index="filesystem"} 1`,
		`dougu_index_disk_bytes{index="filesystem"} 500`, `dougu_index_checked_timestamp_seconds{index="filesystem"} 1.7e+09`,
		`dougu_cache_hits_total{cache="answers"} 20`, `dougu_cache_entries{cache="answers"} 4`,
	} {
		if !strings.Contains(text, line+"\n") {
			t.Errorf("there is no %s", line)
		}
	}
	if strings.Contains(text, `index_checked_timestamp_seconds{index="new"}`) {
		t.Error("an index without a check has a timestamp")
	}
}

// Many or invalid external names do not break the export.
func TestHandler_ExternalNames(t *testing.T) {
	names := map[string]int64{"\xff\xfe": 1, "\xff": 2, "a\"b\n\\": 3, "": 4, strings.Repeat("長", 100): 5}
	for n := range 500 {
		names[fmt.Sprint(strings.Repeat("x", 70), n)] = 1
	}
	c := prometheus.NewCollector(prometheus.Options{Sources: prometheus.Sources{
		Connections: func() prometheus.Connections { return prometheus.Connections{Refused: names} },
		Breakers: func() (all []prometheus.Breaker) {
			for name := range names {
				all = append(all, prometheus.Breaker{Name: name, State: "\xff"})
			}
			return all
		},
	}})
	registry := client.NewPedanticRegistry()
	registry.MustRegister(c)
	families, err := registry.Gather()
	if err != nil {
		t.Fatal(err)
	}
	var sum float64
	for _, f := range families {
		if n := len(f.GetMetric()); n > 65 {
			t.Errorf("%s has %d values", f.GetName(), n)
		}
		for _, m := range f.GetMetric() {
			if f.GetName() == "dougu_refused_total" {
				sum += m.GetCounter().GetValue()
			}
		}
	}
	if sum != 515 {
		t.Errorf("%v were refused", sum)
	}
}

func TestHandler_Methods(t *testing.T) {
	h := prometheus.Handler(prometheus.Options{})
	for method, want := range map[string]int{"GET": 200, "HEAD": 200, "POST": 405, "DELETE": 405} {
		w := httptest.NewRecorder()
		h.ServeHTTP(w, httptest.NewRequest(method, "/metrics", nil))
		if w.Code != want {
			t.Errorf("%s: %d", method, w.Code)
		}
	}
}

func Example() {
	recorder := telemetry.NewRecorder()
	handler := prometheus.Handler(prometheus.Options{Namespace: "cqm", Recorder: recorder})

	w := httptest.NewRecorder()
	handler.ServeHTTP(w, httptest.NewRequest("GET", "/metrics", nil))
	fmt.Println(w.Code, strings.Contains(w.Body.String(), "cqm_tool_calls_in_flight 0"))
	// Output: 200 true
}
