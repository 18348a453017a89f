package tasks_test

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/dougu-go/dougu/mcp"
	"github.com/dougu-go/dougu/mcp/mcptest"
	"github.com/dougu-go/dougu/mcp/protocol"
	"github.com/dougu-go/dougu/mcp/tasks"
)

// Servers that share a store answer for each other's tasks: what is asked, answered
// and cancelled at one reaches the work at the other.
func TestSharedStore_TwoServers(t *testing.T) {
	mcptest.Bubble(t, func(t *testing.T) {
		store := new(tasks.Memory)
		here, _ := serve(t, tasks.Options{Store: store}, work, interview)
		there, _ := serve(t, tasks.Options{Store: store}, work, interview)
		c, other := connect(t, here, mcp.ClientOptions{Elicit: elicit()}), connect(t, there, mcp.ClientOptions{Elicit: elicit("Ada", "Bea", "Cid")})

		asked := tasks.Open(other, start(t, c, "interview", none{}).ID())
		if result, err := asked.Wait(t.Context()); err != nil || said(result) != "Ada, Bea, Cid" {
			t.Errorf("answered elsewhere: %v", err)
		}
		long := tasks.Open(other, start(t, c, "work", minutes{30}).ID())
		time.Sleep(5*time.Minute + 2*time.Second)
		if info := is(t, long, tasks.Working); info.Message != "minute 5" {
			t.Errorf("elsewhere it says %q", info.Message)
		}
		must(t, long.Cancel(t.Context()))
		synctest.Wait()
		is(t, long, tasks.Cancelled)
	})
}

// mute is a store as one sees it whose word does not get through: as a process that
// is stopped, or gone.
type mute struct{ tasks.Store }

func (mute) Beat(context.Context, string, time.Time) error { return nil }

// What a server was at that is gone has failed, or was cancelled; what it does all
// the same does not count.
func TestSharedStore_DeadServer(t *testing.T) {
	mcptest.Bubble(t, func(t *testing.T) {
		store := new(tasks.Memory)
		causes := make(chan error, 2)
		wait := tool("wait", func(ctx context.Context, _ none) (string, error) {
			<-ctx.Done()
			causes <- context.Cause(ctx)
			return "late", nil
		})
		lost, _ := serve(t, tasks.Options{Store: mute{store}}, wait)
		there, _ := serve(t, tasks.Options{Store: store}, work)
		c, other := connect(t, lost, mcp.ClientOptions{}), connect(t, there, mcp.ClientOptions{})
		failed, cancelled := start(t, c, "wait", none{}), start(t, c, "wait", none{})
		must(t, failed.Cancel(t.Context()))
		<-causes
		synctest.Wait()
		is(t, failed, tasks.Completed) // its work had come to something

		if _, err := tasks.Open(other, cancelled.ID()).Get(t.Context()); err != nil {
			t.Fatal(err)
		}
		synctest.Wait()
		if info := is(t, tasks.Open(other, cancelled.ID()), tasks.Failed); !strings.Contains(info.Err.Error(), "ended before") {
			t.Errorf("it has failed with %v", info.Err)
		}
		if cause := <-causes; !errors.Is(cause, tasks.ErrCancelled) {
			t.Errorf("the cause is %v", cause)
		}
	})
}

// A server that says that it lives is believed, for as long as its tasks take.
func TestSharedStore_LiveServer(t *testing.T) {
	mcptest.Bubble(t, func(t *testing.T) {
		store := new(tasks.Memory)
		here, _ := serve(t, tasks.Options{Store: store}, work)
		there, _ := serve(t, tasks.Options{Store: store}, work)
		task := tasks.Open(connect(t, there, mcp.ClientOptions{}), start(t, connect(t, here, mcp.ClientOptions{}), "work", minutes{30}).ID())
		if result, err := task.Wait(t.Context()); err != nil || said(result) != "done" {
			t.Errorf("in the end %v", err)
		}
	})
}

// Who listens hears of every change, beginning with the state at that moment.
func TestFollow_Changes(t *testing.T) {
	mcptest.Bubble(t, func(t *testing.T) {
		srv, _ := serve(t, tasks.Options{}, work, interview)
		c := connect(t, srv, mcp.ClientOptions{Elicit: elicit()})
		task, ended := start(t, c, "interview", none{}), start(t, c, "work", minutes{0})
		synctest.Wait()
		heard := make(map[string][]tasks.Status)
		last := make(map[string]tasks.Info)
		sub, err := c.Subscribe(t.Context(), protocol.SubscriptionFilter{TaskIDs: []string{task.ID(), ended.ID(), "nothing", task.ID()}}, func(n protocol.Notification) {
			if n.Method() != "notifications/tasks" {
				t.Errorf("heard %s", n.Method())
			}
			var info tasks.Info
			must(t, json.Unmarshal(n.AppendParams(nil, protocol.Latest), &info))
			last[info.ID] = info
			heard[info.ID] = append(heard[info.ID], info.Status)
		})
		must(t, err)
		if got := sub.Filter().TaskIDs; len(got) != 2 {
			t.Errorf("listening to %q", got)
		}
		accept := json.RawMessage(`{"action":"accept","content":{"name":"x"}}`)
		for _, key := range []string{"who", "who-2", "who-3"} {
			synctest.Wait()
			if _, open := last[task.ID()].Requests[key]; !open {
				t.Errorf("heard of the questions %v", last[task.ID()].Requests)
			}
			must(t, task.Answer(t.Context(), map[string]json.RawMessage{key: accept}))
		}
		synctest.Wait()
		end := last[task.ID()]
		if result, err := end.Result(); err != nil || said(result) != "x, x, x" {
			t.Errorf("heard of the result %v", err)
		}
		if got := heard[ended.ID()]; len(got) != 1 || got[0] != tasks.Completed {
			t.Errorf("of what had ended heard %v", got)
		}
		if got := heard[task.ID()]; got[0] != tasks.InputRequired || got[len(got)-1] != tasks.Completed {
			t.Errorf("heard %v", got)
		}
		must(t, sub.Close())
		plain := mcptest.Connect(t, srv, nil)
		if _, err := plain.Subscribe(t.Context(), protocol.SubscriptionFilter{TaskIDs: []string{task.ID()}}, nil); code(err) != protocol.CodeMissingCapability {
			t.Errorf("without the extension: %v", err)
		}
		many := make([]string, 1025)
		if _, err := c.Subscribe(t.Context(), protocol.SubscriptionFilter{TaskIDs: many}, nil); code(err) != protocol.CodeInvalidParams {
			t.Errorf("to too many: %v", err)
		}
	})
}

// A caller who may not use a tool any more has nothing of its tasks.
func TestFollow_PermissionLost(t *testing.T) {
	mcptest.Bubble(t, func(t *testing.T) {
		allowed := true
		runner := tasks.New(&tasks.Options{Log: quiet})
		defer func() { must(t, runner.Close()) }()
		srv := mcp.NewServer(mcp.Implementation{Name: "s", Version: "1"}, &mcp.ServerOptions{
			Tasks: runner, Log: quiet,
			Authorize: func(_ context.Context, _ *protocol.Request, tool mcp.ServerTool) error {
				if allowed {
					return nil
				}
				return &mcp.ToolError{Code: "PERMISSION_REQUIRED", Message: "not " + tool.Tool().Name}
			},
		})
		must(t, srv.Replace("test", mcp.Features{Tools: []mcp.ServerTool{work}}))
		c := connect(t, srv, mcp.ClientOptions{})
		task := start(t, c, "work", minutes{1})
		allowed = false
		if _, err := task.Get(t.Context()); code(err) != protocol.CodeInvalidParams || !strings.Contains(err.Error(), "not work") {
			t.Errorf("asking for it: %v", err)
		}
		if result, err := c.CallTool(t.Context(), "work", minutes{1}, nil); err != nil || result.ErrorCode() != "PERMISSION_REQUIRED" {
			t.Errorf("another: %v", err)
		}
		sub, err := c.Subscribe(t.Context(), protocol.SubscriptionFilter{TaskIDs: []string{task.ID()}}, nil)
		must(t, err)
		if ids := sub.Filter().TaskIDs; len(ids) > 0 {
			t.Errorf("the subscription follows %q", ids)
		}
		must(t, sub.Close())
		allowed = true
		must(t, srv.Remove("test"))
		is(t, task, tasks.Working) // the tool is gone, the task goes on
	})
}
