package search

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"path"
	"slices"
	"strings"

	"github.com/dougu-go/dougu/tools/search/index"
	"github.com/dougu-go/dougu/tools/search/rank"
	"github.com/dougu-go/dougu/tools/search/template"
)

// Limits of the files that are read to find the template of a message.
const (
	maxTemplateFiles    = 48
	maxTemplateFileSize = 1 << 20 // bytes of one file
	maxTemplateBytes    = 8 << 20 // bytes of all files
	maxTemplateHits     = 20
)

const (
	whyTemplate = "message template"
	// templateScore is the lowest score of a template; the other hits have lower ones.
	templateScore = 0.8
	// These are the factors of templates in tests, vendored code and the like, in documents, and in translations.
	secondaryShare, documentShare, translationShare = 0.3, 0.6, 0.7
	// nearShare is the part of the best template's share that the other templates need.
	nearShare = 0.5
	// After enoughFiles, a template with the share enoughShare ends the search.
	enoughFiles, enoughShare = 16, 0.4
)

// findTemplates moves the pieces that contain the template of a message to the front of the hits, if the query is a message.
// It searches the files that the word search ranked first, and the files that contain most pairs of words of the message.
func (s *Search) findTemplates(ctx context.Context, q *documentQuery, sources []*collection, all *hitList) error {
	text := q.text
	if q.exact != nil {
		text = q.exact.pattern
	}
	message, ok := template.Parse(text)
	if !ok {
		return nil
	}
	var found []hit
	seen := make(map[string]bool)
	left, best := maxTemplateBytes, 0.0
	for _, src := range sources {
		paths, err := s.templatePaths(ctx, q, message, src, all.hits)
		if err != nil && ctx.Err() == nil {
			all.failed = append(all.failed, failure{src, err})
			continue
		}
		for _, path := range paths {
			if left <= 0 || len(seen) >= enoughFiles && best >= enoughShare {
				break
			}
			if seen[path] {
				continue
			}
			seen[path] = true
			hits, size := s.templatesIn(ctx, message, src, path)
			for _, h := range hits {
				best = max(best, h.score)
			}
			found = append(found, hits...)
			left -= size
		}
	}
	if ctx.Err() != nil {
		return fmt.Errorf("searching templates of a message: %w", context.Cause(ctx))
	}
	all.putFirst(found)
	return nil
}

// putFirst puts hits with templates before the other hits of the list, without duplicates. Templates with a much smaller share of
// the message than the best one are ignored.
func (all *hitList) putFirst(found []hit) {
	if len(found) == 0 {
		return
	}
	rankOf := make(map[pieceKey]int, len(all.hits))
	for i, h := range all.hits {
		rankOf[keyOfHit(h)] = i - len(all.hits)
	}
	slices.SortStableFunc(found, func(a, b hit) int {
		return cmp.Or(cmp.Compare(b.score, a.score), cmp.Compare(rankOf[keyOfHit(a)], rankOf[keyOfHit(b)]), comparePlaces(a, b))
	})
	best := found[0].score
	found = slices.DeleteFunc(found, func(h hit) bool { return h.score < nearShare*best })
	found = found[:min(len(found), maxTemplateHits)]
	moved := make(map[pieceKey]bool, len(found))
	for i := range found {
		key := keyOfHit(found[i])
		moved[key] = true
		if _, ok := rankOf[key]; !ok {
			all.total++
		}
		found[i].score = templateScore + (1-templateScore)*found[i].score
	}
	for _, h := range all.hits {
		if !moved[keyOfHit(h)] {
			h.score *= templateScore
			found = append(found, h)
		}
	}
	all.hits = found
}

func keyOfHit(h hit) pieceKey {
	return pieceKey{h.file.Path, h.piece.Range.Start, h.piece.Range.End}
}

// templatePaths returns the files of a source in which to look for the template of a message, at most maxTemplateFiles. ranked are
// the hits of the word search.
func (s *Search) templatePaths(ctx context.Context, q *documentQuery, message *template.Message, src *collection, ranked []hit) ([]string, error) {
	return guarded(ctx, src.guard, func(ctx context.Context) ([]string, error) {
		var byWords []string
		for _, h := range ranked {
			if h.source == src {
				byWords = append(byWords, h.file.Path)
			}
		}
		if q.exact != nil || len(q.words.Phrases) > 0 {
			// In a message quotes are around variable parts, which no template contains.
			parsed := rank.Parse(message.Words())
			got, err := src.index.Search(ctx, parsed.Index(q.filter, maxCandidates))
			if err != nil {
				return nil, err
			}
			for _, r := range rank.Order(parsed, got, rank.Options{}) {
				byWords = append(byWords, r.File.Path)
			}
		}
		byRarest, byAll, err := filesWithRuns(ctx, q.filter, message.Runs(), src.index)
		if err != nil {
			return nil, err
		}
		return alternate(maxTemplateFiles, byRarest, byAll, byWords), nil
	})
}

// filesWithRuns returns the files that may contain some of the runs, in two orders: by the rarest run of a file, and by the
// rarity of all of its runs together. The second order prefers large files, which seem to contain most runs.
func filesWithRuns(ctx context.Context, filter index.Filter, runs []string, from index.Index) (byRarest, byAll []string, err error) {
	stats, err := from.Stats(ctx)
	if err != nil {
		return nil, nil, err
	}
	votes, rarest := make(map[string]float64), make(map[string]float64)
	for _, run := range runs {
		paths, err := from.Candidates(ctx, index.Literals{Literal: run, Fold: true}, filter)
		if err != nil {
			return nil, nil, err
		}
		weight := math.Log(1 + float64(stats.Files)/float64(1+len(paths)))
		for _, path := range paths {
			votes[path] += weight
			rarest[path] = max(rarest[path], weight)
		}
	}
	for path := range votes {
		factor := templateFactor(path)
		votes[path] *= factor
		rarest[path] *= factor
		byAll = append(byAll, path)
	}
	slices.SortFunc(byAll, func(a, b string) int {
		return cmp.Or(cmp.Compare(votes[b], votes[a]), strings.Compare(a, b))
	})
	byRarest = slices.Clone(byAll)
	slices.SortStableFunc(byRarest, func(a, b string) int { return cmp.Compare(rarest[b], rarest[a]) })
	return byRarest[:min(len(byRarest), maxTemplateFiles)], byAll[:min(len(byAll), maxTemplateFiles)], nil
}

// alternate returns the different items of several lists, taken in turn, at most limit.
func alternate(limit int, lists ...[]string) []string {
	var all []string
	seen := make(map[string]bool)
	for i := range limit {
		for _, list := range lists {
			if i < len(list) && !seen[list[i]] && len(all) < limit {
				seen[list[i]] = true
				all = append(all, list[i])
			}
		}
	}
	return all
}

// templatesIn returns the pieces of a file that contain templates of the message, and the number of bytes read. An unreadable file
// has none. The score of a hit is the share of the message, lowered for files of lesser interest.
func (s *Search) templatesIn(ctx context.Context, message *template.Message, src *collection, path string) (hits []hit, size int) {
	text, modified, err := src.read(ctx, path)
	if err != nil || len(text) > maxTemplateFileSize {
		return nil, len(text)
	}
	var known index.Known
	var pieces []index.Piece
	byPiece := make(map[int]int) // hits
	factor := templateFactor(path)
	for m := range message.Find(text, hasBareValues(path)) {
		if known.Path == "" {
			if known, pieces, err = s.currentPieces(ctx, src, path, text, modified); err != nil {
				return nil, len(text)
			}
		}
		at := innermost(pieces, m.Start, m.End)
		n, ok := byPiece[at]
		if !ok {
			n = len(hits)
			byPiece[at] = n
			hits = append(hits, hit{file: known, piece: pieceAt(pieces, at, m.Line, m.Start, m.End), source: src, why: whyTemplate, isTemplate: true})
		}
		if score := m.Share * factor; score > hits[n].score {
			hits[n].score, hits[n].lines = score, []int{m.Line}
		}
	}
	return hits, len(text)
}

// templateFactor returns the factor for templates in a file. Tests and documents contain messages of the code as well, with values
// in place of the variable parts, so that they match a larger share of it.
func templateFactor(name string) float64 {
	switch {
	case rank.Secondary(name):
		return secondaryShare
	case documentExtensions[strings.ToLower(path.Ext(name))]:
		return documentShare
	case isTranslation(name):
		return translationShare
	}
	return 1
}

// isTranslation reports whether a file has the messages of a program in one language. Many of them contain the same template.
func isTranslation(name string) bool {
	if strings.EqualFold(path.Ext(name), ".po") {
		return true
	}
	for dir := range strings.SplitSeq(strings.ToLower(path.Dir(name)), "/") {
		switch dir {
		case "locale", "locales", "i18n", "l10n", "lang", "langs", "translations", "lc_messages":
			return true
		}
	}
	return false
}

var documentExtensions = map[string]bool{".md": true, ".mdx": true, ".rst": true, ".txt": true, ".adoc": true, ".html": true, ".htm": true, ".ipynb": true}

// hasBareValues reports whether texts in a file need no quotes.
func hasBareValues(name string) bool {
	switch strings.ToLower(path.Ext(name)) {
	case ".yaml", ".yml", ".properties", ".ini", ".ftl", ".po", ".xml", ".html", ".htm", ".vue", ".svelte", ".jsx", ".tsx", ".arb", ".resx", ".txt":
		return true
	}
	return false
}
