package search

import (
	"cmp"
	"context"
	"crypto/sha256"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/dougu-go/dougu/internal/group"
	"github.com/dougu-go/dougu/tools/grep"
	"github.com/dougu-go/dougu/tools/search/index"
	"github.com/dougu-go/dougu/tools/search/rank"
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
