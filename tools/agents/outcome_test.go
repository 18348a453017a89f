package agents_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/dougu-go/dougu/tools/agents"
	"github.com/dougu-go/dougu/tools/agents/executor"
	"github.com/dougu-go/dougu/tools/agents/record"
)

// exitWith is an agent that starts and returns a given exit.
func exitWith(exit executor.Exit, err error) act {
	return func(_ context.Context, _ executor.Spec, tell func(executor.Event)) (executor.Exit, error) {
		if err == nil {
			tell(executor.Event{Kind: executor.Init, Session: "s"})
			tell(executor.Event{Kind: executor.Said, Text: "I am at it."})
		}
		return exit, err
	}
}

// The outcome of an agent follows from the exit of its program.
func TestClassifyExit_Outcomes(t *testing.T) {
	for _, tc := range []struct {
		name    string
		play    act
		then    func(t *testing.T, c fixture, id string)
		outcome record.Status
		verdict record.Verdict
		why     string
	}{
		{name: "reported success", play: succeed, outcome: record.Completed, verdict: record.Success},
		{name: "reported success, program killed", play: exitWith(executor.Exit{Finished: true, Code: 143, Signal: "SIGTERM"}, nil), outcome: record.Completed, verdict: record.Success},
		{name: "reported failure", play: exitWith(executor.Exit{Finished: true, Failed: true}, nil), outcome: record.Failed, verdict: record.Failure, why: "reported a failure"},
		{name: "program fails", play: exitWith(executor.Exit{Failed: true, Code: 1, Message: "Cannot use this model: x"}, nil), outcome: record.Failed, verdict: record.Failure, why: "Cannot use this model: x"},
		{name: "not authenticated", play: exitWith(executor.Exit{Failed: true, Cause: executor.ErrUnauthenticated}, nil), outcome: record.Failed, verdict: record.Failure, why: "not logged in"},
		{name: "program ends without a result", play: exitWith(executor.Exit{}, nil), outcome: record.Failed, verdict: record.Failure, why: "without a result"},
		{name: "exit code", play: exitWith(executor.Exit{Code: 7}, nil), outcome: record.Failed, verdict: record.Failure, why: "exit code 7"},
		{name: "signal", play: exitWith(executor.Exit{Code: 137, Signal: "SIGKILL"}, nil), outcome: record.Failed, verdict: record.Failure, why: "SIGKILL"},
		{name: "start fails", play: exitWith(executor.Exit{}, errors.New("no such program")), outcome: record.Failed, verdict: record.Failure, why: "could not be started: no such program"},
		{name: "executor panics", play: func(context.Context, executor.Spec, func(executor.Event)) (executor.Exit, error) { panic("boom") }, outcome: record.Failed, verdict: record.Failure, why: "boom"},
		{name: "timeout", play: linger, outcome: record.TimedOut, verdict: record.TimeoutEnded, why: "timeout"},
		{name: "cancelled", play: linger, then: func(t *testing.T, c fixture, id string) {
			c.await(t, id, record.Running)
			if err := c.Stop(t.Context(), id, "it is late"); err != nil {
				t.Error(err)
			}
		}, outcome: record.Cancelled, verdict: record.CancelEnded, why: "cancelled: it is late"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				c := newFixture(t, agents.Options{})
				c.stage.on("play", tc.play)
				id := c.run(t, agents.RunArgs{Prompt: "play", TimeoutMs: 20_000})
				if tc.then != nil {
					tc.then(t, c, id)
				}
				w := c.end(t, id)
				s := c.status(t, id)
				if s.Status != tc.outcome || s.Outcome != tc.outcome || s.Result.Status != tc.verdict || w.Completed[0].Status != tc.outcome {
					t.Errorf("it is %s, %s, judged as %s: %+v", s.Status, s.Outcome, s.Result.Status, w)
				}
				if !strings.Contains(s.ErrorMessage, tc.why) || s.Result.ErrorMessage != s.ErrorMessage || (tc.why == "") != (s.ErrorMessage == "") {
					t.Errorf("it has failed because %q, %q", s.ErrorMessage, s.Result.ErrorMessage)
				}
				checkHistory(t, c, id)
			})
		})
	}
}

// allowedStates lists the statuses that may follow a status.
var allowedStates = map[record.Status]string{
	"":               "queued blocked",
	record.Blocked:   "queued failed cancelled resultReported",
	record.Queued:    "running failed cancelled resultReported",
	record.Running:   "completed failed timedOut cancelled resultReported",
	record.Completed: "resultReported", record.Failed: "resultReported", record.TimedOut: "resultReported", record.Cancelled: "resultReported",
}

// checkHistory checks that the events of an agent form a valid sequence of states.
func checkHistory(t testing.TB, c fixture, id string) (story string) {
	t.Helper()
	last, ends := record.Status(""), 0
	for _, e := range c.eventsOf(t, id) {
		switch e.Type {
		case record.AgentCreated, record.AgentStatusUpdate, record.AgentCompleted, record.AgentResultReported:
		default:
			continue
		}
		agent := decode[record.Agent](t, e.Data)
		if agent.Status != last {
			if !strings.Contains(" "+allowedStates[last]+" ", " "+string(agent.Status)+" ") {
				t.Errorf("%s was %q and became %q", id, last, agent.Status)
			}
			last = agent.Status
			story += " " + string(last)
		}
		if e.Type == record.AgentCompleted {
			ends++
		}
		if (e.Type == record.AgentCompleted) != (agent.Status.Ended() && ends == 1 && e.Type != record.AgentResultReported) {
			t.Errorf("%s: %s tells that it is %s", id, e.Type, agent.Status)
		}
	}
	if ends != 1 {
		t.Errorf("%s has ended %d times", id, ends)
	}
	return strings.TrimSpace(story)
}

func TestEvents_History(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := newFixture(t, agents.Options{MaxConcurrent: 1})
		c.stage.on("unstartable", exitWith(executor.Exit{}, errors.New("no such program")))
		first := c.run(t, agents.RunArgs{Prompt: "linger", TimeoutMs: 1000})
		second := c.run(t, agents.RunArgs{Prompt: "unstartable"})
		third := c.run(t, agents.RunArgs{DependsOn: []string{second}})
		fourth := c.run(t, agents.RunArgs{})
		c.end(t, first, second, third, fourth)
		if _, err := c.Report(t.Context(), agents.ReportArgs{AgentID: fourth, Status: "success"}); err != nil {
			t.Error(err)
		}
		for id, want := range map[string]string{
			first: "queued running timedOut", second: "queued failed", third: "blocked failed", fourth: "queued running completed resultReported",
		} {
			if got := checkHistory(t, c, id); got != want {
				t.Errorf("%s: %s, want %s", id, got, want)
			}
		}
	})
}

// Many events lead to a limited number of updates of the record.
func TestTrack_CoalescedUpdates(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := newFixture(t, agents.Options{})
		c.stage.on("chatter", func(ctx context.Context, s executor.Spec, tell func(executor.Event)) (executor.Exit, error) {
			for i := range 5_000 {
				tell(executor.Event{Kind: executor.Delta, Text: fmt.Sprintf("word%d ", i)})
				time.Sleep(time.Millisecond)
			}
			return succeed(ctx, s, tell)
		})
		id := c.run(t, agents.RunArgs{Prompt: "chatter"})
		c.end(t, id)
		updates := 0
		for _, e := range c.eventsOf(t, id) {
			if e.Type == record.AgentStatusUpdate {
				updates++
			}
		}
		if updates < 40 || updates > 55 {
			t.Errorf("5 s of chatter are %d updates", updates)
		}
		out, err := c.Output(t.Context(), agents.OutputArgs{AgentID: id, Offset: -40})
		if err != nil || !strings.HasSuffix(out.Text, "word4999 \nDone.\n\n") {
			t.Errorf("it said %q, %v", out.Text, err)
		}
	})
}
