package agents

import (
	"context"
	"log/slog"
	"slices"

	"github.com/dougu-go/dougu/tools/agents/executor"
	"github.com/dougu-go/dougu/tools/agents/record"
)

// own is what this run alone has used, of what the executor says. It is nil if that is not known.
func (t *track) own(e executor.Event) *record.Usage {
	if e.Usage == nil || !e.Cumulative || t.r.agent.Follows == "" {
		return e.Usage
	}
	page, err := t.a.store.Agents(context.WithoutCancel(t.a.life), record.Query{GroupID: t.r.agent.GroupID})
	if err != nil {
		t.a.log.Warn("what an agent has used is not known", slog.String("agent", t.r.id), slog.Any("error", err))
		return nil
	}
	own := *e.Usage
	for _, before := range predecessors(page.Agents, t.r.agent) {
		if used := before.Usage; used != nil {
			own.InputTokens = max(own.InputTokens-used.InputTokens, 0)
			own.OutputTokens = max(own.OutputTokens-used.OutputTokens, 0)
			own.CacheReadTokens = max(own.CacheReadTokens-used.CacheReadTokens, 0)
			own.CacheWriteTokens = max(own.CacheWriteTokens-used.CacheWriteTokens, 0)
			own.CostUSD = max(own.CostUSD-used.CostUSD, 0)
		}
	}
	return &own
}

// predecessors are the runs of the session that an agent goes on with, by their identifiers: those of the session of each that it
// follows, from before the next one went on, maybe by another identifier. All are those of its group as they were made.
func predecessors(all []record.Agent, agent record.Agent) map[string]record.Agent {
	position := func(id string) int { return slices.IndexFunc(all, func(a record.Agent) bool { return a.ID == id }) }
	found := make(map[string]record.Agent)
	for next, at := position(agent.ID), position(agent.Follows); 0 <= at && at < next; next, at = at, position(all[at].Follows) {
		for _, a := range all[:next] {
			if a.SessionID == all[at].SessionID {
				found[a.ID] = a
			}
		}
	}
	return found
}
