package agents_test

import (
	"context"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/dougu-go/dougu/security"
	"github.com/dougu-go/dougu/tools/agents"
	"github.com/dougu-go/dougu/tools/agents/executor"
	"github.com/dougu-go/dougu/tools/agents/record"
	"github.com/dougu-go/dougu/tools/internal/toolsettest"
)

// Only one of several concurrent follow-ups continues a session.
func TestFollowup_Concurrent(t *testing.T) {
	c := newFixture(t, agents.Options{})
	first := c.run(t, agents.RunArgs{})
	c.end(t, first)
	var wg sync.WaitGroup
	var mu sync.Mutex
	followed := 0
	for range 20 {
		wg.Go(func() {
			_, err := c.Followup(t.Context(), agents.FollowupArgs{AgentID: first, Prompt: "linger"})
			if err != nil {
				toolsettest.WantError(t, err, "AGENT_RUNNING")
				return
			}
			mu.Lock()
			followed++
			mu.Unlock()
		})
	}
	wg.Wait()
	if followed != 1 {
		t.Errorf("%d go on with the session", followed)
	}
}

// All tools are called concurrently.
func TestAgents_ManyCallers(t *testing.T) {
	c := newFixture(t, agents.Options{MaxConcurrent: 8, MaxQueued: 1_000})
	c.stage.on("@work", runFor(2*time.Millisecond))
	c.stage.on("@reports", lostReports(`{"status":"success","summary":"s"}`))
	var wg sync.WaitGroup
	for i := range 16 {
		wg.Go(func() {
			group := c.group(t)
			var ids []string
			for j := range 12 {
				args := agents.RunArgs{GroupID: group, Role: "impl-code", Prompt: []string{"@work", "linger", "@reports"}[(i+j)%3], TimeoutMs: 30_000}
				if j%4 == 3 {
					args.DependsOn = ids[len(ids)-1:]
				}
				r, err := c.Run(t.Context(), args)
				if err != nil && string(security.CodeOf(err)) != "BAD_DEPENDENCY" {
					t.Error(err)
				}
				if err != nil {
					continue
				}
				ids = append(ids, r.AgentID)
				if _, err := c.Status(t.Context(), agents.StatusArgs{AgentID: r.AgentID}); err != nil {
					t.Error(err)
				}
				_, _ = c.Report(t.Context(), agents.ReportArgs{AgentID: r.AgentID, Status: "failure", Summary: "x"})
				if (i+j)%3 == 1 {
					if _, err := c.Cancel(t.Context(), agents.CancelArgs{AgentID: r.AgentID}); err != nil {
						t.Error(err)
					}
				}
			}
			if _, err := c.List(t.Context(), agents.ListArgs{}); err != nil {
				t.Error(err)
			}
			if _, err := c.DeleteGroup(t.Context(), agents.DeleteGroupArgs{GroupID: group, Force: true}); err != nil {
				t.Error(err)
			}
			for _, id := range ids {
				if s := c.status(t, id); !s.Status.Ended() {
					t.Errorf("%s is %s", id, s.Status)
				}
				checkHistory(t, c, id)
			}
		})
	}
	wg.Wait()
}

// Servers that start concurrently do not mark each other's agents as failed.
func TestAgents_ManyServers(t *testing.T) {
	m := storeWithAgents(t)
	o := agents.Options{Store: m, Log: m.Log(), Outputs: m.Outputs(), StateDir: t.TempDir()}
	crews := make([]fixture, 8)
	ids := make([]string, len(crews))
	var wg sync.WaitGroup
	for i := range crews {
		dir := t.TempDir()
		wg.Go(func() {
			crews[i] = newFixtureIn(t, dir, o)
			ids[i] = crews[i].run(t, agents.RunArgs{GroupID: "grp-1-0000", Prompt: "linger"})
		})
	}
	wg.Wait()
	late := newFixture(t, o)
	for _, id := range ids {
		if s := late.status(t, id); s.Status.Ended() {
			t.Errorf("%s is %s: %s", id, s.Status, s.ErrorMessage)
		}
	}
}

// The children of an agent end with it, unless it has completed.
func TestCancel_Children(t *testing.T) {
	for _, tc := range []struct {
		name string
		end  act
		want record.Status
	}{
		{"completed", succeed, record.Running},
		{"failed", fail, record.Cancelled},
		{"timed out", linger, record.Cancelled},
	} {
		t.Run(tc.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				c := newFixture(t, agents.Options{MaxDepth: 2})
				group := c.group(t)
				var below string
				c.stage.on("@above", func(ctx context.Context, s executor.Spec, tell func(executor.Event)) (executor.Exit, error) {
					r, err := c.Run(agents.WithCaller(ctx, s.AgentID), agents.RunArgs{GroupID: group, Role: "impl-code", Prompt: "linger"})
					if err != nil {
						t.Error(err)
					}
					below = r.AgentID
					time.Sleep(time.Second)
					return tc.end(ctx, s, tell)
				})
				id := c.run(t, agents.RunArgs{GroupID: group, Prompt: "@above", TimeoutMs: 5_000})
				c.end(t, id)
				synctest.Wait()
				s := c.status(t, below)
				if s.Status != tc.want || tc.want == record.Cancelled && !strings.Contains(s.ErrorMessage, id+", which started it, has ended as") {
					t.Errorf("the agent below is %s: %s", s.Status, s.ErrorMessage)
				}
			})
		})
	}
}
