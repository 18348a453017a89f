package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/dougu-go/dougu/bench/corpora"
	"github.com/dougu-go/dougu/bench/driver"
	"github.com/dougu-go/dougu/bench/search/corpus"
)

// Bars of the speed in the Go tree.
const (
	partOfBleve = 1. / 3 // of the time of bleve's faster variant
	partOfDisk  = 0.6    // of the size of the sources
	mostMemory  = 500e6
	queryBar    = 10 * time.Millisecond // for 95 of 100 queries
	updateBar   = 50 * time.Millisecond
	similarBar  = 50 * time.Millisecond // for 95 of 100 queries
)

// speed measures indexing, searching and updating in the Go tree.
func (b *bench) speed(ctx context.Context) error {
	dir, size, err := b.goTree()
	if err != nil {
		return err
	}
	if err := b.build(ctx); err != nil {
		return err
	}
	if err := b.indexing(ctx, dir, size); err != nil {
		return err
	}
	p, err := openPlugin(ctx, dir, b.indexDir(engines()[0]))
	if err != nil {
		return err
	}
	defer p.Close(context.WithoutCancel(ctx))
	if err := b.searching(ctx, p); err != nil {
		return err
	}
	if err := b.likeness(ctx, p, dir); err != nil {
		return err
	}
	return b.updating(ctx, p, dir)
}

// build builds this program, unless one is given.
func (b *bench) build(ctx context.Context) error {
	if b.program != "" {
		return nil
	}
	module, err := exec.CommandContext(ctx, "go", "env", "GOMOD").Output()
	if err != nil {
		return fmt.Errorf("asking go for this module: %w", err)
	}
	b.program, err = driver.BuildProgram(ctx, filepath.Dir(strings.TrimSpace(string(module))), "./search", b.dir)
	return err
}

// goTree copies the sources of Go, because the measurement changes files. Files that no system indexes are omitted.
func (b *bench) goTree() (dir string, size int64, err error) {
	at := slices.IndexFunc(corpus.All(), func(r corpus.Repository) bool { return r.Name == "go" })
	from, err := corpus.All()[at].Dir(b.stderr)
	if err != nil {
		return "", 0, err
	}
	dir = filepath.Join(b.dir, "tree")
	size, err = copyTexts(from, dir, b.most)
	return dir, size, err
}

// copyTexts copies at most most text files of a directory, 0 for all, and returns their size in bytes.
func copyTexts(from, into string, most int) (size int64, err error) {
	names, err := corpus.Files(from)
	if err != nil {
		return 0, err
	}
	for _, name := range corpora.Thin(names, most) {
		content, err := os.ReadFile(filepath.Join(from, filepath.FromSlash(name)))
		if err != nil {
			return 0, err
		}
		if !corpus.IsText(content) {
			continue
		}
		to := filepath.Join(into, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(to), 0o755); err != nil {
			return 0, err
		}
		if err := os.WriteFile(to, content, 0o644); err != nil {
			return 0, err
		}
		size += int64(len(content))
	}
	return size, nil
}

func (b *bench) indexDir(e engine) string { return filepath.Join(b.dir, "index of "+e.name) }

// indexing compares the engines, alternately.
func (b *bench) indexing(ctx context.Context, dir string, size int64) error {
	all := make([][]indexed, len(engines()))
	for range b.rounds {
		for i, e := range engines() {
			said, err := b.measure(ctx, e, dir, b.indexDir(e))
			if err != nil {
				return err
			}
			all[i] = append(all[i], said)
		}
	}
	fmt.Fprintf(b.stdout, "\nThe Go tree, %.1f MB, indexed into an empty directory by a process of its own, %d rounds in turn: medians\n", float64(size)/1e6, b.rounds)
	fmt.Fprintf(b.stdout, "\n| engine | files | time | CPU | × ours, time | × ours, CPU | peak memory | on disk | of the sources |\n|---|---:|---:|---:|---:|---:|---:|---:|---:|\n")
	wall := func(s indexed) float64 { return s.Wall.Seconds() }
	cpu := func(s indexed) float64 { return s.CPU.Seconds() }
	cheapest := 0.0
	for i, e := range engines() {
		last := all[i][len(all[i])-1]
		slower, more := over(all[i], all[0], wall), over(all[i], all[0], cpu)
		fmt.Fprintf(b.stdout, "| %s: %s | %d | %.2f s | %.2f s | %.2f | %.2f | %.0f MB | %.1f MB | %.0f %% |\n", e.name, e.what, last.Files,
			middle(all[i], wall), middle(all[i], cpu), slower, more, middle(all[i], func(s indexed) float64 { return float64(s.Peak) })/1e6,
			float64(last.Disk)/1e6, 100*float64(last.Disk)/float64(size))
		if i > 0 && (cheapest == 0 || slower < cheapest) {
			cheapest = slower
		}
	}
	ours := all[0][len(all[0])-1]
	peak := middle(all[0], func(s indexed) float64 { return float64(s.Peak) })
	part := 1 / max(cheapest, 1e-9)
	fmt.Fprintf(b.stdout, "\n| bar | is | |\n|---|---:|---|\n")
	fmt.Fprintf(b.stdout, "| at most %.2f of the time of bleve's cheaper way | %.2f | %s |\n", partOfBleve, part, met(part <= partOfBleve))
	fmt.Fprintf(b.stdout, "| less than %.0f MB of memory | %.0f MB | %s |\n", mostMemory/1e6, peak/1e6, met(peak < mostMemory))
	disk := float64(ours.Disk) / float64(size)
	fmt.Fprintf(b.stdout, "| at most %.0f %% of the sources on disk | %.0f %% | %s |\n", 100*partOfDisk, 100*disk, met(disk <= partOfDisk))
	return nil
}

func middle(all []indexed, of func(indexed) float64) float64 {
	var values []float64
	for _, s := range all {
		values = append(values, of(s))
	}
	slices.Sort(values)
	return values[len(values)/2]
}

// over returns the median of the ratios of the rounds.
func over(all, other []indexed, of func(indexed) float64) float64 {
	var ratios []float64
	for i := range all {
		ratios = append(ratios, of(all[i])/max(of(other[i]), 1e-9))
	}
	slices.Sort(ratios)
	return ratios[len(ratios)/2]
}

// row prints the times of an operation.
func row(w io.Writer, what string, times []time.Duration, bar time.Duration, judged int) {
	n := len(times)
	fmt.Fprintf(w, "| %s | %d | %s | %s | %s |", what, n, short(percentile(times, 50)), short(percentile(times, 95)), short(percentile(times, 100)))
	if bar == 0 {
		fmt.Fprintf(w, " | |\n")
		return
	}
	is := percentile(times, judged)
	fmt.Fprintf(w, " p%d < %v | %s |\n", judged, bar, met(is < bar))
}

func short(d time.Duration) string { return fmt.Sprintf("%.2f ms", float64(d)/1e6) }
