package agents

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"unicode/utf8"

	"github.com/dougu-go/dougu/internal/truncate"
	"github.com/dougu-go/dougu/tools/agents/record"
)

// reportTool is the tool by which agents report.
const reportTool = "report_result"

// Bounds of a report.
const (
	maxReportSummary = 16 << 10 // bytes
	maxReportFiles   = 1_000
	maxReportPaths   = 64 << 10 // bytes
)

// ReportArgs are the arguments of report_result.
type ReportArgs struct {
	// AgentID may be left out by an agent, which can report for itself alone.
	AgentID      string   `json:"agentId,omitempty"`
	Status       string   `json:"status" jsonschema:"enum=success,enum=failure,enum=timeout,enum=cancelled"`
	Summary      string   `json:"summary"`
	EditedFiles  []string `json:"editedFiles,omitempty"`
	CreatedFiles []string `json:"createdFiles,omitempty"`
	ErrorMessage string   `json:"errorMessage,omitempty"`
}

// ReportResult is what report_result answers.
type ReportResult struct {
	Registered bool   `json:"registered"`
	AgentID    string `json:"agentId"`
}

// TextContent says that it worked.
func (r ReportResult) TextContent() string { return "the result of " + r.AgentID + " is registered" }

// The ways by which reports come.
const (
	viaCall   = "call"
	viaStream = "stream"
)

// Report is report_result. While an agent runs its last report counts; what it had reported at its end stays.
func (a *Agents) Report(ctx context.Context, args ReportArgs) (ReportResult, error) {
	caller := callerFrom(ctx)
	if args.AgentID == "" {
		args.AgentID = caller
	}
	if caller != "" && caller != args.AgentID {
		return ReportResult{}, invalid("Give your own agentId, "+caller+", or none.", "you are %s and cannot report for %s", caller, quote(args.AgentID))
	}
	said, err := args.report(viaCall)
	if err != nil {
		return ReportResult{}, err
	}
	if _, err := a.visible(ctx, args.AgentID); err != nil {
		return ReportResult{}, err
	}
	works, late := a.atWork(args.AgentID), false
	agent, event, err := a.change(ctx, args.AgentID, record.AgentResultReported, func(agent *record.Agent) error {
		if agent.Report != nil && same(*agent.Report, said) {
			return errKnown
		}
		if waits := agent.Status == record.Queued || agent.Status == record.Blocked; waits && !works {
			return problem(codeNotStarted, "Wait for it with wait_agent, or end it with cancel_agent.", "%s is %s and has done nothing yet, so it has no result", agent.ID, agent.Status)
		}
		if late = agent.Status.Ended(); !late {
			agent.Report = &said
			return nil
		}
		if agent.Report != nil {
			return invalid("Nothing is to be done.", "%s has ended, and its result is registered already", agent.ID)
		}
		agent.Report = &said
		agent.Result = reported(agent)
		return advance(agent, record.ResultReported)
	})
	switch {
	case errors.Is(err, errKnown):
		return ReportResult{Registered: true, AgentID: args.AgentID}, a.arrived(ctx, args.AgentID)
	case err != nil:
		return ReportResult{}, a.storeError(err, "registering the result")
	case late:
		a.notify(event, agent)
	}
	return ReportResult{Registered: true, AgentID: agent.ID}, nil
}

// arrived notes that a report which was overheard has come by a call, too.
func (a *Agents) arrived(ctx context.Context, agentID string) error {
	_, err := a.store.UpdateAgent(ctx, agentID, func(agent *record.Agent) error {
		if agent.Report == nil || agent.Report.Via == viaCall {
			return errKnown
		}
		agent.Report.Via = viaCall
		return nil
	})
	if err != nil && !errors.Is(err, errKnown) {
		return a.storeError(err, "registering the result")
	}
	return nil
}

// errKnown is a report that says what was said before.
var errKnown = errors.New("that was reported already")

// report checks what is reported.
func (args ReportArgs) report(via string) (record.Report, error) {
	switch v := record.Verdict(args.Status); v {
	case record.Success, record.Failure, record.TimeoutEnded, record.CancelEnded:
	default:
		return record.Report{}, invalid("Give success, failure, timeout or cancelled.", "there is no status %s", quote(args.Status))
	}
	if len(args.EditedFiles) > maxReportFiles || len(args.CreatedFiles) > maxReportFiles {
		return record.Report{}, invalid("Name directories instead.", "more than %d files are reported", maxReportFiles)
	}
	size := 0
	for _, text := range slices.Concat([]string{args.Summary, args.ErrorMessage}, args.EditedFiles, args.CreatedFiles) {
		if !utf8.ValidString(text) {
			return record.Report{}, invalid("Send UTF-8.", "the report is not valid text")
		}
		size += len(text)
	}
	if size -= len(args.Summary) + len(args.ErrorMessage); size > maxReportPaths {
		return record.Report{}, invalid("Name directories instead.", "the names of the files have %d bytes, and may have %d", size, maxReportPaths)
	}
	return record.Report{
		Status: record.Verdict(args.Status), Summary: truncate.Within(args.Summary, maxReportSummary), EditedFiles: args.EditedFiles,
		CreatedFiles: args.CreatedFiles, ErrorMessage: truncate.Within(args.ErrorMessage, maxReportSummary), At: now(), Via: via,
	}, nil
}

// same reports whether two reports say the same.
func same(r, other record.Report) bool {
	return r.Status == other.Status && r.Summary == other.Summary && r.ErrorMessage == other.ErrorMessage &&
		slices.Equal(r.EditedFiles, other.EditedFiles) && slices.Equal(r.CreatedFiles, other.CreatedFiles)
}

// overhear notes a report that an agent makes with a call which may never reach us.
func (t *track) overhear(raw json.RawMessage) {
	var args ReportArgs
	if json.Unmarshal(raw, &args) != nil || args.AgentID != "" && args.AgentID != t.r.id {
		return
	}
	said, err := args.report(viaStream)
	if err != nil {
		return
	}
	t.mu.Lock()
	known := t.report != nil && same(*t.report, said)
	if !known {
		t.report = &said
	}
	t.mu.Unlock()
	if known {
		return
	}
	t.update(record.AgentResultReported, func(agent *record.Agent) error {
		if agent.Report != nil && same(*agent.Report, said) || agent.Status.Ended() {
			return errState // it came by a call, too
		}
		agent.Report = &said
		return nil
	})
}
