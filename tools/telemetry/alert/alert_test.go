package alert_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"go.uber.org/goleak"

	"github.com/dougu-go/dougu/mcp"
	"github.com/dougu-go/dougu/mcp/protocol"
	"github.com/dougu-go/dougu/tools/telemetry"
	"github.com/dougu-go/dougu/tools/telemetry/alert"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// counts is a source and a sink of a test.
type counts struct {
	mu sync.Mutex
	alert.Sample
	told []string
}

func (c *counts) source() alert.Sample {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.Sample
}

// serve counts requests with their failures and the duration of each.
func (c *counts) serve(requests, failed int64, each time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.Requests, c.Failed, c.Took = c.Requests+requests, c.Failed+failed, c.Took+time.Duration(requests)*each
}

func (c *counts) remember(bytes int64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.Memory = bytes
}

func (c *counts) sink(a alert.Alert) {
	c.mu.Lock()
	defer c.mu.Unlock()
	how := "begins"
	if a.Resolved {
		how = "ends"
	}
	c.told = append(c.told, fmt.Sprintf("%s %s: %s, more than %s, for %v", a.Rule, how, a.Value, a.Above, a.At.Sub(a.Since)))
}

// want checks the alerts since the last call.
func (c *counts) want(t *testing.T, want ...string) {
	t.Helper()
	synctest.Wait()
	c.mu.Lock()
	defer c.mu.Unlock()
	if !slices.Equal(c.told, want) {
		t.Errorf("told was\n%s\nwant\n%s", strings.Join(c.told, "\n"), strings.Join(want, "\n"))
	}
	c.told = nil
}

// watched runs a test with a Watch in a bubble of synctest.
func watched(t *testing.T, o alert.Options, f func(t *testing.T, c *counts, w *alert.Watch)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		c := new(counts)
		if o.Source == nil {
			o.Source = c.source
		}
		o.Sinks = append(o.Sinks, c.sink)
		w, err := alert.New(o)
		if err != nil {
			t.Fatal(err)
		}
		defer w.Close(context.Background())
		synctest.Wait()                    // the first check
		time.Sleep(500 * time.Millisecond) // places further checks between the steps of the test
		f(t, c, w)
	})
}

// Each default rule reports once at the begin and once at the end.
func TestDefaults_BeginAndEnd(t *testing.T) {
	for _, tc := range []struct {
		name        string
		bad, good   func(c *counts)
		begin, ends string
	}{
		{"errors", func(c *counts) { c.serve(20, 4, 0) }, func(c *counts) { c.serve(60, 0, 0) },
			"High Error Rate begins: 20.0 %, more than 10.0 %, for 1m0s", "High Error Rate ends: 8.8 %, more than 10.0 %, for 6m15s"},
		{"times", func(c *counts) { c.serve(20, 0, 6*time.Second) }, func(c *counts) { c.serve(60, 0, time.Second) },
			"High Response Time begins: 6.0 s, more than 5.0 s, for 1m0s", "High Response Time ends: 4.3 s, more than 5.0 s, for 5m30s"},
		{"memory", func(c *counts) { c.remember(2 << 30) }, func(c *counts) { c.remember(100 << 20) },
			"Memory Usage begins: 2048 MiB, more than 1024 MiB, for 1m0s", "Memory Usage ends: 100 MiB, more than 1024 MiB, for 5m0s"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			watched(t, alert.Options{}, func(t *testing.T, c *counts, w *alert.Watch) {
				for range 20 {
					tc.bad(c)
					time.Sleep(15 * time.Second)
				}
				c.want(t, tc.begin)
				if active := w.Active(); len(active) != 1 || active[0].Resolved {
					t.Errorf("active are %+v", active)
				}
				for range 20 {
					tc.good(c)
					time.Sleep(15 * time.Second)
				}
				c.want(t, tc.ends)
				if active := w.Active(); len(active) != 0 {
					t.Errorf("active are %+v", active)
				}
			})
		})
	}
}

// value returns a rule for the memory, modified by change.
func value(change func(*alert.Rule)) []alert.Rule {
	r := alert.Rule{Name: "value", Severity: alert.Low, Value: func(m alert.Metrics) float64 { return float64(m.Memory) }, Above: 100, Below: 50}
	change(&r)
	return []alert.Rule{r}
}

// An alert begins after Rule.For and ends at Rule.Below.
func TestRule_Thresholds(t *testing.T) {
	watched(t, alert.Options{Interval: time.Second, Rules: value(func(r *alert.Rule) { r.For = 3 * time.Second })}, func(t *testing.T, c *counts, w *alert.Watch) {
		for _, v := range []int64{100, 101, 101, 101, 100, 101, 150, 200, 60, 51, 101, 50, 60} {
			c.remember(v)
			time.Sleep(time.Second)
		}
		c.want(t) // never above for three seconds
		for _, v := range []int64{101, 101, 101, 150, 60, 51, 101, 50, 60, 100} {
			c.remember(v)
			time.Sleep(time.Second)
		}
		c.want(t, "value begins: 150, more than 100, for 3s", "value ends: 50, more than 100, for 7s")
	})
}

// Few requests neither begin nor resolve an alert; a window without requests resolves it.
func TestWatch_FewRequests(t *testing.T) {
	rules := []alert.Rule{{Name: "errors", Severity: alert.High, Value: alert.Metrics.ErrorRate, Above: 0.5, Requests: 10}}
	watched(t, alert.Options{Interval: time.Second, Window: 10 * time.Second, Rules: rules}, func(t *testing.T, c *counts, w *alert.Watch) {
		c.serve(9, 9, 0)
		time.Sleep(5 * time.Second)
		c.want(t)
		c.serve(1, 1, 0)
		time.Sleep(time.Second)
		c.want(t, "errors begins: 1, more than 0.5, for 0s")
		time.Sleep(5 * time.Second) // nine of ten leave the window
		c.serve(3, 0, 0)
		time.Sleep(8 * time.Second)
		c.want(t)
		time.Sleep(20 * time.Second)
		c.want(t, "errors ends: 0, more than 0.5, for 16s")
	})
}

// Counters can restart, values can be NaN, and a panic does not stop other rules or sinks.
func TestWatch_UnusualSources(t *testing.T) {
	log := new(bytes.Buffer)
	rules := append(value(func(*alert.Rule) {}),
		alert.Rule{Name: "none", Severity: alert.Low, Value: func(alert.Metrics) float64 { return math.NaN() }},
		alert.Rule{Name: "panics", Severity: alert.Low, Value: func(alert.Metrics) float64 { panic("oh") }},
		alert.Rule{Name: "errors", Severity: alert.Low, Value: alert.Metrics.ErrorRate, Above: 0.9},
	)
	o := alert.Options{Interval: time.Second, Rules: rules, Log: slog.New(slog.NewTextHandler(log, nil)), Sinks: []alert.Sink{func(alert.Alert) { panic("ah") }}}
	watched(t, o, func(t *testing.T, c *counts, w *alert.Watch) {
		c.serve(100, 0, time.Second)
		time.Sleep(time.Second)
		c.mu.Lock()
		c.Sample = alert.Sample{Requests: 5, Failed: 5, Memory: 200}
		c.mu.Unlock()
		time.Sleep(time.Second)
		c.want(t, "value begins: 200, more than 100, for 0s")
		w.CheckRules()
		c.want(t)
	})
	if text := log.String(); !strings.Contains(text, "panics panicked") || !strings.Contains(text, "the sink of the alert value panicked") {
		t.Errorf("the log says %s", text)
	}
}

func TestNew_InvalidOptions(t *testing.T) {
	rate := alert.Metrics.ErrorRate
	for want, o := range map[string]alert.Options{
		"Source is nil":   {},
		"has no name":     {Source: new(counts).source, Rules: []alert.Rule{{Severity: alert.Low, Value: rate}}},
		"same name":       {Source: new(counts).source, Rules: []alert.Rule{{Name: "a", Severity: alert.Low, Value: rate}, {Name: "a", Severity: alert.Low, Value: rate}}},
		"Value is nil":    {Source: new(counts).source, Rules: []alert.Rule{{Name: "a", Severity: alert.Low}}},
		"Below is higher": {Source: new(counts).source, Rules: []alert.Rule{{Name: "a", Severity: alert.Low, Value: rate, Above: 1, Below: 2}}},
		"no severity":     {Source: new(counts).source, Rules: []alert.Rule{{Name: "a", Severity: "bad", Value: rate}}},
	} {
		if _, err := alert.New(o); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v; want %s", err, want)
		}
	}
}

func TestLog_Levels(t *testing.T) {
	log := new(bytes.Buffer)
	write := alert.Log(slog.New(slog.NewTextHandler(log, nil)))
	a := alert.Alert{ID: "alert-1", Rule: alert.HighErrorRate, Severity: alert.High, Message: "Error rate exceeded 10%", Value: "20.0 %", Above: "10.0 %", Since: time.Now(), At: time.Now()}
	over, small := a, a
	over.Resolved, small.Severity = true, alert.Medium
	for _, one := range []alert.Alert{a, over, small} {
		write(one)
	}
	lines := strings.Split(log.String(), "\n")
	for i, want := range []string{`level=ERROR msg="alert: Error rate exceeded 10%" rule="High Error Rate" severity=high value="20.0 %" above="10.0 %"`, "level=INFO msg=\"alert resolved", "level=WARN"} {
		if !strings.Contains(lines[i], want) {
			t.Errorf("the log says %s", lines[i])
		}
	}
}

func TestRecorderSource_Sample(t *testing.T) {
	sample := alert.RecorderSource(telemetry.NewRecorder())()
	if sample.Requests != 0 || sample.Memory <= 0 {
		t.Errorf("%+v", sample)
	}
}

// Mistakes of the caller do not count as failed; faults of the server do.
func TestRecorderSource_MistakesOfTheCaller(t *testing.T) {
	r := telemetry.NewRecorder()
	srv := mcp.NewServer(mcp.Implementation{Name: "test"}, nil)
	srv.Use(r.Requests)
	tool := mcp.NewTool(mcp.Tool{Name: "search"}, func(_ context.Context, in struct {
		Query string `json:"query" jsonschema:"minLength=1"`
	}) (string, error) {
		switch in.Query {
		case "none":
			return "", &mcp.ToolError{Code: "FILE_NOT_FOUND", Message: "there is no such file"}
		case "broken":
			return "", &mcp.ToolError{Code: "INDEX_UNAVAILABLE", Message: "the index is damaged"}
		case "plain":
			return "", errors.New("a fault without a code")
		}
		return "found", nil
	})
	if err := srv.Replace("test", mcp.Features{Tools: []mcp.ServerTool{tool}}); err != nil {
		t.Fatal(err)
	}
	for _, arguments := range []string{`{"query":"x"}`, `{"query":""}`, `{}`, `{"query":"x","unknown":1}`, `{"query":7}`, `{"query":"none"}`} {
		_, _ = srv.Dispatch(t.Context(), &protocol.Request{ID: "1", Method: "tools/call", Params: []byte(`{"name":"search","arguments":` + arguments + `}`), Meta: protocol.RequestMeta{Revision: protocol.Latest}})
	}
	_, _ = srv.Dispatch(t.Context(), &protocol.Request{ID: "1", Method: "tools/call", Params: []byte(`{"name":"no such tool"}`), Meta: protocol.RequestMeta{Revision: protocol.Latest}})
	_, _ = srv.Dispatch(t.Context(), &protocol.Request{ID: "1", Method: "no/such", Meta: protocol.RequestMeta{Revision: protocol.Latest}})
	if sample := alert.RecorderSource(r)(); sample.Requests != 1 || sample.Failed != 0 {
		t.Errorf("after mistakes: %+v, %+v", sample, r.Snapshot().Requests)
	}
	for _, query := range []string{"broken", "plain"} {
		_, _ = srv.Dispatch(t.Context(), &protocol.Request{ID: "1", Method: "tools/call", Params: []byte(`{"name":"search","arguments":{"query":"` + query + `"}}`), Meta: protocol.RequestMeta{Revision: protocol.Latest}})
	}
	if sample := alert.RecorderSource(r)(); sample.Requests != 3 || sample.Failed != 2 {
		t.Errorf("after faults: %+v", sample)
	}
}

func Example() {
	recorder := telemetry.NewRecorder()
	watch, err := alert.New(alert.Options{
		Source: alert.RecorderSource(recorder),
		Sinks:  []alert.Sink{func(a alert.Alert) { fmt.Println(a.Severity, a.Message, a.Value) }},
		Rules: append(alert.Defaults(), alert.Rule{
			Name: "Any memory", Message: "There is some memory in use", Severity: alert.Low,
			Value: func(m alert.Metrics) float64 { return float64(min(m.Memory, 1)) },
		}),
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer watch.Close(context.Background())
	watch.CheckRules() // checks run at an interval, too
	fmt.Println(len(watch.Active()))
	// Output:
	// low There is some memory in use 1
	// 1
}
