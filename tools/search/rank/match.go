package rank

import (
	"math"
	"slices"
	"strings"

	"github.com/dougu-go/dougu/tools/search/index"
)

// named says how well a piece's name or heading says what the query says, from 0 to 1.
func (r *ranking) named(p *index.Piece, own *label) float64 {
	if own.used == 0 || r.total == 0 {
		return 0
	}
	above := r.labels.of(p.Container)
	has := 0.0
	for i, in := range own.has {
		if in < 1 && above.has != nil {
			in = max(in, 0.7*above.has[i])
		}
		has += in * r.weight[i]
	}
	return has / r.total * math.Pow(own.fit(), r.t.Fit)
}

// share is how much of the query is in a label.
func (r *ranking) share(l *label) float64 {
	if r.total == 0 {
		return 0
	}
	has := 0.0
	for i, in := range l.has {
		has += in * r.weight[i]
	}
	return has / r.total
}

// defines says how sure it is that a piece is the definition of a name in the query,
// and of which.
func (r *ranking) defines(p *index.Piece, own *label, at *place) (sure float64, name string) {
	for i := range r.q.symbols {
		s := &r.q.symbols[i]
		if got := r.definition(s, p, own, at); got > sure {
			sure, name = got, p.Name
		}
	}
	if sure < 0.5 {
		name = ""
	}
	return sure, name
}

// definition says how sure it is that a piece defines a symbol.
func (r *ranking) definition(s *symbol, p *index.Piece, own *label, at *place) float64 {
	sure := 0.0
	switch {
	case strings.TrimLeft(p.Name, "_#.$") == s.text:
		sure = 1
	case len(own.wholes) == 1 && own.wholes[0] == s.whole:
		sure = 0.9
	case slices.Contains(own.wholes, s.whole):
		sure = 0.9 / math.Sqrt(float64(len(own.wholes)))
	case len(s.whole) > 3 && s.sure && len(own.wholes) == 1 && strings.HasPrefix(own.wholes[0], s.whole):
		sure = 0.4 * float64(len(s.whole)) / float64(len(own.wholes[0]))
	default:
		return 0
	}
	if len(s.in) > 0 {
		sure *= 0.4 + 0.6*r.belongs(s, p, at)
	}
	if !s.sure {
		sure *= math.Pow(float64(s.units)/float64(len(r.q.units)), r.t.Apart)
	}
	return sure
}

// belongs says how much of what a symbol is said to belong to is around a piece: its
// container, its file or its directories.
func (r *ranking) belongs(s *symbol, p *index.Piece, at *place) float64 {
	above := r.labels.of(p.Container)
	found := 0.0
	for _, one := range s.in {
		switch {
		case slices.Contains(above.wholes, one):
			found++
		case slices.Contains(at.stem.wholes, one):
			found += 0.8
		case slices.Contains(at.dirs.wholes, one):
			found += 0.7
		}
	}
	return found / float64(len(s.in))
}
