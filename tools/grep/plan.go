package grep

import (
	"math"
)

// What looking for literals costs, in nanoseconds; the ratios matter.
const (
	costByte  = 0.03  // a byte of text, looking for a byte
	costPair  = 0.11  // a byte of text, looking for two bytes at once
	costTable = 0.28  // a byte of text, looking for many pairs
	costPlace = 14.0  // a place where they are found
	costLine  = 120.0 // a line that the machine reads because of a literal
	costLanes = 0.6   // a byte of text that the machine reads
	costASCII = 0.03  // a byte of text, finding out whether it is ASCII
)

// plan is how a set is looked for.
type plan struct {
	set   []literal
	picks []pick // for each literal
	kind  filterKind
	cost  float64 // a byte of source code, in nanoseconds
}

type filterKind uint8

const (
	byByte filterKind = iota
	byPair
	byTable
)

// pick is the elements of a literal that are looked for.
type pick struct {
	places []int   // in the literal, ascending
	likely float64 // that they are at a place
}

// plan decides how to look for a set; line is what it costs to look at a line because of a literal, 0 if the literals are
// matches: then what is found costs nothing that the match would not. The cost is infinite if there is no way.
func (e *elements) plan(set []literal, line float64) plan {
	p := plan{set: set, cost: math.Inf(1)}
	if len(set) == 0 {
		return p
	}
	if len(set) == 1 {
		e.planOne(&p)
	}
	if math.IsInf(p.cost, 1) {
		e.planTable(&p)
	}
	if math.IsInf(p.cost, 1) {
		return p
	}
	for i, l := range set {
		if q := e.likelihood(l); line > 0 {
			p.cost += line * q
		} else {
			p.cost -= costPlace * min(q, p.picks[i].likely)
		}
	}
	return p
}

// planOne decides for one literal: by its rarest byte if that is very rare, else by two.
func (e *elements) planOne(p *plan) {
	l := p.set[0]
	rare := pick{likely: 1}
	for i, x := range l.elems {
		if q := e.probability(x); x < 256 && q < rare.likely {
			rare = pick{[]int{i}, q}
		}
	}
	if rare.places != nil {
		p.kind, p.picks, p.cost = byByte, []pick{rare}, costByte+costPlace*rare.likely
	}
	pair := e.pickPair(l, 24, e.isMasked)
	if cost := costPair + costPlace*pair.likely; pair.places != nil && cost < p.cost {
		p.kind, p.picks, p.cost = byPair, []pick{pair}, cost
	}
}

// planTable decides for a set of any literals.
func (e *elements) planTable(p *plan) {
	cost := costTable
	for _, l := range p.set {
		if len(l.elems) == 0 {
			return
		}
		best := e.pickPair(l, 1, func(element) bool { return true })
		if best.places == nil {
			best = pick{[]int{0}, e.probability(l.elems[0])}
		}
		p.picks = append(p.picks, best)
		cost += costPlace * best.likely
	}
	p.kind, p.cost = byTable, cost
}

func (e *elements) isMasked(x element) bool {
	_, _, ok := e.masked(x)
	return ok
}

// mostElements is how many elements of a literal are looked at to pick some.
const mostElements = 48

// pickPair picks the two elements that are least likely to be at a place together, not too far from each other.
func (e *elements) pickPair(l literal, far int, usable func(element) bool) pick {
	best := pick{likely: 1}
	elems := l.elems[:min(len(l.elems), mostElements)]
	for i, x := range elems {
		if !usable(x) {
			continue
		}
		for j := i + 1; j < min(i+1+far, len(elems)); j++ {
			if q := e.together(x, elems[j], j-i); usable(elems[j]) && q < best.likely {
				best = pick{[]int{i, j}, q}
			}
		}
	}
	return best
}

// together guesses how likely two elements are at a distance. Neighbours depend on each other.
func (e *elements) together(x, y element, distance int) float64 {
	q := e.probability(x) * e.probability(y)
	if distance == 1 {
		q *= 4
	}
	return q
}

func (e *elements) probability(x element) float64 {
	return min(float64(e.frequency(x)+1)/100_000, 0.99)
}

// likelihood guesses how likely a literal is at a place. Letters that make a word depend on each other.
func (e *elements) likelihood(l literal) float64 {
	p, rarest := 1.0, 1.0
	for _, x := range l.elems[:min(len(l.elems), 12)] {
		q := e.probability(x)
		rarest = min(rarest, q)
		p *= math.Pow(q, 0.3)
	}
	return p * math.Pow(rarest, 0.7)
}
