package similar

import "math/bits"

// numbering gives hashes small numbers, from 0 on.
type numbering struct {
	slots []slot
	shift int
	n     int32
}

type slot struct {
	hash   uint64
	number int32 // and 1; 0 is a free slot
}

// newNumbering has room for so many hashes.
func newNumbering(n int) numbering {
	size := bits.Len(uint(max(2*n, 4) - 1))
	return numbering{slots: make([]slot, 1<<size), shift: 64 - size}
}

// slot is where a hash is, or would be.
func (t *numbering) slot(hash uint64) *slot {
	at := int(hash * 0x9E3779B97F4A7C15 >> t.shift)
	for {
		s := &t.slots[at]
		if s.number == 0 || s.hash == hash {
			return s
		}
		at = (at + 1) & (len(t.slots) - 1)
	}
}

// add is the number of a hash, a new one if it has none.
func (t *numbering) add(hash uint64) int32 {
	s := t.slot(hash)
	if s.number == 0 {
		t.n++
		*s = slot{hash, t.n}
	}
	return s.number - 1
}

// find is the number of a hash, or -1.
func (t *numbering) find(hash uint64) int32 { return t.slot(hash).number - 1 }
