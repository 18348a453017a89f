package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

const (
	// priceBar is the limit of the price of edit_chunk relative to grep and edit.
	priceBar = 0.5
	// writtenPrice is the price of a byte that a model writes, in bytes that it reads.
	writtenPrice = 5
)

// price is the size of calls in bytes that a model reads.
func (c cost) price() int { return c.text + writtenPrice*c.written }

// price solves the tasks in three ways, and prints the bytes that a model reads plus five times the bytes that it writes: with
// replace_function_chunk, with edit_chunk, and with tools that search lines, read ranges and replace texts. The definitions of the
// tools are not part of the price.
func (b *bench) price(ctx context.Context) error {
	fmt.Fprintf(b.stdout, "\n| repository | tasks | replace_function_chunk | edit_chunk | grep and edit | ratio of edit_chunk |\n|---|---:|---:|---:|---:|---:|\n")
	var all prices
	for _, r := range repositories() {
		if err := r.load(b); err != nil {
			fmt.Fprintf(b.stderr, "chunks: %v\n", err)
			fmt.Fprintf(b.stdout, "| %s | missing | | | | |\n", r.name)
			continue
		}
		p, err := b.priceOf(ctx, r)
		if err != nil {
			return fmt.Errorf("%s: %w", r.name, err)
		}
		p.print(b, r.name)
		all.add(p)
		if err := os.RemoveAll(filepath.Join(b.dir, "economy")); err != nil {
			return err
		}
	}
	all.print(b, "**all**")
	ratio := float64(all.edit) / float64(max(all.grep, 1))
	fmt.Fprintf(b.stdout, "\nsolved: %d, %d and %d of %d tasks; edit_chunk: %.2f of the price of grep and edit (asked for ≤ %.2f and all solved): %s\n",
		all.solved[0], all.solved[1], all.solved[2], all.tasks, ratio, priceBar, met(ratio <= priceBar && all.solved[1] == all.tasks))
	return nil
}

// prices are the sums of the prices of tasks, by way.
type prices struct {
	tasks               int
	replace, edit, grep int
	solved              [3]int // by way
}

func (p *prices) add(q prices) {
	p.tasks += q.tasks
	p.replace += q.replace
	p.edit += q.edit
	p.grep += q.grep
	for i := range p.solved {
		p.solved[i] += q.solved[i]
	}
}

func (p prices) print(b *bench, name string) {
	fmt.Fprintf(b.stdout, "| %s | %d | %d | %d | %d | %.2f |\n", name, p.tasks, p.replace, p.edit, p.grep, float64(p.edit)/float64(max(p.grep, 1)))
}

// priceOf solves the tasks of a repository in each way.
func (b *bench) priceOf(ctx context.Context, r *repository) (p prices, err error) {
	tasks, _, err := b.tasksOf(r, byName)
	if err != nil {
		return p, err
	}
	e := economy{byTool: make(map[string]*cost)}
	w, err := b.worker(ctx, &e, ours, r)
	if err != nil {
		return p, err
	}
	defer w.Close()
	analyze := func() error {
		_, _, err := w.Ask("tools/call", map[string]any{"name": "analyze_project", "arguments": map[string]any{"projectPath": "."}})
		return err
	}
	if err := analyze(); err != nil {
		return p, err
	}
	w.settle = analyze
	p.tasks = len(tasks)
	for _, t := range tasks {
		g := grepEdit{repository: r}
		for way, solve := range []func() (cost, error){
			func() (cost, error) { return w.solve(t, (*worker).byFunctions) },
			func() (cost, error) { return w.solve(t, (*worker).byEdits) },
			func() (cost, error) { err := g.solve(t); return g.cost, err },
		} {
			spent, failed := solve()
			*[]*int{&p.replace, &p.edit, &p.grep}[way] += spent.price()
			if failed != nil {
				fmt.Fprintf(b.stderr, "chunks: way %d: %s:%d: %s: %v\n", way+1, t.file, t.line, t.story, failed)
			} else {
				p.solved[way]++
			}
			if b.verbose {
				fmt.Fprintf(b.stderr, "way %d: %d calls, %d read, %d written: %s: %s\n", way+1, spent.calls, spent.text, spent.written, t.file, t.story)
			}
		}
	}
	return p, r.unchanged(w.dir)
}

// byEdits solves a task with edit_chunk. A function whose whole name is known is read by that name.
func (w *worker) byEdits(t task) error {
	id, code := "", ""
	if t.exact {
		if text, err := w.call("get_chunk", map[string]any{"chunkId": t.query}, nil); err == nil && strings.Count(text, t.old) == 1 {
			id, code = t.query, text
		}
	}
	if id == "" {
		var err error
		if id, err = w.find(t); err != nil {
			return err
		}
		if code, err = w.call("get_chunk", map[string]any{"chunkId": id}, nil); err != nil {
			return err
		}
	}
	if n := strings.Count(code, t.old); n != 1 {
		return fmt.Errorf("%s has %q %d times", id, t.old, n)
	}
	_, err := w.call("edit_chunk", map[string]any{"chunkId": id, "oldText": t.old, "newText": t.new}, nil)
	return err
}
