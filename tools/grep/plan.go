package grep

import (
	"math"
)

// Costs of a search, in nanoseconds. Only the ratios matter.
const (
	costByte    = 0.03  // per byte of text: search for a byte
	costPair    = 0.11  // per byte of text: search for two bytes at once
	costTable   = 0.28  // per byte of text: search for many pairs
	costPlace   = 14.0  // per position that is found
	costLine    = 120.0 // per line that the machine reads because of a literal
	costMachine = 0.6   // per byte of text that the machine reads
	costASCII   = 0.03  // per byte of text: check for ASCII
)

// plan is the method of a search for a set of literals.
type plan struct {
	set   []literal
	picks []pick // for each literal
	kind  filterKind
	cost  float64 // nanoseconds per byte of source code
}

type filterKind uint8

const (
	byByte filterKind = iota
	byPair
	byTable
)

// pick is the elements of a literal that the filter searches for.
type pick struct {
	places []int   // positions in the literal, ascending
	likely float64 // probability that they occur at a position
}

// plan selects the filter for a set. line is the cost of reading a line because of a literal; it is 0 if the literals are the
// matches. The cost is infinite if no filter is usable.
func (e *elements) plan(set []literal, line float64) plan {
	p := plan{set: set, cost: math.Inf(1)}
	if len(set) == 0 {
		return p
	}
	if len(set) == 1 {
		e.planSingle(&p)
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

// planSingle plans the search for one literal: by its rarest byte if that is very rare, otherwise by two bytes.
func (e *elements) planSingle(p *plan) {
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

// planTable plans the search for any set of literals.
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

// maxPickElements is the number of elements of a literal from which bytes are picked.
const maxPickElements = 48

// pickPair picks the two elements, at most far apart, that are least likely to occur together.
func (e *elements) pickPair(l literal, far int, usable func(element) bool) pick {
	best := pick{likely: 1}
	elems := l.elems[:min(len(l.elems), maxPickElements)]
	for i, x := range elems {
		if !usable(x) {
			continue
		}
		for j := i + 1; j < min(i+1+far, len(elems)); j++ {
			if q := e.jointProbability(x, elems[j], j-i); usable(elems[j]) && q < best.likely {
				best = pick{[]int{i, j}, q}
			}
		}
	}
	return best
}

// jointProbability estimates the probability of two elements at a distance. Adjacent elements are dependent.
func (e *elements) jointProbability(x, y element, distance int) float64 {
	q := e.probability(x) * e.probability(y)
	if distance == 1 {
		q *= 4
	}
	return q
}

func (e *elements) probability(x element) float64 {
	return min(float64(e.frequency(x)+1)/100_000, 0.99)
}

// likelihood estimates the probability of a literal at a position. Letters of a word are dependent.
func (e *elements) likelihood(l literal) float64 {
	p, rarest := 1.0, 1.0
	for _, x := range l.elems[:min(len(l.elems), 12)] {
		q := e.probability(x)
		rarest = min(rarest, q)
		p *= math.Pow(q, 0.3)
	}
	return p * math.Pow(rarest, 0.7)
}
