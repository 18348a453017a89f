package telemetry_test

import (
	"context"
	"encoding/json"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/dougu-go/dougu/mcp"
	"github.com/dougu-go/dougu/tools/telemetry"
)

// A snapshot has requests by method and calls by tool, each with how they ended and how long they took.
func TestRecorder_Snapshot(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := telemetry.NewRecorder()
		srv := mcp.NewServer(mcp.Implementation{Name: "s"}, &mcp.ServerOptions{Log: quiet})
		srv.Use(r.Requests)
		slow := mcp.NewRawTool(mcp.Tool{Name: "slow", InputSchema: json.RawMessage(`{"type":"object"}`)}, func(ctx context.Context, _ json.RawMessage) (*mcp.ToolResult, error) {
			time.Sleep(2 * time.Second)
			return mcp.Text("done"), nil
		})
		bad := mcp.NewRawTool(mcp.Tool{Name: "bad", InputSchema: json.RawMessage(`{"type":"object"}`)}, func(ctx context.Context, _ json.RawMessage) (*mcp.ToolResult, error) {
			return nil, errors.New("no")
		})
		if err := srv.Replace("test", mcp.Features{Tools: []mcp.ServerTool{slow.Wrap(r.Middleware), bad.Wrap(r.Middleware)}}); err != nil {
			t.Fatal(err)
		}
		c := client{name: "cursor"}
		for _, tool := range []string{"slow", "bad", "slow", "none"} {
			_, _ = srv.Dispatch(t.Context(), c.request(t, tool))
		}
		for _, method := range []string{"tools/list", "no/such", "no/such\x00either"} {
			req := c.request(t, "slow")
			req.Method, req.Params = method, json.RawMessage(`{}`)
			_, _ = srv.Dispatch(t.Context(), req)
		}
		s := r.Snapshot()
		calls, slowly := s.Requests["tools/call"], s.Tools["slow"]
		if calls.Succeeded != 2 || calls.Failed != 1 || calls.Rejected != 1 || calls.Durations.Count() != 3 || calls.Durations.Sum() != 4*time.Second || s.Requests["tools/list"].Succeeded != 1 || s.Requests["other"].Rejected != 2 || len(s.Requests) != 3 {
			t.Errorf("requests are %+v", s.Requests)
		}
		if slowly.Durations.CountUpTo(time.Second) != 0 || slowly.Durations.CountUpTo(3*time.Second) != 2 || s.Tools["bad"].ErrorsByCode["ERROR"] != 1 || len(s.Tools) != 2 {
			t.Errorf("tools are %+v", s.Tools)
		}
		if s.RunningRequests != 0 || s.RunningCalls != 0 || len(s.Clients) != 1 || s.Clients[0].Name != "cursor" || s.Sessions.Total != 1 || s.Memory.Heap <= 0 {
			t.Errorf("the rest is %+v", s)
		}
		var none telemetry.Durations
		if none.Count() != 0 || none.Sum() != 0 || none.CountUpTo(time.Hour) != 0 {
			t.Error("nothing took some time")
		}
	})
}
