package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
)

const (
	// priceBar is the limit of the price of edit_chunk relative to grep and edit.
	priceBar = 0.5
	// writtenPrice is the price of a byte that a model writes, in bytes that it reads.
	writtenPrice = 5
)

// price is the size of calls in bytes that a model reads.
func (c cost) price() int { return c.text + writtenPrice*c.written }

// priceWay is one way to solve the tasks of the part price.
type priceWay struct {
	name  string
	solve func(*worker, task) error // nil for grep and edit
	lines bool                      // the old text of an edit is that of the task, most often whole lines
}

// priceWays returns the ways: the first two are compared with the bar.
func priceWays() []priceWay {
	edit := func(lines bool) func(*worker, task) error {
		return func(w *worker, t task) error { return w.byEdits(t, lines) }
	}
	return []priceWay{
		{name: "edit_chunk", solve: edit(false)},
		{name: "grep and edit"},
		{name: "edit_chunk, old texts of the task", solve: edit(true), lines: true},
		{name: "grep and edit, old texts of the task", lines: true},
		{name: "replace_function_chunk", solve: (*worker).byReplacement},
	}
}

// price solves the tasks in several ways, and prints the bytes that a model reads plus five times the bytes that it writes. The
// definitions of the tools are not part of the price. The server runs with its default flags, so that its answers are those for
// clients that do not ask for structured content.
func (b *bench) price(ctx context.Context) error {
	fmt.Fprintf(b.stdout, "\n| repository | tasks | edit_chunk | grep and edit | ratio |\n|---|---:|---:|---:|---:|\n")
	all := make([]priced, len(priceWays()))
	for _, r := range repositories() {
		if err := r.load(b); err != nil {
			fmt.Fprintf(b.stderr, "chunks: %v\n", err)
			fmt.Fprintf(b.stdout, "| %s | missing | | | |\n", r.name)
			continue
		}
		spent, err := b.priceOf(ctx, r)
		if err != nil {
			return fmt.Errorf("%s: %w", r.name, err)
		}
		fmt.Fprintf(b.stdout, "| %s | %d | %d | %d | %.2f |\n", r.name, spent[0].tasks, spent[0].price(), spent[1].price(), priceRatio(spent[0], spent[1]))
		for i := range all {
			all[i].add(spent[i])
		}
		if err := os.RemoveAll(filepath.Join(b.dir, "economy")); err != nil {
			return err
		}
	}
	fmt.Fprintf(b.stdout, "\n| way | solved | calls | answers of searches | of reads | of changes | written for searches | for reads | for changes | price |\n|---|---:|---:|---:|---:|---:|---:|---:|---:|---:|\n")
	for i, way := range priceWays() {
		all[i].print(b, way.name)
	}
	fmt.Fprintf(b.stdout, "\nsolved: %d and %d of %d tasks; edit_chunk: %.2f of the price of grep and edit, %.2f with the old texts of the tasks (asked for ≤ %.2f and all solved): %s\n",
		all[0].solved, all[2].solved, all[0].tasks, priceRatio(all[0], all[1]), priceRatio(all[2], all[3]), priceBar,
		met(priceRatio(all[0], all[1]) <= priceBar && all[0].solved == all[0].tasks && all[2].solved == all[0].tasks))
	return nil
}

// priced is the cost of tasks, by the kind of the call.
type priced struct {
	tasks, solved int
	kinds         [kindCount]cost
}

// Kinds of calls in the part price.
const (
	searchCall = iota
	readCall
	changeCall
	kindCount
)

// kindOf returns the kind of a call of a tool.
func kindOf(tool string) int {
	switch tool {
	case "get_chunk", "read":
		return readCall
	case "edit_chunk", "replace_function_chunk", "edit":
		return changeCall
	}
	return searchCall
}

func (p *priced) add(q priced) {
	p.tasks += q.tasks
	p.solved += q.solved
	for i := range p.kinds {
		p.kinds[i].add(q.kinds[i])
	}
}

// price is the sum of the prices.
func (p *priced) price() int {
	sum := 0
	for _, c := range p.kinds {
		sum += c.price()
	}
	return sum
}

func (p *priced) print(b *bench, name string) {
	k := p.kinds
	fmt.Fprintf(b.stdout, "| %s | %d | %d | %d | %d | %d | %d | %d | %d | %d |\n", name, p.solved, k[0].calls+k[1].calls+k[2].calls,
		k[searchCall].text, k[readCall].text, k[changeCall].text, k[searchCall].written, k[readCall].written, k[changeCall].written, p.price())
}

func priceRatio(a, b priced) float64 { return float64(a.price()) / float64(max(b.price(), 1)) }

// priceOf solves the tasks of a repository in each way.
func (b *bench) priceOf(ctx context.Context, r *repository) ([]priced, error) {
	tasks, _, err := b.tasksOf(r, byName)
	if err != nil {
		return nil, err
	}
	w, err := b.workerWith(ctx, r, ours)
	if err != nil {
		return nil, err
	}
	defer w.Close()
	analyze := func() error {
		_, _, err := w.Ask("tools/call", map[string]any{"name": "analyze_project", "arguments": map[string]any{"projectPath": "."}})
		return err
	}
	if err := analyze(); err != nil {
		return nil, err
	}
	w.settle = analyze
	all := make([]priced, len(priceWays()))
	for _, t := range tasks {
		for i, way := range priceWays() {
			spent, failed := &all[i], error(nil)
			spent.tasks++
			before := *spent
			if way.solve == nil {
				g := grepEdit{repository: r, kinds: &spent.kinds}
				failed = g.solve(t, way.lines)
			} else {
				w.kinds = &spent.kinds
				_, failed = w.solve(t, way.solve)
			}
			if failed != nil {
				fmt.Fprintf(b.stderr, "chunks: %s: %s:%d: %s: %v\n", way.name, t.file, t.line, t.story, failed)
			} else {
				spent.solved++
			}
			if b.verbose {
				fmt.Fprintf(b.stderr, "%s: %d: %s: %s\n", way.name, spent.price()-before.price(), t.file, t.story)
			}
		}
	}
	return all, r.unchanged(w.dir)
}
