package grep

import (
	"math/bits"
	"unicode/utf8"
)

// element is a position of a literal: below 256 a byte, otherwise a byte set of the analysis.
type element uint16

// elements stores the byte sets of elements.
type elements struct {
	sets []byteSet
	rate []int // occurrences per 100,000 bytes of source code, by set
	ids  map[byteSet]element
}

// element returns the element for a non-empty set.
func (e *elements) element(set byteSet) element {
	if b, ok := set.single(); ok {
		return element(b)
	}
	id, ok := e.ids[set]
	if !ok {
		if e.ids == nil {
			e.ids = make(map[byteSet]element)
		}
		id = element(256 + len(e.sets))
		e.sets = append(e.sets, set)
		e.rate = append(e.rate, 0)
		for b := range 256 {
			if set.has(byte(b)) {
				e.rate[id-256] += frequency(byte(b))
			}
		}
		e.ids[set] = id
	}
	return id
}

// set returns the bytes of an element.
func (e *elements) set(x element) byteSet {
	if x >= 256 {
		return e.sets[x-256]
	}
	var one byteSet
	one.add(byte(x), byte(x))
	return one
}

// word reports whether the bytes of an element are word characters. known is false if only some are. Bytes beyond ASCII are
// unknown.
func (e *elements) word(x element) (word, known bool) {
	set := e.set(x)
	if set.last() >= utf8.RuneSelf {
		return false, false
	}
	in, out := false, false
	for b := range utf8.RuneSelf {
		if set.has(byte(b)) {
			in, out = in || isWordByte(byte(b)), out || !isWordByte(byte(b))
		}
	}
	return in, in != out
}

// frequency returns the occurrences of an element per 100,000 bytes of source code.
func (e *elements) frequency(x element) int {
	if x < 256 {
		return frequency(byte(x))
	}
	return e.rate[x-256]
}

// masked returns an element as mask and value: its bytes b fulfil b&mask == value. ok is false if the set has no such form.
func (e *elements) masked(x element) (value, mask byte, ok bool) {
	set := e.set(x)
	switch set.len() {
	case 1:
		b, _ := set.single()
		return b, 0, true
	case 2:
		lo, hi := set.first(), set.last()
		return hi, lo ^ hi, bits.OnesCount8(lo^hi) == 1
	}
	return 0, 0, false
}
