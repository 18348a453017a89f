package main

import (
	"context"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/dougu-go/dougu/bench/driver"
)

// economyBar is the limit of this library's bytes relative to the reference server's.
const economyBar = 0.10

// economy solves tasks with both servers and counts the bytes that a model reads. The reference server always receives the file
// name; this library's server receives it only in the second run of the generated tasks.
func (b *bench) economy(ctx context.Context) error {
	if b.peer == "" {
		fmt.Fprintf(b.stdout, "\n| task | not measured: the reference server is missing |\n|---|---|\n")
		return nil
	}
	var all []*repository
	for _, r := range repositories() {
		if err := r.load(b); err != nil {
			fmt.Fprintf(b.stderr, "chunks: %v\n", err)
			fmt.Fprintf(b.stdout, "\n%s is missing\n", r.name)
			continue
		}
		all = append(all, r)
	}
	for _, known := range []string{byName, byNameAndFile} {
		e := economy{known: known, byTool: make(map[string]*cost)}
		fmt.Fprintf(b.stdout, "\nGenerated tasks know %s.\n\n| repository | known | file | KB | ours | theirs | ratio |\n|---|---|---|---:|---:|---:|---:|\n", known)
		for _, r := range all {
			if err := b.solveAll(ctx, r, &e); err != nil {
				return fmt.Errorf("%s: %w", r.name, err)
			}
		}
		e.report(b)
		if err := os.RemoveAll(filepath.Join(b.dir, "economy")); err != nil {
			return err
		}
	}
	return nil
}

// Information about a function in a generated task for this library's server.
const (
	byName        = "the name of the function or a part of it"
	byNameAndFile = "the name of the function or a part of it, and that of its file"
)

// economy is the total cost of all tasks.
type economy struct {
	known                           string
	tasks, solvedOurs, solvedTheirs int
	rows                            []row
	ranks                           []int
	byTool                          map[string]*cost
	listed                          [2]int // size of all tool descriptions in bytes: this library's and the reference server's
	spread                          []string
}

// row is the cost of the tasks of one repository.
type row struct {
	name         string
	tasks        int
	ours, theirs cost
}

// tasksOf returns the written and the generated tasks of a repository.
func (b *bench) tasksOf(r *repository, known string) ([]task, []function, error) {
	var all []task
	for _, t := range stories() {
		if t.repository == r.name {
			t, err := t.set(r)
			if err != nil {
				return nil, nil, err
			}
			all = append(all, t)
		}
	}
	generated, places, err := r.generate(b.generated, known == byNameAndFile)
	return append(all, generated...), places, err
}

func (b *bench) solveAll(ctx context.Context, r *repository, e *economy) error {
	tasks, places, err := b.tasksOf(r, e.known)
	if err != nil {
		return err
	}
	mine, err := b.worker(ctx, e, ours, r)
	if err != nil {
		return err
	}
	defer mine.Close()
	theirs, err := b.worker(ctx, e, reference, r)
	if err != nil {
		return err
	}
	defer theirs.Close()
	for i, w := range []*worker{mine, theirs} {
		tools, _, err := w.Ask("tools/list", struct{}{})
		if err != nil {
			return err
		}
		e.listed[i] = len(tools)
	}
	total := row{name: r.name + ", " + r.language, tasks: len(tasks)}
	if _, err := mine.call("analyze_project", map[string]any{"projectPath": "."}, nil); err != nil {
		return err
	}
	total.ours.add(mine.cost)
	mine.settle = func() error { // not counted: users do not restore files
		_, _, err := mine.Ask("tools/call", map[string]any{"name": "analyze_project", "arguments": map[string]any{"projectPath": "."}})
		return err
	}
	for _, t := range tasks {
		a, failed := mine.solve(t, (*worker).byFunctions)
		e.note(b, t, ours, &e.solvedOurs, failed)
		z, failed := theirs.solve(t, (*worker).byFiles)
		e.note(b, t, reference, &e.solvedTheirs, failed)
		e.tasks++
		total.ours.add(a)
		total.theirs.add(z)
		fmt.Fprintf(b.stdout, "| %s | `%s` | %s | %.1f | %d | %d | %s |\n", r.name, t.known(), short(t.file), float64(len(t.src))/1024, a.text, z.text, percent(a.text, z.text))
	}
	e.rows = append(e.rows, total)
	e.ranks = append(e.ranks, mine.ranks...)
	e.spread = append(e.spread, spread(r, tasks, places))
	return r.unchanged(mine.dir, theirs.dir)
}

// known describes the information that a task gives about the function.
func (t task) known() string {
	switch {
	case t.listed:
		return "list"
	case t.within:
		return t.query + " (in the file)"
	case t.told:
		return t.query + " (and the file's name)"
	}
	return t.query
}

// note counts a solved task, and reports an unsolved one.
func (e *economy) note(b *bench, t task, server string, solved *int, failed error) {
	if failed == nil {
		*solved++
	} else {
		fmt.Fprintf(b.stderr, "chunks: %s: %s:%d: %s: %v\n", server, t.file, t.line, t.story, failed)
	}
	if b.verbose && server == ours {
		fmt.Fprintf(b.stderr, "%s: %s\n", t.file, t.story)
	}
}

// worker starts a server for a copy of the repository.
func (b *bench) worker(ctx context.Context, e *economy, server string, r *repository) (*worker, error) {
	w, err := b.workerWith(ctx, r, server, "-structured", "always")
	if err == nil {
		w.byTool = e.byTool
	}
	return w, err
}

// workerWith is worker with flags of this library's server.
func (b *bench) workerWith(ctx context.Context, r *repository, server string, flags ...string) (*worker, error) {
	dir := filepath.Join(b.dir, "economy", server, strings.ReplaceAll(r.name, "/", "-"))
	if _, err := copyFiles(dir, r.from, r.files); err != nil {
		return nil, err
	}
	s, err := driver.OpenSession(b.command(ctx, server, dir, flags...))
	if err != nil {
		return nil, fmt.Errorf("starting %s: %w", server, err)
	}
	return &worker{dir: dir, Session: s, byTool: make(map[string]*cost), results: b.results}, nil
}

// report prints the totals.
func (e *economy) report(b *bench) {
	fmt.Fprintf(b.stdout, "\n| repository | tasks | calls | theirs | text, bytes | theirs | ratio | with structured content | theirs | ratio | written by the model | theirs |\n|---|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|\n")
	all := row{name: "all"}
	for _, r := range e.rows {
		r.print(b)
		all.tasks += r.tasks
		all.ours.add(r.ours)
		all.theirs.add(r.theirs)
	}
	all.print(b)
	fmt.Fprintf(b.stdout, "\n| repository | files | tasks' files, KB | all functions' files, KB |\n|---|---:|---|---|\n%s", strings.Join(e.spread, ""))
	fmt.Fprintf(b.stdout, "\n| tool | calls | text, bytes a call | in all | with structured content |\n|---|---:|---:|---:|---:|\n")
	for _, tool := range slices.Sorted(maps.Keys(e.byTool)) {
		c := e.byTool[tool]
		fmt.Fprintf(b.stdout, "| `%s` | %d | %d | %d | %d |\n", tool, c.calls, c.text/c.calls, c.text, c.text+c.structured)
	}
	if slices.Sort(e.ranks); len(e.ranks) > 0 {
		at := func(percent int) int { return e.ranks[percent*(len(e.ranks)-1)/100] }
		fmt.Fprintf(b.stdout, "\nthe function is number %d of what search_symbols finds in the median, %d in the 90th percentile, %d at worst\n", at(50), at(90), at(100))
	}
	fmt.Fprintf(b.stdout, "\nto list all tools takes %d bytes, once a session; theirs %d\n", e.listed[0], e.listed[1])
	ratio := float64(all.ours.text) / float64(max(all.theirs.text, 1))
	fmt.Fprintf(b.stdout, "\nsolved: %d and %d of %d tasks; bytes of text: %.1f %% of the reference server's (asked for ≤ %.0f %% and all solved): %s\n",
		e.solvedOurs, e.solvedTheirs, e.tasks, 100*ratio, 100*economyBar, met(ratio <= economyBar && e.solvedOurs == e.tasks && e.solvedTheirs == e.tasks))
}

func (r row) print(b *bench) {
	a, z := r.ours, r.theirs
	fmt.Fprintf(b.stdout, "| %s | %d | %d | %d | %d | %d | %s | %d | %d | %s | %d | %d |\n", r.name, r.tasks, a.calls, z.calls,
		a.text, z.text, percent(a.text, z.text), a.text+a.structured, z.text+z.structured, percent(a.text+a.structured, z.text+z.structured), a.written, z.written)
}

func percent(a, b int) string { return fmt.Sprintf("%.1f %%", 100*float64(a)/float64(max(b, 1))) }

// spread describes the sizes of the files of the tasks, and of all functions that could have been chosen.
func spread(r *repository, tasks []task, places []function) string {
	var some, all []int
	for _, t := range tasks {
		some = append(some, len(t.src))
	}
	for _, p := range places {
		all = append(all, p.size)
	}
	return fmt.Sprintf("| %s | %d | %s | %s |\n", r.name, len(r.files), quartiles(some), quartiles(all))
}

// quartiles returns minimum, quartiles and maximum in KB.
func quartiles(sizes []int) string {
	if len(sizes) == 0 {
		return "none"
	}
	slices.Sort(sizes)
	sum := 0
	for _, n := range sizes {
		sum += n
	}
	at := func(of4 int) float64 { return float64(sizes[of4*(len(sizes)-1)/4]) / 1024 }
	return fmt.Sprintf("%.0f, %.0f, %.0f, %.0f, %.0f; mean %.0f", at(0), at(1), at(2), at(3), at(4), float64(sum)/float64(len(sizes))/1024)
}
