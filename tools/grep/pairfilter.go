package grep

import (
	"encoding/binary"
	"math/bits"
)

// pairFilter finds two bytes at a fixed distance, in eight positions at a time.
type pairFilter struct {
	near, far         uint64 // each byte, repeated eight times
	nearMask, farMask uint64 // ignored bits; see elements.masked
	distance          int
}

func (e *elements) pairFilter(l literal, p pick) *pairFilter {
	near, nearMask, _ := e.masked(l.elems[p.places[0]])
	far, farMask, _ := e.masked(l.elems[p.places[1]])
	return &pairFilter{
		near: lowBits * uint64(near), nearMask: lowBits * uint64(nearMask),
		far: lowBits * uint64(far), farMask: lowBits * uint64(farMask), distance: p.places[1] - p.places[0],
	}
}

// Lowest and highest bit of each byte of a word.
const (
	lowBits  = 0x0101010101010101
	highBits = 0x8080808080808080
)

func word(b []byte) uint64 { return binary.LittleEndian.Uint64(b) }

// zeros sets the highest bit of each zero byte of a word. Other bits are undefined. A byte above a zero byte may be marked in
// error.
func zeros(word uint64) uint64 { return (word - lowBits) &^ word }

// differ returns a word with a zero byte at each position of the pair.
func (f *pairFilter) differ(near, far uint64) uint64 {
	return ((near | f.nearMask) ^ f.near) | ((far | f.farMask) ^ f.far)
}

func (f *pairFilter) find(h *literalSearch, from int) int {
	const block = 32 // bytes read by search at once
	text := h.text
	at := from
	for len(text)-at >= f.distance+block {
		at += f.search(text[at:h.readEnd(at, f.distance+block)])
		for end := min(at+block, len(text)-f.distance-7); at < end; at += 8 {
			marks := zeros(f.differ(word(text[at:]), word(text[at+f.distance:]))) & highBits
			for ; marks != 0; marks &= marks - 1 {
				place := at + bits.TrailingZeros64(marks)/8
				if h.match(place, 1) {
					return place
				}
				if h.recordMiss(place) {
					return tooFrequent
				}
			}
		}
	}
	for ; at+f.distance < len(text); at++ {
		if byte(f.differ(uint64(text[at]), uint64(text[at+f.distance]))) == 0 && h.match(at, 1) {
			return at
		}
	}
	return notFound
}

// search returns the start of the first 32-byte block that contains the pair, or of the rest of the text.
func (f *pairFilter) search(text []byte) int {
	near, far := text, text[f.distance:]
	a, b, am, bm := f.near, f.far, f.nearMask, f.farMask
	for len(near) >= 32 && len(far) >= 32 {
		n, d := (*[32]byte)(near), (*[32]byte)(far)
		x := ((word(n[0:8]) | am) ^ a) | ((word(d[0:8]) | bm) ^ b)
		y := ((word(n[8:16]) | am) ^ a) | ((word(d[8:16]) | bm) ^ b)
		found := zeros(x) | zeros(y)
		x = ((word(n[16:24]) | am) ^ a) | ((word(d[16:24]) | bm) ^ b)
		y = ((word(n[24:32]) | am) ^ a) | ((word(d[24:32]) | bm) ^ b)
		if found |= zeros(x) | zeros(y); found&highBits != 0 {
			break
		}
		near, far = near[32:], far[32:]
	}
	return len(text) - len(near)
}
