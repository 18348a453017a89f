package grep

import (
	"regexp/syntax"
	"slices"
)

// literal is a string of elements with conditions on the positions before and behind it.
type literal struct {
	elems      []element
	begin, end syntax.EmptyOp // without elements, both apply to the same position
	unchecked  bool           // whether a condition inside is not checked
}

// plain returns a literal without byte sets.
func plain(text string) literal {
	var l literal
	for i := range len(text) {
		l.elems = append(l.elems, element(text[i]))
	}
	return l
}

// then concatenates two literals. ok is false if they cannot follow each other.
func (e *elements) then(a, b literal) (literal, bool) {
	joined := literal{elems: slices.Concat(a.elems, b.elems), begin: a.begin, end: b.end, unchecked: a.unchecked || b.unchecked}
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
		joined.unchecked = joined.unchecked || !known
		return joined, possible
	}
	return joined, true
}

// between reports whether conditions can hold between two elements that are no line ends, and whether they certainly do.
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

// equal reports whether two literals are identical.
func (a literal) equal(b literal) bool {
	return a.begin == b.begin && a.end == b.end && a.unchecked == b.unchecked && slices.Equal(a.elems, b.elems)
}

// covers reports whether each occurrence of long contains short.
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

// includes reports whether elems accept all bytes of others.
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

// product returns each literal of a followed by each of b.
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

// distinct removes duplicates.
func distinct(set []literal) []literal {
	kept := []literal{}
	for _, l := range set {
		if !slices.ContainsFunc(kept, l.equal) {
			kept = append(kept, l)
		}
	}
	return kept
}

// shortest removes literals that contain another one of the set.
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
