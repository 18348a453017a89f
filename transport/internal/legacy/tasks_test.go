package legacy_test

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/dougu-go/dougu/internal/group"
	"github.com/dougu-go/dougu/mcp"
	"github.com/dougu-go/dougu/mcp/protocol"
	"github.com/dougu-go/dougu/mcp/tasks"
	"github.com/dougu-go/dougu/transport/internal/legacy"
	"github.com/dougu-go/dougu/transport/internal/peer"
)

// sleeper is a server with a tool that rests for a minute.
func sleeper(t *testing.T) (*mcp.Server, *tasks.Runner) {
	t.Helper()
	runner := tasks.New(&tasks.Options{MaxPerPrincipal: 1000})
	srv := mcp.NewServer(mcp.Implementation{Name: "s", Version: "1"}, &mcp.ServerOptions{Tasks: runner})
	tool := mcp.NewTool(mcp.Tool{Name: "sleep"}, func(context.Context, struct{}) (string, error) {
		time.Sleep(time.Minute)
		return "rested", nil
	}).With(mcp.ToolOptions{Task: mcp.TaskOptional})
	if err := srv.Replace("o", mcp.Features{Tools: []mcp.ServerTool{tool}}); err != nil {
		t.Fatal(err)
	}
	return srv, runner
}

// call makes a call of a session that becomes a task, and returns its id.
func call(t *testing.T, s *legacy.Session, d protocol.Dispatcher) string {
	t.Helper()
	req := &protocol.Request{ID: "1", Method: "tools/call", Params: json.RawMessage(`{"name":"sleep","task":{}}`), Meta: s.Fill(protocol.RequestMeta{}), Peer: protocol.Peer{Principal: "alice"}}
	result, err := peer.Dispatch(t.Context(), d, s, req)
	if err != nil {
		t.Fatal(err)
	}
	return result.(interface{ TaskID() string }).TaskID()
}

// A session hears of the tasks that its calls have become, and of no others, whether
// its changes are followed by a request or watched.
func TestFollow_Tasks(t *testing.T) {
	for _, watched := range []bool{true, false} {
		t.Run(fmt.Sprintf("watched=%v", watched), func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				srv, runner := sleeper(t)
				s, other, c := open(t, protocol.Rev20251125), open(t, protocol.Rev20251125), new(client)
				ctx, cancel := context.WithCancel(t.Context())
				var runs group.Group
				stop := cancel
				if watched {
					var ok bool
					if stop, ok = s.Watch(srv, &runs, c.send); !ok {
						t.Fatal("the server cannot be watched")
					}
				} else {
					runs.Go(s.Follow(ctx, srv, protocol.Peer{Principal: "alice"}, c.send))
				}
				synctest.Wait()
				first := call(t, s, srv)
				call(t, other, srv)
				time.Sleep(30 * time.Second)
				if got := c.take(); len(got) > 0 {
					t.Errorf("told %q of what the answer has said", got)
				}
				second := call(t, s, srv)
				time.Sleep(2 * time.Minute)
				got := c.take()
				ends := func(id string) func(string) bool {
					return func(told string) bool {
						return strings.HasPrefix(told, `tasks/status {"taskId":"`+id+`","status":"completed"`)
					}
				}
				if len(got) != 2 || slices.IndexFunc(got, ends(first)) != 0 || slices.IndexFunc(got, ends(second)) != 1 {
					t.Errorf("told %q", got)
				}
				for range 260 { // more than are followed
					call(t, s, srv)
				}
				time.Sleep(2 * time.Minute)
				if got := c.take(); len(got) != 256 {
					t.Errorf("told of %d of 260", len(got))
				}
				stop()
				cancel()
				runs.Wait()
				if err := runner.Close(); err != nil {
					t.Error(err)
				}
			})
		})
	}
}

// Sessions of revisions without tasks receive no task notifications.
func TestFollow_TasksByRevision(t *testing.T) {
	srv, runner := sleeper(t)
	defer runner.Close()
	for _, rev := range protocol.Revisions()[1:] {
		result, err := open(t, rev).Initialized(t.Context(), srv, protocol.Peer{Transport: "tcp"})
		if err != nil {
			t.Fatal(err)
		}
		wire, err := result.AppendJSON(nil, rev)
		if err != nil {
			t.Fatal(err)
		}
		const own = `"tasks":{"cancel":{},"requests":{"tools":{"call":{}}}}`
		if got := strings.Contains(string(wire), own); got != (rev == protocol.Rev20251125) || strings.Contains(string(wire), protocol.TasksExtension) {
			t.Errorf("%s is told %s", rev, wire)
		}
	}
}
