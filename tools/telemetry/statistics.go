package telemetry

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// maxUnpriced bounds the list of models without a price.
const maxUnpriced = 20

// StatisticsArgs are the arguments of get_model_statistics.
type StatisticsArgs struct {
	// Model is the beginning of the names of those models that are named; the sums are those of all.
	Model string `json:"model,omitempty" jsonschema:"Only models with this prefix"`
}

// ModelStatistics is the usage that was tracked, since the server began or, with a file, since there is one. A principal that was
// authenticated gets its own usage, since the server began.
type ModelStatistics struct {
	// TotalSessions is how many sessions have tracked usage, see SessionStats; with a file those of earlier runs and of other
	// processes are counted too. Each run counts a client anew.
	TotalSessions   int64  `json:"totalSessions"`
	TotalTokensUsed Tokens `json:"totalTokensUsed"`
	// EstimatedCost is what the tokens of priced models cost by the present prices, to 10⁻⁹ of the currency.
	EstimatedCost float64 `json:"estimatedCost"`
	Currency      string  `json:"currency"`
	// AverageDuration is the mean of all uses, in milliseconds.
	AverageDuration float64 `json:"averageDuration"`
	// ModelBreakdown has the models by name. "other" are those beyond the first 1,000.
	ModelBreakdown map[string]ModelUsage `json:"modelBreakdown"`
	// Unpriced names models, at most 20, that EstimatedCost leaves out.
	Unpriced []string `json:"unpriced,omitempty"`
	// Truncated says that models were left out of ModelBreakdown or Unpriced, those with the fewest tokens, to keep the answer
	// short; the sums hold them. Ask for them by the beginning of their name.
	Truncated bool `json:"truncated,omitempty"`
}

// ModelStatistics sums up the usage that was tracked. There is no error.
func (t *Telemetry) ModelStatistics(ctx context.Context, args StatisticsArgs) (ModelStatistics, error) {
	r := t.recorder
	if own := r.principalRecorder(ctx); own != nil {
		r = own
	}
	all, prices := r.ledger.sum(), t.prices.Load()
	names := slices.SortedFunc(maps.Keys(all.models), func(a, b string) int {
		return cmp.Or(cmp.Compare(all.models[b].tokens(), all.models[a].tokens()), cmp.Compare(a, b))
	})
	var sum usage
	var cost bill
	var unpriced []string
	entries := make(map[string]ModelUsage, len(names))
	for _, name := range names {
		u := all.models[name]
		sum = sum.plus(u)
		entries[name] = modelUsage(u)
		if p, ok := prices.find(name); ok {
			cost.add(u.Input, p.input)
			cost.add(u.Output, p.output)
		} else if strings.HasPrefix(name, args.Model) {
			unpriced = append(unpriced, name)
		}
	}
	s := ModelStatistics{
		TotalSessions: all.sessions, TotalTokensUsed: Tokens{sum.Input, sum.Output}, AverageDuration: sum.average(),
		EstimatedCost: cost.total(), Currency: prices.Currency(),
	}
	names = slices.DeleteFunc(names, func(name string) bool { return !strings.HasPrefix(name, args.Model) })
	room, cut := t.room(s), false
	s.ModelBreakdown, room, s.Truncated = fitEntries(room, names, entries)
	s.Unpriced, cut = fitNames(room, unpriced)
	s.Truncated = s.Truncated || cut
	return s, nil
}

func (u usage) tokens() int64 { return addSaturated(u.Input, u.Output) }

// fitNames are the names for which there is room.
func fitNames(room int, names []string) (shown []string, cut bool) {
	for i, name := range names {
		if room -= sizeOf(name) + 1; room < 0 || i == maxUnpriced {
			return names[:i], true
		}
	}
	return names, false
}

// TextContent implements the text form of the answer: the sums, then a line for each model.
func (s ModelStatistics) TextContent() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s: %d tokens in, %d out, %v ms a use; about %v %s\n",
		counted(s.TotalSessions, "session"), s.TotalTokensUsed.Input, s.TotalTokensUsed.Output, s.AverageDuration, s.EstimatedCost, s.Currency)
	names := slices.SortedFunc(maps.Keys(s.ModelBreakdown), func(a, b string) int {
		x, y := s.ModelBreakdown[a].Tokens, s.ModelBreakdown[b].Tokens
		return cmp.Or(cmp.Compare(addSaturated(y.Input, y.Output), addSaturated(x.Input, x.Output)), cmp.Compare(a, b))
	})
	for _, name := range names {
		u := s.ModelBreakdown[name]
		fmt.Fprintf(&b, "%s\t%s\t%d in\t%d out\t%v ms\n", name, counted(u.Count, "use"), u.Tokens.Input, u.Tokens.Output, u.AverageDuration)
	}
	if len(s.Unpriced) > 0 {
		fmt.Fprintf(&b, "without a price: %s\n", strings.Join(s.Unpriced, ", "))
	}
	if s.Truncated {
		b.WriteString("[more models: name the beginning of theirs as model]\n")
	}
	return b.String()
}
