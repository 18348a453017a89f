package grep

import (
	"bytes"
	"regexp/syntax"
	"unicode/utf8"
)

// finder finds the literals of a set: a filter finds places where one may be, which are then looked at.
type finder struct {
	needles []needle
	filter  filter
	whole   bool // the conditions of the literals are looked at, all of them
}

// finder makes the finder of a plan. If strict, it looks at conditions as lines have them; else it leaves them out.
func (e *elements) finder(p plan, strict bool) *finder {
	f := &finder{whole: strict}
	for i, l := range p.set {
		n := e.needle(l, p.picks[i].places[0])
		if !strict {
			n.begin, n.end = 0, 0
		}
		f.whole = f.whole && !l.loose
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

// first answers the first literal in a text if it is a match and there is but one of its kind.
func (f *finder) first(text []byte) (from, to int, ok bool) {
	if f == nil || !f.whole || len(f.needles) != 1 {
		return 0, 0, false
	}
	n, h := &f.needles[0], hunt{finder: f, text: text, patient: true}
	if from = h.find(0); from < 0 {
		return 0, 0, false
	}
	from -= n.offset
	return from, from + len(n.text) + len(n.sets), true
}

// What hunt.find answers instead of a place.
const (
	nothing  = -1 // there is no literal
	tooOften = -2 // the filter finds too much to go on
)

// hunt is a search by a finder, in order.
type hunt struct {
	*finder
	text    []byte
	patient bool // goes on whatever it costs
	misses  int
	fetched int // how much of a large text has been brought near
}

// stretch answers where to read up to, from a place on, at least the given number of bytes unless the text is shorter. A
// text that is larger than the caches of a processor is brought near in between, at the speed of memory: a filter reads it
// faster then than it comes by itself.
func (h *hunt) stretch(at, least int) int {
	const large, ahead = 1 << 20, 32 << 10
	if len(h.text) < large {
		return len(h.text)
	}
	if at+least > h.fetched {
		from := max(at, h.fetched)
		h.fetched = min(from+ahead+least, len(h.text))
		bytes.Count(h.text[from:h.fetched], lf)
	}
	return h.fetched
}

// find answers a place at from or behind it that is in a literal.
func (h *hunt) find(from int) int { return h.filter.find(h, from) }

// match tells whether one of some groups of literals is where the filter found something.
func (h *hunt) match(at int, groups uint8) bool {
	for i := range h.needles {
		if groups>>(i&7)&1 != 0 && h.needles[i].at(h.text, at) {
			return true
		}
	}
	return false
}

// missed counts a place that was looked at in vain, and tells whether there were too many.
func (h *hunt) missed(at int) bool {
	const fair, few = 16, 64 // bytes of text for such a place; such places that say nothing yet
	h.misses++
	return h.misses > few && h.misses*fair > at && !h.patient
}

// needle is a literal as it is compared.
type needle struct {
	offset     int    // of what the filter finds
	text       string // if it is only itself
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

// at tells whether the literal is where the filter found something.
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

// meets tells whether a place in a text of lines meets conditions.
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

// wordBefore reports whether the character in front of a place is one of \w, and wordBehind the character behind it.
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
