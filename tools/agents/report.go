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

// reportTool is the name of the tool by which agents report.
const reportTool = "report_result"

// Limits of a report.
const (
	maxReportSummary = 16 << 10 // bytes
	maxReportFiles   = 1_000
	maxReportPaths   = 64 << 10 // bytes
)

// ReportArgs are the arguments of report_result.
type ReportArgs struct {
	// AgentID is the reporting agent. An agent may omit it; it cannot report for others.
	AgentID string `json:"agentId,omitempty"`
	// Status is success, failure, timeout or cancelled.
	Status string `json:"status" jsonschema:"enum=success,enum=failure,enum=timeout,enum=cancelled"`
	// Summary describes the work in a few sentences. Longer text than 16 KiB is cut.
	Summary      string   `json:"summary"`
	EditedFiles  []string `json:"editedFiles,omitempty"`
	CreatedFiles []string `json:"createdFiles,omitempty"`
	ErrorMessage string   `json:"errorMessage,omitempty"`
}

// ReportResult is the result of report_result.
type ReportResult struct {
	Registered bool   `json:"registered"`
	AgentID    string `json:"agentId"`
}

// TextContent confirms the report.
func (r ReportResult) TextContent() string { return "the result of " + r.AgentID + " is registered" }

// The values of record.Report.Via.
const (
	viaCall   = "call"
	viaStream = "stream"
)

// Report implements report_result. While an agent runs, a new report replaces an earlier one. After
// its end, the first report is final.
func (a *Agents) Report(ctx context.Context, args ReportArgs) (ReportResult, error) {
	caller := callerFrom(ctx)
	if args.AgentID == "" {
		args.AgentID = caller
	}
	if caller != "" && caller != args.AgentID {
		return ReportResult{}, invalid("Give your own agentId, "+caller+", or none.", "you are %s and cannot report for agent %s", caller, quote(args.AgentID))
	}
	said, err := args.report(viaCall)
	if err != nil {
		return ReportResult{}, err
	}
	if _, err := a.visibleAgent(ctx, args.AgentID); err != nil {
		return ReportResult{}, err
	}
	works, late := a.isExecuting(args.AgentID), false
	agent, event, err := a.updateAgent(ctx, args.AgentID, record.AgentResultReported, func(agent *record.Agent) error {
		if agent.Report != nil && equalReports(*agent.Report, said) {
			return errUnchanged
		}
		if waits := agent.Status == record.Queued || agent.Status == record.Blocked; waits && !works {
			return problem(codeNotStarted, "Wait for it with wait_agent, or end it with cancel_agent.", "%s is %s and has done nothing yet, so it has no result", agent.ID, agent.Status)
		}
		if late = agent.Status.Ended(); !late {
			agent.Report = &said
			return nil
		}
		if agent.Report != nil {
			return invalid("No action is needed.", "%s has ended, and its result is already registered", agent.ID)
		}
		agent.Report = &said
		agent.Result = applyLateReport(agent)
		return setStatus(agent, record.ResultReported)
	})
	switch {
	case errors.Is(err, errUnchanged):
		return ReportResult{Registered: true, AgentID: args.AgentID}, a.markCallArrived(ctx, args.AgentID)
	case err != nil:
		return ReportResult{}, a.storeError(err, "registering the result")
	case late:
		a.notify(event, agent)
	}
	return ReportResult{Registered: true, AgentID: agent.ID}, nil
}

// markCallArrived records that a report known from the event stream has also arrived as a call.
func (a *Agents) markCallArrived(ctx context.Context, agentID string) error {
	_, err := a.store.UpdateAgent(ctx, agentID, func(agent *record.Agent) error {
		if agent.Report == nil || agent.Report.Via == viaCall {
			return errUnchanged
		}
		agent.Report.Via = viaCall
		return nil
	})
	if err != nil && !errors.Is(err, errUnchanged) {
		return a.storeError(err, "registering the result")
	}
	return nil
}

// errUnchanged stops an update that would change nothing.
var errUnchanged = errors.New("the report is unchanged")

// report validates the arguments.
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
		return record.Report{}, invalid("Name directories instead.", "the file names have %d bytes; at most %d are allowed", size, maxReportPaths)
	}
	return record.Report{
		Status: record.Verdict(args.Status), Summary: truncate.Within(args.Summary, maxReportSummary), EditedFiles: args.EditedFiles,
		CreatedFiles: args.CreatedFiles, ErrorMessage: truncate.Within(args.ErrorMessage, maxReportSummary), At: now(), Via: via,
	}, nil
}

// equalReports reports whether two reports have the same content.
func equalReports(r, other record.Report) bool {
	return r.Status == other.Status && r.Summary == other.Summary && r.ErrorMessage == other.ErrorMessage &&
		slices.Equal(r.EditedFiles, other.EditedFiles) && slices.Equal(r.CreatedFiles, other.CreatedFiles)
}

// recordStreamReport records a report from the event of a tool call, because the call itself may
// not arrive.
func (t *track) recordStreamReport(raw json.RawMessage) {
	var args ReportArgs
	if json.Unmarshal(raw, &args) != nil || args.AgentID != "" && args.AgentID != t.r.id {
		return
	}
	said, err := args.report(viaStream)
	if err != nil {
		return
	}
	t.mu.Lock()
	known := t.report != nil && equalReports(*t.report, said)
	if !known {
		t.report = &said
	}
	t.mu.Unlock()
	if known {
		return
	}
	t.updateRecord(record.AgentResultReported, func(agent *record.Agent) error {
		if agent.Report != nil && equalReports(*agent.Report, said) || agent.Status.Ended() {
			return errState // the report has also arrived as a call
		}
		agent.Report = &said
		return nil
	})
}
