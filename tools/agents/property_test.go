package agents_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"pgregory.net/rapid"

	"github.com/dougu-go/dougu/security"
	"github.com/dougu-go/dougu/tools/agents"
	"github.com/dougu-go/dougu/tools/agents/record"
)

// operation is a random operation on the fixture. Numbers select among the existing agents.
type operation struct {
	What          string // run, cancel, report, sleep, follow or wait
	Prompt        string
	Agent, Other  int
	Milliseconds  int
	Dependencies  int
	Mode, Summary string
}

func deeds() *rapid.Generator[[]operation] {
	return rapid.SliceOfN(rapid.Custom(func(t *rapid.T) operation {
		return operation{
			What:   rapid.SampledFrom([]string{"run", "run", "run", "cancel", "report", "sleep", "follow", "wait"}).Draw(t, "what"),
			Prompt: rapid.SampledFrom([]string{"@0s", "@1s", "@7s", "@reports", "fail", "linger"}).Draw(t, "prompt"),
			Agent:  rapid.IntRange(0, 30).Draw(t, "agent"), Other: rapid.IntRange(0, 30).Draw(t, "other"),
			Milliseconds: rapid.IntRange(1, 12_000).Draw(t, "ms"), Dependencies: rapid.IntRange(0, 2).Draw(t, "dependencies"),
			Mode: rapid.SampledFrom([]string{"all", "any"}).Draw(t, "mode"), Summary: rapid.SampledFrom([]string{"a", "b"}).Draw(t, "summary"),
		}
	}), 1, 25)
}

// After any sequence of operations, each agent has a valid history with one end, and no call hangs.
func TestAgents_RandomOperations(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		all, atOnce := deeds().Draw(rt, "deeds"), rapid.Bool().Draw(rt, "at once")
		var faults []string
		synctest.Test(t, func(t *testing.T) {
			c := newFixture(t, agents.Options{MaxConcurrent: 3, MaxQueued: 10, Stagger: 50 * time.Millisecond})
			for _, d := range []time.Duration{0, time.Second, 7 * time.Second} {
				c.stage.on("@"+d.String(), runFor(d))
			}
			c.stage.on("@reports", lostReports(`{"status":"failure","summary":"s"}`))
			s := scenario{t: t, fixture: c, group: c.group(t)}
			for _, d := range all {
				s.do(d)
			}
			s.end(atOnce)
			if c.stage.most > 3 {
				s.fault("%d were running at once", c.stage.most)
			}
			faults = s.faults
		})
		if len(faults) > 0 {
			rt.Fatal(strings.Join(faults, "\n"))
		}
	})
}

// scenario is the state of one sequence of operations.
type scenario struct {
	fixture
	t      *testing.T
	group  string
	ids    []string
	faults []string
}

func (s *scenario) fault(format string, args ...any) {
	s.faults = append(s.faults, fmt.Sprintf(format, args...))
}

// checkError checks that an error has one of the expected codes.
func (s *scenario) checkError(what string, err error, codes ...string) {
	if err != nil && !slices.Contains(codes, string(security.CodeOf(err))) {
		s.fault("%s: %s", what, errorText(err))
	}
}

func (s *scenario) any(n int) string { return s.ids[n%len(s.ids)] }

func (s *scenario) do(d operation) {
	ctx := s.t.Context()
	if len(s.ids) == 0 {
		d.What = "run"
	}
	switch d.What {
	case "run":
		args := agents.RunArgs{GroupID: s.group, Role: "impl-code", Prompt: d.Prompt, TimeoutMs: int64(d.Milliseconds)}
		for i := range min(d.Dependencies, len(s.ids)) {
			args.DependsOn = append(args.DependsOn, s.any(d.Agent+i))
		}
		r, err := s.Run(ctx, args)
		s.checkError("run", err, "LIMIT_REACHED", "BAD_DEPENDENCY")
		if err == nil {
			s.ids = append(s.ids, r.AgentID)
		}
	case "cancel":
		_, err := s.Cancel(ctx, agents.CancelArgs{AgentID: s.any(d.Agent), Reason: "so be it"})
		s.checkError("cancel", err)
	case "report":
		_, err := s.Report(ctx, agents.ReportArgs{AgentID: s.any(d.Agent), Status: "success", Summary: d.Summary})
		s.checkError("report", err, "INVALID_PARAMS", "AGENT_NOT_STARTED")
	case "follow":
		r, err := s.Followup(ctx, agents.FollowupArgs{AgentID: s.any(d.Agent), Prompt: d.Prompt, TimeoutMs: 5_000})
		s.checkError("follow", err, "LIMIT_REACHED", "AGENT_RUNNING", "NO_SESSION")
		if err == nil {
			s.ids = append(s.ids, r.AgentID)
		}
	case "wait":
		w, err := s.Wait(ctx, agents.WaitArgs{AgentIDs: []string{s.any(d.Agent), s.any(d.Other)}, TimeoutMs: int64(d.Milliseconds), Mode: d.Mode})
		s.checkError("wait", err)
		if w.Slice || w.TimedOut && len(w.Pending) == 0 || !w.TimedOut && d.Mode == "all" && len(w.Pending) > 0 {
			s.fault("wait_agent answers %+v", w)
		}
	case "sleep":
		time.Sleep(time.Duration(d.Milliseconds) * time.Millisecond)
	}
}

// end waits for all agents and checks their records.
func (s *scenario) end(atOnce bool) {
	if atOnce {
		_, err := s.DeleteGroup(s.t.Context(), agents.DeleteGroupArgs{GroupID: s.group, Force: true})
		s.checkError("delete", err)
	}
	for _, id := range s.ids {
		s.fixture.end(s.t, id)
		checkHistory(s.t, s.fixture, id)
		got := s.status(s.t, id)
		switch r := got.Result; {
		case r == nil || got.Outcome == "" || got.EndedAt.IsZero():
			s.fault("%s has ended as %+v", id, got)
		case got.Outcome != record.Completed && r.Status == record.Success:
			s.fault("%s is %s and judged as %s", id, got.Outcome, r.Status)
		case (got.Outcome == record.Completed) != (got.ErrorMessage == ""):
			s.fault("%s is %s because %q", id, got.Outcome, got.ErrorMessage)
		}
	}
}
