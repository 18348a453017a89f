package segment

import "math/bits"

// bitset is a set of small numbers. nil is an empty set.
type bitset []uint64

func newBitset(n uint32) bitset { return make(bitset, (uint64(n)+63)/64) }

func (b bitset) has(i uint32) bool {
	return int(i/64) < len(b) && b[i/64]>>(i%64)&1 != 0
}

func (b bitset) set(i uint32) { b[i/64] |= 1 << (i % 64) }

// setRange adds the numbers from from to to-1.
func (b bitset) setRange(from, to uint32) {
	for ; from < to && from%64 != 0; from++ {
		b.set(from)
	}
	for ; from+64 <= to; from += 64 {
		b[from/64] = ^uint64(0)
	}
	for ; from < to; from++ {
		b.set(from)
	}
}

func (b bitset) count() int {
	n := 0
	for _, word := range b {
		n += bits.OnesCount64(word)
	}
	return n
}

// list returns the numbers in ascending order.
func (b bitset) list() []uint32 {
	var list []uint32
	for i, word := range b {
		for ; word != 0; word &= word - 1 {
			list = append(list, uint32(64*i+bits.TrailingZeros64(word)))
		}
	}
	return list
}
