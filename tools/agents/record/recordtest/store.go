package recordtest

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/dougu-go/dougu/internal/group"
	"github.com/dougu-go/dougu/tools/agents/record"
)

// TestStore tests a Store. open returns an empty store, which the test closes.
func TestStore(t *testing.T, open func(t *testing.T) record.Store) {
	for name, test := range map[string]func(*testing.T, record.Store){
		"groups": testGroups, "agents": testAgents, "allFields": testAllFields, "updates": testUpdates, "isolation": testIsolation,
		"failedCreations": testFailedCreations, "concurrentUpdates": testConcurrentUpdates, "concurrentCreations": testConcurrentCreations,
		"queries": testQueries, "pages": testPages, "cancelledContext": testCancelledContext, "unusualTexts": testUnusualTexts,
	} {
		t.Run(name, func(t *testing.T) {
			s := open(t)
			defer func() { must(t, s.Close()) }()
			test(t, s)
		})
	}
}

func newGroup(t *testing.T, s record.Store, id string) record.Group {
	t.Helper()
	g := record.Group{ID: id, Description: "the group " + id, Status: record.GroupActive, CreatedAt: epoch}
	must(t, s.CreateGroup(t.Context(), g))
	return g
}

// newAgent creates a queued agent.
func newAgent(t *testing.T, s record.Store, group, id string) record.Agent {
	t.Helper()
	a := record.Agent{ID: id, GroupID: group, Role: "impl-code", Model: "m", Status: record.Queued, Prompt: "do " + id, CreatedAt: epoch}
	must(t, s.CreateAgent(t.Context(), a))
	return a
}

func testGroups(t *testing.T, s record.Store) {
	ctx := t.Context()
	if all := mustReturn[[]record.Group](t)(s.Groups(ctx, true)); len(all) != 0 {
		t.Errorf("an empty store has groups: %v", all)
	}
	for _, id := range []string{"grp-2", "grp-1", "grp-3"} {
		newGroup(t, s, id)
	}
	wantError(t, "making a group twice", s.CreateGroup(ctx, record.Group{ID: "grp-1", Description: "another"}), record.ErrExists)
	one := mustReturn[record.Group](t)(s.UpdateGroup(ctx, "grp-1", func(g *record.Group) error {
		g.Status, g.DeletedAt, g.AgentIDs = record.GroupDeleted, epoch.Add(time.Hour), []string{"nobody"}
		return nil
	}))
	want := record.Group{ID: "grp-1", Description: "the group grp-1", Status: record.GroupDeleted, CreatedAt: epoch, DeletedAt: epoch.Add(time.Hour), AgentIDs: []string{}}
	wantEqual(t, "a deleted group", one, want)
	wantEqual(t, "a deleted group, read again", mustReturn[record.Group](t)(s.Group(ctx, "grp-1")), want)
	ids := func(deleted bool) (ids []string) {
		for _, g := range mustReturn[[]record.Group](t)(s.Groups(ctx, deleted)) {
			ids = append(ids, g.ID)
		}
		return ids
	}
	if got := ids(false); !slices.Equal(got, []string{"grp-2", "grp-3"}) {
		t.Errorf("active groups are %v", got)
	}
	if got := ids(true); !slices.Equal(got, []string{"grp-2", "grp-1", "grp-3"}) {
		t.Errorf("all groups are %v", got)
	}
	_, err := s.Group(ctx, "none")
	wantError(t, "a group that does not exist", err, record.ErrNotFound)
	_, err = s.UpdateGroup(ctx, "none", func(*record.Group) error { t.Error("a group that does not exist was changed"); return nil })
	wantError(t, "changing a group that does not exist", err, record.ErrNotFound)
	if _, err = s.UpdateGroup(ctx, "grp-2", func(g *record.Group) error { g.Principal = "mallory"; return nil }); err == nil {
		t.Error("the principal of a group was changed")
	}
	refused := errors.New("refused")
	_, err = s.UpdateGroup(ctx, "grp-2", func(g *record.Group) error { g.Description = "x"; return refused })
	wantError(t, "a change of a group that fails", err, refused)
	if g := mustReturn[record.Group](t)(s.Group(ctx, "grp-2")); g.Description != "the group grp-2" {
		t.Errorf("a change that failed is there: %+v", g)
	}
}

func testAgents(t *testing.T, s record.Store) {
	ctx := t.Context()
	newGroup(t, s, "g")
	a := newAgent(t, s, "g", "a-1")
	newAgent(t, s, "g", "a-2")
	wantEqual(t, "an agent", mustReturn[record.Agent](t)(s.Agent(ctx, "a-1")), a)
	if g := mustReturn[record.Group](t)(s.Group(ctx, "g")); !slices.Equal(g.AgentIDs, []string{"a-1", "a-2"}) {
		t.Errorf("the agents of the group are %v", g.AgentIDs)
	}
	_, err := s.Agent(ctx, "none")
	wantError(t, "an agent that does not exist", err, record.ErrNotFound)
	_, err = s.UpdateAgent(ctx, "none", func(*record.Agent) error { t.Error("an agent that does not exist was changed"); return nil })
	wantError(t, "changing an agent that does not exist", err, record.ErrNotFound)
	// Each state is visible in queries and reads.
	for _, status := range []record.Status{record.Blocked, record.Queued, record.Running, record.Completed, record.ResultReported} {
		must(t, change(ctx, s, "a-1", func(a *record.Agent) { a.Status = status }))
		page := mustReturn[record.Page](t)(s.Agents(ctx, record.Query{Statuses: []record.Status{status}, Newest: true}))
		if page.Total == 0 || page.Agents[len(page.Agents)-1].ID != "a-1" {
			t.Errorf("%s agents are %+v", status, page)
		}
		if a := mustReturn[record.Agent](t)(s.Agent(ctx, "a-1")); a.Status != status {
			t.Errorf("the agent is %s, want %s", a.Status, status)
		}
	}
}

func change(ctx context.Context, s record.Store, id string, do func(*record.Agent)) error {
	_, err := s.UpdateAgent(ctx, id, func(a *record.Agent) error { do(a); return nil })
	return err
}

func testAllFields(t *testing.T, s record.Store) {
	ctx := t.Context()
	newGroup(t, s, "grp-1")
	want := fullAgent()
	must(t, s.CreateAgent(ctx, want))
	wantEqual(t, "an agent that has ended", mustReturn[record.Agent](t)(s.Agent(ctx, want.ID)), want)
	wantEqual(t, "the same in a list", mustReturn[record.Page](t)(s.Agents(ctx, record.Query{})).Agents[0], want)
	running := fullAgent()
	running.ID, running.Status, running.Outcome = "running", record.Running, ""
	must(t, s.CreateAgent(ctx, running))
	wantEqual(t, "an agent that runs", mustReturn[record.Agent](t)(s.Agent(ctx, "running")), running)
	wantEqual(t, "the same in a list", mustReturn[record.Page](t)(s.Agents(ctx, record.Query{})).Agents[1], running)
}

func testUpdates(t *testing.T, s record.Store) {
	ctx := t.Context()
	newGroup(t, s, "g")
	for _, status := range []record.Status{record.Running, record.Completed} {
		id := "agent-" + string(status)
		before := newAgent(t, s, "g", id)
		got := mustReturn[record.Agent](t)(s.UpdateAgent(ctx, id, func(a *record.Agent) error {
			a.Status, a.StartedAt, a.Version = status, epoch.Add(time.Second), 77
			return nil
		}))
		want := before
		want.Status, want.StartedAt, want.Version = status, epoch.Add(time.Second), before.Version+1
		wantEqual(t, "a changed agent", got, want)
		wantEqual(t, "a changed agent, read again", mustReturn[record.Agent](t)(s.Agent(ctx, id)), want)
		refused := errors.New("refused")
		_, err := s.UpdateAgent(ctx, id, func(a *record.Agent) error { a.Prompt, a.Status = "x", record.Failed; return refused })
		wantError(t, "a change that fails", err, refused)
		wantEqual(t, "after a change that failed", mustReturn[record.Agent](t)(s.Agent(ctx, id)), want)
		for what, do := range map[string]func(*record.Agent){
			"identifier": func(a *record.Agent) { a.ID = "other" }, "principal": func(a *record.Agent) { a.Principal = "mallory" },
		} {
			if err := change(ctx, s, id, do); err == nil {
				t.Errorf("the %s of an agent was changed", what)
			}
		}
	}
}

// The store keeps no reference to values of the caller, and returns none to its own.
func testIsolation(t *testing.T, s record.Store) {
	ctx := t.Context()
	newGroup(t, s, "grp-1")
	for i, status := range []record.Status{record.Running, record.ResultReported} {
		made := fullAgent()
		made.ID, made.Status = fmt.Sprint("agent-", i), status
		want := made.Clone()
		must(t, s.CreateAgent(ctx, made))
		corrupt(&made)
		wantEqual(t, "after a change of the created value", mustReturn[record.Agent](t)(s.Agent(ctx, want.ID)), want)
		read := mustReturn[record.Agent](t)(s.Agent(ctx, want.ID))
		corrupt(&read)
		page := mustReturn[record.Page](t)(s.Agents(ctx, record.Query{Offset: i}))
		corrupt(&page.Agents[0])
		wantEqual(t, "after a change of read values", mustReturn[record.Agent](t)(s.Agent(ctx, want.ID)), want)
		var kept record.Agent
		changed := mustReturn[record.Agent](t)(s.UpdateAgent(ctx, want.ID, func(a *record.Agent) error { kept = *a; return nil }))
		want.Version++
		corrupt(&kept)
		corrupt(&changed)
		wantEqual(t, "after a change of the updated value", mustReturn[record.Agent](t)(s.Agent(ctx, want.ID)), want)
		if _, err := s.UpdateAgent(ctx, want.ID, func(a *record.Agent) error { corrupt(a); return errors.New("no") }); err == nil {
			t.Error("a change that failed did not fail")
		}
		wantEqual(t, "after a change that failed", mustReturn[record.Agent](t)(s.Agent(ctx, want.ID)), want)
	}
	g := mustReturn[record.Group](t)(s.Group(ctx, "grp-1"))
	g.AgentIDs[0] = "spoilt"
	if again := mustReturn[record.Group](t)(s.Group(ctx, "grp-1")); again.AgentIDs[0] != "agent-0" {
		t.Errorf("the agents of the group are %v", again.AgentIDs)
	}
}

func testFailedCreations(t *testing.T, s record.Store) {
	ctx := t.Context()
	newGroup(t, s, "g")
	newGroup(t, s, "gone")
	mustReturn[record.Group](t)(s.UpdateGroup(ctx, "gone", func(g *record.Group) error { g.Status = record.GroupDeleted; return nil }))
	first := newAgent(t, s, "g", "a-1")
	wantError(t, "making an agent twice", s.CreateAgent(ctx, record.Agent{ID: "a-1", GroupID: "g", Role: "other"}), record.ErrExists)
	wantError(t, "an agent in a group that does not exist", s.CreateAgent(ctx, record.Agent{ID: "a-2", GroupID: "none"}), record.ErrNotFound)
	wantError(t, "an agent in a deleted group", s.CreateAgent(ctx, record.Agent{ID: "a-2", GroupID: "gone"}), record.ErrNotFound)
	wantEqual(t, "the agent that was there", mustReturn[record.Agent](t)(s.Agent(ctx, "a-1")), first)
	_, err := s.Agent(ctx, "a-2")
	wantError(t, "an agent that was not made", err, record.ErrNotFound)
	for id, want := range map[string][]string{"g": {"a-1"}, "gone": nil} {
		if g := mustReturn[record.Group](t)(s.Group(ctx, id)); !slices.Equal(g.AgentIDs, want) {
			t.Errorf("the agents of %s are %v", id, g.AgentIDs)
		}
	}
}

func testConcurrentUpdates(t *testing.T, s record.Store) {
	const workers, each = 8, 25
	newGroup(t, s, "g")
	newAgent(t, s, "g", "live")
	newAgent(t, s, "g", "ended")
	must(t, change(t.Context(), s, "ended", func(a *record.Agent) { a.Status = record.Completed }))
	var all group.Group
	for range workers {
		all.Go(func() {
			for range each {
				for _, id := range []string{"live", "ended"} {
					if err := change(t.Context(), s, id, func(a *record.Agent) { a.ToolCallCount++ }); err != nil {
						t.Error(err)
					}
				}
				if _, err := s.UpdateGroup(t.Context(), "g", func(g *record.Group) error { g.Description += "x"; return nil }); err != nil {
					t.Error(err)
				}
			}
		})
	}
	all.Wait()
	for id, version := range map[string]int64{"live": workers * each, "ended": workers*each + 1} {
		if a := mustReturn[record.Agent](t)(s.Agent(t.Context(), id)); a.ToolCallCount != workers*each || a.Version != version {
			t.Errorf("%d changes of %s are kept, the version is %d", a.ToolCallCount, id, a.Version)
		}
	}
	if g := mustReturn[record.Group](t)(s.Group(t.Context(), "g")); strings.Count(g.Description, "x") != workers*each {
		t.Errorf("%d changes of the group are kept", strings.Count(g.Description, "x"))
	}
}

func testConcurrentCreations(t *testing.T, s record.Store) {
	const workers, each = 8, 10
	newGroup(t, s, "g")
	var all group.Group
	for i := range workers {
		all.Go(func() {
			for j := range each {
				a := record.Agent{ID: fmt.Sprint("a-", i, "-", j), GroupID: "g", Status: record.Queued, CreatedAt: epoch}
				if err := s.CreateAgent(t.Context(), a); err != nil {
					t.Error(err)
				}
			}
		})
	}
	all.Wait()
	g := mustReturn[record.Group](t)(s.Group(t.Context(), "g"))
	slices.Sort(g.AgentIDs)
	if n := len(slices.Compact(g.AgentIDs)); n != workers*each {
		t.Errorf("the group has %d agents, want %d", n, workers*each)
	}
	if page := mustReturn[record.Page](t)(s.Agents(t.Context(), record.Query{GroupID: "g"})); page.Total != workers*each {
		t.Errorf("%d agents are found", page.Total)
	}
}

// Calls with a cancelled context fail and change nothing.
func testCancelledContext(t *testing.T, s record.Store) {
	newGroup(t, s, "g")
	newAgent(t, s, "g", "a")
	gone, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := s.UpdateAgent(gone, "a", func(a *record.Agent) error { a.Status = record.Failed; return nil })
	wantError(t, "changing an agent", err, context.Canceled)
	_, err = s.UpdateGroup(gone, "g", func(g *record.Group) error { g.Status = record.GroupDeleted; return nil })
	wantError(t, "changing a group", err, context.Canceled)
	wantError(t, "making an agent", s.CreateAgent(gone, record.Agent{ID: "b", GroupID: "g"}), context.Canceled)
	wantError(t, "making a group", s.CreateGroup(gone, record.Group{ID: "h"}), context.Canceled)
	_, err = s.Agents(gone, record.Query{})
	wantError(t, "asking", err, context.Canceled)
	if a := mustReturn[record.Agent](t)(s.Agent(t.Context(), "a")); a.Status != record.Queued {
		t.Errorf("the agent is %s", a.Status)
	}
}
