package segment

import (
	"context"
	"encoding/binary"
	"sort"

	"github.com/dougu-go/dougu/tools/search/index"
)

// defaultSimilar is the default limit of a Likeness.
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

// similar finds the similar pieces of all segments.
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
	b := &topHits{limit: limit}
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

// similar adds the similar pieces of a segment to b, and returns the number of matching
// pieces.
func (l *live) similar(b *topHits, prints []uint32, least float64, a *allowed) (int, error) {
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

func (s *segment) printRow(i int) (first uint32, at int64) {
	r := s.prints[i*printRow:]
	return binary.LittleEndian.Uint32(r), int64(binary.LittleEndian.Uint32(r[4:]))
}

// openPrints opens the i-th block of fingerprints.
func (s *segment) openPrints(p *printReader, i int) error {
	first, at := s.printRow(i)
	until := s.blob.trailer.places[sectionPrints].length
	if (i+1)*printRow < len(s.prints) {
		_, until = s.printRow(i + 1)
	}
	data, err := s.blob.view(sectionPrints, at, until-at)
	if err != nil {
		return err
	}
	p.open(data, first, s.pieces)
	return nil
}

// sharedPieces appends the pieces of a list outside its block.
func (s *segment) sharedPieces(dst []uint32, f sharedList) ([]uint32, error) {
	data, err := s.blob.view(sectionCommon, f.offset, f.length)
	if err != nil {
		return dst, err
	}
	dst, ok := readList(dst, data, f.count, s.pieces)
	if !ok {
		return dst, s.blob.damage("a list of pieces is malformed")
	}
	return dst, nil
}

func (s *segment) badPrints() error { return s.blob.damage("a block of prints is malformed") }

// eachPrint calls f for each existing print of an ascending list, with the pieces that
// contain it. f must not keep the slice.
func (s *segment) eachPrint(list []uint32, f func(pieces []uint32)) error {
	rows := len(s.prints) / printRow
	var reader printReader
	var sharedPieces []uint32
	current, ok := -1, false
	var at uint32
	for _, print := range list {
		i := sort.Search(rows, func(i int) bool {
			first, _ := s.printRow(i)
			return first > print
		}) - 1
		if i < 0 {
			continue
		}
		if i != current {
			if err := s.openPrints(&reader, i); err != nil {
				return err
			}
			current = i
			at, ok = reader.next()
		}
		for ok && at < print {
			at, ok = reader.next()
		}
		if reader.bad {
			return s.badPrints()
		}
		if !ok || at != print {
			continue
		}
		pieces := reader.pieces
		if reader.sharedPieces.count > 0 {
			var err error
			if sharedPieces, err = s.sharedPieces(sharedPieces[:0], reader.sharedPieces); err != nil {
				return err
			}
			pieces = sharedPieces
		}
		f(pieces)
	}
	return nil
}
