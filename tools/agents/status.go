package agents

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/dougu-go/dougu/internal/truncate"
	"github.com/dougu-go/dougu/tools/agents/record"
)

// StatusArgs are the arguments of get_agent_status.
type StatusArgs struct {
	// AgentID is the agent. A calling agent may omit it for itself.
	AgentID string `json:"agentId,omitempty"`
	// SinceSeq omits tool calls with this number and lower ones.
	SinceSeq int `json:"sinceSeq,omitempty" jsonschema:"minimum=0,description=Only tool calls after this seq"`
}

// StatusResult is the result of get_agent_status. Members without a comment are described at
// record.Agent.
type StatusResult struct {
	AgentID              string            `json:"agentId"`
	GroupID              string            `json:"groupId"`
	Role                 string            `json:"role"`
	Model                string            `json:"model"`
	ModelName            string            `json:"modelName,omitempty"`
	Status               record.Status     `json:"status"`
	Outcome              record.Status     `json:"outcome,omitempty"`
	Stalled              bool              `json:"stalled,omitempty"`
	CreatedAt            time.Time         `json:"createdAt"`
	StartedAt            time.Time         `json:"startedAt,omitzero"`
	EndedAt              time.Time         `json:"endedAt,omitzero"`
	ElapsedMs            int64             `json:"elapsed_ms"`
	ToolCallCount        int               `json:"toolCallCount"`
	LastAssistantMessage string            `json:"lastAssistantMessage"`
	RecentToolCalls      []record.ToolCall `json:"recentToolCalls"`
	SessionID            string            `json:"sessionId,omitempty"`
	WorkingDirectory     string            `json:"workingDirectory"`
	DependsOn            []string          `json:"dependsOn,omitempty"`
	Follows              string            `json:"follows,omitempty"`
	Parent               string            `json:"parent,omitempty"`
	// Runner is the machine that runs the agent, if it is another one. Attempt counts the starts
	// there. Lost reports that the agent failed because the connection to its runner was lost.
	Runner       string         `json:"runner,omitempty"`
	Attempt      int            `json:"attempt,omitempty"`
	Lost         bool           `json:"lost,omitempty"`
	Usage        *record.Usage  `json:"usage,omitempty"`
	ErrorMessage string         `json:"errorMessage,omitempty"`
	Result       *record.Result `json:"result"`
	// MoreFiles is the number of files of the result that the answer omits.
	MoreFiles int `json:"moreFiles,omitempty"`
}

// maxStatusCalls is the largest number of tool calls in an answer.
const maxStatusCalls = 20

// callOverhead is the approximate JSON size of a call without its strings, in bytes.
const callOverhead = 180

// Status implements get_agent_status.
func (a *Agents) Status(ctx context.Context, args StatusArgs) (StatusResult, error) {
	if args.AgentID == "" {
		args.AgentID = callerFrom(ctx)
	}
	agent, err := a.visibleAgent(ctx, args.AgentID)
	if err != nil {
		return StatusResult{}, err
	}
	r := StatusResult{
		AgentID: agent.ID, GroupID: agent.GroupID, Role: agent.Role, Model: agent.Model, ModelName: agent.ModelName, Status: agent.Status,
		Outcome: agent.Outcome, Stalled: agent.Stalled, CreatedAt: agent.CreatedAt, StartedAt: agent.StartedAt, EndedAt: agent.EndedAt,
		ElapsedMs: agent.Elapsed(now()).Milliseconds(), ToolCallCount: agent.ToolCallCount, LastAssistantMessage: agent.LastAssistantMessage,
		RecentToolCalls: []record.ToolCall{}, SessionID: agent.SessionID, WorkingDirectory: agent.WorkingDirectory, DependsOn: agent.DependsOn,
		Follows: agent.Follows, Parent: agent.Parent, Runner: agent.Runner, Attempt: agent.Attempt, Lost: agent.Lost, Usage: agent.Usage, ErrorMessage: agent.Error, Result: agent.Result,
	}
	room := a.limits.Answer / 2
	for _, call := range slices.Backward(agent.RecentToolCalls) { // the newest calls take precedence
		if room -= len(call.Args) + len(call.CallID) + callOverhead; room < 0 || call.Seq <= args.SinceSeq || len(r.RecentToolCalls) == maxStatusCalls {
			break
		}
		r.RecentToolCalls = append(r.RecentToolCalls, call)
	}
	slices.Reverse(r.RecentToolCalls)
	if r.Result != nil {
		r.MoreFiles = a.shortenResult(r.Result)
	}
	return r, nil
}

// shortenResult fits a result into the answer budget and returns the number of omitted files.
func (a *Agents) shortenResult(r *record.Result) int {
	r.RawOutput = "" // available with get_agent_output
	before := len(r.EditedFiles) + len(r.CreatedFiles) + len(r.DeletedFiles)
	room := a.limits.Answer / 8
	r.EditedFiles, r.CreatedFiles, r.DeletedFiles = fitList(r.EditedFiles, room), fitList(r.CreatedFiles, room), fitList(r.DeletedFiles, room)
	for i, c := range r.Changes {
		const members = 60
		if room -= len(c.Path) + members; room < 0 {
			r.Changes = r.Changes[:i]
			break
		}
	}
	return before - len(r.EditedFiles) - len(r.CreatedFiles) - len(r.DeletedFiles)
}

// TextContent returns the state, the recent tool calls, the result and the usage.
func (r StatusResult) TextContent() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s (%s) is %s", r.AgentID, r.Model, r.Status)
	if r.Outcome != "" && r.Outcome != r.Status {
		fmt.Fprintf(&b, " (%s)", r.Outcome)
	}
	fmt.Fprintf(&b, ", %v, %d tool calls", time.Duration(r.ElapsedMs)*time.Millisecond, r.ToolCallCount)
	if r.Runner != "" {
		fmt.Fprintf(&b, ", on %s", r.Runner)
	}
	if r.Attempt > 1 {
		fmt.Fprintf(&b, ", attempt %d", r.Attempt)
	}
	if r.Lost {
		b.WriteString(", lost")
	}
	if r.Stalled {
		b.WriteString(", no output for a while")
	}
	b.WriteString("\n")
	if r.ErrorMessage != "" {
		b.WriteString("error: " + r.ErrorMessage + "\n")
	}
	for _, c := range r.RecentToolCalls {
		failed := ""
		if c.Failed {
			failed = " failed"
		}
		fmt.Fprintf(&b, "%d %s %s%s %s\n", c.Seq, c.Type, c.Subtype, failed, truncate.Within(string(c.Args), 200))
	}
	if r.Result != nil {
		fmt.Fprintf(&b, "result: %s\n%s\n", r.Result.Status, r.Result.Summary)
		writeFiles(&b, r.Result)
		if r.MoreFiles > 0 {
			fmt.Fprintf(&b, "and %d more files\n", r.MoreFiles)
		}
	} else if r.LastAssistantMessage != "" {
		b.WriteString("says: " + r.LastAssistantMessage + "\n")
	}
	if r.Usage != nil {
		fmt.Fprintf(&b, "tokens: %d in, %d out", r.Usage.InputTokens, r.Usage.OutputTokens)
		if r.Usage.CostUSD > 0 {
			fmt.Fprintf(&b, ", %.4f USD", r.Usage.CostUSD)
		}
		b.WriteString("\n")
	}
	return b.String()
}
