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
	// endPatience is how long cancel_agent waits for the end of what it has cancelled.
	endPatience = 15 * time.Second
	maxReason   = 500 // bytes
)

// CancelArgs are the arguments of cancel_agent: an agent or a group.
type CancelArgs struct {
	AgentID string `json:"agentId,omitempty"`
	// GroupID cancels all of a group that have not ended.
	GroupID string `json:"groupId,omitempty" jsonschema:"description=Instead of agentId: all in it"`
	Reason  string `json:"reason,omitempty"`
}

// CancelResult is what cancel_agent answers.
type CancelResult struct {
	// Cancelled have been cancelled, Ending those of them that have not ended yet, AlreadyEnded had ended before.
	Cancelled    []string `json:"cancelled"`
	Ending       []string `json:"ending,omitempty"`
	AlreadyEnded []string `json:"alreadyEnded,omitempty"`
}

// TextContent says what has become of them.
func (r CancelResult) TextContent() string {
	var parts []string
	for _, list := range []struct {
		what string
		ids  []string
	}{{"cancelled", r.Cancelled}, {"not ended yet", r.Ending}, {"had ended before", r.AlreadyEnded}} {
		if len(list.ids) > 0 {
			parts = append(parts, list.what+": "+listed(list.ids))
		}
	}
	if len(parts) == 0 {
		return "nothing was to be cancelled"
	}
	return strings.Join(parts, "; ")
}

// Cancel is cancel_agent: it ends agents with all that they have started, also those that they have ordered.
func (a *Agents) Cancel(ctx context.Context, args CancelArgs) (CancelResult, error) {
	if (args.AgentID == "") == (args.GroupID == "") {
		return CancelResult{}, invalid("Give agentId or groupId.", "it is not said what is to be cancelled, or twice")
	}
	if args.AgentID != "" && args.AgentID == callerFrom(ctx) {
		return CancelResult{}, invalid("Just end; report_result with status cancelled says why.", "you are %s yourself", args.AgentID)
	}
	all, err := a.cancellable(ctx, args)
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

// cancellable are the agents that are meant.
func (a *Agents) cancellable(ctx context.Context, args CancelArgs) ([]record.Agent, error) {
	if args.AgentID != "" {
		agent, err := a.visible(ctx, args.AgentID)
		return []record.Agent{agent}, err
	}
	if _, err := a.activeGroup(ctx, args.GroupID); err != nil {
		return nil, err
	}
	page, err := a.page(ctx, record.Query{GroupID: args.GroupID, Limit: maxSearched, Statuses: []record.Status{record.Queued, record.Blocked, record.Running}})
	self := callerFrom(ctx)
	return slices.DeleteFunc(page.Agents, func(agent record.Agent) bool { return agent.ID == self }), err
}

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
	ctx, enough := context.WithTimeout(ctx, min(endPatience, a.options.Patience))
	defer enough()
	for _, id := range r.Cancelled {
		if _, err := a.awaitEnd(ctx, id); err != nil {
			r.Ending = append(r.Ending, id)
		}
	}
	return r, nil
}

// stop begins to end an agent of this server and those that it has ordered; it says whether there was one.
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
		a.conclude(r, endingOf(context.Cause(r.ctx)))
	}
	a.stopBeneath(id, wasCancelled)
	return true
}

// wasCancelled is why agents are ended whose own was cancelled.
const wasCancelled = "was cancelled"

// stopBeneath begins to end the agents that one has ordered.
func (a *Agents) stopBeneath(id, why string) {
	var beneath []string
	a.mu.Lock()
	for _, other := range a.runs {
		if other.agent.Parent == id {
			beneath = append(beneath, other.id)
		}
	}
	a.mu.Unlock()
	for _, child := range beneath {
		a.stop(child, fmt.Sprintf("%s, which has ordered it, %s", id, why))
	}
}

// Stop cancels an agent of any principal for a person.
func (a *Agents) Stop(ctx context.Context, agentID, reason string) error {
	_, err := a.Cancel(asOperator(ctx), CancelArgs{AgentID: agentID, Reason: reason})
	return err
}
