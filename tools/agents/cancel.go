package agents

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/dougu-go/dougu/internal/truncate"
	"github.com/dougu-go/dougu/security/audit"
	"github.com/dougu-go/dougu/tools/agents/record"
)

const (
	// endTimeout is the time that cancel_agent waits for the end of cancelled agents.
	endTimeout = 15 * time.Second
	maxReason  = 500 // bytes of a reason
)

// CancelArgs are the arguments of cancel_agent. Exactly one of AgentID and GroupID is set.
type CancelArgs struct {
	AgentID string `json:"agentId,omitempty"`
	// GroupID cancels all active agents of a group.
	GroupID string `json:"groupId,omitempty" jsonschema:"description=Instead of agentId: all its agents"`
	// Reason is recorded as the error of the agents. Longer text than 500 bytes is cut.
	Reason string `json:"reason,omitempty"`
}

// CancelResult is the result of cancel_agent.
type CancelResult struct {
	// Cancelled are the cancelled agents; Ending is the part of them that has not ended yet.
	// AlreadyEnded had ended before the call.
	Cancelled    []string `json:"cancelled"`
	Ending       []string `json:"ending,omitempty"`
	AlreadyEnded []string `json:"alreadyEnded,omitempty"`
}

// TextContent lists the cancelled, ending and ended agents.
func (r CancelResult) TextContent() string {
	var parts []string
	for _, list := range []struct {
		what string
		ids  []string
	}{{"cancelled", r.Cancelled}, {"not ended yet", r.Ending}, {"had ended before", r.AlreadyEnded}} {
		if len(list.ids) > 0 {
			parts = append(parts, list.what+": "+joinIDs(list.ids))
		}
	}
	if len(parts) == 0 {
		return "there was no agent to cancel"
	}
	return strings.Join(parts, "; ")
}

// Cancel implements cancel_agent. It ends agents, their process trees, and the agents that they
// have ordered.
func (a *Agents) Cancel(ctx context.Context, args CancelArgs) (CancelResult, error) {
	if (args.AgentID == "") == (args.GroupID == "") {
		return CancelResult{}, invalid("Give agentId or groupId.", "exactly one of agentId and groupId is required")
	}
	if args.AgentID != "" && args.AgentID == callerFrom(ctx) {
		return CancelResult{}, invalid("To stop your own work, call report_result with status cancelled and end.", "%s is your own agentId", args.AgentID)
	}
	all, err := a.cancelTargets(ctx, args)
	if err != nil {
		return CancelResult{}, err
	}
	entry, err := a.audit.Begin(ctx, audit.Entry{Operation: "cancel_agent", Params: args})
	if err != nil {
		return CancelResult{}, err
	}
	r, err := a.cancel(ctx, all, truncate.Within(args.Reason, maxReason))
	return r, errors.Join(err, entry.End(err))
}

// cancelTargets returns the agents that the arguments select.
func (a *Agents) cancelTargets(ctx context.Context, args CancelArgs) ([]record.Agent, error) {
	if args.AgentID != "" {
		agent, err := a.visibleAgent(ctx, args.AgentID)
		return []record.Agent{agent}, err
	}
	if _, err := a.activeGroup(ctx, args.GroupID); err != nil {
		return nil, err
	}
	page, err := a.page(ctx, record.Query{GroupID: args.GroupID, Limit: maxSearched, Statuses: []record.Status{record.Queued, record.Blocked, record.Running}})
	self := callerFrom(ctx)
	return slices.DeleteFunc(page.Agents, func(agent record.Agent) bool { return agent.ID == self }), err
}

// cancel ends the agents of this server and waits for their ends, at most endTimeout.
func (a *Agents) cancel(ctx context.Context, all []record.Agent, reason string) (CancelResult, error) {
	r := CancelResult{Cancelled: []string{}}
	for _, agent := range all {
		switch {
		case agent.Status.Ended():
			r.AlreadyEnded = append(r.AlreadyEnded, agent.ID)
		case a.stop(agent.ID, reason):
			r.Cancelled = append(r.Cancelled, agent.ID)
		case len(all) == 1:
			if now, err := a.store.Agent(ctx, agent.ID); err != nil || !now.Status.Ended() {
				return r, problem(codeAgentRunning, "Cancel it there.", "%s is run by another server", agent.ID)
			}
			r.AlreadyEnded = append(r.AlreadyEnded, agent.ID)
		}
	}
	ctx, cancel := context.WithTimeout(ctx, min(endTimeout, a.options.WaitTimeout))
	defer cancel()
	for _, id := range r.Cancelled {
		if _, err := a.awaitEnd(ctx, id); err != nil {
			r.Ending = append(r.Ending, id)
		}
	}
	return r, nil
}

// stop cancels an agent of this server and its children without waiting. It reports whether the
// agent was active.
func (a *Agents) stop(id, reason string) bool {
	a.mu.Lock()
	r, ok := a.runs[id]
	if !ok {
		a.mu.Unlock()
		return false
	}
	r.cancel(&cancellation{reason})
	at := slices.Index(a.queue, r)
	if at >= 0 {
		a.queue = slices.Delete(a.queue, at, at+1)
	}
	a.mu.Unlock()
	if at >= 0 {
		a.endUnstarted(r, endingForCause(context.Cause(r.ctx)))
	}
	a.stopChildren(id, cancelledReason)
	return true
}

// cancelledReason completes the reason of children of a cancelled agent.
const cancelledReason = "was cancelled"

// stopChildren cancels the agents that an agent has ordered.
func (a *Agents) stopChildren(id, why string) {
	var beneath []string
	a.mu.Lock()
	for _, other := range a.runs {
		if other.agent.Parent == id {
			beneath = append(beneath, other.id)
		}
	}
	a.mu.Unlock()
	for _, child := range beneath {
		a.stop(child, fmt.Sprintf("%s, which started it, %s", id, why))
	}
}

// Stop cancels an agent of any principal on behalf of the operator.
func (a *Agents) Stop(ctx context.Context, agentID, reason string) error {
	_, err := a.Cancel(asOperator(ctx), CancelArgs{AgentID: agentID, Reason: reason})
	return err
}
