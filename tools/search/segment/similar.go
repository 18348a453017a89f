package segment

import (
	"context"

	"github.com/dougu-go/dougu/tools/search/index"
)

// defaultSimilar is the limit of a Likeness.
const defaultSimilar = 50

// Similar finds pieces that share fingerprints.
func (ix *Index) Similar(ctx context.Context, q index.Likeness) (index.Found, error) {
	s, err := ix.enter(ctx)
	if err != nil {
		return index.Found{}, err
	}
	defer ix.leave(s)
	found, err := s.similar(ctx, &q)
	return found, ix.heal(s, err)
}

func (s *state) similar(ctx context.Context, q *index.Likeness) (index.Found, error) {
	allowed, err := s.allow(&q.Filter)
	if err != nil {
		return index.Found{}, err
	}
	prints := ascending(q.Prints)
	limit := q.Limit
	if limit <= 0 {
		limit = defaultSimilar
	}
	b := &best{limit: limit}
	var found index.Found
	for i, l := range s.live {
		if err := ctx.Err(); err != nil {
			return index.Found{}, err
		}
		if allowed[i].count == 0 {
			continue
		}
		n, err := l.similar(b, prints, q.Least, allowed[i])
		if err != nil {
			return index.Found{}, err
		}
		found.Total += n
	}
	found.Candidates, err = b.candidates()
	return found, err
}

// similar adds the pieces of a segment, and answers how many fit.
func (l *live) similar(b *best, prints []uint32, least float64, a *allowed) (int, error) {
	shared := make([]uint16, l.pieces)
	touched := newBitset(l.pieces)
	n := 0
	err := l.eachPrint(prints, func(pieces []uint32) {
		for _, piece := range pieces {
			if shared[piece] < maxPrints {
				shared[piece]++
			}
			touched.set(piece)
		}
	})
	if err != nil {
		return 0, err
	}
	for _, piece := range touched.list() {
		if !a.piece(piece) {
			continue
		}
		smaller := min(len(prints), int(l.printCount(piece)))
		score := float64(shared[piece]) / float64(max(smaller, 1))
		if score < least {
			continue
		}
		n++
		b.add(hit{live: l, piece: piece, score: int64(min(score, 1) * unit)})
	}
	return n, nil
}
