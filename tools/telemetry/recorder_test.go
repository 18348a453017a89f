package telemetry_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"runtime"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/dougu-go/dougu/internal/group"
	"github.com/dougu-go/dougu/mcp"
	"github.com/dougu-go/dougu/mcp/protocol"
	"github.com/dougu-go/dougu/security"
	"github.com/dougu-go/dougu/tools/telemetry"
)

func succeed(context.Context, json.RawMessage) (*mcp.ToolResult, error) { return mcp.Text("ok"), nil }

// timeout is the cause of a context that ended by a timeout.
type timeout struct{}

func (timeout) Error() string { return "too slow" }
func (timeout) Timeout() bool { return true }

func TestMiddleware_Outcomes(t *testing.T) {
	fails := func(err error) mcp.RawHandler {
		return func(context.Context, json.RawMessage) (*mcp.ToolResult, error) { return nil, err }
	}
	gone := errors.New("the client has left")
	failed := func(code string) telemetry.Outcomes {
		return telemetry.Outcomes{Errors: 1, ErrorsByCode: map[string]int64{code: 1}}
	}
	rejected := func(code string) telemetry.Outcomes {
		return telemetry.Outcomes{Rejected: 1, ErrorsByCode: map[string]int64{code: 1}}
	}
	cancelled := telemetry.Outcomes{Cancelled: 1}
	for name, tc := range map[string]struct {
		handler mcp.RawHandler
		cause   error // of the end of the context, while the handler runs
		want    telemetry.Outcomes
	}{
		"well":            {handler: succeed, want: telemetry.Outcomes{}},
		"with nothing":    {handler: fails(nil), want: telemetry.Outcomes{}},
		"tool error":      {handler: fails(&mcp.ToolError{Code: "BAD_RANGE"}), want: rejected("BAD_RANGE")},
		"wrapped":         {handler: fails(fmt.Errorf("reading: %w", &security.Error{Code: security.FileNotFound})), want: rejected("FILE_NOT_FOUND")},
		"any error":       {handler: fails(errors.New("oh")), want: failed("ERROR")},
		"protocol error":  {handler: fails(protocol.Errorf(protocol.CodeInvalidParams, "no")), want: rejected("-32602")},
		"own timeout":     {handler: fails(context.DeadlineExceeded), want: failed("ERROR")},
		"question":        {handler: fails(fmt.Errorf("asking: %w", mcp.ErrInputRequired)), want: telemetry.Outcomes{Asked: 1}},
		"cancelled":       {handler: fails(context.Canceled), cause: gone, want: cancelled},
		"cancelled, code": {handler: fails(&security.Error{Code: security.Cancelled}), cause: gone, want: cancelled},
		"cancelled late":  {handler: succeed, cause: gone, want: telemetry.Outcomes{}},
		"failed as well":  {handler: fails(&mcp.ToolError{Code: "BAD_RANGE"}), cause: gone, want: rejected("BAD_RANGE")},
		"time is up":      {handler: fails(context.Canceled), cause: timeout{}, want: failed("TIMEOUT")},
		"deadline":        {handler: fails(context.DeadlineExceeded), cause: context.DeadlineExceeded, want: failed("TIMEOUT")},
		"server fault":    {handler: fails(&mcp.ToolError{Code: "INDEX_UNAVAILABLE"}), want: failed("INDEX_UNAVAILABLE")},
		"internal error":  {handler: fails(protocol.Errorf(protocol.CodeInternal, "no")), want: failed("-32603")},
		"panic": {
			handler: func(context.Context, json.RawMessage) (*mcp.ToolResult, error) { panic("oh") },
			want:    failed("INTERNAL_ERROR"),
		},
		"result that is an error": {
			handler: func(context.Context, json.RawMessage) (*mcp.ToolResult, error) {
				return &mcp.ToolResult{IsError: true}, nil
			},
			want: failed("ERROR"),
		},
		"result with a code": {
			handler: func(context.Context, json.RawMessage) (*mcp.ToolResult, error) {
				return &mcp.ToolResult{IsError: true, Meta: mcp.Meta{"io.github.dougu-go/error": map[string]any{"code": "STALE_FILE\n"}}}, nil
			},
			want: rejected("STALE_FILE"),
		},
	} {
		t.Run(name, func(t *testing.T) {
			recorder := telemetry.NewRecorder()
			set := newSet(t, telemetry.Options{Recorder: recorder})
			ending := func(next mcp.RawHandler) mcp.RawHandler { // around the recorder, as a server's limits are
				return func(ctx context.Context, args json.RawMessage) (*mcp.ToolResult, error) {
					ctx, end := context.WithCancelCause(ctx)
					defer end(nil)
					if tc.cause != nil {
						end(tc.cause)
					}
					return next(ctx, args)
				}
			}
			_, _ = client{name: "c"}.within(t, "tool", tc.handler, ending, recorder.Middleware) // the recorder counts this error
			got := serverStats(t, set)
			for what, counted := range map[string]telemetry.CallStats{"all": {Count: got.Requests.Total, Outcomes: got.Requests.Outcomes}, "the tool": got.Requests.ByTool["tool"]} {
				counted.Latency = telemetry.Latency{}
				if diff := cmp.Diff(telemetry.CallStats{Count: 1, Outcomes: tc.want}, counted); diff != "" {
					t.Errorf("%s, want - got +:\n%s", what, diff)
				}
			}
			if got.InFlight != 0 {
				t.Errorf("%d calls are running", got.InFlight)
			}
		})
	}
}

// measured runs calls that take the given times, one after the other, in the time of a bubble.
func measured(t testing.TB, recorder *telemetry.Recorder, times []time.Duration) {
	t.Helper()
	next := 0
	run := recorder.Middleware(func(context.Context, json.RawMessage) (*mcp.ToolResult, error) {
		time.Sleep(times[next])
		next++
		return nil, nil
	})
	for range times {
		if _, err := run(context.Background(), nil); err != nil {
			t.Fatal(err)
		}
	}
}

// Quantiles differ by at most 3.2 % from the sorted list; maximum and mean are exact.
func TestServerStats_Latency(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		length := rapid.Custom(func(rt *rapid.T) time.Duration {
			return time.Duration(rapid.Int64Range(0, 1<<rapid.IntRange(0, 43).Draw(rt, "bits")-1).Draw(rt, "ns"))
		})
		times := rapid.SliceOfN(length, 1, 60).Draw(rt, "times")
		var got telemetry.RequestStats
		synctest.Test(t, func(t *testing.T) {
			recorder := telemetry.NewRecorder()
			measured(t, recorder, times)
			got = serverStats(t, newSet(t, telemetry.Options{Recorder: recorder})).Requests
		})
		slices.Sort(times)
		quantile := func(q float64) float64 { return ms(times[int(math.Ceil(q*float64(len(times))))-1]) }
		for name, pair := range map[string][2]float64{"p50": {got.Latency.P50, quantile(0.5)}, "p95": {got.Latency.P95, quantile(0.95)}, "p99": {got.Latency.P99, quantile(0.99)}} {
			if math.Abs(pair[0]-pair[1]) > 0.032*pair[1]+0.001 {
				rt.Fatalf("%s is %v ms, want about %v", name, pair[0], pair[1])
			}
		}
		var sum time.Duration
		for _, d := range times {
			sum += d
		}
		mean := ms(sum) / float64(len(times))
		if largest := ms(times[len(times)-1]); math.Abs(got.Latency.Max-largest) > 0.0006 || math.Abs(got.Latency.Mean-mean) > 0.001 {
			rt.Fatalf("max %v, want %v; mean %v, want %v", got.Latency.Max, largest, got.Latency.Mean, mean)
		}
		if got.Latency != got.ByTool["(in process)"].Latency {
			rt.Fatalf("all calls are one tool's: %+v", got)
		}
	})
}

func ms(d time.Duration) float64 { return float64(d) / float64(time.Millisecond) }

func TestServerStats_LongCalls(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		recorder := telemetry.NewRecorder()
		measured(t, recorder, []time.Duration{5 * time.Hour, 100 * time.Hour})
		got := serverStats(t, newSet(t, telemetry.Options{Recorder: recorder})).Requests.Latency
		if got.Max != ms(100*time.Hour) || got.P99 != got.Max {
			t.Errorf("%+v", got)
		}
	})
}

// Sessions are active for a quarter of an hour after their last call.
func TestServerStats_Sessions(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		recorder := telemetry.NewRecorder()
		set := newSet(t, telemetry.Options{Recorder: recorder})
		call := func(c client) {
			if _, err := c.within(t, "tool", succeed, recorder.Middleware); err != nil {
				t.Fatal(err)
			}
		}
		older := &protocol.SessionMeta{Client: mcp.Implementation{Name: "old\n", Version: "1"}}
		call(client{name: "new", version: "2"})
		call(client{session: older})
		call(client{session: &protocol.SessionMeta{Client: older.Client}})
		time.Sleep(10 * time.Minute)
		call(client{session: older})
		call(client{name: "new", version: "2", principal: "ann"})
		call(client{})
		time.Sleep(6 * time.Minute)
		got := serverStats(t, set)
		if got.Sessions != (telemetry.SessionStats{Total: 5, Active: 3}) || got.Uptime != 960 || !got.StartedAt.Equal(time.Now().Add(-16*time.Minute)) {
			t.Errorf("%+v, up %v since %v", got.Sessions, got.Uptime, got.StartedAt)
		}
		want := []telemetry.ClientStats{
			{Name: "old", Version: "1", Transport: "http", Requests: 3}, {Name: "new", Version: "2", Transport: "http", Requests: 2}, {Name: "unknown", Transport: "http", Requests: 1},
		}
		if diff := cmp.Diff(want, got.Clients); diff != "" {
			t.Errorf("clients, want - got +:\n%s", diff)
		}
		runtime.KeepAlive(older)
	})
}

// Values that clients choose do not grow the recorder over its limits.
func TestRecorder_Limits(t *testing.T) {
	recorder := telemetry.NewRecorder()
	set := newSet(t, telemetry.Options{Recorder: recorder})
	const many = 6_000
	run := recorder.Middleware(func(_ context.Context, args json.RawMessage) (*mcp.ToolResult, error) {
		return nil, &mcp.ToolError{Code: string(args)}
	})
	for i := range many {
		_, err := run(client{name: numbered("c", i)}.context(t), json.RawMessage(numbered("CODE", i)))
		if err == nil {
			t.Fatal("no error")
		}
	}
	got := serverStats(t, set)
	if len(got.Clients) != 65 || got.Clients[0].Name != "other" || got.Clients[0].Requests != many-64 {
		t.Errorf("%d clients, the busiest %+v", len(got.Clients), got.Clients[0])
	}
	if got.Sessions.Total != many || got.Sessions.Active > 4_096 || got.Sessions.Active < 3_000 {
		t.Errorf("%+v", got.Sessions)
	}
	probe := got.Requests.ByTool["probe"]
	if len(probe.ErrorsByCode) != 33 || probe.ErrorsByCode["other"] != many-32 || probe.Errors != many {
		t.Errorf("%d codes, other %d", len(probe.ErrorsByCode), probe.ErrorsByCode["other"])
	}
	tooMany := telemetry.NewRecorder()
	for i := range 300 {
		if _, err := (client{}).within(t, numbered("t", i), succeed, tooMany.Middleware); err != nil {
			t.Fatal(err)
		}
	}
	byTool := serverStats(t, newSet(t, telemetry.Options{Recorder: tooMany})).Requests
	if len(byTool.ByTool) != 257 || byTool.ByTool["other"].Count != 44 || byTool.Total != 300 {
		t.Errorf("%d tools, other %+v", len(byTool.ByTool), byTool.ByTool["other"])
	}
}

// Measuring a call of a tool, session and client that are known allocates nothing, of either era.
func TestMiddleware_Allocations(t *testing.T) {
	recorder := telemetry.NewRecorder()
	run := recorder.Middleware(func(context.Context, json.RawMessage) (*mcp.ToolResult, error) { return nil, nil })
	older := &protocol.SessionMeta{}
	for name, ctx := range map[string]context.Context{
		"stands alone": client{name: "c", meta: `"dougu/model":"m"`}.context(t), "session": client{session: older}.context(t), "in process": t.Context(),
	} {
		got := testing.AllocsPerRun(1_000, func() {
			if _, err := run(ctx, nil); err != nil {
				t.Error(err)
			}
		})
		if got != 0 {
			t.Errorf("%s: %v allocations a call", name, got)
		}
	}
	runtime.KeepAlive(older)
}

// Concurrent calls are all counted, and running calls are reported.
func TestMiddleware_Concurrent(t *testing.T) {
	const workers, calls = 8, 200
	recorder := telemetry.NewRecorder()
	set := newSet(t, telemetry.Options{Recorder: recorder})
	var inside, all group.Group
	door := make(chan struct{})
	arrived := make(chan struct{}, workers)
	run := recorder.Middleware(func(_ context.Context, args json.RawMessage) (*mcp.ToolResult, error) {
		if args != nil {
			arrived <- struct{}{}
			<-door
		}
		return nil, errors.New("no")
	})
	for w := range workers {
		ctx := client{name: numbered("c", w%3)}.context(t)
		inside.Go(func() { run(ctx, json.RawMessage("{}")) })
		all.Go(func() {
			for range calls {
				run(ctx, nil)
				if _, err := set.ServerStats(ctx, telemetry.ServerStatsArgs{}); err != nil {
					t.Error(err)
				}
			}
		})
	}
	all.Wait()
	for range workers {
		<-arrived
	}
	got := serverStats(t, set)
	if got.InFlight != workers || got.Requests.Total != workers*calls || got.Requests.Errors != workers*calls || got.Sessions.Total != 3 {
		t.Errorf("%d running, %+v, %+v", got.InFlight, got.Requests.Outcomes, got.Sessions)
	}
	close(door)
	inside.Wait()
	if got := serverStats(t, set); got.InFlight != 0 || got.Requests.Total != workers*(calls+1) {
		t.Errorf("in the end %d running, %d calls", got.InFlight, got.Requests.Total)
	}
}

func TestServerStats_Process(t *testing.T) {
	got := serverStats(t, newSet(t, telemetry.Options{}))
	if got.Memory.Heap <= 0 || got.Memory.Sys < got.Memory.Heap || got.Goroutines < 1 || got.GoVersion != runtime.Version() || runtime.GOOS == "linux" && got.Memory.RSS <= 0 {
		t.Errorf("%+v", got)
	}
	if text := got.TextContent(); !strings.Contains(text, "0 sessions (0 active)") || strings.Contains(text, "client") {
		t.Errorf("text %q", text)
	}
}

func BenchmarkMiddleware(b *testing.B) {
	older := &protocol.SessionMeta{}
	for name, ctx := range map[string]context.Context{"alone": client{name: "c"}.context(b), "session": client{session: older}.context(b)} {
		b.Run(name, func(b *testing.B) {
			recorder := telemetry.NewRecorder()
			run := recorder.Middleware(func(context.Context, json.RawMessage) (*mcp.ToolResult, error) { return nil, nil })
			b.ReportAllocs()
			b.RunParallel(func(pb *testing.PB) {
				for pb.Next() {
					run(ctx, nil)
				}
			})
		})
	}
	runtime.KeepAlive(older)
}

// The time limit of a server's tool ends a call as an error, and not as one that
// the client gave up.
func TestMiddleware_ServerTimeout(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		recorder := telemetry.NewRecorder()
		slow := mcp.NewTool(mcp.Tool{Name: "slow"}, func(ctx context.Context, _ struct{}) (string, error) {
			<-ctx.Done()
			return "", ctx.Err()
		}).Wrap(recorder.Middleware).With(mcp.ToolOptions{Timeout: 5 * time.Second})
		srv := mcp.NewServer(mcp.Implementation{Name: "s"}, nil)
		if err := srv.Replace("test", mcp.Features{Tools: []mcp.ServerTool{slow}}); err != nil {
			t.Fatal(err)
		}
		if _, err := srv.Dispatch(t.Context(), client{}.request(t, "slow")); err != nil {
			t.Fatal(err)
		}
		got := serverStats(t, newSet(t, telemetry.Options{Recorder: recorder})).Requests.ByTool["slow"]
		if got.Errors != 1 || got.ErrorsByCode["TIMEOUT"] != 1 || got.Cancelled != 0 {
			t.Errorf("counted as %+v", got)
		}
	})
}
