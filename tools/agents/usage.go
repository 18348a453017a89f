package agents

import (
	"context"
	"log/slog"
	"slices"
	"strings"

	"github.com/dougu-go/dougu/tools/agents/executor"
	"github.com/dougu-go/dougu/tools/agents/record"
)

// Price is what a million tokens of a model cost, in US dollars. Options.Prices has them by the identifier of the model, or by its
// beginning with * at the end; the longest that fits counts.
type Price struct {
	Input, Output, CacheRead, CacheWrite float64
}

// used is the usage of this run alone, with its price, by what the executor says. It is nil if it is not known.
func (t *track) used(e executor.Event) *record.Usage {
	if e.Usage == nil || !e.Cumulative || t.r.agent.Follows == "" {
		return t.a.priced(t.r.agent.Model, e.Usage)
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
	return t.a.priced(t.r.agent.Model, &own)
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

// priced is the usage of a run with its price, if the executor does not tell it and it can be computed.
func (a *Agents) priced(model string, u *record.Usage) *record.Usage {
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
