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
	// AgentID may be left out by an agent that asks about itself.
	AgentID string `json:"agentId,omitempty"`
	// SinceSeq leaves out calls of tools up to this number.
	SinceSeq int `json:"sinceSeq,omitempty" jsonschema:"minimum=0,description=Only tool calls after this seq"`
}

// StatusResult is what get_agent_status answers.
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
	// Runner is where it runs if that is elsewhere, Attempt how many times it was begun there, Lost that it has failed because nothing
	// was heard of it any more.
	Runner       string         `json:"runner,omitempty"`
	Attempt      int            `json:"attempt,omitempty"`
	Lost         bool           `json:"lost,omitempty"`
	Usage        *record.Usage  `json:"usage,omitempty"`
	ErrorMessage string         `json:"errorMessage,omitempty"`
	Result       *record.Result `json:"result"`
	// MoreFiles is how many files of the result are not named here.
	MoreFiles int `json:"moreFiles,omitempty"`
}

// shownCalls is how many calls of tools an answer has.
const shownCalls = 20

// callMembers is about what the JSON of a call takes beside its strings.
const callMembers = 180

// Status is get_agent_status.
func (a *Agents) Status(ctx context.Context, args StatusArgs) (StatusResult, error) {
	if args.AgentID == "" {
		args.AgentID = callerFrom(ctx)
	}
	agent, err := a.visible(ctx, args.AgentID)
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
	for _, call := range slices.Backward(agent.RecentToolCalls) { // the newest have room first
		if room -= len(call.Args) + len(call.CallID) + callMembers; room < 0 || call.Seq <= args.SinceSeq || len(r.RecentToolCalls) == shownCalls {
			break
		}
		r.RecentToolCalls = append(r.RecentToolCalls, call)
	}
	slices.Reverse(r.RecentToolCalls)
	if r.Result != nil {
		r.MoreFiles = a.shorten(r.Result)
	}
	return r, nil
}

// shorten brings a result into the budget of an answer, and answers how many files it does not name any more.
func (a *Agents) shorten(r *record.Result) int {
	r.RawOutput = "" // get_agent_output has what the agent said
	before := len(r.EditedFiles) + len(r.CreatedFiles) + len(r.DeletedFiles)
	room := a.limits.Answer / 8
	r.EditedFiles, r.CreatedFiles, r.DeletedFiles = fitting(r.EditedFiles, room), fitting(r.CreatedFiles, room), fitting(r.DeletedFiles, room)
	for i, c := range r.Changes {
		const members = 60
		if room -= len(c.Path) + members; room < 0 {
			r.Changes = r.Changes[:i]
			break
		}
	}
	return before - len(r.EditedFiles) - len(r.CreatedFiles) - len(r.DeletedFiles)
}

// TextContent is what people would want to know first.
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
		b.WriteString(", nothing heard for a while")
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
		tellFiles(&b, r.Result)
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
