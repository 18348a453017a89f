package agents_test

import (
	"context"
	"errors"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/dougu-go/dougu/tools/agents"
	"github.com/dougu-go/dougu/tools/agents/executor"
	"github.com/dougu-go/dougu/tools/agents/health"
	"github.com/dougu-go/dougu/tools/agents/record"
	"github.com/dougu-go/dougu/tools/agents/roles"
	"github.com/dougu-go/dougu/tools/internal/toolsettest"
)

func TestCancel(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := newFixture(t, agents.Options{MaxConcurrent: 1})
		group := c.group(t)
		running := c.run(t, agents.RunArgs{GroupID: group, Prompt: "linger"})
		queued := c.run(t, agents.RunArgs{GroupID: group})
		blocked := c.run(t, agents.RunArgs{GroupID: group, DependsOn: []string{running}})
		c.await(t, running, record.Running)
		r, err := c.Cancel(t.Context(), agents.CancelArgs{AgentID: queued, Reason: "not needed"})
		if err != nil || !slices.Equal(r.Cancelled, []string{queued}) || len(r.Ending) > 0 {
			t.Errorf("%+v, %v", r, err)
		}
		if s := c.status(t, queued); s.Status != record.Cancelled || s.ErrorMessage != "it was cancelled: not needed" || !s.StartedAt.IsZero() {
			t.Errorf("it is %+v", s)
		}
		r, err = c.Cancel(t.Context(), agents.CancelArgs{GroupID: group})
		if err != nil || len(r.Cancelled) != 2 || len(r.AlreadyEnded) != 0 {
			t.Errorf("%+v, %v", r, err)
		}
		for _, id := range []string{running, blocked} {
			if s := c.status(t, id); s.Status != record.Cancelled {
				t.Errorf("%s is %s", id, s.Status)
			}
		}
		r, err = c.Cancel(t.Context(), agents.CancelArgs{AgentID: queued})
		if err != nil || len(r.Cancelled) != 0 || !slices.Equal(r.AlreadyEnded, []string{queued}) || !strings.Contains(r.TextContent(), "had ended before") {
			t.Errorf("%+v, %v", r, err)
		}
		for _, args := range []agents.CancelArgs{{}, {AgentID: queued, GroupID: group}} {
			_, err := c.Cancel(t.Context(), args)
			toolsettest.WantError(t, err, "INVALID_PARAMS")
		}
		_, err = c.Cancel(t.Context(), agents.CancelArgs{GroupID: "grp-1-0000"})
		toolsettest.WantError(t, err, "UNKNOWN_GROUP")
		_, err = c.Cancel(t.Context(), agents.CancelArgs{AgentID: "impl-code-1-0000"})
		toolsettest.WantError(t, err, "UNKNOWN_AGENT")
	})
}

// An agent that does not end in time is reported as ending.
func TestCancel_EndTimeout(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := newFixture(t, agents.Options{})
		c.stage.on("@stubborn", func(ctx context.Context, s executor.Spec, tell func(executor.Event)) (executor.Exit, error) {
			tell(executor.Event{Kind: executor.Init})
			<-ctx.Done()
			time.Sleep(time.Minute)
			return executor.Exit{Signal: "SIGKILL"}, nil
		})
		id := c.run(t, agents.RunArgs{Prompt: "@stubborn"})
		c.await(t, id, record.Running)
		start := time.Now()
		r, err := c.Cancel(t.Context(), agents.CancelArgs{AgentID: id})
		if err != nil || !slices.Equal(r.Ending, []string{id}) || time.Since(start) > 20*time.Second {
			t.Errorf("%+v, %v after %v", r, err, time.Since(start))
		}
		group := c.status(t, id).GroupID
		_, err = c.DeleteGroup(t.Context(), agents.DeleteGroupArgs{GroupID: group})
		toolsettest.WantError(t, err, "GROUP_BUSY", id)
		d, err := c.DeleteGroup(t.Context(), agents.DeleteGroupArgs{GroupID: group, Force: true})
		if err != nil || !d.Deleted {
			t.Errorf("%+v, %v", d, err)
		}
		if s := c.status(t, id); s.Status != record.Cancelled {
			t.Errorf("it is %s", s.Status)
		}
	})
}

func TestDeleteGroup_Force(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := newFixture(t, agents.Options{})
		for _, description := range []string{"", strings.Repeat("x", 2000), "\xff"} {
			_, err := c.CreateGroup(t.Context(), agents.GroupArgs{Description: description})
			toolsettest.WantError(t, err, "INVALID_PARAMS")
		}
		group := c.group(t)
		id := c.run(t, agents.RunArgs{GroupID: group, Prompt: "linger"})
		_, err := c.DeleteGroup(t.Context(), agents.DeleteGroupArgs{GroupID: group})
		toolsettest.WantError(t, err, "GROUP_BUSY", id, "force")
		d, err := c.DeleteGroup(t.Context(), agents.DeleteGroupArgs{GroupID: group, Force: true})
		if err != nil || !d.Deleted || !slices.Equal(d.Cancelled, []string{id}) {
			t.Errorf("%+v, %v", d, err)
		}
		_, err = c.DeleteGroup(t.Context(), agents.DeleteGroupArgs{GroupID: group})
		toolsettest.WantError(t, err, "UNKNOWN_GROUP")
		_, err = c.Run(t.Context(), agents.RunArgs{GroupID: group, Role: "impl-code", Prompt: "x"})
		toolsettest.WantError(t, err, "UNKNOWN_GROUP", "create_group")
		if err := c.RemoveGroup(t.Context(), c.group(t), false); err != nil {
			t.Error(err)
		}
		if s := c.status(t, id); s.Status != record.Cancelled {
			t.Errorf("the agent is %s", s.Status)
		}
	})
}

func TestFollowup_Session(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := newFixture(t, agents.Options{})
		c.stage.on("@long", runFor(time.Minute))
		c.stage.on("@mute", exitWith(executor.Exit{}, errors.New("no such program")))
		group := c.group(t)
		first := c.run(t, agents.RunArgs{GroupID: group, Role: "code-review", TimeoutMs: 77_000})
		mute := c.run(t, agents.RunArgs{GroupID: group, Prompt: "@mute"})
		c.end(t, first, mute)
		r, err := c.Followup(t.Context(), agents.FollowupArgs{AgentID: first, Prompt: "@long now"})
		if err != nil || r.Follows != first || r.Role != "code-review" || r.Status != record.Queued || r.GroupID != group {
			t.Fatalf("%+v, %v", r, err)
		}
		_, err = c.Followup(t.Context(), agents.FollowupArgs{AgentID: first, Prompt: "and now"})
		toolsettest.WantError(t, err, "AGENT_RUNNING", "session")
		_, err = c.Followup(t.Context(), agents.FollowupArgs{AgentID: r.AgentID, Prompt: "and now"})
		toolsettest.WantError(t, err, "AGENT_RUNNING", r.AgentID)
		c.end(t, r.AgentID)
		spec := c.stage.spec(t, r.AgentID)
		if spec.Resume != "session of "+first || !spec.ReadOnly || !strings.HasPrefix(spec.Prompt, "@long now\n\n[Your agentId is "+r.AgentID) {
			t.Errorf("it was given %+v", spec)
		}
		if s := c.status(t, r.AgentID); s.Follows != first {
			t.Errorf("it is %+v", s)
		}
		_, err = c.Followup(t.Context(), agents.FollowupArgs{AgentID: mute, Prompt: "go on"})
		toolsettest.WantError(t, err, "NO_SESSION", "run_agent")
		_, err = c.Followup(t.Context(), agents.FollowupArgs{AgentID: first})
		toolsettest.WantError(t, err, "INVALID_PARAMS")
		_, err = c.Followup(t.Context(), agents.FollowupArgs{AgentID: "x-1-0000", Prompt: "go on"})
		toolsettest.WantError(t, err, "UNKNOWN_AGENT")
	})
}

// The usage of a run is its share of the usage of the session.
func TestFollowup_Usage(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := newFixture(t, agents.Options{})
		total := record.Usage{CacheReadTokens: 5}
		c.stage.on("@counts", func(_ context.Context, s executor.Spec, tell func(executor.Event)) (executor.Exit, error) {
			session := "the session"
			if strings.Contains(s.Prompt, "@moves") {
				session = "another session"
			}
			total.InputTokens += 100
			total.OutputTokens += 10
			tell(executor.Event{Kind: executor.Init, Session: session})
			tell(executor.Event{Kind: executor.Finished, Text: "Done.", Usage: new(total), Cumulative: true})
			return executor.Exit{Finished: true}, nil
		})
		follow := func(id, prompt string) string {
			r, err := c.Followup(t.Context(), agents.FollowupArgs{AgentID: id, Prompt: prompt})
			if err != nil {
				t.Fatal(err)
			}
			c.end(t, r.AgentID)
			return r.AgentID
		}
		first := c.run(t, agents.RunArgs{GroupID: c.group(t), Prompt: "@counts"})
		c.end(t, first)
		second := follow(first, "@counts")
		third := follow(first, "@counts @moves") // of the session of the second, too
		fourth := follow(third, "@counts")
		for id, want := range map[string]record.Usage{
			first:  {InputTokens: 100, OutputTokens: 10, CacheReadTokens: 5},
			second: {InputTokens: 100, OutputTokens: 10},
			third:  {InputTokens: 100, OutputTokens: 10},
			fourth: {InputTokens: 100, OutputTokens: 10},
		} {
			if s := c.status(t, id); s.Usage == nil || *s.Usage != want {
				t.Errorf("%s has used %+v, want %+v", id, s.Usage, want)
			}
		}
	})
}

// checks are fixed results of health checks.
type checks map[string]health.State

func (c checks) Wait(ctx context.Context, id string) (health.State, error) {
	s, ok := c[id]
	if !ok {
		<-ctx.Done()
		return health.State{}, ctx.Err()
	}
	return s, nil
}

func (c checks) States() []health.State {
	var all []health.State
	for _, s := range c {
		all = append(all, s)
	}
	return all
}

func TestRun_RoleUnavailable(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		bad := health.State{ID: "bad", Model: "gpt-9", ModelValidation: health.ModelValidation{Status: health.Invalid, Message: "モデル 'gpt-9' は利用できません", AvailableModels: []string{"gpt-5"}, Suggestion: "gpt-5"}, HealthCheck: health.HealthCheck{Status: health.Skipped}}
		dead := health.State{ID: "dead", Model: "gpt-5", HealthCheck: health.HealthCheck{Status: health.Failed, Reason: "no answer within 1m0s"}}
		spare := health.State{ID: "spare", Model: "gpt-9", Fallback: "auto", Available: true, HealthCheck: health.HealthCheck{Status: health.Passed}}
		c := newFixture(t, agents.Options{
			Roles:  book{{ID: "bad", Model: "gpt-9"}, {ID: "dead", Model: "gpt-5"}, {ID: "spare", Model: "gpt-9"}, {ID: "slow", Model: "gpt-5"}, {ID: "lost", Model: "gpt-5", Executor: "abacus"}},
			Health: checks{"bad": bad, "dead": dead, "spare": spare, "lost": {ID: "lost", Available: true}},
		})
		group := c.group(t)
		run := func(role string) (agents.RunResult, error) {
			return c.Run(t.Context(), agents.RunArgs{GroupID: group, Role: role, Prompt: "x"})
		}
		_, err := run("bad")
		toolsettest.WantError(t, err, "ROLE_UNAVAILABLE", "モデル 'gpt-9' は利用できません", "gpt-5")
		_, err = run("dead")
		toolsettest.WantError(t, err, "ROLE_UNAVAILABLE", "no answer")
		_, err = run("lost")
		toolsettest.WantError(t, err, "ROLE_UNAVAILABLE", "abacus")
		_, err = run("sparse")
		toolsettest.WantError(t, err, "UNKNOWN_ROLE", "Did you mean spare?")
		start := time.Now()
		_, err = run("slow")
		toolsettest.WantError(t, err, "ROLE_NOT_READY", "slow")
		if took := time.Since(start); took != 50*time.Second {
			t.Errorf("that took %v", took)
		}
		if r, err := run("spare"); err != nil || r.Model != "auto" || !strings.Contains(r.TextContent(), "gpt-9 of the role is not available") {
			t.Errorf("%+v, %v", r, err)
		}
		l, err := c.ListRoles(t.Context(), agents.RolesArgs{})
		if err != nil || len(l.Roles) != 5 || l.Roles[3].HealthCheck.Status != health.Pending {
			t.Errorf("%+v, %v", l, err)
		}
		for _, want := range []string{"not available: モデル", "models: gpt-5", "not available: no answer", "slow (), model gpt-5: not checked yet", "spare (), model auto: available"} {
			if !strings.Contains(l.TextContent(), want) {
				t.Errorf("the list does not say %q: %s", want, l.TextContent())
			}
		}
	})
}

func TestRun_InvalidArguments(t *testing.T) {
	c := newFixture(t, agents.Options{})
	group := c.group(t)
	write(t, c.dir, "a.go", "x")
	for _, tc := range []struct {
		name string
		args agents.RunArgs
		code string
	}{
		{"no group", agents.RunArgs{GroupID: "grp-1-0000"}, "UNKNOWN_GROUP"},
		{"no prompt", agents.RunArgs{Prompt: " \n"}, "INVALID_PARAMS"},
		{"a long prompt", agents.RunArgs{Prompt: strings.Repeat("x", 300_000)}, "INVALID_PARAMS"},
		{"a prompt that is not text", agents.RunArgs{Prompt: "\xff"}, "INVALID_PARAMS"},
		{"no directory", agents.RunArgs{WorkingDirectory: "nowhere"}, "FILE_NOT_FOUND"},
		{"a file", agents.RunArgs{WorkingDirectory: "a.go"}, "NOT_A_DIRECTORY"},
		{"outside", agents.RunArgs{WorkingDirectory: "/"}, "PERMISSION_DENIED"},
		{"isolation", agents.RunArgs{Isolation: "moon"}, "INVALID_PARAMS"},
		{"timeout", agents.RunArgs{TimeoutMs: -1}, "INVALID_PARAMS"},
		{"a long timeout", agents.RunArgs{TimeoutMs: 100_000_000}, "INVALID_PARAMS"},
		{"a context file", agents.RunArgs{ContextFiles: []string{"nowhere.go"}}, "FILE_NOT_FOUND"},
		{"context files", agents.RunArgs{ContextFiles: make([]string, 51)}, "INVALID_PARAMS"},
		{"dependencies", agents.RunArgs{DependsOn: make([]string, 51)}, "INVALID_PARAMS"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			if tc.args.GroupID == "" {
				tc.args.GroupID = group
			}
			if tc.args.Prompt == "" {
				tc.args.Prompt = "x"
			}
			tc.args.Role = "impl-code"
			_, err := c.Run(t.Context(), tc.args)
			toolsettest.WantError(t, err, tc.code)
		})
	}
	id := c.run(t, agents.RunArgs{GroupID: group, ContextFiles: []string{"a.go"}, ReadOnly: true})
	c.end(t, id)
	if spec := c.stage.spec(t, id); !spec.ReadOnly || !strings.Contains(spec.Prompt, "Read these files first:\n- "+filepath.Join(c.dir, "a.go")+"\n") {
		t.Errorf("it was given %+v", spec)
	}
}

var _ agents.Roles = (*roles.Book)(nil)
var _ agents.Health = (*health.Checker)(nil)
