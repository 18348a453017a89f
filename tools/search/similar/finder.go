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

// Bounds of the work of one Find.
const (
	candidatesEach = 60  // pieces that the index is asked for, for each part twice,
	candidatesMore = 600 // and where so many have all fingerprints
	maxCompared    = 120 // pieces that are compared
	maxFindCells   = 2_000_000
	leastShared    = 0.06 // the part of the fingerprints that a piece must have at least,
	sharedOfLeast  = 0.35 // and as a part of Query.Similarity
)

// finder does the work of one Find.
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

// each calls do for files at once, with places in them, on some goroutines.
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
		panic(*value) // where the caller contains it
	}
}

// verify compares places with the code, as they are in their files now.
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

// prospect is a place and a part of the code that are worth comparing.
type prospect struct {
	file   index.Known
	piece  index.Piece
	src    []byte
	tokens []token
	part   int
	survey survey
}

// survey looks at one place with the parts that it may be like.
func (f *finder) survey(c *comparer, src []byte, p *place) {
	lang := f.tokensAs(p.File.Language)
	tokens := pieceTokens(nil, src, &p.Piece, lang)
	found, there := f.promising(c, src, p, tokens)
	if int64(len(src)) != p.File.Size || !there && !f.there(tokens, p) {
		// The file has changed, or is in another encoding: the piece is somewhere in it.
		found, _ = f.promising(c, src, p, lex(nil, src, lang))
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	f.prospects = append(f.prospects, found...)
}

// promising are the parts of the code that tokens of a place can be like. there says
// that some have a long sequence in common, as an index has told.
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

// worthwhile are the prospects that are compared: the best, as many as can be in
// the time.
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

// tokensAs is the language by whose rules a file is read: its own.
func (f *finder) tokensAs(lang string) string {
	if lang == "" {
		return f.lang
	}
	return lang
}

// rate compares a part of the code with tokens of a file.
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
