package agents

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/dougu-go/dougu/tools/agents/record"
)

// ListArgs are the arguments of list_agents.
type ListArgs struct {
	GroupID string `json:"groupId,omitempty"`
	// Status selects agents by their status or outcome. Default: all.
	Status string `json:"status,omitempty" jsonschema:"enum=all,enum=queued,enum=blocked,enum=running,enum=completed,enum=failed,enum=timedOut,enum=cancelled,default=all"`
	// Offset and Limit select a page, with the newest agents first. Limit is 50 by default and at
	// most 200.
	Offset int `json:"offset,omitempty" jsonschema:"minimum=0"`
	Limit  int `json:"limit,omitempty" jsonschema:"minimum=1,maximum=200,default=50"`
}

// ListResult is the result of list_agents.
type ListResult struct {
	Agents []ListedAgent `json:"agents"`
	// Total is the number of agents on all pages.
	Total int `json:"total"`
	// NextOffset is the offset of the next page; 0 if there is none.
	NextOffset int `json:"nextOffset,omitempty"`
}

// ListedAgent is an entry of list_agents.
type ListedAgent struct {
	AgentID       string        `json:"agentId"`
	GroupID       string        `json:"groupId"`
	Role          string        `json:"role"`
	Model         string        `json:"model"`
	Status        record.Status `json:"status"`
	Outcome       record.Status `json:"outcome,omitempty"`
	Stalled       bool          `json:"stalled,omitempty"`
	StartedAt     time.Time     `json:"startedAt,omitzero"`
	ElapsedMs     int64         `json:"elapsed_ms"`
	ToolCallCount int           `json:"toolCallCount"`
	Parent        string        `json:"parent,omitempty"`
}

const (
	defaultPage = 50
	maxPage     = 200
	// rowSize is the approximate JSON size of an entry, in bytes.
	rowSize = 320
)

// List implements list_agents.
func (a *Agents) List(ctx context.Context, args ListArgs) (ListResult, error) {
	q := record.Query{GroupID: args.GroupID, Newest: true, Offset: max(args.Offset, 0), Limit: args.Limit}
	if q.Limit <= 0 {
		q.Limit = defaultPage
	}
	q.Limit = min(q.Limit, maxPage, max(a.limits.Answer/rowSize, 1))
	switch s := record.Status(args.Status); s {
	case "", "all":
	case record.Queued, record.Blocked, record.Running, record.Completed, record.Failed, record.TimedOut, record.Cancelled:
		q.Statuses = []record.Status{s}
	default:
		return ListResult{}, invalid("Give queued, blocked, running, completed, failed, timedOut, cancelled or all.", "there is no status %s", quote(args.Status))
	}
	if args.GroupID != "" {
		if _, err := a.group(ctx, args.GroupID); err != nil {
			return ListResult{}, err
		}
	}
	page, err := a.page(ctx, q)
	if err != nil {
		return ListResult{}, err
	}
	r := ListResult{Agents: make([]ListedAgent, 0, len(page.Agents)), Total: page.Total}
	for _, agent := range page.Agents {
		r.Agents = append(r.Agents, ListedAgent{
			AgentID: agent.ID, GroupID: agent.GroupID, Role: agent.Role, Model: agent.Model, Status: agent.Status, Outcome: agent.Outcome,
			Stalled: agent.Stalled, StartedAt: agent.StartedAt, ElapsedMs: agent.Elapsed(now()).Milliseconds(),
			ToolCallCount: agent.ToolCallCount, Parent: agent.Parent,
		})
	}
	if next := q.Offset + len(r.Agents); len(r.Agents) > 0 && next < r.Total {
		r.NextOffset = next
	}
	return r, nil
}

// page returns a page of the agents that the caller may see.
func (a *Agents) page(ctx context.Context, q record.Query) (record.Page, error) {
	if !isOperator(ctx) {
		principal, err := a.principal(ctx)
		if err != nil {
			return record.Page{}, err
		}
		q.Principal = &principal
	}
	if callerFrom(ctx) == "" {
		page, err := a.store.Agents(ctx, q)
		if err != nil {
			return page, broken(err, "the agents were not found")
		}
		return page, nil
	}
	all := q
	all.Offset, all.Limit = 0, maxSearched
	page, err := a.store.Agents(ctx, all)
	if err != nil {
		return page, broken(err, "the agents were not found")
	}
	page.Agents = slices.DeleteFunc(page.Agents, func(agent record.Agent) bool { return !a.isVisible(ctx, agent) })
	page.Total = len(page.Agents)
	page.Agents = page.Agents[min(q.Offset, page.Total):]
	page.Agents = page.Agents[:min(q.Limit, len(page.Agents))]
	return page, nil
}

// maxSearched is the number of newest agents that are searched on behalf of a calling agent.
const maxSearched = 1_000

// TextContent returns one line for each agent.
func (r ListResult) TextContent() string {
	switch {
	case r.Total == 0:
		return "[no agents]\n"
	case len(r.Agents) == 0:
		return fmt.Sprintf("[no more agents: %d in all]\n", r.Total)
	}
	var b strings.Builder
	for _, agent := range r.Agents {
		how := string(agent.Status)
		if agent.Outcome != "" && agent.Outcome != agent.Status {
			how += " (" + string(agent.Outcome) + ")"
		}
		if agent.Stalled {
			how += ", no output for a while"
		}
		fmt.Fprintf(&b, "%s %s %s, %v, %d tool calls, %s\n", agent.AgentID, agent.GroupID, how, time.Duration(agent.ElapsedMs)*time.Millisecond, agent.ToolCallCount, agent.Model)
	}
	if r.NextOffset > 0 {
		fmt.Fprintf(&b, "[%d of %d; more from offset %d on]\n", len(r.Agents), r.Total, r.NextOffset)
	}
	return b.String()
}
