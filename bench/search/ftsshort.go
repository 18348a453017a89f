package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/dougu-go/dougu/bench/corpora"
	"github.com/dougu-go/dougu/tools/search/index"
)

// shortHead is the head of the table that short prints.
const shortHead = "\n| Japanese of | in | queries | files with it | ours | FTS5 by trigrams | queries with it in the first ten pieces: ours | fts5 | fts5-words | fts5-ranked |\n" +
	"|---|---|---:|---:|---:|---:|---:|---:|---:|---:|\n"

// short searches Japanese texts of one to four characters: files that contain them, and pieces.
func (b *bench) short(ctx context.Context, t *tree) (err error) {
	with := map[string]searcher{}
	for _, s := range systems() {
		if s.name != "ours" && !strings.HasPrefix(s.name, "fts5") {
			continue
		}
		if with[s.name], err = s.open(ctx, b, t); err != nil {
			return err
		}
		defer func() { err = errors.Join(err, with[s.name].close()) }()
	}
	for n := 1; n <= 4; n++ {
		asked := corpora.Thin(t.characters(n), (b.questions()+1)/2)
		files, mine, theirs := 0, 0, 0
		pieces := map[string]int{}
		for _, text := range asked {
			want := t.containing(text)
			files += len(want)
			candidates, err := with["ours"].(*douguSearch).index.Candidates(ctx, index.Literals{Literal: text}, index.Filter{})
			if err != nil {
				return err
			}
			mine += both(want, candidates)
			if candidates, err = with["fts5-ranked"].(*ftsSearcher).containing(ctx, text); err != nil {
				return err
			}
			theirs += both(want, candidates)
			for name, s := range with {
				found, err := s.search(ctx, text)
				if err != nil {
					return fmt.Errorf("%s: %q: %w", name, text, err)
				}
				if slices.ContainsFunc(found[:min(len(found), 10)], func(r result) bool { return t.has(r, text) }) {
					pieces[name]++
				}
			}
		}
		if mine != files {
			return fmt.Errorf("ours finds %d of %d files with texts of %d characters", mine, files, n)
		}
		fmt.Fprintf(b.stdout, "| %d | %s | %d | %d | %d | %d | %d | %d | %d | %d |\n", n, t.name, len(asked), files, mine, theirs,
			pieces["ours"], pieces["fts5"], pieces["fts5-words"], pieces["fts5-ranked"])
	}
	return nil
}

// characters returns the texts of n characters in the Japanese text of a tree, sorted.
func (t *tree) characters(n int) []string {
	seen := map[string]bool{}
	for _, name := range t.names {
		for _, p := range t.files[name].Pieces {
			for _, own := range p.Own {
				for run := range strings.FieldsFuncSeq(string(t.files[name].Text[own.Start:own.End]), func(r rune) bool { return !isCJK(r) }) {
					characters := []rune(run)
					for i := range len(characters) - n + 1 {
						seen[string(characters[i:i+n])] = true
					}
				}
			}
		}
	}
	return slices.Sorted(maps.Keys(seen))
}

// both counts the wanted paths that were found.
func both(want, found []string) (n int) {
	for _, path := range want {
		if slices.Contains(found, path) {
			n++
		}
	}
	return n
}

// has reports whether a found piece contains a text, in its content or path.
func (t *tree) has(r result, text string) bool {
	f := t.files[r.path]
	return strings.Contains(r.path, text) || bytes.Contains(f.Text[r.piece.Range.Start:r.piece.Range.End], []byte(text))
}
