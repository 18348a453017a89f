package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"time"

	"github.com/dougu-go/dougu/bench/corpora"
	"github.com/dougu-go/dougu/bench/search/queries"
)

// score is the result of one system for one query.
type score struct {
	query *queries.Query
	// ndcg is computed by the system's units, inFiles by files: the first result of each file counts.
	ndcg, inFiles float64
	took          time.Duration
}

// relevance measures the quality of each system's ranking.
func (b *bench) relevance(ctx context.Context) error {
	halves := []string{b.half}
	if b.check && b.half == "dev" {
		halves = []string{"dev", "test"}
	}
	scores := map[string][]score{} // by system
	for _, r := range b.repositories {
		t, err := b.tree(ctx, r)
		if missing := (corpora.Missing{}); errors.As(err, &missing) {
			fmt.Fprintln(b.stderr, "search:", err)
			continue
		}
		if err != nil {
			return err
		}
		var asked []*queries.Query
		for _, half := range halves {
			asked = append(asked, b.selectQueries(r.Name, half)...)
		}
		for _, s := range b.systems {
			some, err := b.ask(ctx, s, t, asked)
			if missing := (corpora.Missing{}); errors.As(err, &missing) {
				fmt.Fprintf(b.stderr, "search: %s is missing: %v\n", s.name, err)
				continue
			}
			if err != nil {
				return fmt.Errorf("%s in %s: %w", s.name, r.Name, err)
			}
			scores[s.name] = append(scores[s.name], some...)
		}
	}
	for _, half := range halves {
		of, kinds := map[string][]score{}, map[string][]score{}
		for name, all := range scores {
			all = filter(all, func(s score) bool { return half == "all" || s.query.Half() == half })
			of[name], kinds[name] = filter(all, judged), filter(all, withEvidence)
		}
		b.report(half, of)
		b.reportKinds(half, kinds)
	}
	return nil
}

// ask sends the queries to one system.
func (b *bench) ask(ctx context.Context, s system, t *tree, asked []*queries.Query) (scores []score, err error) {
	if len(asked) == 0 {
		return nil, nil
	}
	with, err := s.open(ctx, b, t)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, with.close()) }()
	for _, q := range asked {
		start := time.Now()
		found, err := with.search(ctx, q.Text)
		if err != nil {
			return nil, fmt.Errorf("%q: %w", q.Text, err)
		}
		one := score{query: q, took: time.Since(start)}
		answers := queries.InFiles(q)
		files := filesOf(found)
		one.inFiles = answers.NDCG(files)
		units := files
		if !s.files {
			answers, _ = queries.InPieces(q, t.file) // the part labels reports missing pieces
			units = t.unitsOf(found)
		}
		one.ndcg = answers.NDCG(units)
		scores = append(scores, one)
		if b.verbose && (b.half == "all" || q.Half() == b.half) {
			show(b.stdout, s, one, found, units, answers)
		}
	}
	return scores, nil
}

func filesOf(found []result) []string {
	var files []string
	for _, r := range found {
		if !slices.Contains(files, r.path) {
			files = append(files, r.path)
		}
	}
	return files
}

func (t *tree) unitsOf(found []result) []string {
	units := make([]string, len(found))
	for i, r := range found {
		units[i] = t.unit(r.path, r.piece)
	}
	return units
}

// show prints the results of a system for a query.
func show(w io.Writer, s system, one score, found []result, units []string, answers queries.Answers) {
	fmt.Fprintf(w, "\n%s %s %q (%s): %.3f\n", s.name, one.query.ID, one.query.Text, one.query.Shape, one.ndcg)
	for i, unit := range units[:min(len(units), queries.Depth)] {
		mark := " "
		if g := answers.Grade(unit); g > 0 {
			mark = fmt.Sprint(g)
		}
		if s.files {
			fmt.Fprintf(w, "  %s %s\n", mark, unit)
			continue
		}
		p := found[i].piece
		fmt.Fprintf(w, "  %s %s:%d-%d %s %s.%s\n", mark, found[i].path, p.StartLine, p.EndLine, p.Kind, p.Container, p.Name)
	}
	for _, missed := range answers.Missed(units) {
		fmt.Fprintf(w, "    missed: %s %q, grade %d\n", missed.Path, missed.At+missed.Heading, missed.Grade)
	}
}
