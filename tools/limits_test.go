package tools_test

import (
	"context"
	"encoding/json"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/dougu-go/dougu/internal/group"
	"github.com/dougu-go/dougu/mcp"
	"github.com/dougu-go/dougu/mcp/protocol"
	"github.com/dougu-go/dougu/tools"
)

// kit is a set of the tools that it is given.
type kit []mcp.ServerTool

func (k kit) Features() mcp.Features      { return mcp.Features{Tools: k} }
func (k kit) Close(context.Context) error { return nil }

func install(t *testing.T, p tools.Profile, set ...mcp.ServerTool) *mcp.Server {
	t.Helper()
	srv := mcp.NewServer(mcp.Implementation{Name: "s"}, nil)
	installed, err := tools.Install(srv, "test", p, kit(set))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := installed.Close(context.WithoutCancel(t.Context())); err != nil {
			t.Error(err)
		}
	})
	return srv
}

func says(name, answer string) mcp.ServerTool {
	return mcp.NewTool(mcp.Tool{Name: name}, func(context.Context, struct{}) (string, error) { return answer, nil })
}

// Models spell names as they are used to. The other spelling can be called, is
// not listed, and never hides a tool or an alias of that name.
func TestProfile_Spellings(t *testing.T) {
	srv := install(t, tools.Profile{OtherSpelling: true, Aliases: map[string]string{"open": "get_state", "closeAll": "open_it"}},
		says("get_state", "state"), says("listAllFiles", "all"), says("open_it", "opened"), says("openIt", "also opened"), says("look", "looked"), says("close_all", "closed"))
	if got := names(srv); got != "get_state listAllFiles open_it openIt look close_all" {
		t.Errorf("listed: %s", got)
	}
	for name, want := range map[string]string{
		"getState": "state", "list_all_files": "all", "open_it": "opened", "openIt": "also opened", "open": "state", "closeAll": "opened", "close_all": "closed",
		"Look": "Unknown tool", "get_State": "Unknown tool", "listallfiles": "Unknown tool",
	} {
		if got := call(srv, name, `{}`); !strings.Contains(got, want) {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
	}
}

// A profile can omit output schemas.
func TestProfile_NoOutputSchemas(t *testing.T) {
	type out struct {
		N int `json:"n"`
	}
	count := mcp.NewTool(mcp.Tool{Name: "count"}, func(context.Context, struct{}) (out, error) { return out{3}, nil })
	for brief, want := range map[bool]bool{false: true, true: false} {
		srv := install(t, tools.Profile{NoOutputSchemas: brief}, count)
		if got := srv.Tools()[0].OutputSchema != nil; got != want {
			t.Errorf("NoOutputSchemas %v: has one: %v", brief, got)
		}
		result, err := srv.Dispatch(t.Context(), &protocol.Request{Method: "tools/call", Params: json.RawMessage(`{"name":"count"}`), Meta: protocol.RequestMeta{Revision: protocol.Latest}})
		if err != nil || string(result.(*mcp.ToolResult).Structured) != `{"n":3}` {
			t.Errorf("NoOutputSchemas %v: %+v, %v", brief, result, err)
		}
	}
}

// A profile can omit structured content. Without a policy it leaves those of the tools.
func TestProfile_Structured(t *testing.T) {
	type out struct {
		N int `json:"n"`
	}
	count := mcp.NewTool(mcp.Tool{Name: "count"}, func(context.Context, struct{}) (out, error) { return out{3}, nil })
	for policy, want := range map[mcp.StructuredPolicy]bool{"": true, mcp.StructuredAlways: true, mcp.StructuredAuto: false, mcp.StructuredNever: false} {
		srv := install(t, tools.Profile{Structured: policy}, count)
		result, err := srv.Dispatch(t.Context(), &protocol.Request{
			Method: "tools/call", Params: json.RawMessage(`{"name":"count"}`), Meta: protocol.RequestMeta{Revision: protocol.Latest}, Peer: protocol.Peer{Transport: "stdio"},
		})
		if err != nil {
			t.Fatal(err)
		}
		wire, err := result.AppendJSON(nil, protocol.Latest)
		if got := strings.Contains(string(wire), `"structuredContent":{"n":3}`); err != nil || got != want || !strings.Contains(string(wire), `"text":"{\"n\":3}"`) {
			t.Errorf("%q: %s, %v", policy, wire, err)
		}
	}
}

// The time limit of a profile applies to every tool. Time in the queue does not count.
func TestProfile_Timeout(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		nap := mcp.NewTool(mcp.Tool{Name: "nap"}, func(ctx context.Context, in struct {
			Seconds int `json:"seconds"`
		}) (string, error) {
			select {
			case <-time.After(time.Duration(in.Seconds) * time.Second):
				return "slept", nil
			case <-ctx.Done():
				return "", ctx.Err()
			}
		}).With(mcp.ToolOptions{Timeout: time.Hour})
		srv := install(t, tools.Profile{Timeout: 5 * time.Second, Concurrency: 2}, nap)

		start := time.Now()
		if got := call(srv, "nap", `{"seconds":9}`); !strings.Contains(got, "TIMEOUT") || time.Since(start) != 5*time.Second {
			t.Errorf("after %v: %q", time.Since(start), got)
		}
		start = time.Now()
		var all group.Group
		for range 5 {
			all.Go(func() {
				if got := call(srv, "nap", `{"seconds":4}`); got != "slept" {
					t.Error(got)
				}
			})
		}
		all.Wait()
		if took := time.Since(start); took != 12*time.Second {
			t.Errorf("five naps of 4 s, two at a time, took %v", took)
		}
	})
}
