package similar

import (
	"bytes"
	"cmp"
	"context"
	"slices"

	"github.com/dougu-go/dougu/tools/search/index"
)

// Limits of the search in files for short code.
const (
	maxScanned   = 80
	maxScanBytes = 1 << 20
	literals     = 6
	wholeFile    = 4 << 10  // bytes of a file that is compared completely
	wholePiece   = 32 << 10 // bytes of a piece that is compared completely
	maxPlaces    = 100      // occurrences of a name in a file
)

// scan searches code with too few fingerprints by its lines and names in the files of
// the index.
func (f *finder) scan(ctx context.Context) error {
	seen := map[string]bool{}
	look := func(texts []string) error {
		if len(texts) == 0 {
			return nil
		}
		condition := index.Literals{}
		for _, one := range texts {
			condition.All = append(condition.All, index.Literals{Literal: one})
		}
		paths, err := f.idx.Candidates(ctx, condition, f.filter)
		paths = slices.DeleteFunc(paths, func(path string) bool { return seen[path] })
		paths = paths[:min(len(paths), maxScanned)]
		for _, path := range paths {
			seen[path] = true
		}
		f.scanFiles(ctx, paths, []byte(texts[0]))
		return err
	}
	names, lines := f.names(), f.lines()
	if err := look(lines[:min(len(lines), literals)]); err != nil {
		return err
	}
	before := len(f.hits)
	for most := min(len(names), literals); most > 0; most /= 2 {
		if err := look(names[:most]); err != nil {
			return err
		}
		if len(f.hits) > before {
			break
		}
	}
	return nil
}

// lines returns the distinctive lines of the code, longest first.
func (f *finder) lines() []string {
	var lines []string
	for line := range bytes.SplitSeq(f.parts[0].text, []byte("\n")) {
		if line = bytes.TrimSpace(line); len(line) >= 3 {
			lines = append(lines, string(line))
		}
	}
	return longestFirst(lines)
}

// names returns the names and texts of the code that are worth a search, longest first.
func (f *finder) names() []string {
	var names []string
	for _, t := range f.parts[0].tokens {
		if name := f.query.Code[t.start:t.end]; (t.code == identifier || t.code == number) && len(name) >= 3 {
			names = append(names, string(name))
		}
	}
	return longestFirst(names)
}

func longestFirst(texts []string) []string {
	slices.SortFunc(texts, func(x, y string) int {
		return cmp.Or(cmp.Compare(len(y), len(x)), cmp.Compare(x, y))
	})
	return slices.Compact(texts)
}

// scanFiles compares the code with files around the occurrences of has.
func (f *finder) scanFiles(ctx context.Context, paths []string, has []byte) {
	each(ctx, paths, func(c *comparer, path string) {
		src, err := f.read(ctx, path)
		if err != nil {
			f.note(nil, 0, 1)
			return
		}
		known, ok, err := f.idx.Lookup(ctx, path)
		if !ok || err != nil || len(src) > maxScanBytes {
			return
		}
		tokens := f.around(ctx, &known, src, has)
		h, ok := f.rate(c, prospect{file: known, src: src, tokens: tokens, survey: c.look(f.parts[0].row, tokens)})
		if !ok {
			f.note(nil, 1, 0)
			return
		}
		h.Piece = f.pieceAt(ctx, path, h.Span)
		f.note([]hit{h}, 1, 0)
	})
}

// around returns the tokens of the pieces of a file that contain has, or of the lines
// around it; of a small file all tokens.
func (f *finder) around(ctx context.Context, known *index.Known, src, has []byte) []token {
	pieces, err := f.idx.Pieces(ctx, known.Path)
	if err != nil || len(src) <= wholeFile || int64(len(src)) != known.Size {
		return lex(nil, src, f.dialect(known.Language))
	}
	var spans []index.Span
	for at, n := 0, 0; n < maxPlaces; n++ {
		i := bytes.Index(src[at:], has)
		if i < 0 {
			break
		}
		at += i
		s := index.Span{Start: int32(at), End: int32(at + len(has))}
		s = wider(src, s, narrowest(pieces, s), len(f.query.Code)+200)
		if last := len(spans) - 1; last >= 0 && s.Start <= spans[last].End {
			spans[last].Start, spans[last].End = min(s.Start, spans[last].Start), max(s.End, spans[last].End)
		} else {
			spans = append(spans, s)
		}
		at += len(has)
	}
	var tokens []token
	for _, s := range spans {
		tokens = lexSpan(tokens, src, s, f.dialect(known.Language))
	}
	return tokens
}

// wider returns the span of the piece around s, or of the lines around s.
func wider(src []byte, s index.Span, p index.Piece, by int) index.Span {
	if n := p.Range.End - p.Range.Start; 0 < n && n <= wholePiece && int(p.Range.End) <= len(src) {
		return p.Range
	}
	start, end := max(0, int(s.Start)-by), min(len(src), int(s.End)+by)
	start = bytes.LastIndexByte(src[:start], '\n') + 1
	if i := bytes.IndexByte(src[end:], '\n'); i >= 0 {
		end += i
	}
	return index.Span{Start: int32(start), End: int32(end)}
}

// pieceAt returns the smallest piece of a file around a span; the zero Piece if there is
// none.
func (f *finder) pieceAt(ctx context.Context, path string, at index.Span) (best index.Piece) {
	pieces, err := f.idx.Pieces(ctx, path)
	if err != nil {
		return best
	}
	return narrowest(pieces, at)
}

// narrowest returns the smallest of the pieces around a span.
func narrowest(pieces []index.Piece, at index.Span) (best index.Piece) {
	for _, p := range pieces {
		if p.Range.Start <= at.Start && at.End <= p.Range.End && (best.Range.End == 0 || p.Range.End-p.Range.Start <= best.Range.End-best.Range.Start) {
			best = p
		}
	}
	return best
}
