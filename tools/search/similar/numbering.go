package similar

import "math/bits"

// numbering assigns consecutive numbers, from 0, to hashes.
type numbering struct {
	slots []slot
	shift int
	n     int32
}

type slot struct {
	hash   uint64
	number int32 // number plus 1; 0 for a free slot
}

// newNumbering returns a numbering for n hashes.
func newNumbering(n int) numbering {
	size := bits.Len(uint(max(2*n, 4) - 1))
	return numbering{slots: make([]slot, 1<<size), shift: 64 - size}
}

// slot returns the slot of a hash, or the free slot for it.
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

// add returns the number of a hash, and assigns the next one to a new hash.
func (t *numbering) add(hash uint64) int32 {
	s := t.slot(hash)
	if s.number == 0 {
		t.n++
		*s = slot{hash, t.n}
	}
	return s.number - 1
}

// find returns the number of a hash, or -1.
func (t *numbering) find(hash uint64) int32 { return t.slot(hash).number - 1 }
