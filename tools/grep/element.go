package grep

import (
	"math/bits"
	"unicode/utf8"
)

// An element is what a byte of a literal can be: below 256 that byte, else one of the sets of the analysis.
type element uint16

// elements keeps the sets that elements stand for.
type elements struct {
	sets []byteSet
	rate []int // how many of 100,000 bytes of source code are in each set
	ids  map[byteSet]element
}

// element answers the element for a set, which is not empty.
func (e *elements) element(set byteSet) element {
	if b, ok := set.only(); ok {
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

// set answers what an element can be.
func (e *elements) set(x element) byteSet {
	if x >= 256 {
		return e.sets[x-256]
	}
	var one byteSet
	one.add(byte(x), byte(x))
	return one
}

// word tells whether all that an element can be is a word character, or nothing; if neither, it is not known. A byte beyond ASCII is
// a part of some character.
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

// frequency answers how many of 100,000 bytes of source code the element is.
func (e *elements) frequency(x element) int {
	if x < 256 {
		return frequency(byte(x))
	}
	return e.rate[x-256]
}

// masked answers an element as a mask and a value: it is the bytes that are the value with the bits of the mask set. Not
// all elements can be said in this way.
func (e *elements) masked(x element) (value, mask byte, ok bool) {
	set := e.set(x)
	switch set.len() {
	case 1:
		b, _ := set.only()
		return b, 0, true
	case 2:
		lo, hi := set.first(), set.last()
		return hi, lo ^ hi, bits.OnesCount8(lo^hi) == 1
	}
	return 0, 0, false
}
