package gateway_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/dougu-go/dougu/internal/waittest"
	"github.com/dougu-go/dougu/mcp"
	"github.com/dougu-go/dougu/mcp/gateway"
	"github.com/dougu-go/dougu/mcp/protocol"
	"github.com/dougu-go/dougu/mcp/tasks"
)

// tasking is an upstream whose tool works on after its call was answered, until
// something comes from the channel.
func tasking(t *testing.T) (*mcp.Server, chan string) {
	t.Helper()
	runner := tasks.New(&tasks.Options{PollInterval: 20 * time.Millisecond})
	t.Cleanup(func() {
		if err := runner.Close(); err != nil {
			t.Error(err)
		}
	})
	srv := mcp.NewServer(mcp.Implementation{Name: "slow", Version: "1"}, &mcp.ServerOptions{Tasks: runner})
	words := make(chan string, 10)
	tool := mcp.NewTool(mcp.Tool{Name: "work"}, func(ctx context.Context, _ struct{}) (string, error) {
		select {
		case word := <-words:
			return word, nil
		case <-ctx.Done():
			return "", ctx.Err()
		}
	}).With(mcp.ToolOptions{Task: mcp.TaskOptional})
	if err := srv.Replace("test", mcp.Features{Tools: []mcp.ServerTool{tool}}); err != nil {
		t.Fatal(err)
	}
	return srv, words
}

// A task at an upstream belongs to the principal that created it.
func TestTask_Principal(t *testing.T) {
	for _, where := range []string{"local", "remote"} {
		t.Run(where, func(t *testing.T) {
			srv, words := tasking(t)
			u := gateway.Upstream{Name: "up", Server: srv}
			if where == "remote" {
				u.Server, u.Connect = nil, inMemory(srv, protocol.Latest)
			}
			g := newGateway(t, gateway.Options{}, u, gateway.Upstream{Name: "plain", Connect: inMemory(newServer("plain"), protocol.Latest)})
			var opts mcp.ClientOptions
			tasks.Declare(&opts)
			c := connect(t, as(g, "alice"), protocol.Latest, opts)
			task, err := tasks.Start(t.Context(), c, "up_work", nil, nil)
			if err != nil || !strings.HasPrefix(task.ID(), "gwt.") {
				t.Fatalf("the task is %+v, %v", task, err)
			}
			var told heard
			s, err := c.Subscribe(t.Context(), protocol.SubscriptionFilter{TaskIDs: []string{task.ID(), "gwt.nothing"}}, func(n protocol.Notification) {
				told.add(string(n.AppendParams(nil, protocol.Latest)))
			})
			if err != nil || len(s.Filter().TaskIDs) != 1 {
				t.Fatalf("the subscription is for %+v, %v", s.Filter(), err)
			}
			words <- "worked"
			result, err := task.Wait(t.Context())
			if err != nil || result.Content[0].(mcp.TextContent).Text != "worked" {
				t.Errorf("the result is %+v, %v", result, err)
			}
			waittest.Until(t, "the end is told", func() bool {
				told.mu.Lock()
				defer told.mu.Unlock()
				return strings.Contains(strings.Join(told.all, ""), `"status":"completed"`) && strings.Contains(strings.Join(told.all, ""), task.ID())
			})
			if err := s.Close(); err != nil {
				t.Error(err)
			}
			eve := connect(t, as(g, "eve"), protocol.Latest, opts)
			if _, err := tasks.Open(eve, task.ID()).Get(t.Context()); err == nil || !strings.Contains(err.Error(), "nknown task") {
				t.Errorf("somebody else gets %v", err)
			}
			if got := call(t, c, "plain_echo", echoArgs{"x"}); got != "plain says x" {
				t.Errorf("a server without tasks says %q", got)
			}
			none := connect(t, as(g, "alice"), protocol.Latest, mcp.ClientOptions{})
			if _, err := none.Request(t.Context(), "tasks/get", []byte(`{"taskId":"x"}`), nil); err == nil || !strings.Contains(err.Error(), "does not declare the extension") {
				t.Errorf("without the extension: %v", err)
			}
		})
	}
}

// principalDispatcher is a Dispatcher for one principal.
type principalDispatcher struct {
	protocol.Dispatcher
	name string
}

func as(d protocol.Dispatcher, name string) protocol.Dispatcher { return principalDispatcher{d, name} }

// Dispatch implements protocol.Dispatcher.
func (w principalDispatcher) Dispatch(ctx context.Context, req *protocol.Request) (protocol.Result, error) {
	own := *req
	own.Peer.Principal = w.name
	return w.Dispatcher.Dispatch(ctx, &own)
}
