package agents_test

import (
	"context"
	"errors"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/dougu-go/dougu/tools/agents"
	"github.com/dougu-go/dougu/tools/agents/executor"
	"github.com/dougu-go/dougu/tools/agents/record"
)

// remoteExecutor simulates an executor on another machine. The test supplies its steps.
type remoteExecutor struct {
	executor.Executor
	steps chan func(tell func(executor.Event)) *executor.Exit
}

func (remoteExecutor) Remote() {}

func (e remoteExecutor) Run(ctx context.Context, _ executor.Spec, tell func(executor.Event)) (executor.Exit, error) {
	for {
		select {
		case step := <-e.steps:
			if exit := step(tell); exit != nil {
				return *exit, nil
			}
		case <-ctx.Done():
			return executor.Exit{}, nil
		}
	}
}

// step makes the executor perform one step.
func (e remoteExecutor) step(does func(tell func(executor.Event)) *executor.Exit) { e.steps <- does }

// say sends events.
func (e remoteExecutor) say(events ...executor.Event) {
	e.step(func(tell func(executor.Event)) *executor.Exit {
		for _, event := range events {
			tell(event)
		}
		return nil
	})
}

// newRemoteFixture returns a set whose agents run on another machine.
func newRemoteFixture(t *testing.T) (fixture, remoteExecutor) {
	t.Helper()
	e := remoteExecutor{&fakeExecutor{name: "fake"}, make(chan func(func(executor.Event)) *executor.Exit)}
	return newFixture(t, agents.Options{Executors: []executor.Executor{e}}), e
}

// An agent on another machine is queued until a runner is free, and again after it is lost. Its
// timeout applies to the last attempt.
func TestRemote_Run(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c, e := newRemoteFixture(t)
		id := c.run(t, agents.RunArgs{TimeoutMs: 60_000})
		time.Sleep(time.Hour)
		if s := c.status(t, id); s.Status != record.Queued || !s.StartedAt.IsZero() {
			t.Errorf("before it has a place it is %+v", s)
		}
		e.say(executor.Event{Kind: executor.Placed, Runner: "one", Attempt: 1}, executor.Event{Kind: executor.Said, Text: "half of it"})
		time.Sleep(50 * time.Second)
		if s := c.status(t, id); s.Status != record.Running || s.Runner != "one" || s.Attempt != 1 || !strings.Contains(s.TextContent(), "on one") {
			t.Errorf("once it has a place it is %+v", s)
		}
		e.say(executor.Event{Kind: executor.Waiting, Text: "one was not heard of", Attempt: 2})
		time.Sleep(time.Hour)
		if s := c.status(t, id); s.Status != record.Queued || s.Attempt != 2 || !s.StartedAt.IsZero() {
			t.Errorf("once it was lost it is %+v", s)
		}
		e.say(executor.Event{Kind: executor.Placed, Runner: "two", Attempt: 2})
		time.Sleep(50 * time.Second)
		e.step(func(tell func(executor.Event)) *executor.Exit {
			tell(executor.Event{Kind: executor.Said, Text: "Done."})
			return &executor.Exit{Finished: true}
		})
		c.end(t, id)
		s := c.status(t, id)
		if s.Outcome != record.Completed || s.Runner != "two" || s.Attempt != 2 || s.Lost || s.Result.Summary != "Done." || s.ElapsedMs < 50_000 || s.ElapsedMs > 51_000 || !strings.Contains(s.TextContent(), "attempt 2") {
			t.Errorf("in the end it is %+v", s)
		}
		out, err := c.Output(t.Context(), agents.OutputArgs{AgentID: id, Kind: "stderr"})
		if err != nil || !strings.Contains(out.Text, "one was not heard of") {
			t.Errorf("its output says %q, %v", out.Text, err)
		}
	})
}

// An agent on another machine ends in the same ways as a local one.
func TestRemote_End(t *testing.T) {
	placed := executor.Event{Kind: executor.Placed, Runner: "one", Attempt: 1}
	for name, tc := range map[string]struct {
		does   func(c fixture, e remoteExecutor, id string)
		status record.Status
		lost   bool
	}{
		"lost": {func(_ fixture, e remoteExecutor, _ string) {
			e.say(placed)
			e.step(func(func(executor.Event)) *executor.Exit {
				return &executor.Exit{Failed: true, Message: "the agent was lost: one is gone", Cause: executor.ErrLost}
			})
		}, record.Failed, true},
		"out of time": {func(_ fixture, e remoteExecutor, _ string) { e.say(placed) }, record.TimedOut, false},
		"cancelled while it waits": {func(c fixture, _ remoteExecutor, id string) {
			if err := c.Stop(context.Background(), id, "no"); err != nil {
				t.Error(err)
			}
		}, record.Cancelled, false},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				c, e := newRemoteFixture(t)
				id := c.run(t, agents.RunArgs{})
				synctest.Wait()
				tc.does(c, e, id)
				c.end(t, id)
				if s := c.status(t, id); s.Outcome != tc.status || s.Lost != tc.lost || tc.lost != strings.Contains(s.TextContent(), ", lost") {
					t.Errorf("it is %+v", s)
				}
			})
		})
	}
}

// peers is a list of live servers, or an error.
type peers struct {
	mu     sync.Mutex
	living map[string]bool
	err    error
}

func (p *peers) know(living map[string]bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.living, p.err = living, nil
}

func (p *peers) Name() string { return "here" }
func (p *peers) Living(context.Context) (map[string]bool, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.living, p.err
}

// Agents of dead servers on other machines are marked as failed.
func TestRecoverAgents_Peers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := storeWithAgents(t,
			record.Agent{ID: "impl-code-1-0001", Status: record.Running, Owner: "there"},
			record.Agent{ID: "impl-code-1-0002", Status: record.Running, Owner: "gone"},
			record.Agent{ID: "impl-code-1-0003", Status: record.Queued, Owner: "here"},
		)
		p := &peers{err: errors.New("not yet")}
		c := newFixture(t, agents.Options{Store: m, Log: m.Log(), Outputs: m.Outputs(), Peers: p})
		is := func(when string, want ...record.Status) {
			t.Helper()
			for i, id := range []string{"impl-code-1-0001", "impl-code-1-0002", "impl-code-1-0003"} {
				if s := c.status(t, id); s.Status != want[i] {
					t.Errorf("%s %s is %s, want %s", when, id, s.Status, want[i])
				}
			}
		}
		is("before it is known who lives", record.Running, record.Running, record.Failed)
		p.know(map[string]bool{"here": true, "there": true})
		time.Sleep(time.Minute)
		is("then", record.Running, record.Failed, record.Failed)
		id := c.run(t, agents.RunArgs{GroupID: "grp-1-0000"})
		if a, err := m.Agent(t.Context(), id); err != nil || a.Owner != "here" {
			t.Errorf("%+v, %v", a, err)
		}
		c.end(t, id)
	})
}
