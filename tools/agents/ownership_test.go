package agents_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/dougu-go/dougu/tools/agents"
	"github.com/dougu-go/dougu/tools/agents/record"
	"github.com/dougu-go/dougu/tools/internal/toolsettest"
)

// storeWithAgents returns a store with unfinished agents of a dead server.
func storeWithAgents(t *testing.T, agents ...record.Agent) *record.Memory {
	t.Helper()
	m := record.NewMemory(record.MemoryOptions{Dir: t.TempDir()})
	t.Cleanup(func() { m.Close() })
	if err := m.CreateGroup(t.Context(), record.Group{ID: "grp-1-0000", Status: record.GroupActive, Description: "of old"}); err != nil {
		t.Fatal(err)
	}
	for _, agent := range agents {
		agent.GroupID, agent.Role, agent.CreatedAt = "grp-1-0000", "impl-code", time.Now().Add(-time.Hour)
		if err := m.CreateAgent(t.Context(), agent); err != nil {
			t.Fatal(err)
		}
	}
	return m
}

func TestRecoverAgents_DeadServer(t *testing.T) {
	m := storeWithAgents(t,
		record.Agent{ID: "impl-code-1-0001", Status: record.Running, StartedAt: time.Now().Add(-time.Minute), LastAssistantMessage: "Nearly there."},
		record.Agent{ID: "impl-code-1-0002", Status: record.Queued},
		record.Agent{ID: "impl-code-1-0003", Status: record.Blocked, DependsOn: []string{"impl-code-1-0001"}},
		record.Agent{ID: "impl-code-1-0004", Status: record.Running, StartedAt: time.Now(), Report: &record.Report{Status: record.Success, Summary: "Done, I think."}},
		record.Agent{ID: "impl-code-1-0005", Status: record.Completed, Outcome: record.Completed},
	)
	state := t.TempDir()
	dead := filepath.Join(state, "servers", "dead")
	write(t, dead, "lock", "")
	write(t, dead, "impl-code-1-0001.agent", "")
	var notified []string
	c := newFixture(t, agents.Options{Store: m, Log: m.Log(), Outputs: m.Outputs(), StateDir: state, Notify: func(e record.Event, a record.Agent) {
		if e.Type == record.AgentCompleted && a.Outcome == record.Failed {
			notified = append(notified, a.ID)
		}
	}})
	slices.Sort(notified)
	if want := []string{"impl-code-1-0001", "impl-code-1-0002", "impl-code-1-0003", "impl-code-1-0004"}; !slices.Equal(notified, want) {
		t.Errorf("notifications are about %q, want %q", notified, want)
	}
	for id, want := range map[string]record.Status{
		"impl-code-1-0001": record.Failed, "impl-code-1-0002": record.Failed, "impl-code-1-0003": record.Failed, "impl-code-1-0004": record.ResultReported, "impl-code-1-0005": record.Completed,
	} {
		s := c.status(t, id)
		if s.Status != want || want != record.Completed && (!strings.Contains(s.ErrorMessage, "the server ended while it was running") || s.Outcome != record.Failed) {
			t.Errorf("%s is %+v", id, s)
		}
	}
	if r := c.status(t, "impl-code-1-0001").Result; r.Summary != "Nearly there." || r.Status != record.Failure {
		t.Errorf("its result is %+v", r)
	}
	if r := c.status(t, "impl-code-1-0004").Result; r.Summary != "Done, I think." || r.Status != record.Failure {
		t.Errorf("its result is %+v", r)
	}
	if _, err := os.Stat(dead); err == nil {
		t.Error("what the dead server has left is there still")
	}
}

// Two servers with one store see each other's agents and do not change them.
func TestRecoverAgents_SharedStore(t *testing.T) {
	m := storeWithAgents(t)
	state := t.TempDir()
	o := agents.Options{Store: m, Log: m.Log(), Outputs: m.Outputs(), StateDir: state}
	gate := make(chan struct{})
	one := newFixture(t, o)
	one.stage.on("@work", succeedAfter(gate))
	id := one.run(t, agents.RunArgs{GroupID: "grp-1-0000", Prompt: "@work"})
	one.await(t, id, record.Running)

	other := newFixture(t, o)
	if s := other.status(t, id); s.Status != record.Running {
		t.Fatalf("the other server has made it %s", s.Status)
	}
	_, err := other.Cancel(t.Context(), agents.CancelArgs{AgentID: id})
	toolsettest.WantError(t, err, "AGENT_RUNNING", "another server")
	after := other.run(t, agents.RunArgs{GroupID: "grp-1-0000", DependsOn: []string{id}})
	close(gate)
	for _, e := range other.end(t, id, after).Completed {
		if e.Status != record.Completed {
			t.Errorf("%+v", e)
		}
	}
}

// A live server recovers the agents of a server that dies, so callers that wait for them return.
func TestRecoverAgents_ServerDies(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := storeWithAgents(t)
		state := t.TempDir()
		c := newFixture(t, agents.Options{Store: m, Log: m.Log(), Outputs: m.Outputs(), StateDir: state})
		mine := c.run(t, agents.RunArgs{GroupID: "grp-1-0000", Prompt: "linger"})
		c.await(t, mine, record.Running)
		started := time.Now()
		called := started.Add(5 * time.Second)
		err := m.CreateAgent(t.Context(), record.Agent{
			ID: "impl-code-1-0001", GroupID: "grp-1-0000", Status: record.Running, CreatedAt: started, StartedAt: started,
			RecentToolCalls: []record.ToolCall{{Seq: 1, Type: "readToolCall", StartedAt: called}},
		})
		if err != nil {
			t.Fatal(err)
		}
		dead := filepath.Join(state, "servers", "dead")
		write(t, dead, "lock", "")
		write(t, dead, "impl-code-1-0001.agent", "")
		r, err := c.Wait(t.Context(), agents.WaitArgs{AgentIDs: []string{"impl-code-1-0001"}, TimeoutMs: 45_000})
		if err != nil || len(r.Completed) != 1 || r.Completed[0].Status != record.Failed || !strings.Contains(r.Completed[0].ErrorMessage, "the server ended") {
			t.Errorf("who waits is told %+v, %v", r, err)
		}
		if s := c.status(t, "impl-code-1-0001"); !s.EndedAt.Equal(called) {
			t.Errorf("it has ended at %v, and was heard of last at %v", s.EndedAt, called)
		}
		if s := c.status(t, mine); s.Status != record.Running {
			t.Errorf("its own agent is %s", s.Status)
		}
	})
}

// Close ends all agents and records their ends.
func TestClose_EndsAgents(t *testing.T) {
	m := storeWithAgents(t)
	c := newFixture(t, agents.Options{Store: m, Log: m.Log(), Outputs: m.Outputs(), MaxConcurrent: 1})
	running := c.run(t, agents.RunArgs{GroupID: "grp-1-0000", Prompt: "linger"})
	queued := c.run(t, agents.RunArgs{GroupID: "grp-1-0000"})
	blocked := c.run(t, agents.RunArgs{GroupID: "grp-1-0000", DependsOn: []string{queued}})
	c.await(t, running, record.Running)
	if err := c.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	for _, id := range []string{running, queued, blocked} {
		if s := c.status(t, id); s.Status != record.Cancelled || s.ErrorMessage != "the server was stopped" {
			t.Errorf("%s is %s: %s", id, s.Status, s.ErrorMessage)
		}
	}
	_, err := c.Run(t.Context(), agents.RunArgs{GroupID: "grp-1-0000", Role: "impl-code", Prompt: "x"})
	toolsettest.WantError(t, err, "UNAVAILABLE")
}

// The result of a recovered agent names its worktree.
func TestRecoverAgents_Worktree(t *testing.T) {
	dir, state := newRepository(t, "a.go"), t.TempDir()
	const id = "impl-code-1-0001"
	path := filepath.Join(state, "worktrees", id)
	git(t, dir, "worktree", "add", "--quiet", "-b", "kuromajutsu/"+id, path)
	write(t, path, "half.go", "half")
	m := storeWithAgents(t,
		record.Agent{ID: id, Status: record.Running, Isolation: record.Worktree, WorkingDirectory: dir},
		record.Agent{ID: "impl-code-1-0002", Status: record.Queued, Isolation: record.Worktree, WorkingDirectory: dir},
	)
	c := newFixtureIn(t, dir, agents.Options{Store: m, Log: m.Log(), Outputs: m.Outputs(), StateDir: state})
	if r := c.status(t, id).Result; r.Worktree != path || r.Branch != "kuromajutsu/"+id {
		t.Errorf("the result is %+v", r)
	}
	if r := c.status(t, "impl-code-1-0002").Result; r.Worktree != "" {
		t.Errorf("the result of one that never began is %+v", r)
	}
	d, err := c.DeleteGroup(t.Context(), agents.DeleteGroupArgs{GroupID: "grp-1-0000"})
	if err != nil || len(d.KeptWorktrees) != 1 || d.KeptWorktrees[0].AgentID != id {
		t.Errorf("%+v, %v", d, err)
	}
}

// A recovered agent has run until the last heartbeat of its server, even without a tool call.
func TestRecoverAgents_Duration(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := storeWithAgents(t)
		state := t.TempDir()
		c := newFixture(t, agents.Options{Store: m, Log: m.Log(), Outputs: m.Outputs(), StateDir: state})
		id := c.run(t, agents.RunArgs{GroupID: "grp-1-0000", Prompt: "linger", TimeoutMs: 3_600_000})
		c.await(t, id, record.Running)
		time.Sleep(10 * time.Minute)
		agent, err := m.Agent(t.Context(), id)
		if err != nil {
			t.Fatal(err)
		}
		// The same record, as a server leaves it that dies.
		agent.ID = "impl-code-1-0001"
		if err := m.CreateAgent(t.Context(), agent); err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Minute)
		s := c.status(t, agent.ID)
		if ran := s.EndedAt.Sub(s.StartedAt); s.Outcome != record.Failed || ran < 10*time.Minute-10*time.Second || ran > 10*time.Minute || s.Result.DurationMs != ran.Milliseconds() {
			t.Errorf("it is %s after %v, its result says %d ms", s.Outcome, ran, s.Result.DurationMs)
		}
	})
}
