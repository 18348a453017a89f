package agents

import (
	"cmp"

	"github.com/dougu-go/dougu/internal/truncate"
	"github.com/dougu-go/dougu/tools/agents/record"
)

// Bounds of a result, in bytes.
const (
	maxSummary   = 2 << 10
	maxRawOutput = 8 << 10
	maxError     = 4 << 10
)

// found is what was found of what a run has changed.
type found struct {
	changes          changes
	worktree, branch string
}

// verdicts are how results judge runs of which nothing else is known.
var verdicts = map[record.Status]record.Verdict{
	record.Completed: record.Success,
	record.Failed:    record.Failure,
	record.TimedOut:  record.TimeoutEnded,
	record.Cancelled: record.CancelEnded,
}

// resultOf puts together what is known of an agent that has ended.
func resultOf(agent *record.Agent, e ending, f found) *record.Result {
	text, said := cmp.Or(e.text, agent.LastAssistantMessage), cmp.Or(e.said, e.text, agent.LastAssistantMessage)
	r := record.Result{
		AgentID: agent.ID, GroupID: agent.GroupID, Role: agent.Role, Model: agent.Model,
		Status: verdicts[e.outcome], StatusSource: record.FromStream, Summary: truncate.Within(said, maxSummary), SummarySource: record.FromStream,
		DurationMs: agent.Elapsed(agent.EndedAt).Milliseconds(), ToolCallCount: agent.ToolCallCount,
		ErrorMessage: truncate.Within(e.why, maxError), RawOutput: lastOf(text, maxRawOutput), Worktree: f.worktree, Branch: f.branch,
		Timestamp: agent.EndedAt,
	}
	all := make(changes, len(f.changes))
	all.take(f.changes)
	report(agent, &r, all)
	enter(&r, all)
	return &r
}

// reported is the result of an agent whose report has come after its end.
func reported(agent *record.Agent) *record.Result {
	r := record.Result{AgentID: agent.ID, GroupID: agent.GroupID, Role: agent.Role, Model: agent.Model, Timestamp: agent.EndedAt}
	if agent.Result != nil {
		r = *agent.Result
	}
	all := make(changes)
	for _, c := range r.Changes {
		all[c.Path] = c
	}
	report(agent, &r, all)
	enter(&r, all)
	return &r
}

// report adds what an agent says of its own work. How the work ended, it says only of work that has completed.
func report(agent *record.Agent, r *record.Result, all changes) {
	said := agent.Report
	if said == nil {
		return
	}
	if agent.Outcome == record.Completed {
		r.Status, r.StatusSource = said.Status, record.FromReport
	}
	if said.Summary != "" {
		r.Summary, r.SummarySource = truncate.Within(said.Summary, maxSummary), record.FromReport
	}
	if said.ErrorMessage != "" && r.ErrorMessage == "" {
		r.ErrorMessage = truncate.Within(said.ErrorMessage, maxError)
	}
	dir := agent.WorkingDirectory
	if r.Worktree != "" {
		dir = r.Worktree
	}
	for _, path := range said.CreatedFiles {
		all.add(relative(dir, path), created, record.FromReport)
	}
	for _, path := range said.EditedFiles {
		all.add(relative(dir, path), edited, record.FromReport)
	}
}
