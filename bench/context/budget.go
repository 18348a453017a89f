package main

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// The table with the bytes of each task, and the command that writes it.
const (
	budgetFile  = "bench/context/testdata/tasks.tsv"
	renewBudget = "go run ./context -update, in the directory bench"
)

// The limits of the bytes of a task or of definitions, relative to the table. Few bytes more or fewer count as equal. Fewer bytes than
// minSize make the table stale: the answers could grow again unnoticed.
const (
	maxGrowth = 1.03
	minSize   = 0.90
	fewBytes  = 16
)

// Errors of a check that leaves projects out.
var (
	errOtherSources = errors.New("the sources are not those of the table")
	errMissing      = errors.New("the sources are missing")
)

// The rows of a project in the table beside its tasks.
const (
	sourcesRow     = "sources"     // a digest of the files
	definitionsRow = "definitions" // bytes of the definitions of the tools
)

const budgetHeader = "# Bytes that a model reads and writes with cursorcli -profile beside: project, task, calls, read, written.\n" +
	"# The row " + sourcesRow + " has a digest of the files of the project, the row " + definitionsRow + " the bytes of the tools.\n"

// budget holds the rows of the table, by project and name of the row, without these two columns.
type budget map[string]map[string]string

// newBudget returns the rows for the measured projects.
func newBudget(r *report) budget {
	measured := make(budget)
	for _, row := range r.of(byDougu) {
		rows := map[string]string{sourcesRow: row.sources, definitionsRow: fmt.Sprint(row.definitions)}
		for k, c := range row.byKind {
			rows[string(k)] = fmt.Sprintf("%d\t%d\t%d", c.calls, c.read, c.written)
		}
		measured[row.name] = rows
	}
	return measured
}

// rowNames returns the names of the rows of a project, in the order of the table.
func rowNames() []string {
	names := []string{sourcesRow, definitionsRow}
	for _, k := range kinds() {
		names = append(names, string(k))
	}
	return names
}

// appendText returns the table.
func (b budget) appendText() []byte {
	text := []byte(budgetHeader)
	for _, p := range projects() {
		for _, name := range rowNames() {
			if row, ok := b[p.name][name]; ok {
				text = fmt.Appendf(text, "%s\t%s\t%s\n", p.name, name, row)
			}
		}
	}
	return text
}

// parseBudget reads a table.
func parseBudget(text []byte) (budget, error) {
	b := make(budget)
	for line := range bytes.Lines(text) {
		if bytes.HasPrefix(line, []byte("#")) {
			continue
		}
		columns := strings.SplitN(strings.TrimSpace(string(line)), "\t", 3)
		if len(columns) != 3 {
			return nil, fmt.Errorf("the row %q lacks columns", line)
		}
		if b[columns[0]] == nil {
			b[columns[0]] = make(map[string]string)
		}
		b[columns[0]][columns[1]] = columns[2]
	}
	return b, nil
}

// compare returns the differences of measured projects to the table that are not allowed. Only if there are none, the error is
// errOtherSources for projects with other files.
func (b budget) compare(measured budget) error {
	var problems, others []error
	for _, p := range projects() {
		rows, ok := measured[p.name]
		if !ok {
			continue
		}
		if rows[sourcesRow] != b[p.name][sourcesRow] {
			others = append(others, fmt.Errorf("%s: %w: its tasks are not checked", p.name, errOtherSources))
			continue
		}
		for _, name := range rowNames()[1:] {
			if err := compareRow(name, rows[name], b[p.name][name]); err != nil {
				problems = append(problems, fmt.Errorf("%s: %w", p.name, err))
			}
		}
	}
	if len(problems) > 0 {
		return errors.Join(problems...)
	}
	return errors.Join(others...)
}

// compareRow compares the sizes of a row. The first of several columns, the number of calls, must be equal.
func compareRow(name, measured, table string) error {
	now, before := strings.Split(measured, "\t"), strings.Split(table, "\t")
	if len(now) != len(before) {
		return fmt.Errorf("%s: measured %q, and the table has %q", name, measured, table)
	}
	columns := []string{"calls", "bytes read", "bytes written"}
	if len(now) == 1 {
		columns = []string{"bytes"}
	}
	for i, column := range columns {
		n, former := number(now[i]), number(before[i])
		growth := float64(n - former)
		switch {
		case column == "calls" && n != former:
			return fmt.Errorf("%s: %d calls instead of %d", name, n, former)
		case growth > max(float64(former)*(maxGrowth-1), fewBytes):
			return fmt.Errorf("%s: %d %s, over the budget of %d and %.0f %%", name, n, column, former, (maxGrowth-1)*100)
		case -growth > max(float64(former)*(1-minSize), fewBytes):
			return fmt.Errorf("%s: %d %s, and the budget of %d is stale", name, n, column, former)
		}
	}
	return nil
}

// checkBudget compares the measured projects with the table, or with -update writes the table.
func (b *bench) checkBudget(r *report) error {
	file := filepath.Join(b.repository, filepath.FromSlash(budgetFile))
	measured := newBudget(r)
	if b.update {
		if len(measured) < len(projects()) {
			return fmt.Errorf("the table needs all projects; %q are missing", r.missing)
		}
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			return err
		}
		return os.WriteFile(file, measured.appendText(), 0o644)
	}
	text, err := os.ReadFile(file)
	if err != nil {
		return fmt.Errorf("reading the budget: %w; it is written by: %s", err, renewBudget)
	}
	table, err := parseBudget(text)
	if err != nil {
		return fmt.Errorf("reading the budget %s: %w", budgetFile, err)
	}
	if err := table.compare(measured); err != nil {
		return fmt.Errorf("the budget of tasks in %s is not met:\n%w\nIf that is intended: %s", budgetFile, err, renewBudget)
	}
	if len(r.missing) > 0 {
		return fmt.Errorf("%q: %w: their tasks are not checked", r.missing, errMissing)
	}
	return nil
}

// digest returns a digest of the names and the contents of the files in a directory.
func digest(dir string) (string, error) {
	sum := sha256.New()
	err := fs.WalkDir(os.DirFS(dir), ".", func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		content, err := os.ReadFile(filepath.Join(dir, filepath.FromSlash(name)))
		if err != nil {
			return err
		}
		fmt.Fprintf(sum, "%s\n%d\n%s", name, len(content), content)
		return nil
	})
	if err != nil {
		return "", fmt.Errorf("reading the sources of a project: %w", err)
	}
	return hex.EncodeToString(sum.Sum(nil)[:8]), nil
}
