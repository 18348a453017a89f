package agents

import (
	"context"
	"log/slog"
	"slices"
	"strings"

	"github.com/dougu-go/dougu/tools/agents/executor"
	"github.com/dougu-go/dougu/tools/agents/record"
)

// Price is the price of a million tokens of a model, in US dollars. In Options.Prices the longest
// matching prefix counts.
type Price struct {
	Input, Output, CacheRead, CacheWrite float64
}

// runUsage returns the usage of this run alone, with its price, or nil if it is unknown. Executors
// that report the usage of an entire session are corrected by the earlier runs of the session.
func (t *track) runUsage(e executor.Event) *record.Usage {
	if e.Usage == nil || !e.Cumulative || t.r.agent.Follows == "" {
		return t.a.addPrice(t.r.agent.Model, e.Usage)
	}
	page, err := t.a.store.Agents(context.WithoutCancel(t.a.baseCtx), record.Query{GroupID: t.r.agent.GroupID})
	if err != nil {
		t.a.log.Warn("the usage of an agent is unknown", slog.String("agent", t.r.id), slog.Any("error", err))
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
	return t.a.addPrice(t.r.agent.Model, &own)
}

// predecessors returns the earlier runs of the session that an agent continues, by ID. A session
// may change its identifier from run to run. all are the agents of the group in the order of their
// creation.
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

// addPrice returns the usage with an estimated price, if the executor reported none and the price
// of the model is known.
func (a *Agents) addPrice(model string, u *record.Usage) *record.Usage {
	if u == nil {
		return nil
	}
	known := *u
	if p, ok := a.price(model); ok && known.CostUSD == 0 {
		const million = 1e6
		known.CostUSD = (p.Input*float64(u.InputTokens) + p.Output*float64(u.OutputTokens) + p.CacheRead*float64(u.CacheReadTokens) + p.CacheWrite*float64(u.CacheWriteTokens)) / million
		known.Estimated = true
	}
	return &known
}

// price returns the price of a model from Options.Prices.
func (a *Agents) price(model string) (Price, bool) {
	if p, ok := a.options.Prices[model]; ok {
		return p, true
	}
	longest, found := -1, Price{}
	for name, p := range a.options.Prices {
		if start, ok := strings.CutSuffix(name, "*"); ok && strings.HasPrefix(model, start) && len(start) > longest {
			longest, found = len(start), p
		}
	}
	return found, longest >= 0
}
