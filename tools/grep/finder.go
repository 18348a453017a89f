package grep

import (
	"bytes"
	"regexp/syntax"
	"unicode/utf8"
)

// finder finds a set of literals: a filter selects positions, which are then compared.
type finder struct {
	needles    []needle
	filter     filter
	exactMatch bool // whether all conditions of the literals are checked, so that each hit is a match
}

// finder returns the finder of a plan. strict checks the conditions of literals as they apply in lines.
func (e *elements) finder(p plan, strict bool) *finder {
	f := &finder{exactMatch: strict}
	for i, l := range p.set {
		n := e.needle(l, p.picks[i].places[0])
		if !strict {
			n.begin, n.end = 0, 0
		}
		f.exactMatch = f.exactMatch && !l.unchecked
		f.needles = append(f.needles, n)
	}
	switch p.kind {
	case byByte:
		f.filter = byteFilter(p.set[0].elems[p.picks[0].places[0]])
	case byPair:
		f.filter = e.pairFilter(p.set[0], p.picks[0])
	case byTable:
		f.filter = e.tableFilter(p)
	}
	return f
}

// first returns the first literal in a text. ok is false unless the finder has a single literal whose hits are matches.
func (f *finder) first(text []byte) (from, to int, ok bool) {
	if f == nil || !f.exactMatch || len(f.needles) != 1 {
		return 0, 0, false
	}
	n, h := &f.needles[0], literalSearch{finder: f, text: text, unlimited: true}
	if from = h.find(0); from < 0 {
		return 0, 0, false
	}
	from -= n.offset
	return from, from + len(n.text) + len(n.sets), true
}

// Special results of literalSearch.find.
const (
	notFound    = -1 // no further literal
	tooFrequent = -2 // the filter finds too many positions to continue
)

// literalSearch is one search of a text by a finder, in ascending order.
type literalSearch struct {
	*finder
	text       []byte
	unlimited  bool // whether it continues regardless of the cost
	misses     int
	prefetched int // bytes of a large text that were loaded into the cache
}

// readEnd returns the end of the part to read from at on: at least least bytes, unless the text is shorter. It loads this part
// of a large text into the processor cache first, which makes the filter faster.
func (h *literalSearch) readEnd(at, least int) int {
	const large, ahead = 1 << 20, 32 << 10
	if len(h.text) < large {
		return len(h.text)
	}
	if at+least > h.prefetched {
		from := max(at, h.prefetched)
		h.prefetched = min(from+ahead+least, len(h.text))
		bytes.Count(h.text[from:h.prefetched], lf)
	}
	return h.prefetched
}

// find returns the first position from from on within a literal.
func (h *literalSearch) find(from int) int { return h.filter.find(h, from) }

// match reports whether a literal of the groups is at a position found by the filter.
func (h *literalSearch) match(at int, groups uint8) bool {
	for i := range h.needles {
		if groups>>(i&7)&1 != 0 && h.needles[i].at(h.text, at) {
			return true
		}
	}
	return false
}

// recordMiss counts a position without a literal, and reports whether there were too many.
func (h *literalSearch) recordMiss(at int) bool {
	const fair, few = 16, 64 // minimum bytes of text per miss; misses that are always accepted
	h.misses++
	return h.misses > few && h.misses*fair > at && !h.unlimited
}

// needle is a literal prepared for comparison.
type needle struct {
	offset     int    // of the position that the filter finds
	text       string // of a literal without byte sets
	sets       []byteSet
	begin, end syntax.EmptyOp
}

func (e *elements) needle(l literal, offset int) needle {
	n := needle{offset: offset, begin: l.begin, end: l.end}
	var text []byte
	for _, x := range l.elems {
		if x < 256 {
			text = append(text, byte(x))
		}
	}
	if len(text) == len(l.elems) {
		n.text = string(text)
		return n
	}
	for _, x := range l.elems {
		n.sets = append(n.sets, e.set(x))
	}
	return n
}

// at reports whether the literal is at a position found by the filter.
func (n *needle) at(text []byte, found int) bool {
	from := found - n.offset
	to := from + len(n.text) + len(n.sets)
	if from < 0 || to > len(text) {
		return false
	}
	if n.sets == nil && string(text[from:to]) != n.text {
		return false
	}
	for i := range n.sets {
		if !n.sets[i].has(text[from+i]) {
			return false
		}
	}
	return (n.begin == 0 || meets(text, from, n.begin)) && (n.end == 0 || meets(text, to, n.end))
}

// meets reports whether a position in a text of lines fulfils conditions.
func meets(text []byte, at int, look syntax.EmptyOp) bool {
	before, behind := byte('\n'), byte('\n')
	if at > 0 {
		before = text[at-1]
	}
	if at < len(text) {
		behind = text[at]
	}
	var is syntax.EmptyOp
	if before == '\n' || before == '\r' {
		is |= syntax.EmptyBeginLine | syntax.EmptyBeginText
	}
	if behind == '\n' || behind == '\r' {
		is |= syntax.EmptyEndLine | syntax.EmptyEndText
	}
	if wordBefore(text, at) != wordBehind(text, at) {
		is |= syntax.EmptyWordBoundary
	} else {
		is |= syntax.EmptyNoWordBoundary
	}
	return look&^is == 0
}

// wordBefore reports whether the character before a position is a word character, wordBehind whether the character behind it is
// one.
func wordBefore(text []byte, at int) bool {
	switch {
	case at == 0:
		return false
	case text[at-1] < utf8.RuneSelf:
		return isWordByte(text[at-1])
	}
	r, _ := utf8.DecodeLastRune(text[:at])
	return isWordRune(r)
}

func wordBehind(text []byte, at int) bool {
	switch {
	case at == len(text):
		return false
	case text[at] < utf8.RuneSelf:
		return isWordByte(text[at])
	}
	r, _ := utf8.DecodeRune(text[at:])
	return isWordRune(r)
}
