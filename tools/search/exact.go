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
	"github.com/dougu-go/dougu/tools/search/index"
	"github.com/dougu-go/dougu/tools/search/rank"
	"github.com/dougu-go/dougu/tools/search/token"
)

const (
	// exactTime bounds how long files are read for one question, maxExactHits how many pieces are held.
	exactTime    = 8 * time.Second
	maxExactHits = 500
	maxHitLines  = 50 // that match, of one piece
)

// exactHits gathers what several goroutines find.
type exactHits struct {
	mu     sync.Mutex
	hits   []hit
	more   bool // than are held
	unread int
}

// findExact reads the files that may have a text and finds the pieces that it stands in.
func (s *Search) findExact(ctx context.Context, q *question, sources []*collection, all *found) error {
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
	// Those of the first files are kept, so that the same question has the same answer.
	slices.SortFunc(got.hits, compareNth)
	all.hits = got.hits[:min(len(got.hits), maxExactHits)]
	all.total = len(all.hits)
	slices.SortFunc(all.hits, compareExact)
	return nil
}

// note says what is missing.
func (e *exactHits) note(limited context.Context, all *found) {
	if limited.Err() != nil {
		all.notes = append(all.notes, "there was no time to read all files: narrow the search with filters")
	}
	if e.more {
		all.notes = append(all.notes, fmt.Sprintf("more than %d places fit: narrow the search with filters", maxExactHits))
	}
	if e.unread > 0 {
		all.notes = append(all.notes, fmt.Sprintf("%d files could not be read", e.unread))
	}
}

// exactPaths are the files of a source that may have the text: those whose content has its literals, and, where a text is looked
// for, those that have its words, since the content of documents is not their text. First come those with the best pieces, last tests
// and the work of others, so that what matters most has been read when there is enough.
func (s *Search) exactPaths(ctx context.Context, q *question, src *collection) ([]string, error) {
	return guarded(ctx, src.guard, func(ctx context.Context) ([]string, error) {
		paths, err := src.index.Candidates(ctx, q.exact.literals, q.filter)
		if err != nil {
			return nil, err
		}
		var first []string
		if q.exact.literal {
			found, err := src.index.Search(ctx, rank.Parse(q.exact.pattern).Index(q.filter, considered))
			if err != nil {
				return nil, err
			}
			for _, c := range found.Candidates {
				first = append(first, c.File.Path)
			}
		}
		return inOrder(first, paths), nil
	})
}

// inOrder are paths without repetitions, tests and the work of others last.
func inOrder(lists ...[]string) []string {
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

// readExact reads files, several at once, until there are enough hits. So many were read before.
func (s *Search) readExact(ctx context.Context, q *question, src *collection, paths []string, got *exactHits, before int) {
	type numbered struct {
		path string
		n    int
	}
	next := make(chan numbered)
	var workers group.Group
	for range min(runtime.GOMAXPROCS(0), 8, len(paths)) {
		workers.Go(func() {
			for file := range next {
				hits, err := s.exactIn(ctx, q, src, file.path)
				for i := range hits {
					hits[i].nth = file.n
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

// exactIn finds the pieces of a file in which the text stands. The file is what it is now, whatever the index knows.
func (s *Search) exactIn(ctx context.Context, q *question, src *collection, path string) ([]hit, error) {
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
			if known, pieces, err = s.piecesNow(ctx, src, path, text, modified); err != nil {
				return nil, err
			}
		}
		at := innermost(pieces, m.Start, m.End)
		n, ok := byPiece[at]
		if !ok {
			n = len(hits)
			byPiece[at] = n
			hits = append(hits, hit{file: known, piece: pieceAt(pieces, at, m.Line, m.Start, m.End), score: 1, from: src})
			hits[n].behind = q.exact.behind(hits[n])
		}
		if h := &hits[n]; len(h.lines) < maxHitLines {
			h.lines = append(h.lines, m.Line)
		}
	}
	return hits, nil
}

// piecesNow are the pieces of a file as it is now. What is answered of the file agrees with them.
func (s *Search) piecesNow(ctx context.Context, src *collection, path string, text []byte, modified time.Time) (index.Known, []index.Piece, error) {
	known, ok, err := src.index.Lookup(ctx, path)
	if err != nil {
		return known, nil, err
	}
	// What has the time that it was indexed with has the pieces of then: what of it is shown is compared once more. A time that was
	// noted as uncertain is another one.
	if ok && modified.Equal(known.ModTime) {
		pieces, err := src.index.Pieces(ctx, path)
		return known, pieces, err
	}
	sum := sha256.Sum256(text)
	if ok && (sum == known.Hash || sameTime(modified, known.ModTime) && int64(len(text)) != known.Size) {
		pieces, err := src.index.Pieces(ctx, path)
		return known, pieces, err
	}
	pieces, err := s.cut(ctx, path, text)
	known.Path, known.Hash, known.Size, known.ModTime = path, sum, int64(len(text)), modified
	return known, pieces, err
}

// innermost is the number of the piece that lines belong to, or -1.
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

// pieceAt is a piece, or the line alone if there is none.
func pieceAt(pieces []index.Piece, at, line, start, end int) index.Piece {
	if at >= 0 {
		return pieces[at]
	}
	span := index.Span{Start: int32(start), End: int32(end)}
	return index.Piece{Kind: "file", Range: span, Own: []index.Span{span}, StartLine: int32(line), EndLine: int32(line)}
}

func compareNth(a, b hit) int { return cmp.Or(cmp.Compare(a.nth, b.nth), comparePlaces(a, b)) }

func comparePlaces(a, b hit) int {
	return cmp.Or(strings.Compare(a.file.Path, b.file.Path), cmp.Compare(a.piece.Range.Start, b.piece.Range.Start), cmp.Compare(b.piece.Range.End, a.piece.Range.End))
}

// behind puts what is called so first, tests and the work of others last.
func (e *exact) behind(h hit) int {
	switch {
	case rank.Secondary(h.file.Path):
		return 2
	case e.literal && strings.EqualFold(h.piece.Name, e.pattern):
		return 0
	}
	return 1
}

// compareExact puts what has more matches first, of what is as important.
func compareExact(a, b hit) int {
	return cmp.Or(cmp.Compare(a.behind, b.behind), cmp.Compare(len(b.lines), len(a.lines)), comparePlaces(a, b))
}

// literals are what every file with a match has in it.
func literals(sets [][]grep.Literal) index.Literals {
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
