package similar

import (
	"bytes"
	"cmp"
	"context"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/dougu-go/dougu/internal/group"
	"github.com/dougu-go/dougu/tools/search/index"
)

// Limits of the work of one Find.
const (
	candidatesEach = 60  // pieces requested from the index for each part, twice
	candidatesMore = 600 // pieces requested if so many have all fingerprints
	maxCompared    = 120 // pieces that are compared
	maxFindCells   = 2_000_000
	leastShared    = 0.06 // minimum part of common fingerprints
	sharedOfLeast  = 0.35 // the same as a part of Query.Similarity
)

// finder is the state of one Find.
type finder struct {
	idx    index.Index
	read   Read
	query  Query
	lang   string
	filter index.Filter
	parts  []part

	mu               sync.Mutex
	prospects        []prospect
	hits             []hit
	compared, unread int
}

// hit is a Hit with the criteria that order equal scores.
type hit struct {
	Hit
	covered float64
}

// each calls do for all elements, on several goroutines. It stops at the end of ctx, and
// passes a panic on.
func each[T any](ctx context.Context, all []T, do func(*comparer, T)) {
	next := make(chan T, len(all))
	for _, one := range all {
		next <- one
	}
	close(next)
	var panicked atomic.Pointer[any]
	workers := group.Group{OnPanic: func(value any, _ []byte) { panicked.Store(&value) }}
	for range min(len(all), runtime.GOMAXPROCS(0), 8) {
		workers.Go(func() {
			var c comparer
			for one := range next {
				if ctx.Err() != nil {
					return
				}
				do(&c, one)
			}
		})
	}
	workers.Wait()
	if value := panicked.Load(); value != nil {
		panic(*value) // the goroutine of the caller may recover
	}
}

// verify compares the pieces with the code, by the current content of their files.
func (f *finder) verify(ctx context.Context, places []place) {
	slices.SortStableFunc(places, func(x, y place) int { return cmp.Compare(x.File.Path, y.File.Path) })
	files := slices.Collect(func(yield func([]place) bool) {
		for start := 0; start < len(places); {
			end := start + 1
			for end < len(places) && places[end].File.Path == places[start].File.Path {
				end++
			}
			if !yield(places[start:end]) {
				return
			}
			start = end
		}
	})
	each(ctx, files, func(c *comparer, in []place) {
		src, err := f.read(ctx, in[0].File.Path)
		if err != nil {
			f.note(nil, 0, 1)
			return
		}
		for i := range in {
			f.survey(c, src, &in[i])
		}
	})
	each(ctx, f.worthwhile(), func(c *comparer, p prospect) {
		h, ok := f.rate(c, p)
		if ok {
			f.note([]hit{h}, 1, 0)
		} else {
			f.note(nil, 1, 0)
		}
	})
}

// note adds the results of one worker.
func (f *finder) note(hits []hit, compared, unread int) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.hits = append(f.hits, hits...)
	f.compared += compared
	f.unread += unread
}

// prospect is a piece and a part of the code that are worth a comparison.
type prospect struct {
	file   index.Known
	piece  index.Piece
	src    []byte
	tokens []token
	part   int
	survey survey
}

// survey finds the prospects of one piece. If the file has changed, it searches all of the
// file.
func (f *finder) survey(c *comparer, src []byte, p *place) {
	d := f.dialect(cmp.Or(p.File.Language, f.lang))
	tokens := pieceTokens(nil, src, &p.Piece, d)
	found, there := f.promising(c, src, p, tokens)
	if int64(len(src)) != p.File.Size || !there && !f.there(tokens, p) {
		// The file has changed or has another encoding; the piece may be anywhere in it.
		found, _ = f.promising(c, src, p, lex(nil, src, d))
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	f.prospects = append(f.prospects, found...)
}

// promising returns the parts of the code that the tokens may resemble. there reports that
// a part and the tokens have a long common sequence.
func (f *finder) promising(c *comparer, src []byte, p *place, tokens []token) (found []prospect, there bool) {
	for _, n := range p.parts {
		s := c.look(f.parts[n].row, tokens)
		there = there || s.longer
		if s.most >= f.query.Similarity {
			found = append(found, prospect{p.File, p.Piece, src, tokens, n, s})
		}
	}
	return found, there
}

// worthwhile returns the best prospects that can be compared within the limits.
func (f *finder) worthwhile() []prospect {
	slices.SortFunc(f.prospects, func(x, y prospect) int {
		return cmp.Or(cmp.Compare(y.survey.most, x.survey.most), cmp.Compare(x.survey.cells(len(f.parts[x.part].tokens), len(x.tokens)), y.survey.cells(len(f.parts[y.part].tokens), len(y.tokens))),
			cmp.Compare(x.file.Path, y.file.Path),
			cmp.Compare(x.piece.Range.Start, y.piece.Range.Start), cmp.Compare(x.part, y.part))
	})
	left, worth := maxFindCells, f.prospects[:0]
	for _, p := range f.prospects {
		cells := p.survey.cells(len(f.parts[p.part].tokens), len(p.tokens))
		if cells <= left || left == maxFindCells {
			left -= cells
			worth = append(worth, p)
		}
	}
	return worth
}

// there reports whether a piece still has the fingerprints that it shared with the
// code.
func (f *finder) there(tokens []token, p *place) bool {
	now := prints(tokens, 0)
	for _, n := range p.parts {
		asked := prints(f.parts[n].tokens, 0)
		same := 0
		for _, one := range asked {
			if _, ok := slices.BinarySearch(now, one); ok {
				same++
			}
		}
		if float64(same) >= leastShared/2*float64(min(len(asked), len(now))) && same > 0 {
			return true
		}
	}
	return false
}

// dialect returns the lexical rules of a language.
func (f *finder) dialect(lang string) dialect { return newDialect(lang, f.query.Parsers) }

// rate compares a part of the code with the tokens of a file. It returns false if the score
// is below Query.Similarity.
func (f *finder) rate(c *comparer, p prospect) (hit, bool) {
	part := &f.parts[p.part]
	got := c.compareAs(part.row, p.tokens, p.survey)
	if got.score < f.query.Similarity || got.score <= 0 {
		return hit{}, false
	}
	h := hit{Hit: Hit{File: p.file, Piece: p.piece, Score: got.score, Of: part.span, Span: got.where}, covered: got.covered}
	h.Same = got.score == 1 && bytes.Contains(p.src[h.Span.Start:h.Span.End], part.text)
	start := bytes.LastIndexByte(p.src[:h.Span.Start], '\n') + 1
	end := len(p.src)
	if i := bytes.IndexByte(p.src[h.Span.End:], '\n'); i >= 0 {
		end = int(h.Span.End) + i
	}
	h.StartLine = 1 + bytes.Count(p.src[:start], []byte("\n"))
	h.EndLine = h.StartLine + bytes.Count(p.src[start:end], []byte("\n"))
	h.Code = bytes.Clone(p.src[start:end])
	return h, true
}
