package telemetry_test

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/dougu-go/dougu/mcp"
	"github.com/dougu-go/dougu/mcp/protocol"
	"github.com/dougu-go/dougu/tools/telemetry"
)

// Each principal sees the counts of its own calls; the operator sees all calls.
func TestServerStats_OfPrincipals(t *testing.T) {
	recorder := telemetry.NewRecorder()
	set := newSet(t, telemetry.Options{Recorder: recorder})
	called := recorder.Middleware(func(context.Context, json.RawMessage) (*mcp.ToolResult, error) { return new(mcp.ToolResult), nil })
	calls := map[string]int{"": 1, "alice": 2, "Alice": 3, "alice\x00": 4, "a/../b": 5}
	all := 0
	var work sync.WaitGroup
	for name, n := range calls {
		all += n
		for range n {
			work.Go(func() {
				ctx := protocol.WithPrincipal(t.Context(), name)
				if _, err := called(ctx, nil); err != nil {
					t.Error(err)
				}
				use(t, set, ctx, "model of "+fmt.Sprint(n), 1, 1, 1)
			})
		}
	}
	work.Wait()
	for name, n := range calls {
		ctx := protocol.WithPrincipal(t.Context(), name)
		want, models := int64(n), 1
		if name == "" {
			want, models = int64(all), len(calls)
		}
		s, err := set.ServerStats(ctx, telemetry.ServerStatsArgs{})
		if err != nil || s.Requests.Total != want || s.InFlight != 0 || s.Clients[0].Requests != want || len(s.Clients) != 1 {
			t.Errorf("%q gets %+v, %v, want %d calls", name, s, err, want)
		}
		if own := name != ""; own == s.OwnSince.IsZero() || own != (s.Goroutines == 0) || own != (s.Memory == telemetry.MemoryStats{}) || own != strings.Contains(s.TextContent(), "only your own calls") {
			t.Errorf("%q gets %+v: %s", name, s, s.TextContent())
		}
		m, err := set.ModelStatistics(ctx, telemetry.StatisticsArgs{})
		if err != nil || len(m.ModelBreakdown) != models || m.TotalTokensUsed.Input != want {
			t.Errorf("%q gets %+v, %v", name, m, err)
		}
	}
	if got := recorder.Snapshot().Tools["(in process)"].Succeeded; got != int64(all) {
		t.Errorf("%d calls in the snapshot, want %d", got, all)
	}
}

// The figures of a principal that was silent for long make room for another.
func TestServerStats_ManyPrincipals(t *testing.T) {
	recorder := telemetry.NewRecorder()
	set := newSet(t, telemetry.Options{Recorder: recorder})
	called := recorder.Middleware(func(context.Context, json.RawMessage) (*mcp.ToolResult, error) { return new(mcp.ToolResult), nil })
	for i := range 300 {
		if _, err := called(protocol.WithPrincipal(t.Context(), fmt.Sprint(i)), nil); err != nil {
			t.Fatal(err)
		}
	}
	for name, want := range map[string]int64{"299": 1, "0": 0, "": 300} {
		s, err := set.ServerStats(protocol.WithPrincipal(t.Context(), name), telemetry.ServerStatsArgs{})
		if err != nil || s.Requests.Total != want {
			t.Errorf("%q has %d calls, want %d: %v", name, s.Requests.Total, want, err)
		}
	}
}
