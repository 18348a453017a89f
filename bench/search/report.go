package main

import (
	"fmt"
	"slices"
	"time"

	"github.com/dougu-go/dougu/bench/search/queries"
)

// Bars of the ranking.
const (
	leastNDCG    = 0.80
	overBM25     = 0.15
	overRipgrep  = 0.50
	shortQueries = 4 // characters of Japanese
)

// report prints the quality of the systems for a half of the queries.
func (b *bench) report(half string, scores map[string][]score) {
	any := scores[b.systems[0].name]
	if len(any) == 0 {
		return
	}
	fmt.Fprintf(b.stdout, "\nNDCG@10, %s half, %d judged queries. In files: the first result of each file counts.\n", half, len(any))
	fmt.Fprintf(b.stdout, "\n| system | all | in files | nothing right |")
	for _, shape := range queries.Shapes {
		fmt.Fprintf(b.stdout, " %s (%d) |", shape, len(filter(any, shaped(shape))))
	}
	fmt.Fprintf(b.stdout, " Japanese of 1–%d (%d) |\n|---|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|\n", shortQueries, len(filter(any, isShort)))
	for _, s := range b.systems {
		all := scores[s.name]
		fmt.Fprintf(b.stdout, "| %s | **%.3f** | %.3f | %d |", s.name, mean(all), meanInFiles(all), len(filter(all, func(s score) bool { return s.ndcg == 0 })))
		for _, shape := range queries.Shapes {
			fmt.Fprintf(b.stdout, " %.3f |", mean(filter(all, shaped(shape))))
		}
		fmt.Fprintf(b.stdout, " %.3f |\n", mean(filter(all, isShort)))
	}
	fmt.Fprintf(b.stdout, "\n| system |")
	for _, r := range b.repositories {
		fmt.Fprintf(b.stdout, " %s (%d) |", r.Name, len(filter(any, from(r.Name))))
	}
	fmt.Fprintf(b.stdout, " median time |\n|---|")
	for range b.repositories {
		fmt.Fprint(b.stdout, "---:|")
	}
	fmt.Fprintln(b.stdout, "---:|")
	for _, s := range b.systems {
		fmt.Fprintf(b.stdout, "| %s |", s.name)
		for _, r := range b.repositories {
			fmt.Fprintf(b.stdout, " %.3f |", mean(filter(scores[s.name], from(r.Name))))
		}
		fmt.Fprintf(b.stdout, " %s |\n", medianTime(scores[s.name]).Round(10*time.Microsecond))
	}
	b.bars(scores)
}

// bars prints the bars of the ranking.
func (b *bench) bars(scores map[string][]score) {
	ours, plain, rg := scores["ours"], scores["bm25"], scores["ripgrep"]
	if len(ours) == 0 || !b.check {
		return
	}
	fmt.Fprintf(b.stdout, "\n| bar | is | |\n|---|---:|---|\n")
	fmt.Fprintf(b.stdout, "| NDCG@10 of at least %.2f | %.3f | %s |\n", leastNDCG, mean(ours), b.met(mean(ours) >= leastNDCG))
	over := mean(ours) - mean(plain)
	fmt.Fprintf(b.stdout, "| %.2f more than plain BM25 | %+.3f | %s |\n", overBM25, over, b.met(over >= overBM25))
	over = meanInFiles(ours) - meanInFiles(rg)
	fmt.Fprintf(b.stdout, "| %.2f more than ripgrep, both in files | %+.3f | %s |\n", overRipgrep, over, b.met(over >= overRipgrep))
}

func mean(all []score) float64 { return average(all, func(s score) float64 { return s.ndcg }) }
func meanInFiles(all []score) float64 {
	return average(all, func(s score) float64 { return s.inFiles })
}

func average(all []score, of func(score) float64) float64 {
	sum := 0.0
	for _, s := range all {
		sum += of(s)
	}
	return sum / float64(max(len(all), 1))
}

func medianTime(all []score) time.Duration {
	var times []time.Duration
	for _, s := range all {
		times = append(times, s.took)
	}
	return percentile(times, 50)
}

// percentile returns a percentile of the times, which it sorts.
func percentile(times []time.Duration, part int) time.Duration {
	if len(times) == 0 {
		return 0
	}
	slices.Sort(times)
	return times[min(len(times)*part/100, len(times)-1)]
}

func filter(all []score, fits func(score) bool) []score {
	var some []score
	for _, s := range all {
		if fits(s) {
			some = append(some, s)
		}
	}
	return some
}

func shaped(shape string) func(score) bool {
	return func(s score) bool { return s.query.Shape == shape }
}

func from(repository string) func(score) bool {
	return func(s score) bool { return s.query.Repo == repository }
}

func isShort(s score) bool {
	return s.query.Lang == "ja" && len([]rune(s.query.Text)) <= shortQueries
}
