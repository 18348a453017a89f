package similar

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/dougu-go/dougu/tools/search/index"
)

// MaxCode is the length in bytes of the longest code that is looked for.
const MaxCode = 256 << 10

// Errors of Find for code that nothing can be like.
var (
	ErrTooLong = fmt.Errorf("the code is longer than the %d KiB that are looked for", MaxCode>>10)
	ErrNoCode  = errors.New("the code has fewer than three tokens that are no comment")
)

// Query asks for code that is like other code.
type Query struct {
	// Code is the code, whole declarations or some lines of them. Of several
	// declarations each is looked for by itself.
	Code []byte
	// Language is the language of Code, by a name of package source. Default: "", which
	// guesses it. Results may be in any language; see Filter.
	Language string
	// Similarity is the minimum score of a result, from 0 to 1.
	Similarity float64
	Limit      int // 0: 10
	Filter     index.Filter
}

// Hit is a place where code is like that of a Query.
type Hit struct {
	File  index.Known
	Piece index.Piece // in which it is, as the index has it
	// Score says how much is alike, as Compare does: of the part of Query.Code that
	// is Of.
	Score float64
	Of    index.Span
	// Span is the place in the text of the file as it was read, with its lines.
	Span               index.Span
	StartLine, EndLine int
	// Code are the whole lines of Span.
	Code []byte
	// Same says that the text is the same, byte for byte.
	Same bool
}

// Found is the answer to a Query.
type Found struct {
	Hits []Hit // best first
	// Total is how many hits there are, of which Limit are answered. There can be
	// more, since only the most promising places are compared.
	Total int
	// Compared is how many places were; Unread how many files could not be read, or
	// have changed so that the place is not found again.
	Compared, Unread int
	// Short says that the code is too short to be found by its fingerprints
	// everywhere: files that have its names were looked through, so that a copy with
	// other names may be missing.
	Short bool
	// Language is the language of Query, or the guessed one.
	Language string
}

// Read is the text of a file as an index has it, or would have it now.
type Read func(ctx context.Context, path string) ([]byte, error)

// Find returns code that resembles the code of a query, best first. The index provides
// pieces with common fingerprints; Find compares the current text of their files.
// Unreadable files are skipped. The errors are ErrTooLong, ErrNoCode, that of ctx, and
// those of the index.
func Find(ctx context.Context, idx index.Index, read Read, q Query) (Found, error) {
	if len(q.Code) > MaxCode {
		return Found{}, ErrTooLong
	}
	f := finder{idx: idx, read: read, query: q, lang: q.Language, filter: q.Filter}
	if f.lang == "" {
		f.lang = guess(q.Code)
	}
	f.parts = split(q.Code, f.lang)
	if len(f.parts[0].tokens) < 3 {
		return Found{}, ErrNoCode
	}
	places, err := f.candidates(ctx)
	if err != nil {
		return Found{}, err
	}
	f.verify(ctx, places)
	short := len(f.parts[0].tokens) < MinTokens
	if short && ctx.Err() == nil {
		err = f.scan(ctx)
	}
	if err := cmp.Or(ctx.Err(), err); err != nil {
		return Found{}, err
	}
	hits := f.choose()
	limit := q.Limit
	if limit <= 0 {
		limit = 10
	}
	found := Found{Hits: hits[:min(len(hits), limit)], Total: len(hits), Compared: f.compared, Unread: f.unread, Short: short, Language: f.lang}
	return found, nil
}

// choose sorts hits by score and then by the covered part of the code. Of overlapping
// hits it keeps the best.
func (f *finder) choose() []Hit {
	slices.SortFunc(f.hits, func(x, y hit) int {
		return cmp.Or(cmp.Compare(y.Score, x.Score), cmp.Compare(y.covered, x.covered),
			cmp.Compare(y.Of.End-y.Of.Start, x.Of.End-x.Of.Start), cmp.Compare(x.File.Path, y.File.Path),
			cmp.Compare(x.Piece.Range.End-x.Piece.Range.Start, y.Piece.Range.End-y.Piece.Range.Start), cmp.Compare(x.Span.Start, y.Span.Start))
	})
	taken := map[string][]index.Span{}
	var chosen []Hit
	for _, h := range f.hits {
		if !slices.ContainsFunc(taken[h.File.Path], func(s index.Span) bool { return overlap(s, h.Span) }) {
			taken[h.File.Path] = append(taken[h.File.Path], h.Span)
			chosen = append(chosen, h.Hit)
		}
	}
	return chosen
}

// overlap says that two spans are mostly the same, or one is mostly in the other.
func overlap(x, y index.Span) bool {
	common := min(x.End, y.End) - max(x.Start, y.Start)
	return 2*common > min(x.End-x.Start, y.End-y.Start)
}
