package mcp_test

import (
	"context"
	"encoding/json"
	"errors"
	"testing"

	"github.com/dougu-go/dougu/mcp"
	"github.com/dougu-go/dougu/mcp/protocol"
	"github.com/dougu-go/dougu/transport"
)

// A handler that asks is run again with the answer; a step that Once recorded
// is not.
func TestOnce_Replay(t *testing.T) {
	type name struct {
		Name string `json:"name"`
	}
	runs, steps := 0, 0
	srv := newServer(t, nil, mcp.NewTool(mcp.Tool{Name: "register"}, func(ctx context.Context, _ struct{}) (int, error) {
		runs++
		number, err := mcp.Once(ctx, "draw", func() (int, error) { steps++; return 40 + steps, nil })
		if err != nil {
			return 0, err
		}
		if _, err := mcp.Once(ctx, "fails", func() (int, error) { return 0, errors.New("not recorded") }); err == nil {
			return 0, errors.New("a failed step was recorded")
		}
		if _, err := mcp.Elicit[name](ctx, "who", "Who are you?"); err != nil {
			return 0, err
		}
		return number, mcp.Confirm(ctx, "sure", "Sure?")
	}))
	for _, tc := range []struct {
		rev  protocol.Revision
		runs int
	}{{protocol.Latest, 3}, {protocol.Rev20251125, 1}} {
		runs, steps = 0, 0
		client, err := mcp.Connect(t.Context(), transport.InMemory{Server: srv}, mcp.Implementation{Name: "test"}, &mcp.ClientOptions{
			Revision: tc.rev,
			Elicit: func(context.Context, mcp.ElicitForm) (mcp.Answer[json.RawMessage], error) {
				return mcp.Answer[json.RawMessage]{Action: mcp.Accept, Value: json.RawMessage(`{"name":"Ada"}`)}, nil
			},
		})
		if err != nil {
			t.Fatal(err)
		}
		if number, err := mcp.Call[int](t.Context(), client, "register", nil); number != 41 || err != nil {
			t.Errorf("%s: drew %d, %v", tc.rev, number, err)
		}
		if runs != tc.runs || steps != 1 {
			t.Errorf("%s: the handler ran %d times and the step %d times, want %d and 1", tc.rev, runs, steps, tc.runs)
		}
		if err := client.Close(); err != nil {
			t.Error(err)
		}
	}
}
