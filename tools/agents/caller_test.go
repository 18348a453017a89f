package agents_test

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"

	"github.com/dougu-go/dougu/mcp"
	"github.com/dougu-go/dougu/mcp/protocol"
	"github.com/dougu-go/dougu/tools/agents"
	"github.com/dougu-go/dougu/tools/agents/record"
	"github.com/dougu-go/dougu/tools/agents/sqlite"
	"github.com/dougu-go/dougu/tools/internal/toolsettest"
)

// principals are different principals, some of which look alike.
var principals = []string{"", "alice", "Alice", "alice/", "../alice", "alice\x00", "alice\n", "\x00616c696365", "a\xff", "a\xfe", "a\ufffd", strings.Repeat("long", 1_000)}

func TestAgents_PrincipalIsolation(t *testing.T) {
	c := newFixture(t, agents.Options{MaxConcurrent: 100})
	group, agent := make(map[string]string), make(map[string]string)
	var mu sync.Mutex
	var all sync.WaitGroup
	for _, p := range principals {
		all.Go(func() {
			ctx := protocol.WithPrincipal(t.Context(), p)
			g, err := c.CreateGroup(ctx, agents.GroupArgs{Description: "of one principal"})
			if err != nil {
				t.Errorf("%.20q: %v", p, err)
				return
			}
			r, err := c.Run(ctx, agents.RunArgs{GroupID: g.GroupID, Role: "impl-code", Prompt: "linger"})
			if err != nil {
				t.Errorf("%.20q: %v", p, err)
				return
			}
			mu.Lock()
			defer mu.Unlock()
			group[p], agent[p] = g.GroupID, r.AgentID
		})
	}
	all.Wait()
	if t.Failed() {
		return
	}
	for _, caller := range principals {
		all.Go(func() {
			ctx := protocol.WithPrincipal(t.Context(), caller)
			for _, owner := range principals {
				if caller != owner {
					checkNoAccess(t, c, ctx, group[owner], agent[owner])
				}
			}
			list, err := c.List(ctx, agents.ListArgs{})
			if err != nil || list.Total != 1 || len(list.Agents) != 1 || list.Agents[0].AgentID != agent[caller] {
				t.Errorf("%.20q sees %+v, %v", caller, list, err)
			}
		})
	}
	all.Wait()
	for _, p := range principals {
		ctx := protocol.WithPrincipal(t.Context(), p)
		if s, err := c.Status(ctx, agents.StatusArgs{AgentID: agent[p]}); err != nil || s.Status.Ended() {
			t.Errorf("the agent of %.20q is %s, %v", p, s.Status, err)
		}
		if r, err := c.DeleteGroup(ctx, agents.DeleteGroupArgs{GroupID: group[p], Force: true}); err != nil || !slices.Equal(r.Cancelled, []string{agent[p]}) {
			t.Errorf("%.20q deletes its group: %+v, %v", p, r, err)
		}
	}
}

// checkNoAccess calls all tools with a group and an agent of another principal.
func checkNoAccess(t *testing.T, c fixture, ctx context.Context, groupID, agentID string) {
	t.Helper()
	for name, call := range map[string]func(group, agent string) error{
		"status": func(_, agent string) error { _, err := c.Status(ctx, agents.StatusArgs{AgentID: agent}); return err },
		"output": func(_, agent string) error { _, err := c.Output(ctx, agents.OutputArgs{AgentID: agent}); return err },
		"wait": func(_, agent string) error {
			_, err := c.Wait(ctx, agents.WaitArgs{AgentIDs: []string{agent}})
			return err
		},
		"cancel": func(_, agent string) error { _, err := c.Cancel(ctx, agents.CancelArgs{AgentID: agent}); return err },
		"followup": func(_, agent string) error {
			_, err := c.Followup(ctx, agents.FollowupArgs{AgentID: agent, Prompt: "x"})
			return err
		},
		"report": func(_, agent string) error {
			_, err := c.Report(ctx, agents.ReportArgs{AgentID: agent, Status: "success"})
			return err
		},
		"list":         func(group, _ string) error { _, err := c.List(ctx, agents.ListArgs{GroupID: group}); return err },
		"cancel group": func(group, _ string) error { _, err := c.Cancel(ctx, agents.CancelArgs{GroupID: group}); return err },
		"delete group": func(group, _ string) error {
			_, err := c.DeleteGroup(ctx, agents.DeleteGroupArgs{GroupID: group})
			return err
		},
		"run": func(group, _ string) error {
			_, err := c.Run(ctx, agents.RunArgs{GroupID: group, Role: "impl-code", Prompt: "x"})
			return err
		},
	} {
		got, want := call(groupID, agentID), call("grp-1-0000", "impl-code-1-0000")
		if got == nil || want == nil {
			t.Errorf("%s of another principal's %s: %v, of nothing: %v", name, agentID, got, want)
			continue
		}
		anonymous := strings.NewReplacer(groupID, "GROUP", agentID, "AGENT", "grp-1-0000", "GROUP", "impl-code-1-0000", "AGENT")
		if a, b := anonymous.Replace(visibleError(got)), anonymous.Replace(visibleError(want)); a != b {
			t.Errorf("%s of another principal's agent or group: %q, of nothing: %q", name, a, b)
		}
	}
}

// visibleError returns the part of an error that a client receives.
func visibleError(err error) string {
	var refused *mcp.ToolError
	if !errors.As(err, &refused) {
		return err.Error()
	}
	return fmt.Sprint(refused.Code, refused.Message, refused.Next)
}

func TestAgents_DependenciesOfAnotherPrincipal(t *testing.T) {
	c := newFixture(t, agents.Options{})
	theirs := c.run(t, agents.RunArgs{})
	c.end(t, theirs)
	alice := protocol.WithPrincipal(t.Context(), "alice")
	g, err := c.CreateGroup(alice, agents.GroupArgs{Description: "hers"})
	if err != nil {
		t.Fatal(err)
	}
	_, err = c.Run(alice, agents.RunArgs{GroupID: g.GroupID, Role: "impl-code", Prompt: "x", DependsOn: []string{theirs}})
	toolsettest.WantError(t, err, "BAD_DEPENDENCY", "does not exist")
}

// linger makes a group for the principal of ctx, with an agent that does not end by itself.
func (c fixture) linger(ctx context.Context, t *testing.T) (groupID, agentID string) {
	t.Helper()
	g, err := c.CreateGroup(ctx, agents.GroupArgs{Description: "of a principal"})
	if err != nil {
		t.Fatal(err)
	}
	r, err := c.Run(ctx, agents.RunArgs{GroupID: g.GroupID, Role: "impl-code", Prompt: "linger"})
	if err != nil {
		t.Fatal(err)
	}
	return g.GroupID, r.AgentID
}

// The operator of the server cancels agents and deletes groups of every principal.
func TestAgents_Operator(t *testing.T) {
	c := newFixture(t, agents.Options{})
	alice := protocol.WithPrincipal(t.Context(), "alice")
	groupID, agentID := c.linger(alice, t)
	if err := c.Stop(t.Context(), agentID, "enough"); err != nil {
		t.Error(err)
	}
	if err := c.RemoveGroup(t.Context(), groupID, true); err != nil {
		t.Error(err)
	}
	if s, err := c.Status(alice, agents.StatusArgs{AgentID: agentID}); err != nil || s.Outcome != record.Cancelled {
		t.Errorf("her agent is %+v, %v", s, err)
	}
}

// An agent acts for the principal that has ordered it.
func TestNestedTools_Principal(t *testing.T) {
	c := newFixture(t, agents.Options{MaxDepth: 2})
	alice := protocol.WithPrincipal(t.Context(), "alice")
	groupID, agentID := c.linger(alice, t)
	agent := agents.WithCaller(protocol.WithPrincipal(t.Context(), agentID), agentID)
	child, err := c.Run(agent, agents.RunArgs{GroupID: groupID, Role: "impl-code", Prompt: "do it"})
	if err != nil {
		t.Fatal(err)
	}
	if w, err := c.Wait(agent, agents.WaitArgs{AgentIDs: []string{child.AgentID}}); err != nil || len(w.Completed) != 1 {
		t.Errorf("%+v, %v", w, err)
	}
	if list, err := c.List(alice, agents.ListArgs{}); err != nil || list.Total != 2 {
		t.Errorf("alice sees %+v, %v", list, err)
	}
	if list, err := c.List(protocol.WithPrincipal(t.Context(), agentID), agents.ListArgs{}); err != nil || list.Total != 0 {
		t.Errorf("a client that has the name of an agent sees %+v, %v", list, err)
	}
}

// After a restart each principal has its own agents and groups.
func TestAgents_PrincipalAfterRestart(t *testing.T) {
	file := filepath.Join(t.TempDir(), "agents.db")
	group, agent := make(map[string]string), make(map[string]string)
	for again := range 2 {
		db, err := sqlite.Open(t.Context(), file, sqlite.Options{})
		if err != nil {
			t.Fatal(err)
		}
		c := newFixture(t, agents.Options{Store: db, Outputs: db.Outputs()})
		for _, p := range principals {
			ctx := protocol.WithPrincipal(t.Context(), p)
			if again == 0 {
				g, err := c.CreateGroup(ctx, agents.GroupArgs{Description: "of one principal"})
				if err != nil {
					t.Fatal(err)
				}
				r, err := c.Run(ctx, agents.RunArgs{GroupID: g.GroupID, Role: "impl-code", Prompt: "do it"})
				if err != nil {
					t.Fatal(err)
				}
				if _, err := c.Wait(ctx, agents.WaitArgs{AgentIDs: []string{r.AgentID}}); err != nil {
					t.Fatal(err)
				}
				group[p], agent[p] = g.GroupID, r.AgentID
				continue
			}
			if list, err := c.List(ctx, agents.ListArgs{GroupID: group[p]}); err != nil || list.Total != 1 || list.Agents[0].AgentID != agent[p] {
				t.Errorf("%.20q sees %+v, %v", p, list, err)
			}
			for _, other := range principals {
				if other != p {
					checkNoAccess(t, c, ctx, group[other], agent[other])
				}
			}
		}
		if err := errors.Join(c.Close(t.Context()), db.Close()); err != nil {
			t.Fatal(err)
		}
	}
}

// A principal cannot keep others from running agents.
func TestSchedule_PrincipalFairness(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := newFixture(t, agents.Options{MaxConcurrent: 4, MaxQueued: 8, MaxPerHour: 7})
		var ids []string
		order := func(p string) error {
			ctx := protocol.WithPrincipal(t.Context(), p)
			g, err := c.CreateGroup(ctx, agents.GroupArgs{Description: "of " + p})
			if err != nil {
				return err
			}
			r, err := c.Run(ctx, agents.RunArgs{GroupID: g.GroupID, Role: "impl-code", Prompt: "linger"})
			synctest.Wait()
			ids = append(ids, r.AgentID)
			return err
		}
		running := func(p string) (n int) {
			list, err := c.List(protocol.WithPrincipal(t.Context(), p), agents.ListArgs{Status: "running"})
			if err != nil {
				t.Fatal(err)
			}
			return list.Total
		}
		greedy := 0
		for ; greedy < 7; greedy++ {
			if err := order("greedy"); err != nil {
				toolsettest.WantError(t, err, "LIMIT_REACHED", "2 of your agents run")
				break
			}
		}
		for range 2 {
			if err := order("modest"); err != nil {
				t.Errorf("another principal may order none: %v", err)
			}
		}
		synctest.Wait()
		if g, m := running("greedy"), running("modest"); greedy < 5 || g != 2 || m != 1 {
			t.Errorf("of %d agents of one principal %d run, and %d of the other", greedy, g, m)
		}
		if err := c.Stop(t.Context(), ids[len(ids)-2], ""); err != nil {
			t.Error(err)
		}
		synctest.Wait()
		if g, m := running("greedy"), running("modest"); g != 2 || m != 1 {
			t.Errorf("the place that became free was given to the principal that has more: %d and %d run", g, m)
		}
	})
}
