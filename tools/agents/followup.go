package agents

import (
	"context"
	"time"

	"github.com/dougu-go/dougu/tools/agents/record"
)

// FollowupArgs are the arguments of send_followup.
type FollowupArgs struct {
	AgentID string `json:"agentId"`
	Prompt  string `json:"prompt" jsonschema:"minLength=1"`
	// TimeoutMs bounds how long the agent runs. 0 is what it was before.
	TimeoutMs int64 `json:"timeout_ms,omitempty" jsonschema:"minimum=1,maximum=86400000"`
}

// Followup is send_followup: a new agent goes on with the session of one that has ended, in the same place.
func (a *Agents) Followup(ctx context.Context, args FollowupArgs) (RunResult, error) {
	caller, depth, err := a.level(ctx)
	if err != nil {
		return RunResult{}, err
	}
	if err := checkPrompt(args.Prompt); err != nil {
		return RunResult{}, err
	}
	old, err := a.visible(ctx, args.AgentID)
	switch {
	case err != nil:
		return RunResult{}, err
	case old.ID == caller:
		return RunResult{}, invalid("Just go on.", "you are %s yourself", caller)
	case !old.Status.Ended():
		return RunResult{}, problem(codeAgentRunning, "Wait for it with wait_agent, or cancel it.", "%s is %s", old.ID, old.Status)
	case old.SessionID == "":
		return RunResult{}, problem(codeNoSession, "Use run_agent.", "%s never had a session that could go on", old.ID)
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
	if err := a.cast(ctx, r, old.Role); err != nil {
		return RunResult{}, err
	}
	if r.agent.Executor != old.Executor {
		return RunResult{}, problem(codeNoSession, "Use run_agent.", "role %s is run by %s now, and the session of %s is one of %s", old.Role, r.agent.Executor, old.ID, old.Executor)
	}
	if old.Result != nil && old.Result.Worktree != "" {
		r.worktree, r.branch = old.Result.Worktree, old.Result.Branch
	}
	return a.launch(ctx, "send_followup", r)
}
