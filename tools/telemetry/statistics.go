package telemetry

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// maxUnpriced is the largest number of names in ModelStatistics.Unpriced.
const maxUnpriced = 20

// StatisticsArgs are the arguments of get_model_statistics.
type StatisticsArgs struct {
	// Model is a name prefix that selects the models in ModelBreakdown. The sums include all
	// models.
	Model string `json:"model,omitempty" jsonschema:"Only models with this prefix"`
}

// ModelStatistics is the tracked usage since the start of the Recorder or, with a file, since the
// file was created. An authenticated principal gets its own usage since the start.
type ModelStatistics struct {
	// TotalSessions is the number of sessions that tracked usage, see SessionStats. With a file it
	// includes earlier runs and other processes; each run counts a client again.
	TotalSessions int64 `json:"totalSessions"`
	// TotalTokensUsed is the sum over all models.
	TotalTokensUsed Tokens `json:"totalTokensUsed"`
	// EstimatedCost is the cost of the tokens of all priced models at the present prices, rounded
	// to 10⁻⁹ of the currency.
	EstimatedCost float64 `json:"estimatedCost"`
	// Currency is the currency of EstimatedCost, for example USD.
	Currency string `json:"currency"`
	// AverageDuration is the mean over all uses, in milliseconds.
	AverageDuration float64 `json:"averageDuration"`
	// ModelBreakdown has the usage by model. The entry "other" has the models after the first
	// 1,000.
	ModelBreakdown map[string]ModelUsage `json:"modelBreakdown"`
	// Unpriced lists at most 20 models without a price. EstimatedCost does not include them.
	Unpriced []string `json:"unpriced,omitempty"`
	// Truncated is true if models with few tokens were left out of ModelBreakdown or Unpriced to
	// keep the answer short. The sums include them. Set StatisticsArgs.Model to see fewer models.
	Truncated bool `json:"truncated,omitempty"`
}

// ModelStatistics returns the sums of the tracked usage. The error is always nil.
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
	s.ModelBreakdown, room, s.Truncated = selectEntries(room, names, entries)
	s.Unpriced, cut = selectNames(room, unpriced)
	s.Truncated = s.Truncated || cut
	return s, nil
}

func (u usage) tokens() int64 { return addSaturated(u.Input, u.Output) }

// selectNames returns as many names as fit into room bytes, at most maxUnpriced.
func selectNames(room int, names []string) (shown []string, cut bool) {
	for i, name := range names {
		if room -= sizeOf(name) + 1; room < 0 || i == maxUnpriced {
			return names[:i], true
		}
	}
	return names, false
}

// TextContent returns the text form of the result: the sums, then one line per model.
func (s ModelStatistics) TextContent() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s: %d tokens in, %d out, %v ms a use; about %v %s\n",
		pluralize(s.TotalSessions, "session"), s.TotalTokensUsed.Input, s.TotalTokensUsed.Output, s.AverageDuration, s.EstimatedCost, s.Currency)
	names := slices.SortedFunc(maps.Keys(s.ModelBreakdown), func(a, b string) int {
		x, y := s.ModelBreakdown[a].Tokens, s.ModelBreakdown[b].Tokens
		return cmp.Or(cmp.Compare(addSaturated(y.Input, y.Output), addSaturated(x.Input, x.Output)), cmp.Compare(a, b))
	})
	for _, name := range names {
		u := s.ModelBreakdown[name]
		fmt.Fprintf(&b, "%s\t%s\t%d in\t%d out\t%v ms\n", name, pluralize(u.Count, "use"), u.Tokens.Input, u.Tokens.Output, u.AverageDuration)
	}
	if len(s.Unpriced) > 0 {
		fmt.Fprintf(&b, "without a price: %s\n", strings.Join(s.Unpriced, ", "))
	}
	if s.Truncated {
		b.WriteString("[truncated: set model to a name prefix to see further models]\n")
	}
	return b.String()
}
