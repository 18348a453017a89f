package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/dougu-go/dougu/bench/corpora"
	"github.com/dougu-go/dougu/bench/search/queries"
	"github.com/dougu-go/dougu/tools/search/index"
)

// labels checks that every label exists in the sources, and in a piece.
func (b *bench) labels(ctx context.Context) error {
	fmt.Fprintf(b.stdout, "\n| repository | version | files | pieces | MB | queries | labels | not in the sources | without a piece |\n|---|---|---:|---:|---:|---:|---:|---:|---:|\n")
	var wrong []error
	for _, r := range b.repositories {
		t, err := b.tree(ctx, r)
		if missing := (corpora.Missing{}); errors.As(err, &missing) {
			fmt.Fprintf(b.stdout, "| %s | %s | missing | | | | | | |\n", r.Name, r.Version)
			fmt.Fprintln(b.stderr, "search:", err)
			continue
		}
		if err != nil {
			return err
		}
		pieces := 0
		for _, f := range t.files {
			pieces += len(f.Pieces)
		}
		all, labels, gone, loose := b.selectQueries(r.Name, "all"), 0, 0, 0
		for _, q := range all {
			labels += len(q.Relevant)
			for _, l := range q.Relevant {
				content, err := os.ReadFile(filepath.Join(t.dir, filepath.FromSlash(l.Path)))
				if err != nil || !l.OccursIn(content) {
					gone++
					wrong = append(wrong, fmt.Errorf("%s: %s does not have %q", q.ID, l.Path, l.At+l.Heading))
				}
			}
			if _, err := queries.InPieces(q, t.file); err != nil {
				loose++
				fmt.Fprintln(b.stderr, "search:", err)
			}
		}
		fmt.Fprintf(b.stdout, "| %s | %s | %d | %d | %.1f | %d | %d | %d | %d |\n",
			r.Name, r.Version, len(t.names), pieces, float64(t.size)/1e6, len(all), labels, gone, loose)
	}
	return errors.Join(wrong...)
}

func (t *tree) file(path string) *index.File { return t.files[path] }
