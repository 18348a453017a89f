package grep

import (
	"regexp/syntax"
	"slices"
)

// A literal is a string of elements, with what must be true of the places in front of it and behind it.
type literal struct {
	elems      []element
	begin, end syntax.EmptyOp // with no elements, both are about the one place
	loose      bool           // there is a condition inside that is not looked at
}

// plain is a literal that is only itself.
func plain(text string) literal {
	var l literal
	for i := range len(text) {
		l.elems = append(l.elems, element(text[i]))
	}
	return l
}

// then joins two literals. It is false if nothing can be the one followed by the other.
func (e *elements) then(a, b literal) (literal, bool) {
	joined := literal{elems: slices.Concat(a.elems, b.elems), begin: a.begin, end: b.end, loose: a.loose || b.loose}
	here := a.end | b.begin
	switch {
	case len(a.elems) == 0 && len(b.elems) == 0:
		joined.begin, joined.end = here, here
	case len(a.elems) == 0:
		joined.begin = here
	case len(b.elems) == 0:
		joined.end = here
	case here != 0:
		possible, known := e.between(a.elems[len(a.elems)-1], b.elems[0], here)
		joined.loose = joined.loose || !known
		return joined, possible
	}
	return joined, true
}

// between tells whether conditions can be met between two elements, none of which is a line end, and whether they
// certainly are if so.
func (e *elements) between(left, right element, look syntax.EmptyOp) (possible, known bool) {
	const lineEnds = syntax.EmptyBeginLine | syntax.EmptyEndLine | syntax.EmptyBeginText | syntax.EmptyEndText
	if look&lineEnds != 0 {
		return false, true
	}
	l, leftKnown := e.word(left)
	r, rightKnown := e.word(right)
	if !leftKnown || !rightKnown {
		return true, false
	}
	if l != r {
		return look&syntax.EmptyNoWordBoundary == 0, true
	}
	return look&syntax.EmptyWordBoundary == 0, true
}

// equal tells whether two literals are the same.
func (a literal) equal(b literal) bool {
	return a.begin == b.begin && a.end == b.end && a.loose == b.loose && slices.Equal(a.elems, b.elems)
}

// covers tells whether a literal stands wherever another one stands: somewhere in it.
func (e *elements) covers(short, long literal) bool {
	if short.begin|short.end != 0 {
		return short.equal(long)
	}
	for i := range len(long.elems) - len(short.elems) + 1 {
		if e.includes(short.elems, long.elems[i:]) {
			return true
		}
	}
	return false
}

// includes tells whether elements can be all that others can, as far as they go.
func (e *elements) includes(elems, others []element) bool {
	for i, x := range elems {
		if x == others[i] {
			continue
		}
		set, other := e.set(x), e.set(others[i])
		if !other.within(&set) {
			return false
		}
	}
	return true
}

// product is every literal of a followed by every one of b.
func (e *elements) product(a, b []literal) []literal {
	all := make([]literal, 0, len(a)*len(b))
	for _, l := range a {
		for _, other := range b {
			if joined, ok := e.then(l, other); ok {
				all = append(all, joined)
			}
		}
	}
	return all
}

// distinct leaves out repetitions.
func distinct(set []literal) []literal {
	kept := []literal{}
	for _, l := range set {
		if !slices.ContainsFunc(kept, l.equal) {
			kept = append(kept, l)
		}
	}
	return kept
}

// shortest leaves out the literals that have another one in them: where they are, that one is too.
func (e *elements) shortest(set []literal) []literal {
	sorted := slices.SortedStableFunc(slices.Values(set), func(a, b literal) int { return len(a.elems) - len(b.elems) })
	var kept []literal
	for _, l := range sorted {
		if !slices.ContainsFunc(kept, func(short literal) bool { return e.covers(short, l) }) {
			kept = append(kept, l)
		}
	}
	return kept
}
