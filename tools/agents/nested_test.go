package agents_test

import (
	"context"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/dougu-go/dougu/mcp"
	"github.com/dougu-go/dougu/tools"
	"github.com/dougu-go/dougu/tools/agents"
	"github.com/dougu-go/dougu/tools/agents/executor"
	"github.com/dougu-go/dougu/tools/agents/record"
	"github.com/dougu-go/dougu/tools/internal/toolsettest"
)

// child is the Child server of the tests.
var child = agents.Child{Command: "/opt/kuromajutsu", Args: []string{"serve"}, ParentURL: func() string { return "http://127.0.0.1:9696/mcp" }}

// variable is a variable of an environment.
func variable(env []string, name string) string {
	for _, v := range env {
		if value, ok := strings.CutPrefix(v, name+"="); ok {
			return value
		}
	}
	return ""
}

func names(set tools.Set) []string {
	var all []string
	for _, tool := range set.Features().Tools {
		all = append(all, tool.Tool().Name)
	}
	return all
}

func TestRun_Trace(t *testing.T) {
	const parent = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"
	synctest.Test(t, func(t *testing.T) {
		c := newFixture(t, agents.Options{Child: child})
		c.stage.on("@work", func(ctx context.Context, s executor.Spec, tell func(executor.Event)) (executor.Exit, error) {
			if got := variable(s.Env, "TRACEPARENT"); got != parent || variable(s.Servers[0].Env, "TRACEPARENT") != parent || mcp.TraceFrom(ctx).Parent != parent {
				t.Errorf("the agent belongs to the trace %q", got)
			}
			return succeed(ctx, s, tell)
		})
		ctx := mcp.WithTrace(t.Context(), mcp.TraceContext{Parent: parent})
		r, err := c.Run(ctx, agents.RunArgs{GroupID: c.group(t), Role: "impl-code", Prompt: "@work"})
		if err != nil {
			t.Fatal(err)
		}
		c.end(t, r.AgentID)
	})
}

func TestAgentByToken_Lifetime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := newFixture(t, agents.Options{Child: child})
		var token string
		c.stage.on("@work", func(ctx context.Context, s executor.Spec, tell func(executor.Event)) (executor.Exit, error) {
			tell(executor.Event{Kind: executor.Init})
			token = variable(s.Env, agents.EnvToken)
			caller, ok := c.AgentByToken(token)
			if !ok || caller != s.AgentID || variable(s.Env, agents.EnvAgentID) != s.AgentID || variable(s.Env, agents.EnvDepth) != "1" || variable(s.Env, agents.EnvParentURL) != child.ParentURL() {
				t.Errorf("the environment is %q, and its agent %s, %v", s.Env, caller, ok)
			}
			if len(s.Servers) != 1 || s.Servers[0].Name != "kuromajutsu" || s.Servers[0].Command != child.Command || !slices.Equal(s.Servers[0].Env, s.Env) {
				t.Errorf("the servers are %+v", s.Servers)
			}
			ctx = agents.WithCaller(ctx, caller)
			if r, err := c.Report(ctx, agents.ReportArgs{Status: "success", Summary: "At home."}); err != nil || r.AgentID != caller {
				t.Errorf("%+v, %v", r, err)
			}
			if s, err := c.Status(ctx, agents.StatusArgs{}); err != nil || s.AgentID != caller {
				t.Errorf("%+v, %v", s, err)
			}
			return succeed(ctx, s, tell)
		})
		group := c.group(t)
		other := c.run(t, agents.RunArgs{GroupID: group})
		id := c.run(t, agents.RunArgs{GroupID: group, Prompt: "@work"})
		c.end(t, id, other)
		if s := c.status(t, id); s.Result.Summary != "At home." {
			t.Errorf("the result is %+v", s.Result)
		}
		if _, ok := c.AgentByToken(token); !ok {
			t.Error("a last call of the agent is not let in")
		}
		time.Sleep(2 * time.Minute)
		if _, ok := c.AgentByToken(token); ok {
			t.Error("the token is known for ever")
		}
		ctx := agents.WithCaller(t.Context(), id)
		_, err := c.Report(ctx, agents.ReportArgs{AgentID: other, Status: "failure"})
		toolsettest.WantError(t, err, "INVALID_PARAMS", "cannot report for")
		_, err = c.Status(ctx, agents.StatusArgs{AgentID: other})
		toolsettest.WantError(t, err, "UNKNOWN_AGENT")
		_, err = c.Run(ctx, agents.RunArgs{GroupID: group, Role: "impl-code", Prompt: "x"})
		toolsettest.WantError(t, err, "LIMIT_REACHED")
	})
}

func TestNestedTools_Levels(t *testing.T) {
	flat, deep := newFixture(t, agents.Options{}), newFixture(t, agents.Options{MaxDepth: 2})
	few := []string{"get_agent_status", "report_result"}
	if got := names(flat.NestedTools()); !slices.Equal(got, few) {
		t.Errorf("agents that may run none are offered %q", got)
	}
	if got := names(deep.NestedTools()); len(got) != 11 {
		t.Errorf("agents that may run others are offered %q", got)
	}
	if got := names(deep.NestedToolsForLevel(2)); !slices.Equal(got, few) {
		t.Errorf("the last level is offered %q", got)
	}
	r := toolsettest.Call(t, deep.NestedTools(), "list_agents", `{}`)
	if !r.IsError || !strings.Contains(toolsettest.Text(t, r), "no token of an agent") {
		t.Errorf("a call of nobody: %s", toolsettest.Text(t, r))
	}
	if err := deep.NestedTools().Close(t.Context()); err != nil {
		t.Error(err)
	}
}

// An agent sees its children, waits for them without using a slot, and ends them with itself.
func TestNestedTools_RunAgents(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := newFixture(t, agents.Options{MaxDepth: 2, MaxConcurrent: 1, WaitTimeout: 10 * time.Second})
		gate := make(chan struct{})
		c.stage.on("@below", runFor(30*time.Second))
		c.stage.on("@above", func(ctx context.Context, s executor.Spec, tell func(executor.Event)) (executor.Exit, error) {
			tell(executor.Event{Kind: executor.Init})
			mine := agents.WithCaller(ctx, s.AgentID)
			parent, err := c.Status(mine, agents.StatusArgs{})
			if err != nil {
				t.Error(err)
			}
			g, err := c.CreateGroup(mine, agents.GroupArgs{Description: "my own"})
			if err != nil {
				t.Error(err)
			}
			_, err = c.Run(mine, agents.RunArgs{GroupID: parent.GroupID, Role: "impl-code", Prompt: "x", DependsOn: []string{s.AgentID}})
			toolsettest.WantError(t, err, "BAD_DEPENDENCY")
			var below []string
			for _, group := range []string{parent.GroupID, g.GroupID} {
				r, err := c.Run(mine, agents.RunArgs{GroupID: group, Role: "impl-code", Prompt: "@below"})
				if err != nil {
					t.Error(err)
				}
				below = append(below, r.AgentID)
			}
			if l, err := c.List(mine, agents.ListArgs{}); err != nil || l.Total != 3 {
				t.Errorf("it sees %+v, %v", l, err)
			}
			for {
				w, err := c.Wait(mine, agents.WaitArgs{AgentIDs: below})
				if err != nil {
					t.Error(err)
				}
				if !w.Slice {
					break
				}
			}
			if d, err := c.DeleteGroup(mine, agents.DeleteGroupArgs{GroupID: g.GroupID}); err != nil || !d.Deleted {
				t.Errorf("%+v, %v", d, err)
			}
			_, err = c.DeleteGroup(mine, agents.DeleteGroupArgs{GroupID: parent.GroupID})
			toolsettest.WantError(t, err, "UNKNOWN_GROUP")
			_, err = c.Cancel(mine, agents.CancelArgs{AgentID: s.AgentID})
			toolsettest.WantError(t, err, "INVALID_PARAMS")
			_, err = c.Wait(mine, agents.WaitArgs{AgentIDs: []string{s.AgentID}})
			toolsettest.WantError(t, err, "INVALID_PARAMS")
			r, err := c.Run(mine, agents.RunArgs{GroupID: parent.GroupID, Role: "impl-code", Prompt: "linger"})
			if err != nil {
				t.Error(err)
			}
			_, err = c.Run(agents.WithCaller(ctx, r.AgentID), agents.RunArgs{GroupID: parent.GroupID, Role: "impl-code", Prompt: "x"})
			toolsettest.WantError(t, err, "LIMIT_REACHED", "2 levels")
			close(gate)
			<-ctx.Done()
			return executor.Exit{Signal: "SIGTERM"}, nil
		})
		stranger := c.group(t)
		group := c.group(t)
		id := c.run(t, agents.RunArgs{GroupID: group, Prompt: "@above", TimeoutMs: 600_000})
		<-gate
		l, err := c.List(t.Context(), agents.ListArgs{GroupID: group})
		if err != nil || l.Total != 3 || l.Agents[0].Parent != id {
			t.Fatalf("the group has %+v, %v", l, err)
		}
		_, err = c.Run(agents.WithCaller(t.Context(), id), agents.RunArgs{GroupID: stranger, Role: "impl-code", Prompt: "x"})
		toolsettest.WantError(t, err, "UNKNOWN_GROUP")
		if err := c.Stop(t.Context(), id, "enough"); err != nil {
			t.Fatal(err)
		}
		last := l.Agents[0].AgentID
		if s := c.await(t, last, record.Cancelled); !strings.Contains(s.ErrorMessage, id+", which started it, was cancelled") {
			t.Errorf("the last one: %+v", s)
		}
	})
}
