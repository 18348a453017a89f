package mcp_test

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/dougu-go/dougu/mcp"
)

func TestServerTool_CallHasTimeLimitAndGate(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		running, most := 0, 0
		tool := mcp.NewTool(mcp.Tool{Name: "work"}, func(ctx context.Context, in struct {
			Seconds int `json:"seconds"`
		}) (string, error) {
			running++
			most = max(most, running)
			defer func() { running-- }()
			select {
			case <-time.After(time.Duration(in.Seconds) * time.Second):
				return "done", nil
			case <-ctx.Done():
				return "", ctx.Err()
			}
		}).With(mcp.ToolOptions{Timeout: 2 * time.Second, Gate: mcp.NewGate(1)})
		outcomes := make(chan string, 2)
		start := time.Now()
		for range 2 {
			go func() {
				result, err := tool.Call(t.Context(), []byte(`{"seconds":1}`))
				if err != nil || result.IsError {
					t.Errorf("%+v %v", result, err)
				}
				outcomes <- time.Since(start).String()
			}()
		}
		if first, second := <-outcomes, <-outcomes; most != 1 || first != "1s" || second != "2s" {
			t.Errorf("%d ran at once, they ended after %s and %s", most, first, second)
		}
		if result, err := tool.Call(t.Context(), []byte(`{"seconds":60}`)); err != nil || result.ErrorCode() != "TIMEOUT" {
			t.Errorf("a long call: %+v %v", result, err)
		}
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		go func() { _, _ = tool.Call(t.Context(), []byte(`{"seconds":2}`)) }()
		synctest.Wait()
		if result, err := tool.Call(ctx, []byte(`{"seconds":0}`)); err != nil || !result.IsError {
			t.Errorf("a call that gives up at the gate: %+v %v", result, err)
		}
	})
}
