package agents

import (
	"context"
	"time"

	"github.com/dougu-go/dougu/tools/agents/record"
)

// FollowupArgs are the arguments of send_followup.
type FollowupArgs struct {
	// AgentID is an agent that has ended and has a session.
	AgentID string `json:"agentId"`
	Prompt  string `json:"prompt" jsonschema:"minLength=1"`
	// TimeoutMs limits the duration of the run, in milliseconds. 0 uses the timeout of the earlier
	// run.
	TimeoutMs int64 `json:"timeout_ms,omitempty" jsonschema:"minimum=1,maximum=86400000"`
}

// Followup implements send_followup. A new agent continues the session of an ended one, in the same
// directory or worktree.
func (a *Agents) Followup(ctx context.Context, args FollowupArgs) (RunResult, error) {
	caller, depth, err := a.callerDepth(ctx)
	if err != nil {
		return RunResult{}, err
	}
	if err := checkPrompt(args.Prompt); err != nil {
		return RunResult{}, err
	}
	old, err := a.visibleAgent(ctx, args.AgentID)
	switch {
	case err != nil:
		return RunResult{}, err
	case old.ID == caller:
		return RunResult{}, invalid("Continue your work instead.", "%s is your own agentId", caller)
	case !old.Status.Ended():
		return RunResult{}, problem(codeAgentRunning, "Wait for it with wait_agent, or cancel it.", "%s is %s", old.ID, old.Status)
	case old.SessionID == "":
		return RunResult{}, problem(codeNoSession, "Use run_agent.", "%s has no session that can be continued", old.ID)
	}
	if _, err := a.activeGroup(ctx, old.GroupID); err != nil {
		return RunResult{}, err
	}
	r := &run{agent: record.Agent{
		GroupID: old.GroupID, Principal: old.Principal, Prompt: args.Prompt, Parent: caller, Depth: depth, Timeout: time.Duration(args.TimeoutMs) * time.Millisecond,
		Isolation: old.Isolation, ReadOnly: old.ReadOnly, Status: record.Queued, Follows: old.ID, SessionID: old.SessionID,
		WorkingDirectory: old.WorkingDirectory,
	}}
	if r.agent.Timeout == 0 {
		r.agent.Timeout = old.Timeout
	}
	if err := a.setRole(ctx, r, old.Role); err != nil {
		return RunResult{}, err
	}
	if r.agent.Executor != old.Executor {
		return RunResult{}, problem(codeNoSession, "Use run_agent.", "role %s now uses the executor %s, but the session of %s belongs to %s", old.Role, r.agent.Executor, old.ID, old.Executor)
	}
	if old.Result != nil && old.Result.Worktree != "" {
		r.worktree, r.branch = old.Result.Worktree, old.Result.Branch
	}
	return a.launch(ctx, "send_followup", r)
}
