package search

import (
	"cmp"
	"context"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/dougu-go/dougu/internal/nearest"
	"github.com/dougu-go/dougu/tools/grep"
	"github.com/dougu-go/dougu/tools/search/index"
	"github.com/dougu-go/dougu/tools/search/rank"
	"github.com/dougu-go/dougu/tools/search/token"
)

const (
	modeSubstring = "substring"
	// minPart is the shortest part of a word that is looked for, in characters.
	minPart = 3
	// partScore is the score of a place that has a part of a word.
	partScore = 0.5
	// maxSimilarNames is how many names are suggested, maxSimilarFiles in how many files names are looked for.
	maxSimilarNames = 3
	maxSimilarFiles = 100
)

// findParts looks for the words of a question as parts of longer words: all of them in a file. Where there is none it finds names
// that are spelled like a word.
func (s *Search) findParts(ctx context.Context, q *question, sources []*collection, all *found) error {
	words := q.partsOfWords()
	if len(words) == 0 {
		return nil
	}
	parts, err := parseParts(words)
	if err != nil {
		return err
	}
	asked := *q
	asked.exact = parts
	if err := s.findExact(ctx, &asked, sources, all); err != nil {
		return err
	}
	if len(all.hits) == 0 {
		all.mode = modeKeyword
		all.similar, err = similarNames(ctx, q, words, sources)
		return err
	}
	all.mode, all.parts = modeSubstring, parts
	for i := range all.hits {
		all.hits[i].score, all.hits[i].why = partScore, "part of a word"
	}
	all.notes = append(all.notes, fmt.Sprintf("no piece has %s as whole words: these places have them within words", quoteAll(words)))
	return nil
}

// partsOfWords are the words of a question that can be parts of longer ones, in lower case.
func (q *question) partsOfWords() []string {
	asked := rank.Parse(q.text).Words()
	var words []string
	for _, g := range q.words.Groups {
		word := strings.ToLower(strings.TrimSuffix(g.Text, "*"))
		known := slices.ContainsFunc(append([]string{g.Whole}, g.Parts...), func(form string) bool { return form != "" && slices.Contains(asked, form) })
		if known && utf8.RuneCountInString(word) >= minPart && !slices.Contains(words, word) && len(words) < maxLiveWords {
			words = append(words, word)
		}
	}
	return words
}

// parseParts makes the search for words within words, in any case.
func parseParts(words []string) (*exact, error) {
	e := new(exact)
	var patterns []string
	var sets [][]grep.Literal
	for _, word := range words {
		patterns = append(patterns, regexp.QuoteMeta(word))
		of, err := grep.Literals(word, grep.Options{Literal: true, Case: grep.Insensitive})
		if err != nil {
			return nil, err
		}
		sets = append(sets, of...)
	}
	e.pattern = strings.Join(patterns, "|")
	e.literals = literals(sets)
	var err error
	e.matcher, err = grep.Compile(e.pattern, grep.Options{Case: grep.Insensitive})
	return e, err
}

func quoteAll(words []string) string {
	var all []string
	for _, word := range words {
		all = append(all, quote(word))
	}
	return strings.Join(all, " and ")
}

// similarNames are names of pieces, or words in them, that differ from a word of a question by few letters.
func similarNames(ctx context.Context, q *question, words []string, sources []*collection) ([]string, error) {
	type name struct {
		text     string
		distance int
	}
	var names []name
	consider := func(text string) {
		for _, word := range words {
			if nearest.Name(word, []string{text}) == "" {
				continue
			}
			n := name{text, nearest.Distance(word, strings.ToLower(text))}
			if !slices.ContainsFunc(names, func(other name) bool { return strings.EqualFold(other.text, text) }) {
				names = append(names, n)
			}
		}
	}
	for _, src := range sources {
		err := eachName(ctx, q, words, src, consider)
		if ctx.Err() != nil {
			return nil, fmt.Errorf("searching similar names: %w", context.Cause(ctx))
		}
		if err != nil {
			return nil, nil // suggestions are no part of what was asked for
		}
	}
	slices.SortFunc(names, func(a, b name) int {
		return cmp.Or(cmp.Compare(a.distance, b.distance), strings.Compare(a.text, b.text))
	})
	var all []string
	for _, n := range names[:min(len(names), maxSimilarNames)] {
		all = append(all, n.text)
	}
	return all, nil
}

// eachName tells names, and the words in them, from pieces that have a word with the same beginning as one of words, and from files
// that have its end.
func eachName(ctx context.Context, q *question, words []string, src *collection, tell func(string)) error {
	_, err := guarded(ctx, src.guard, func(ctx context.Context) (struct{}, error) {
		pieces := make(map[string]bool) // files whose pieces were told
		for _, word := range words {
			head, tail := halves(word)
			found, err := src.index.Search(ctx, index.Query{Terms: []index.Term{{Words: []string{head + "*"}}}, Filter: q.filter, Limit: considered})
			if err != nil {
				return struct{}{}, err
			}
			for _, c := range found.Candidates {
				tellNames(c.Piece, tell)
			}
			paths, err := src.index.Candidates(ctx, index.Literals{Literal: tail, Fold: true}, q.filter)
			if err != nil {
				return struct{}{}, err
			}
			for _, path := range paths[:min(len(paths), maxSimilarFiles)] {
				if pieces[path] {
					continue
				}
				pieces[path] = true
				list, err := src.index.Pieces(ctx, path)
				if err != nil {
					return struct{}{}, err
				}
				for _, p := range list {
					tellNames(p, tell)
				}
			}
		}
		return struct{}{}, nil
	})
	return err
}

// halves are the first and the last characters of a word, at least two of each.
func halves(word string) (head, tail string) {
	runes := []rune(word)
	return string(runes[:max(len(runes)/2, 2)]), string(runes[min(len(runes)/2, len(runes)-2):])
}

// tellNames tells the name of a piece and the words in it and in its signature.
func tellNames(p index.Piece, tell func(string)) {
	if p.Name != "" {
		tell(p.Name)
	}
	for _, g := range token.ParseQuery(p.Name + " " + p.Container + " " + p.Signature).Groups {
		tell(g.Text)
		for _, part := range g.Parts {
			tell(part)
		}
	}
}
