package agents_test

import (
	"context"
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/dougu-go/dougu/tools/agents"
	"github.com/dougu-go/dougu/tools/agents/executor"
	"github.com/dougu-go/dougu/tools/agents/record"
	"github.com/dougu-go/dougu/tools/internal/toolsettest"
)

// lostReports is an agent whose calls of report_result never arrive.
func lostReports(reports ...string) act {
	return func(ctx context.Context, s executor.Spec, tell func(executor.Event)) (executor.Exit, error) {
		tell(executor.Event{Kind: executor.Init})
		for i, args := range reports {
			args = strings.ReplaceAll(args, "MYSELF", s.AgentID)
			tool := &executor.Tool{CallID: string(rune('a' + i)), Type: "mcpToolCall", Server: "kuromajutsu", Name: "report_result", Args: json.RawMessage(args)}
			tell(executor.Event{Kind: executor.ToolStarted, Tool: tool})
			tool.Failed, tool.Error = true, "rejected: not allowed"
			tell(executor.Event{Kind: executor.ToolCompleted, Tool: tool})
		}
		return succeed(ctx, s, tell)
	}
}

func TestReport_FromStream(t *testing.T) {
	for _, tc := range []struct {
		name    string
		reports []string
		status  record.Status
		verdict record.Verdict
		summary string
	}{
		{"none", nil, record.Completed, record.Success, "Done."},
		{"one", []string{`{"agentId":"MYSELF","status":"success","summary":"Made a.go.","createdFiles":["a.go"]}`}, record.ResultReported, record.Success, "Made a.go."},
		{"a failure", []string{`{"agentId":"MYSELF","status":"failure","summary":"No way.","errorMessage":"no compiler"}`}, record.ResultReported, record.Failure, "No way."},
		{"the last counts", []string{`{"status":"failure","summary":"No way."}`, `{"status":"success","summary":"Found one."}`}, record.ResultReported, record.Success, "Found one."},
		{"another's", []string{`{"agentId":"impl-code-1-0000","status":"failure","summary":"No way."}`}, record.Completed, record.Success, "Done."},
		{"nonsense", []string{`{"status":"fine"}`, `[]`, `null`, ``, `{"status":1}`}, record.Completed, record.Success, "Done."},
	} {
		t.Run(tc.name, func(t *testing.T) {
			c := newFixture(t, agents.Options{})
			c.stage.on("@work", lostReports(tc.reports...))
			id := c.run(t, agents.RunArgs{Prompt: "@work"})
			c.end(t, id)
			s := c.status(t, id)
			if s.Status != tc.status || s.Outcome != record.Completed || s.Result.Status != tc.verdict || s.Result.Summary != tc.summary {
				t.Errorf("it is %s, %s: %+v", s.Status, s.Outcome, s.Result)
			}
			if (tc.status == record.ResultReported) != (s.Result.StatusSource == record.FromReport) {
				t.Errorf("that is known from %s", s.Result.StatusSource)
			}
			checkHistory(t, c, id)
		})
	}
}

func TestReport_Running(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		gate := make(chan struct{})
		c := newFixture(t, agents.Options{})
		c.stage.on("@work", succeedAfter(gate))
		id := c.run(t, agents.RunArgs{Prompt: "@work"})
		c.await(t, id, record.Running)
		for _, summary := range []string{"Half.", "Half.", "All."} {
			r, err := c.Report(t.Context(), agents.ReportArgs{AgentID: id, Status: "success", Summary: summary, EditedFiles: []string{"a.go"}})
			if err != nil || !r.Registered || r.AgentID != id {
				t.Fatalf("%+v, %v", r, err)
			}
		}
		if s := c.status(t, id); s.Status != record.Running || s.Result != nil {
			t.Errorf("it is %+v", s)
		}
		close(gate)
		w := c.end(t, id)
		if w.Completed[0].Status != record.Completed || w.Completed[0].Summary != "All." {
			t.Errorf("it has ended as %+v", w)
		}
		s := c.status(t, id)
		if s.Status != record.ResultReported || s.Outcome != record.Completed || !slices.Equal(s.Result.EditedFiles, []string{"a.go"}) || s.Result.SummarySource != record.FromReport {
			t.Errorf("it is %+v", s)
		}
		// The report is final; an equal report is accepted.
		if _, err := c.Report(t.Context(), agents.ReportArgs{AgentID: id, Status: "success", Summary: "All.", EditedFiles: []string{"a.go"}}); err != nil {
			t.Error(err)
		}
		_, err := c.Report(t.Context(), agents.ReportArgs{AgentID: id, Status: "failure", Summary: "After all not."})
		toolsettest.WantError(t, err, "INVALID_PARAMS", "already registered")
		reports := 0
		for _, e := range c.eventsOf(t, id) {
			if e.Type == record.AgentResultReported {
				reports++
			}
		}
		if reports != 2 {
			t.Errorf("%d reports were told of", reports)
		}
	})
}

// One report is accepted after the end of an agent.
func TestReport_Late(t *testing.T) {
	for _, tc := range []struct {
		prompt  string
		outcome record.Status
		verdict record.Verdict
	}{
		{"do it", record.Completed, record.Failure}, // it says so itself
		{"fail", record.Failed, record.Failure},
		{"linger", record.TimedOut, record.TimeoutEnded},
	} {
		synctest.Test(t, func(t *testing.T) {
			c := newFixture(t, agents.Options{})
			id := c.run(t, agents.RunArgs{Prompt: tc.prompt, TimeoutMs: 1000})
			c.end(t, id)
			time.Sleep(time.Minute)
			args := agents.ReportArgs{AgentID: id, Status: "failure", Summary: "It was not to be.", CreatedFiles: []string{"sub/new.go"}, EditedFiles: []string{c.dir + "/old.go", "/elsewhere/x"}}
			if _, err := c.Report(t.Context(), args); err != nil {
				t.Fatal(err)
			}
			s := c.status(t, id)
			if s.Status != record.ResultReported || s.Outcome != tc.outcome || s.Result.Status != tc.verdict || s.Result.Summary != "It was not to be." {
				t.Errorf("it is %s, %s: %+v", s.Status, s.Outcome, s.Result)
			}
			if !slices.Equal(s.Result.EditedFiles, []string{"/elsewhere/x", "old.go"}) || !slices.Equal(s.Result.CreatedFiles, []string{"sub/new.go"}) {
				t.Errorf("it has changed %q and %q", s.Result.EditedFiles, s.Result.CreatedFiles)
			}
			args.Summary = "Or was it?"
			_, err := c.Report(t.Context(), args)
			toolsettest.WantError(t, err, "INVALID_PARAMS", "already registered")
		})
	}
}

func TestReport_InvalidArguments(t *testing.T) {
	c := newFixture(t, agents.Options{})
	id := c.run(t, agents.RunArgs{Prompt: "linger"})
	for _, tc := range []struct {
		args agents.ReportArgs
		code string
	}{
		{agents.ReportArgs{Status: "success"}, "UNKNOWN_AGENT"},
		{agents.ReportArgs{AgentID: "impl-code-1-0000", Status: "success"}, "UNKNOWN_AGENT"},
		{agents.ReportArgs{AgentID: id, Status: "fine"}, "INVALID_PARAMS"},
		{agents.ReportArgs{AgentID: id, Status: "success", Summary: "\xff"}, "INVALID_PARAMS"},
		{agents.ReportArgs{AgentID: id, Status: "success", EditedFiles: make([]string, 1001)}, "INVALID_PARAMS"},
		{agents.ReportArgs{AgentID: id, Status: "success", CreatedFiles: []string{strings.Repeat("x", 70_000)}}, "INVALID_PARAMS"},
	} {
		_, err := c.Report(t.Context(), tc.args)
		toolsettest.WantError(t, err, tc.code)
	}
}

// An agent that has not started has no result.
func TestReport_Queued(t *testing.T) {
	c := newFixture(t, agents.Options{MaxConcurrent: 1})
	group := c.group(t)
	first := c.run(t, agents.RunArgs{GroupID: group, Prompt: "linger"})
	c.await(t, first, record.Running)
	queued := c.run(t, agents.RunArgs{GroupID: group})
	blocked := c.run(t, agents.RunArgs{GroupID: group, DependsOn: []string{first}})
	for _, id := range []string{queued, blocked} {
		_, err := c.Report(t.Context(), agents.ReportArgs{AgentID: id, Status: "success", Summary: "done"})
		toolsettest.WantError(t, err, "AGENT_NOT_STARTED", "has done nothing yet")
		if s := c.status(t, id); s.Result != nil {
			t.Errorf("%s has the result %+v", id, s.Result)
		}
	}
	if _, err := c.Report(t.Context(), agents.ReportArgs{AgentID: first, Status: "success", Summary: "done"}); err != nil {
		t.Errorf("the one that runs: %v", err)
	}
}
