package similar

import (
	"bytes"
	"cmp"
	"context"
	"slices"

	"github.com/dougu-go/dougu/tools/search/index"
)

// place is an indexed piece that may resemble some parts of the code.
type place struct {
	index.Candidate
	shared float64
	// longer is the difference in length to the most similar part of the code, in bytes. It
	// is reduced by MaxCode if the code contains the name of the piece.
	longer int
	parts  []int
}

// compare orders places: the most promising first.
func (p *place) compare(o *place) int {
	return cmp.Or(cmp.Compare(o.shared, p.shared), cmp.Compare(p.longer, o.longer), cmp.Compare(p.File.Path, o.File.Path), cmp.Compare(p.Piece.Range.Start, o.Piece.Range.Start))
}

// candidates returns, for each part of the code, the pieces with the most common
// fingerprints: once by shape, and once by names.
func (f *finder) candidates(ctx context.Context) ([]place, error) {
	type key struct {
		path string
		at   index.Span
	}
	known := map[key]int{}
	var places []place
	for n := range f.parts {
		all := prints(f.parts[n].tokens, 0)
		shapes := slices.DeleteFunc(slices.Clone(all), func(p uint32) bool { return p&namingBit != 0 })
		for _, asked := range [][]uint32{all, shapes} {
			found, err := f.sharing(ctx, asked, n)
			if err != nil {
				return nil, err
			}
			for _, one := range found {
				k := key{one.File.Path, one.Piece.Range}
				at, ok := known[k]
				if !ok {
					known[k] = len(places)
					places = append(places, one)
					continue
				}
				p := &places[at]
				p.shared, p.longer = max(p.shared, one.shared), min(p.longer, one.longer)
				if p.parts[len(p.parts)-1] != n {
					p.parts = append(p.parts, n)
				}
			}
		}
	}
	slices.SortFunc(places, func(x, y place) int { return x.compare(&y) })
	return places[:min(len(places), maxCompared)], nil
}

// sharing returns the pieces with the most fingerprints of a part in common. If too
// many pieces have all of them, those of similar length are returned.
func (f *finder) sharing(ctx context.Context, asked []uint32, part int) ([]place, error) {
	if len(asked) == 0 {
		return nil, nil
	}
	q := index.Likeness{Prints: asked, Filter: f.filter, Least: max(leastShared, sharedOfLeast*f.query.Similarity), Limit: candidatesEach}
	found, err := f.idx.Similar(ctx, q)
	if all := found.Candidates; err == nil && len(all) == candidatesEach && all[len(all)-1].Score >= 1 {
		q.Limit = candidatesMore
		found, err = f.idx.Similar(ctx, q)
	}
	if err != nil {
		return nil, err
	}
	places := make([]place, len(found.Candidates))
	for i, c := range found.Candidates {
		places[i] = place{Candidate: c, shared: c.Score, longer: f.longer(&c.Piece, part), parts: []int{part}}
	}
	slices.SortFunc(places, func(x, y place) int { return x.compare(&y) })
	return places[:min(len(places), candidatesEach)], nil
}

// longer returns place.longer for a piece and a part of the code.
func (f *finder) longer(p *index.Piece, part int) int {
	longer := int(p.Range.End-p.Range.Start) - len(f.parts[part].text)
	longer = max(longer, -longer)
	if p.Name != "" && bytes.Contains(f.parts[part].text, []byte(p.Name)) {
		return longer - MaxCode
	}
	return longer
}
