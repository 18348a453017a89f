package main

import (
	"fmt"

	"github.com/dougu-go/dougu/bench/search/queries"
)

// baseline is the system that the search must surpass in every kind of queries but names.
const baseline = "bm25-code"

// kindBar is the bar of a kind of queries in the test half, by NDCG@10 in files.
type kindBar struct {
	kind  string  // empty is all queries
	least float64 // of ours
	over  float64 // least difference to the baseline, which must be significant; 0 is no bar
}

// kindBars are the bars of all kinds. Those of names are the results of version 0.1.0, which other kinds must not worsen.
func kindBars() []kindBar {
	const over = 0.05
	return []kindBar{
		{"", 0.82, over},
		{"symbol", 0.98, 0},
		{"identifier-part", 0.92, 0},
		{"question", 0.84, over},
		{"where", 0.84, over},
		{"error-message", 0.85, over},
		{"other-words", 0.58, over},
		{"other-language", 0.58, over},
		{"japanese", 0.78, over},
	}
}

// ofKind returns a filter of scores by the kind of their queries; "" is all.
func ofKind(kind string) func(score) bool {
	return func(s score) bool { return kind == "" || s.query.Shape == kind }
}

func judged(s score) bool       { return !s.query.HasEvidence() }
func withEvidence(s score) bool { return s.query.HasEvidence() }

// reportKinds prints the quality of the systems by the kinds of queries with evidence, in files, with confidence intervals.
func (b *bench) reportKinds(half string, scores map[string][]score) {
	any := scores[b.systems[0].name]
	if len(any) == 0 {
		return
	}
	fmt.Fprintf(b.stdout, "\nKinds, NDCG@10 in files, %s half, %d queries with evidence. In brackets: 95 %% confidence of the mean, by a bootstrap over queries.\n", half, len(any))
	fmt.Fprintf(b.stdout, "\n| kind | queries |")
	for _, s := range b.systems {
		fmt.Fprintf(b.stdout, " %s |", s.name)
	}
	fmt.Fprintf(b.stdout, " ours − %s | p |\n|---|---:|", baseline)
	for range len(b.systems) + 2 {
		fmt.Fprint(b.stdout, "---:|")
	}
	fmt.Fprintln(b.stdout)
	for _, bar := range kindBars() {
		name := bar.kind
		if name == "" {
			name = "**all**"
		}
		fmt.Fprintf(b.stdout, "| %s | %d |", name, len(filter(any, ofKind(bar.kind))))
		for _, s := range b.systems {
			some := filter(scores[s.name], ofKind(bar.kind))
			if s.name == "ours" {
				i := bootstrap(inFilesOf(some))
				fmt.Fprintf(b.stdout, " **%.3f** (%.2f–%.2f) |", i.mean, i.low, i.high)
				continue
			}
			fmt.Fprintf(b.stdout, " %.3f |", meanInFiles(some))
		}
		d := difference(filter(scores["ours"], ofKind(bar.kind)), filter(scores[baseline], ofKind(bar.kind)))
		fmt.Fprintf(b.stdout, " %+.3f (%+.2f–%+.2f) | %.4f |\n", d.mean, d.low, d.high, d.p)
	}
	b.barsOfKinds(half, scores)
}

// barsOfKinds prints the bars of the test half, and counts the missed ones.
func (b *bench) barsOfKinds(half string, scores map[string][]score) {
	ours, other := scores["ours"], scores[baseline]
	if !b.check || half != "test" || len(ours) == 0 {
		return
	}
	fmt.Fprintf(b.stdout, "\n| bar, test half | is | |\n|---|---:|---|\n")
	for _, bar := range kindBars() {
		name := bar.kind
		if name == "" {
			name = "all"
		}
		some := filter(ours, ofKind(bar.kind))
		is := meanInFiles(some)
		fmt.Fprintf(b.stdout, "| %s: at least %.2f | %.3f | %s |\n", name, bar.least, is, b.met(len(some) > 0 && is >= bar.least))
		if bar.over == 0 {
			continue
		}
		d := difference(some, filter(other, ofKind(bar.kind)))
		fmt.Fprintf(b.stdout, "| %s: %.2f more than %s, significant | %+.3f, p %.4f | %s |\n", name, bar.over, baseline, d.mean, d.p, b.met(d.mean >= bar.over && d.significant()))
	}
}

// met returns a table entry about a bar, and counts missed bars.
func (b *bench) met(ok bool) string {
	if !ok {
		b.missed++
	}
	return met(ok)
}

func inFilesOf(all []score) []float64 {
	values := make([]float64, len(all))
	for i, s := range all {
		values[i] = s.inFiles
	}
	return values
}

// difference returns the interval of the difference between two systems, for the queries that both answered.
func difference(ours, other []score) interval {
	of := map[*queries.Query]float64{}
	for _, s := range other {
		of[s.query] = s.inFiles
	}
	var values []float64
	for _, s := range ours {
		if v, ok := of[s.query]; ok {
			values = append(values, s.inFiles-v)
		}
	}
	return bootstrap(values)
}
