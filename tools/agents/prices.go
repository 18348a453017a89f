package agents

import (
	"strings"

	"github.com/dougu-go/dougu/tools/agents/record"
)

// Price is what a million tokens of a model cost, in US dollars. Options.Prices has them by the identifier of the model, or by its
// beginning with * at the end; the longest that fits counts.
type Price struct {
	Input, Output, CacheRead, CacheWrite float64
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
