package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/blevesearch/bleve/v2"

	"github.com/dougu-go/dougu/bench/corpora"
	"github.com/dougu-go/dougu/tools/search/index"
	"github.com/dougu-go/dougu/tools/search/plugin"
	"github.com/dougu-go/dougu/tools/search/rank"
	"github.com/dougu-go/dougu/tools/search/similar"
)

// searching measures the queries of all repositories in the index of the Go tree.
func (b *bench) searching(ctx context.Context, p served) (err error) {
	fmt.Fprintf(b.stdout, "\n| calls in the Go tree | calls | p50 | p95 | longest | asked for | |\n|---|---:|---:|---:|---:|---|---|\n")
	ours := func(query string) error {
		q := rank.Parse(query)
		found, err := p.Index().Search(ctx, q.Index(index.Filter{}, 0))
		rank.Order(q, found, rank.Options{Limit: 10})
		return err
	}
	ix, err := bleve.Open(b.indexDir(engines()[1]))
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, ix.Close()) }()
	theirs := func(query string) error {
		q := bleve.NewMatchQuery(query)
		q.SetField("text")
		_, err := ix.SearchInContext(ctx, bleve.NewSearchRequestOptions(q, 10, 0, false))
		return err
	}
	times, err := b.timed(ours)
	if err != nil {
		return err
	}
	row(b.stdout, "a query, ours, ordered", times, queryBar, 95)
	if times, err = b.timed(theirs); err != nil {
		return err
	}
	row(b.stdout, "a query, bleve of the pieces", times, 0, 0)
	return nil
}

// timed returns the best of a few times of each judged query, after a warm-up. Queries with evidence would only repeat their kinds.
func (b *bench) timed(search func(query string) error) ([]time.Duration, error) {
	var texts []string
	for i := range b.queries {
		if !b.queries[i].HasEvidence() {
			texts = append(texts, b.queries[i].Text)
		}
	}
	times := make([]time.Duration, len(texts))
	for round := range 4 {
		for i, text := range texts {
			start := time.Now()
			if err := search(text); err != nil {
				return nil, fmt.Errorf("%q: %w", text, err)
			}
			if took := time.Since(start); round == 1 || round > 1 && took < times[i] {
				times[i] = took
			}
		}
	}
	return times, nil
}

// likeness searches for code similar to functions of the tree.
func (b *bench) likeness(ctx context.Context, p served, dir string) error {
	read := func(ctx context.Context, path string) ([]byte, error) {
		text, _, err := p.Read(ctx, path)
		return text, err
	}
	var codes [][]byte
	for f, err := range p.Index().Files(ctx) {
		if err != nil {
			return err
		}
		if f.Language != "go" || len(codes) >= 200 {
			continue
		}
		pieces, err := p.Index().Pieces(ctx, f.Path)
		if err != nil {
			return err
		}
		text, err := os.ReadFile(f.Path)
		if err != nil {
			if text, err = os.ReadFile(filepath.Join(dir, filepath.FromSlash(f.Path))); err != nil {
				return err
			}
		}
		for _, piece := range pieces {
			if lines := piece.EndLine - piece.StartLine; (piece.Kind == "function" || piece.Kind == "method") && lines >= 10 && lines <= 60 && len(f.Path)%7 == 0 {
				codes = append(codes, text[piece.Range.Start:piece.Range.End])
				break
			}
		}
	}
	times := make([]time.Duration, len(codes))
	missed := 0
	for i, code := range codes {
		for round := range 3 {
			start := time.Now()
			found, err := similar.Find(ctx, p.Index(), read, similar.Query{Code: code, Language: "go", Similarity: 0.7})
			if err != nil {
				return err
			}
			if took := time.Since(start); round == 0 || took < times[i] {
				times[i] = took
			}
			if round == 0 && !slices.ContainsFunc(found.Hits, func(h similar.Hit) bool { return h.Same }) {
				missed++
				if b.verbose {
					fmt.Fprintf(b.stdout, "not among %d hits of %d places:\n%.300s\n", len(found.Hits), found.Compared, code)
				}
			}
		}
	}
	row(b.stdout, fmt.Sprintf("similar code of a function (%d not found themselves)", missed), times, similarBar, 95)
	return nil
}

// updating changes files and waits until their new content is found.
func (b *bench) updating(ctx context.Context, p served, dir string) error {
	var names []string
	for f, err := range p.Index().Files(ctx) {
		if err != nil {
			return err
		}
		if f.Language == "go" && f.Size < 100_000 {
			names = append(names, f.Path)
		}
	}
	names = corpora.Thin(names, 40)
	var told, refreshed []time.Duration
	for i, name := range names {
		path := name
		if !filepath.IsAbs(filepath.FromSlash(name)) {
			path = filepath.Join(dir, filepath.FromSlash(name))
		}
		content, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		word := fmt.Sprintf("zyxwv%cq%cnovel", 'a'+i%26, 'a'+i/26)
		if err := os.WriteFile(path, append(slices.Clip(content), []byte("\nfunc "+word+"() {}\n")...), 0o644); err != nil {
			return err
		}
		start := time.Now()
		if _, err := p.Refresh(ctx, plugin.RefreshOptions{Path: name}); err != nil {
			return err
		}
		refreshed = append(refreshed, time.Since(start))
		if err := finds(ctx, p, word, name); err != nil {
			return err
		}
		told = append(told, time.Since(start))
	}
	row(b.stdout, "one file has changed: refreshed", refreshed, 0, 0)
	row(b.stdout, "one file has changed: found", told, updateBar, 50)
	start := time.Now()
	if _, err := p.Refresh(ctx, plugin.RefreshOptions{}); err != nil {
		return err
	}
	row(b.stdout, "looking at all files", []time.Duration{time.Since(start)}, 0, 0)
	return nil
}

// finds checks that a word is found in a file.
func finds(ctx context.Context, p served, word, name string) error {
	q := rank.Parse(word)
	found, err := p.Index().Search(ctx, q.Index(index.Filter{}, 10))
	if err != nil {
		return err
	}
	for _, c := range found.Candidates {
		if strings.HasSuffix(c.File.Path, name) {
			return nil
		}
	}
	return fmt.Errorf("%s is not found in %s, which was refreshed", word, name)
}
