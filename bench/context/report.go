package main

import (
	"fmt"
	"slices"
)

// report holds the costs of all tasks.
type report struct {
	rows    []*row
	missing []string // projects without sources
}

// row is the cost of the tasks of a project in one way.
type row struct {
	way, project  string
	name          string // of the project
	sources       string // digest of the project's files
	definitions   int    // bytes
	byKind        map[kind]cost
	tasks, solved int
}

func (r *report) row(way string, p project) *row {
	added := &row{way: way, project: p.name + ", " + p.language, name: p.name, byKind: make(map[kind]cost)}
	r.rows = append(r.rows, added)
	return added
}

func (r *row) add(k kind, c cost, solved bool) {
	sum := r.byKind[k]
	sum.add(c)
	r.byKind[k] = sum
	r.tasks++
	if solved {
		r.solved++
	}
}

// total returns the cost of the tasks of a row, with the definitions of the tools.
func (r *row) total() cost {
	sum := cost{read: r.definitions}
	for _, c := range r.byKind {
		sum.add(c)
	}
	return sum
}

// of returns the rows of a way.
func (r *report) of(way string) []*row {
	return slices.DeleteFunc(slices.Clone(r.rows), func(row *row) bool { return row.way != way })
}

// print prints the tables. It returns an error if a task was not solved with this library's server.
func (r *report) print(b *bench) error {
	for _, name := range r.missing {
		fmt.Fprintf(b.stdout, "%s is missing\n", name)
	}
	fmt.Fprintf(b.stdout, "\n| project | way | tasks | solved | calls | definitions, bytes | read | written | price |\n|---|---|---:|---:|---:|---:|---:|---:|---:|\n")
	totals := make(map[string]cost)
	unsolved := 0
	for _, name := range wayNames() {
		var all cost
		var tasks, solved int
		for _, row := range r.of(name) {
			sum := row.total()
			fmt.Fprintf(b.stdout, "| %s | %s | %d | %d | %d | %d | %d | %d | %d |\n", row.project, name, row.tasks, row.solved, sum.calls, row.definitions, sum.read, sum.written, sum.price())
			all.add(sum)
			tasks, solved = tasks+row.tasks, solved+row.solved
		}
		if totals[name] = all; tasks > 0 {
			fmt.Fprintf(b.stdout, "| **all** | %s | %d | %d | %d | | %d | %d | %d |\n", name, tasks, solved, all.calls, all.read, all.written, all.price())
		}
		unsolved += tasks - solved
	}
	r.printKinds(b)
	price := totals[byDougu].price()
	for _, bar := range []struct {
		way   string
		ratio float64
	}{{byGrepEdit, grepEditBar}, {byFilesystem, filesystemBar}} {
		if other := totals[bar.way].price(); other > 0 {
			ratio := float64(price) / float64(other)
			verdict := "pass"
			if ratio > bar.ratio {
				verdict = "FAIL"
			}
			fmt.Fprintf(b.stdout, "\nprice (read + %d × written), with definitions: %.3f of that of %s (asked for ≤ %.3f): %s\n", writtenWeight, ratio, bar.way, bar.ratio, verdict)
		}
	}
	if unsolved > 0 {
		return fmt.Errorf("%d tasks were not solved", unsolved)
	}
	return nil
}

// printKinds prints the price of each kind of task, without definitions.
func (r *report) printKinds(b *bench) {
	fmt.Fprintf(b.stdout, "\n| task | dougu | grep and edit | server-filesystem |\n|---|---:|---:|---:|\n")
	for _, k := range kinds() {
		fmt.Fprintf(b.stdout, "| %s |", k)
		for _, name := range wayNames() {
			var sum cost
			for _, row := range r.of(name) {
				sum.add(row.byKind[k])
			}
			fmt.Fprintf(b.stdout, " %d |", sum.price())
		}
		fmt.Fprintln(b.stdout)
	}
}
