package search

import (
	"cmp"
	"context"
	"crypto/sha256"
	"fmt"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"sync"
	"time"
	"unicode/utf8"

	"github.com/dougu-go/dougu/internal/group"
	"github.com/dougu-go/dougu/internal/nearest"
	"github.com/dougu-go/dougu/tools/grep"
	"github.com/dougu-go/dougu/tools/internal/plural"
	"github.com/dougu-go/dougu/tools/search/index"
	"github.com/dougu-go/dougu/tools/search/rank"
	"github.com/dougu-go/dougu/tools/search/token"
)

const (
	// exactTime limits the time for reading files in one exact search.
	exactTime    = 8 * time.Second
	maxExactHits = 500 // pieces held in one search
	maxHitLines  = 50  // matching lines recorded per piece
)

// exactHits collects the hits of several goroutines.
type exactHits struct {
	mu     sync.Mutex
	hits   []hit
	more   bool // whether the limit was reached and files may be unread
	unread int  // files that could not be read
}

// findExact reads the files that may contain the pattern of q and records the pieces with matches in all. A source whose index
// fails is recorded in all.failed.
func (s *Search) findExact(ctx context.Context, q *documentQuery, sources []*collection, all *hitList) error {
	limited, cancel := context.WithTimeout(ctx, exactTime)
	defer cancel()
	all.mode = "exact"
	var got exactHits
	seen := make(map[string]bool)
	for _, src := range sources {
		paths, err := s.exactPaths(limited, q, src)
		if err != nil {
			all.failed = append(all.failed, failure{src, err})
			continue
		}
		paths = slices.DeleteFunc(paths, func(p string) bool { return seen[p] })
		for _, p := range paths {
			seen[p] = true
		}
		s.readExact(limited, q, src, paths, &got, len(seen)-len(paths))
	}
	if ctx.Err() != nil {
		return fmt.Errorf("searching files: %w", context.Cause(ctx))
	}
	got.note(limited, all)
	// The hits of the first files in scan order are kept, so that repeated queries return the same hits.
	slices.SortFunc(got.hits, compareFileOrder)
	all.hits = got.hits[:min(len(got.hits), maxExactHits)]
	all.total = len(all.hits)
	slices.SortFunc(all.hits, compareExact)
	return nil
}

// note adds remarks about files that were not read to all.
func (e *exactHits) note(limited context.Context, all *hitList) {
	if limited.Err() != nil {
		all.notes = append(all.notes, "the time limit was reached before all files were read: narrow the search with filters")
	}
	if e.more || len(e.hits) > maxExactHits {
		all.notes = append(all.notes, fmt.Sprintf("only %d places are listed, and more can match: narrow the search with filters", maxExactHits))
	}
	if e.unread > 0 {
		all.notes = append(all.notes, plural.Count(e.unread, "file")+" could not be read")
	}
}

// exactPaths returns the files of a source that may contain the pattern, in the order in which to read them. The index selects
// files by the literals of the pattern. For a quoted text it also selects files by words, because the text of converted
// documents (HTML, notebooks) is not their content. Files with the best word matches come first; tests and vendored code come
// last.
func (s *Search) exactPaths(ctx context.Context, q *documentQuery, src *collection) ([]string, error) {
	return guarded(ctx, src.guard, func(ctx context.Context) ([]string, error) {
		paths, err := src.index.Candidates(ctx, q.exact.literals, q.filter)
		if err != nil {
			return nil, err
		}
		var first []string
		if q.exact.literal {
			found, err := src.index.Search(ctx, rank.Parse(q.exact.pattern).Index(q.filter, maxCandidates))
			if err != nil {
				return nil, err
			}
			for _, c := range found.Candidates {
				first = append(first, c.File.Path)
			}
		}
		return orderPaths(first, paths), nil
	})
}

// orderPaths concatenates lists without duplicates and moves tests and vendored code to the end.
func orderPaths(lists ...[]string) []string {
	var primary, secondary []string
	seen := make(map[string]bool)
	for _, path := range slices.Concat(lists...) {
		if seen[path] {
			continue
		}
		seen[path] = true
		if rank.Secondary(path) {
			secondary = append(secondary, path)
		} else {
			primary = append(primary, path)
		}
	}
	return append(primary, secondary...)
}

// readExact searches files concurrently until got is full or ctx ends. before is the number of files read earlier; it offsets
// hit.fileOrder.
func (s *Search) readExact(ctx context.Context, q *documentQuery, src *collection, paths []string, got *exactHits, before int) {
	type numbered struct {
		path string
		n    int
	}
	next := make(chan numbered)
	var workers group.Group
	for range min(runtime.GOMAXPROCS(0), 8, len(paths)) {
		workers.Go(func() {
			for file := range next {
				hits, err := s.exactHitsIn(ctx, q, src, file.path)
				for i := range hits {
					hits[i].fileOrder = file.n
				}
				if ctx.Err() != nil {
					err = nil // the time limit has a note of its own
				}
				got.add(hits, err)
			}
		})
	}
	for i, path := range paths {
		if ctx.Err() != nil || got.full() {
			break
		}
		next <- numbered{path, before + i}
	}
	close(next)
	workers.Wait()
}

// full reports whether the maximum number of hits is reached, and records that in more.
func (e *exactHits) full() bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.more = len(e.hits) >= maxExactHits
	return e.more
}

func (e *exactHits) add(hits []hit, err error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.hits = append(e.hits, hits...)
	if err != nil {
		e.unread++
	}
}

// exactHitsIn returns the pieces of a file that contain matches. It searches the current text of the file, not the indexed one.
func (s *Search) exactHitsIn(ctx context.Context, q *documentQuery, src *collection, path string) ([]hit, error) {
	text, modified, err := src.read(ctx, path)
	if err != nil {
		return nil, err
	}
	var pieces []index.Piece
	var known index.Known
	var hits []hit
	byPiece := make(map[int]int) // hits
	for m := range q.exact.matcher.LinesContext(ctx, text) {
		if known.Path == "" {
			if known, pieces, err = s.currentPieces(ctx, src, path, text, modified); err != nil {
				return nil, err
			}
		}
		at := innermost(pieces, m.Start, m.End)
		n, ok := byPiece[at]
		if !ok {
			n = len(hits)
			byPiece[at] = n
			hits = append(hits, hit{file: known, piece: pieceAt(pieces, at, m.Line, m.Start, m.End), score: 1, source: src})
			hits[n].tier = q.exact.tierOf(hits[n])
		}
		if h := &hits[n]; len(h.lines) < maxHitLines {
			h.lines = append(h.lines, m.Line)
		}
	}
	return hits, nil
}

// currentPieces returns the pieces of the text that was just read: the indexed ones if the file is unchanged, otherwise new
// ones.
func (s *Search) currentPieces(ctx context.Context, src *collection, path string, text []byte, modified time.Time) (index.Known, []index.Piece, error) {
	known, ok, err := src.index.Lookup(ctx, path)
	if err != nil {
		return known, nil, err
	}
	// An equal modification time identifies the indexed version; the results are compared again when they are rendered. An
	// uncertain time was recorded one nanosecond earlier and does not match here.
	if ok && modified.Equal(known.ModTime) {
		pieces, err := src.index.Pieces(ctx, path)
		return known, pieces, err
	}
	sum := sha256.Sum256(text)
	if ok && (sum == known.Hash || sameTime(modified, known.ModTime) && int64(len(text)) != known.Size) {
		pieces, err := src.index.Pieces(ctx, path)
		return known, pieces, err
	}
	pieces, err := s.cut(ctx, src, known, path, text)
	known.Path, known.Hash, known.Size, known.ModTime = path, sum, int64(len(text)), modified
	return known, pieces, err
}

// innermost returns the index of the smallest piece whose own text overlaps the range from start to end, or -1.
func innermost(pieces []index.Piece, start, end int) int {
	best := -1
	for i, p := range pieces {
		for _, own := range p.Own {
			if int(own.Start) < max(end, start+1) && start < int(own.End) && (best < 0 || p.Range.End-p.Range.Start < pieces[best].Range.End-pieces[best].Range.Start) {
				best = i
			}
		}
	}
	return best
}

// pieceAt returns pieces[at], or a piece for the single line if at is negative.
func pieceAt(pieces []index.Piece, at, line, start, end int) index.Piece {
	if at >= 0 {
		return pieces[at]
	}
	span := index.Span{Start: int32(start), End: int32(end)}
	return index.Piece{Kind: "file", Range: span, Own: []index.Span{span}, StartLine: int32(line), EndLine: int32(line)}
}

func compareFileOrder(a, b hit) int {
	return cmp.Or(cmp.Compare(a.fileOrder, b.fileOrder), comparePlaces(a, b))
}

func comparePlaces(a, b hit) int {
	return cmp.Or(strings.Compare(a.file.Path, b.file.Path), cmp.Compare(a.piece.Range.Start, b.piece.Range.Start), cmp.Compare(b.piece.Range.End, a.piece.Range.End))
}

// tierOf returns the rank class of a hit: 0 for a declaration named like the pattern, 2 for tests and vendored code, 1
// otherwise.
func (e *exactPattern) tierOf(h hit) int {
	switch {
	case rank.Secondary(h.file.Path):
		return 2
	case e.literal && strings.EqualFold(h.piece.Name, e.pattern):
		return 0
	}
	return 1
}

// compareExact orders hits by tier, then by the number of matching lines, then by position.
func compareExact(a, b hit) int {
	return cmp.Or(cmp.Compare(a.tier, b.tier), cmp.Compare(len(b.lines), len(a.lines)), comparePlaces(a, b))
}

// literalConditions converts the literals of a pattern to a condition for an index.
func literalConditions(sets [][]grep.Literal) index.Literals {
	var all index.Literals
	for _, set := range sets {
		var any []index.Literals
		for _, l := range set {
			any = append(any, index.Literals{Literal: l.Text, Fold: l.Fold})
		}
		all.All = append(all.All, index.Literals{Any: any})
	}
	return all
}

const (
	modeSubstring = "substring"
	// minPart is the minimum length of a word that is searched within words, in characters.
	minPart = 3
	// partScore is the score of a piece that contains a part of a word.
	partScore = 0.5
	// maxSimilarNames limits the suggested names; maxSimilarFiles limits the files per word whose names are compared.
	maxSimilarNames = 3
	maxSimilarFiles = 100
)

// findParts searches files that contain all words of q as parts of longer words. Without a match it sets all.similar to names
// spelled like a word of q.
func (s *Search) findParts(ctx context.Context, q *documentQuery, sources []*collection, all *hitList) error {
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
		all.similar, all.corrections, err = similarNames(ctx, q, words, sources)
		return err
	}
	all.mode, all.partSearch = modeSubstring, parts
	for i := range all.hits {
		all.hits[i].score, all.hits[i].why = partScore, "part of a word"
	}
	found := "these places contain it within longer words"
	if len(words) > 1 {
		found = "these places contain at least one of them within longer words, and their files all of them"
	}
	all.notes = append(all.notes, fmt.Sprintf("%s: no match as complete words; %s", quoteAll(words), found))
	return nil
}

// partsOfWords returns the words of q that are long enough to search within words, in lower case.
func (q *documentQuery) partsOfWords() []string {
	asked := rank.Parse(q.text).Words()
	var words []string
	for _, g := range q.words.Groups {
		word := strings.ToLower(strings.TrimSuffix(g.Text, "*"))
		known := slices.ContainsFunc(append([]string{g.Whole}, g.Parts...), func(form string) bool { return form != "" && slices.Contains(asked, form) })
		if known && utf8.RuneCountInString(word) >= minPart && !slices.Contains(words, word) && len(words) < maxScanWords {
			words = append(words, word)
		}
	}
	return words
}

// parseParts returns a case-insensitive pattern that matches each of the words within words.
func parseParts(words []string) (*exactPattern, error) {
	e := new(exactPattern)
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
	e.literals = literalConditions(sets)
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

// similarNames returns names of pieces, or words in them, that differ from a word of q by few letters, and the nearest one for
// each word. Errors other than that of ctx are ignored.
func similarNames(ctx context.Context, q *documentQuery, words []string, sources []*collection) (similar []string, nearestTo map[string]string, err error) {
	type name struct {
		text, word string
		distance   int
	}
	var names []name
	consider := func(text string) {
		for _, word := range words {
			if nearest.Name(word, []string{text}) == "" {
				continue
			}
			n := name{text, word, nearest.Distance(word, strings.ToLower(text))}
			if !slices.ContainsFunc(names, func(other name) bool { return strings.EqualFold(other.text, text) && other.word == word }) {
				names = append(names, n)
			}
		}
	}
	for _, src := range sources {
		err := collectNames(ctx, q, words, src, consider)
		if ctx.Err() != nil {
			return nil, nil, fmt.Errorf("searching similar names: %w", context.Cause(ctx))
		}
		if err != nil {
			return nil, nil, nil // suggestions are optional: the search itself succeeded
		}
	}
	slices.SortFunc(names, func(a, b name) int {
		return cmp.Or(cmp.Compare(a.distance, b.distance), strings.Compare(a.text, b.text))
	})
	nearestTo = make(map[string]string)
	for _, n := range names {
		if nearestTo[n.word] == "" {
			nearestTo[n.word] = n.text
		}
		if len(similar) < maxSimilarNames && !slices.Contains(similar, n.text) {
			similar = append(similar, n.text)
		}
	}
	return similar, nearestTo, nil
}

// collectNames calls add with names of candidate pieces, and the words in them. Candidates are pieces with a word that begins
// like one of words, and pieces of files that contain the second half of one.
func collectNames(ctx context.Context, q *documentQuery, words []string, src *collection, add func(string)) error {
	_, err := guarded(ctx, src.guard, func(ctx context.Context) (struct{}, error) {
		seen := make(map[string]bool) // files whose pieces were collected
		for _, word := range words {
			head, tail := splitWord(word)
			found, err := src.index.Search(ctx, index.Query{Terms: []index.Term{{Words: []string{head + "*"}}}, Filter: q.filter, Limit: maxCandidates})
			if err != nil {
				return struct{}{}, err
			}
			for _, c := range found.Candidates {
				collectPieceNames(c.Piece, add)
			}
			paths, err := src.index.Candidates(ctx, index.Literals{Literal: tail, Fold: true}, q.filter)
			if err != nil {
				return struct{}{}, err
			}
			for _, path := range paths[:min(len(paths), maxSimilarFiles)] {
				if seen[path] {
					continue
				}
				seen[path] = true
				list, err := src.index.Pieces(ctx, path)
				if err != nil {
					return struct{}{}, err
				}
				for _, p := range list {
					collectPieceNames(p, add)
				}
			}
		}
		return struct{}{}, nil
	})
	return err
}

// splitWord returns the first and the second half of a word, at least two characters each.
func splitWord(word string) (head, tail string) {
	runes := []rune(word)
	return string(runes[:max(len(runes)/2, 2)]), string(runes[min(len(runes)/2, len(runes)-2):])
}

// collectPieceNames calls add with the name of a piece, and with the words of its name, container and signature.
func collectPieceNames(p index.Piece, add func(string)) {
	if p.Name != "" {
		add(p.Name)
	}
	for _, g := range token.ParseQuery(p.Name + " " + p.Container + " " + p.Signature).Groups {
		add(g.Text)
		for _, part := range g.Parts {
			add(part)
		}
	}
}
