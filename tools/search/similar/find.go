package similar

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/dougu-go/dougu/tools/search/index"
	"github.com/dougu-go/dougu/tools/source"
)

// MaxCode is the maximum length of Query.Code, in bytes.
const MaxCode = 256 << 10

// Errors of Find for invalid code.
var (
	ErrTooLong = fmt.Errorf("the code is longer than the %d KiB that are looked for", MaxCode>>10)
	ErrNoCode  = errors.New("the code has fewer than three tokens that are no comment")
)

// Query describes a search for similar code.
type Query struct {
	// Code is the code: complete declarations or some lines. If it consists of several
	// declarations, Find searches for each of them.
	Code []byte
	// Language is the language of Code, by a name of package source. Default: "", which
	// guesses it. Results may be in any language; see Filter.
	Language string
	// Parsers define the syntax of the languages that they add. Default: nil, the languages
	// of package source alone. JSON omits them.
	Parsers *source.Parsers `json:"-"`
	// Similarity is the minimum score of a result, from 0 to 1.
	Similarity float64
	Limit      int          // maximum number of hits; 0 selects 10
	Filter     index.Filter // restricts the results; the zero value allows all files
}

// Hit is a part of a file that resembles the code of a Query.
type Hit struct {
	File  index.Known
	Piece index.Piece // the indexed piece that contains it
	// Score is the result of Compare for the part of Query.Code at Of.
	Score float64
	// Of is the range of the part in Query.Code, in bytes.
	Of index.Span
	// Span is the range in the text that Read returned, with its lines.
	Span               index.Span
	StartLine, EndLine int
	// Code is the text of the complete lines of Span.
	Code []byte
	// Same reports that the texts are equal, byte for byte.
	Same bool
}

// Found is the result of Find.
type Found struct {
	Hits []Hit // by descending score
	// Total is the number of hits before Limit. More can exist, since only the most
	// promising pieces are compared.
	Total int
	// Compared is the number of compared pieces. Unread is the number of files that could
	// not be read, or in which a changed piece was not found again.
	Compared, Unread int
	// Short reports that the code has fewer than MinTokens tokens. Find then searched the
	// files that contain its names, so that copies with other names may be missing.
	Short bool
	// Language is the language of Query, or the guessed one.
	Language string
}

// Read returns the current text of an indexed file.
type Read func(ctx context.Context, path string) ([]byte, error)

// Find returns code that resembles the code of a query, by descending score. The index provides
// pieces with common fingerprints; Find compares the current text of their files.
// Unreadable files are skipped. The errors are ErrTooLong, ErrNoCode, that of ctx, and
// those of the index.
func Find(ctx context.Context, idx index.Index, read Read, q Query) (Found, error) {
	if len(q.Code) > MaxCode {
		return Found{}, ErrTooLong
	}
	f := finder{idx: idx, read: read, query: q, lang: q.Language, filter: q.Filter}
	if f.lang == "" {
		added := addedLanguages(q.Parsers)
		f.lang = cmp.Or(addedLanguage(ctx, q.Code, q.Parsers, added), guess(q.Code, added))
	}
	f.parts = split(q.Code, f.dialect(f.lang))
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

// overlap reports whether two spans are mostly equal, or one is mostly inside the other.
func overlap(x, y index.Span) bool {
	common := min(x.End, y.End) - max(x.Start, y.Start)
	return 2*common > min(x.End-x.Start, y.End-y.Start)
}
