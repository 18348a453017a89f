package segment

import (
	"context"
	"math"

	"github.com/dougu-go/dougu/tools/search/index"
)

// Defaults of a Query.
const (
	defaultK1    = 1.2
	defaultLimit = 200
)

func defaultWeights() [index.Fields]float64 {
	return [index.Fields]float64{index.Name: 4, index.Signature: 2, index.Doc: 1.5, index.Body: 1, index.Path: 1.5}
}

func defaultB() [index.Fields]float64 {
	return [index.Fields]float64{index.Name: 0.4, index.Signature: 0.4, index.Doc: 0.6, index.Body: 0.75, index.Path: 0.3}
}

// term is a term of a query in a state.
type term struct {
	number    int // in the query
	required  bool
	scale     float64       // what it counts at most
	frequency float64       // pieces that have it, about
	places    [][]wordPlace // by segment: of its words
}

// terms finds the words of a query.
func (s *state) terms(ctx context.Context, q *index.Query) ([]term, error) {
	pieces := 0.0
	for _, l := range s.live {
		pieces += float64(l.pieces - l.deadPieces)
	}
	list := make([]term, len(q.Terms))
	for i := range q.Terms {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		t, err := s.term(&q.Terms[i])
		if err != nil {
			return nil, err
		}
		t.number, t.required = i, q.Terms[i].Required
		t.frequency = min(t.frequency, pieces)
		weight := q.Terms[i].Weight
		if weight == 0 {
			weight = 1
		}
		t.scale = max(weight, 0) * math.Log(1+(pieces-t.frequency+0.5)/(t.frequency+0.5))
		list[i] = t
	}
	return list, nil
}

func (s *state) term(q *index.Term) (t term, err error) {
	words, err := s.expand(q.Words)
	if err != nil {
		return t, err
	}
	t.places = make([][]wordPlace, len(s.live))
	for i, l := range s.live {
		count := 0
		for _, word := range words {
			p, ok, err := l.words.lookup(word)
			if err != nil {
				return t, err
			}
			if ok {
				t.places[i] = append(t.places[i], p)
				count += p.count
			}
		}
		if l.pieces > 0 {
			t.frequency += float64(count) * float64(l.pieces-l.deadPieces) / float64(l.pieces)
		}
	}
	return t, nil
}
