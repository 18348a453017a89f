package tasks_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/dougu-go/dougu/mcp"
	"github.com/dougu-go/dougu/mcp/mcptest"
	"github.com/dougu-go/dougu/mcp/protocol"
	"github.com/dougu-go/dougu/mcp/tasks"
)

// A call is a task for a client that takes tasks, which hears how far it is, and a
// call as any other for the rest.
func TestRunner_CallIsTask(t *testing.T) {
	mcptest.Bubble(t, func(t *testing.T) {
		srv, _ := serve(t, tasks.Options{}, work)
		began := time.Now()
		var heard []string
		result, err := tasks.Call(t.Context(), connect(t, srv, mcp.ClientOptions{}), "work", minutes{3}, &tasks.CallOptions{
			OnChange: func(i tasks.Info) {
				heard = append(heard, fmt.Sprintf("%v %s %s", i.Updated.Sub(began), i.Status, i.Message))
			},
		})
		must(t, err)
		if said(result) != "done" || result.IsError {
			t.Errorf("the answer is %q", said(result))
		}
		want := []string{"0s working ", "0s working minute 0", "1m0s working minute 1", "2m0s working minute 2", "3m0s completed "}
		if !slices.Equal(heard, want) {
			t.Errorf("heard\n%q, want\n%q", heard, want)
		}
		if took := time.Since(began); took < 3*time.Minute || took > 3*time.Minute+2*time.Second {
			t.Errorf("it took %v", took)
		}
		plain := mcptest.Connect(t, srv, &mcp.ClientOptions{Timeout: time.Hour})
		if text, err := mcp.Call[string](t.Context(), plain, "work", minutes{1}); text != "done" || err != nil {
			t.Errorf("without tasks: %q, %v", text, err)
		}
		if _, err := tasks.Start(t.Context(), plain, "work", minutes{0}, nil); err != nil {
			t.Errorf("starting without tasks: %v", err)
		}
	})
}

// What a call comes to, a task comes to: a failed tool has completed its task, and
// only a protocol error fails one.
func TestRunner_Outcomes(t *testing.T) {
	mcptest.Bubble(t, func(t *testing.T) {
		srv, _ := serve(t, tasks.Options{},
			tool("fails", func(context.Context, none) (string, error) { return "", errors.New("no luck") }),
			tool("panics", func(context.Context, none) (string, error) { panic("boom") }),
			tool("breaks", func(context.Context, none) (string, error) { return "", protocol.Errorf(-5, "broken") }),
		)
		c := connect(t, srv, mcp.ClientOptions{})
		for name, want := range map[string]string{"fails": "no luck", "panics": "INTERNAL_ERROR"} {
			task := start(t, c, name, none{})
			result, err := task.Wait(t.Context())
			must(t, err)
			if !result.IsError || !strings.Contains(said(result), want) {
				t.Errorf("%s: %q", name, said(result))
			}
			is(t, task, tasks.Completed)
		}
		task := start(t, c, "breaks", none{})
		if _, err := task.Wait(t.Context()); code(err) != -5 || err.Error() != "broken" {
			t.Errorf("a protocol error: %v", err)
		}
		if info := is(t, task, tasks.Failed); info.Message != "broken" {
			t.Errorf("it says %q", info.Message)
		}
		result, err := c.CallTool(t.Context(), "fails", map[string]any{"surplus": 1}, nil)
		if err != nil || !result.IsError || !strings.Contains(said(result), "INVALID_PARAMS") {
			t.Errorf("arguments that do not fit: %v", err) // there is no task for them
		}
	})
}

// A task that is cancelled has ended when its work has, which may have come to
// something by then.
func TestRunner_Cancel(t *testing.T) {
	mcptest.Bubble(t, func(t *testing.T) {
		causes := make(chan error, 1)
		srv, _ := serve(t, tasks.Options{}, work,
			tool("slow", func(ctx context.Context, _ none) (string, error) {
				<-ctx.Done()
				causes <- context.Cause(ctx)
				time.Sleep(time.Minute)
				return "", ctx.Err()
			}),
			tool("stubborn", func(ctx context.Context, _ none) (string, error) {
				<-ctx.Done()
				return "the result", nil
			}),
		)
		c := connect(t, srv, mcp.ClientOptions{})
		slow := start(t, c, "slow", none{})
		must(t, slow.Cancel(t.Context()))
		must(t, slow.Cancel(t.Context()))
		if cause := <-causes; !errors.Is(cause, tasks.ErrCancelled) {
			t.Errorf("the cause is %v", cause)
		}
		is(t, slow, tasks.Working)
		if _, err := slow.Wait(t.Context()); !errors.Is(err, tasks.ErrCancelled) {
			t.Errorf("waiting for it: %v", err)
		}
		must(t, slow.Cancel(t.Context())) // has no effect

		stubborn := start(t, c, "stubborn", none{})
		must(t, stubborn.Cancel(t.Context()))
		if result, err := stubborn.Wait(t.Context()); err != nil || said(result) != "the result" {
			t.Errorf("work that ends all the same: %v", err)
		}

		ctx, cancel := context.WithTimeout(t.Context(), 90*time.Second)
		defer cancel()
		var id string
		_, err := tasks.Call(ctx, c, "work", minutes{9}, &tasks.CallOptions{OnChange: func(i tasks.Info) { id = i.ID }})
		if !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("a call that is given up: %v", err)
		}
		time.Sleep(time.Second)
		is(t, tasks.Open(c, id), tasks.Cancelled)
	})
}

// A task that takes too long has failed, can be asked for a while, and is gone then.
func TestRunner_Expired(t *testing.T) {
	mcptest.Bubble(t, func(t *testing.T) {
		causes := make(chan error, 1)
		srv, _ := serve(t, tasks.Options{TTL: 10 * time.Minute, Keep: 5 * time.Minute}, work,
			tool("endless", func(ctx context.Context, _ none) (string, error) {
				<-ctx.Done()
				causes <- context.Cause(ctx)
				return "late", nil
			}))
		c := connect(t, srv, mcp.ClientOptions{})
		endless, short, late := start(t, c, "endless", none{}), start(t, c, "work", minutes{1}), start(t, c, "work", minutes{9})
		if ttl := endless.Last().TTL; ttl != 10*time.Minute {
			t.Errorf("at first it is %v", ttl)
		}
		time.Sleep(9*time.Minute + time.Second)
		if info := is(t, late, tasks.Completed); info.TTL != 14*time.Minute {
			t.Errorf("after its end it is kept for %v", info.TTL) // from its beginning
		}
		if info := is(t, tasks.Open(c, short.ID()), tasks.Completed); info.TTL != 10*time.Minute {
			t.Errorf("what has ended early is kept for %v", info.TTL)
		}
		is(t, endless, tasks.Working)
		time.Sleep(time.Minute)
		if cause := <-causes; !errors.Is(cause, tasks.ErrExpired) {
			t.Errorf("the cause is %v", cause)
		}
		if _, err := endless.Wait(t.Context()); code(err) != protocol.CodeInternal || !strings.Contains(err.Error(), "10m") {
			t.Errorf("waiting for it: %v", err)
		}
		if _, err := tasks.Open(c, short.ID()).Get(t.Context()); code(err) != protocol.CodeInvalidParams {
			t.Errorf("what was kept long enough: %v", err)
		}
		time.Sleep(5 * time.Minute)
		if _, err := tasks.Open(c, endless.ID()).Get(t.Context()); code(err) != protocol.CodeInvalidParams {
			t.Errorf("after a while: %v", err)
		}
	})
}

// Nobody has anything of a task but who called: to others it does not exist.
func TestRunner_Principals(t *testing.T) {
	mcptest.Bubble(t, func(t *testing.T) {
		srv, _ := serve(t, tasks.Options{}, work)
		alice := connect(t, as{srv, "alice"}, mcp.ClientOptions{})
		task := start(t, alice, "work", minutes{5})
		for _, other := range []string{"bob", ""} {
			c := connect(t, as{srv, other}, mcp.ClientOptions{})
			for method, params := range map[string]map[string]any{
				"tasks/get": {}, "tasks/cancel": {}, "tasks/update": {"inputResponses": map[string]any{"a": map[string]any{}}},
			} {
				params["taskId"] = task.ID()
				_, foreign := ask(t.Context(), c, method, params)
				params["taskId"] = "nothing"
				_, missing := ask(t.Context(), c, method, params)
				if code(foreign) != protocol.CodeInvalidParams || foreign.Error() != missing.Error() {
					t.Errorf("%s of %q: %v, and of none: %v", method, other, foreign, missing)
				}
			}
			sub, err := c.Subscribe(t.Context(), protocol.SubscriptionFilter{TaskIDs: []string{task.ID(), "nothing"}}, nil)
			must(t, err)
			if ids := sub.Filter().TaskIDs; len(ids) > 0 {
				t.Errorf("%q listens to %q", other, ids)
			}
			must(t, sub.Close())
		}
		synctest.Wait()
		is(t, task, tasks.Working)
		must(t, task.Cancel(t.Context()))
	})
}

// As many tasks as may be are kept, of each principal and in all; those that have
// ended count until they have expired.
func TestRunner_Limits(t *testing.T) {
	mcptest.Bubble(t, func(t *testing.T) {
		srv, _ := serve(t, tasks.Options{MaxPerPrincipal: 2, MaxTasks: 3, TTL: 10 * time.Minute, Keep: time.Minute}, work)
		alice, bob := connect(t, as{srv, "alice"}, mcp.ClientOptions{}), connect(t, as{srv, "bob"}, mcp.ClientOptions{})
		refused := func(c *mcp.Client, want string) {
			t.Helper()
			result, err := c.CallTool(t.Context(), "work", minutes{1}, nil)
			must(t, err)
			if !result.IsError || result.ErrorCode() != "TOO_MANY_TASKS" || !strings.Contains(said(result), want) {
				t.Errorf("one too many: %q", said(result))
			}
		}
		start(t, alice, "work", minutes{1})
		start(t, alice, "work", minutes{1})
		refused(alice, "2 tasks of this caller")
		start(t, bob, "work", minutes{1})
		refused(bob, "3 tasks are kept")
		time.Sleep(5 * time.Minute)
		refused(alice, "tasks")
		time.Sleep(6 * time.Minute)
		start(t, alice, "work", minutes{1})
	})
}

// A runner that is closed has ended its tasks, and their work.
func TestClose_RunningTasks(t *testing.T) {
	mcptest.Bubble(t, func(t *testing.T) {
		store := new(tasks.Memory)
		runner := tasks.New(&tasks.Options{Store: store, Log: quiet})
		ended := make(chan error, 1)
		srv := serverWith(t, runner, tool("wait", func(ctx context.Context, _ none) (string, error) {
			<-ctx.Done()
			ended <- context.Cause(ctx)
			return "", ctx.Err()
		}))
		c := connect(t, srv, mcp.ClientOptions{})
		task := start(t, c, "wait", none{})
		synctest.Wait()
		must(t, runner.Close())
		must(t, runner.Close())
		if err := <-ended; !strings.Contains(err.Error(), "stopped") {
			t.Errorf("the cause is %v", err)
		}
		if runner.Go(func() {}) {
			t.Error("a closed runner runs something")
		}
		if result, err := c.CallTool(t.Context(), "wait", none{}, nil); err != nil || result.ErrorCode() != "UNAVAILABLE" {
			t.Errorf("a call to a closed runner: %v, %v", result, err)
		}
		again, _ := serve(t, tasks.Options{Store: store}, work) // as after a restart
		if _, err := tasks.Open(connect(t, again, mcp.ClientOptions{}), task.ID()).Wait(t.Context()); code(err) != protocol.CodeInternal || !strings.Contains(err.Error(), "stopped") {
			t.Errorf("after a restart: %v", err)
		}
	})
}

// Work that does not end when it is cancelled is not waited for for ever.
func TestClose_WorkDoesNotEnd(t *testing.T) {
	mcptest.Bubble(t, func(t *testing.T) {
		runner := tasks.New(&tasks.Options{Log: quiet})
		release := make(chan struct{})
		srv := serverWith(t, runner, tool("deaf", func(context.Context, none) (string, error) { <-release; return "", nil }))
		task := start(t, connect(t, srv, mcp.ClientOptions{}), "deaf", none{})
		if err := runner.Close(); err == nil || !strings.Contains(err.Error(), "still runs") {
			t.Errorf("closing: %v", err)
		}
		is(t, task, tasks.Failed)
		close(release)
	})
}

// A tool that requires a task is listed to the clients that can take one.
func TestRunner_ListsRequiredTools(t *testing.T) {
	required := tool("must", func(context.Context, none) (string, error) { return "", nil }).With(mcp.ToolOptions{Task: mcp.TaskRequired})
	srv, _ := serve(t, tasks.Options{}, work, required)
	for _, c := range []struct {
		rev     protocol.Revision
		declare bool
		want    string
	}{
		{protocol.Rev20250618, false, "work"},
		{protocol.Rev20251125, false, "work must"},
		{protocol.Latest, false, "work"},
		{protocol.Latest, true, "work must"},
	} {
		o := mcp.ClientOptions{Revision: c.rev}
		if c.declare {
			tasks.Declare(&o)
		}
		var names []string
		for listed, err := range mcptest.Connect(t, srv, &o).Tools(t.Context()) {
			if err != nil {
				t.Fatal(err)
			}
			names = append(names, listed.Name)
		}
		if got := strings.Join(names, " "); got != c.want {
			t.Errorf("a client of %s (declares tasks: %v) is listed %q, want %q", c.rev, c.declare, got, c.want)
		}
	}
}
