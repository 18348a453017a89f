package segment

import (
	"encoding/binary"
	"math/bits"
	"slices"

	"github.com/dougu-go/dougu/tools/search/index"
)

// posting says how often a word is in the fields of a piece.
type posting struct {
	piece uint32
	tf    frequencies
}

// frequencies has eight bits for each field.
type frequencies uint64

func (f frequencies) of(field int) uint32 { return uint32(f>>(8*field)) & 0xFF }

// mask has a bit for each field in which the word is.
func (f frequencies) mask() uint32 {
	const low = 0x7F7F7F7F7F7F7F7F
	some := (uint64(f)&low + low | uint64(f)) &^ low >> 7 // a one in each byte that is not 0
	return uint32(some * 0x0102040810204080 >> 56)
}

// maskBits is how long a mask is.
const maskBits = uint(index.Fields)

// blockSize is how many postings there are in a block, except for the last one.
const blockSize = 128

// appendPostings appends a list. Those of more than one block begin with a table
// of the blocks: by how much the last piece lies behind that of the block before,
// and the length in bytes. pieces is how many pieces the segment has.
func appendPostings(dst []byte, list []posting, pieces uint32) []byte {
	if len(list) <= blockSize {
		return appendBlock(dst, list, -1, riceBits(pieces, uint32(len(list))))
	}
	var table, blocks []byte
	last := int64(-1)
	for part := range slices.Chunk(list, blockSize) {
		end := int64(part[len(part)-1].piece)
		from := len(blocks)
		blocks = appendBlock(blocks, part, last, riceBits(uint32(end-last), uint32(len(part))))
		table = binary.AppendUvarint(table, uint64(end-last))
		table = binary.AppendUvarint(table, uint64(len(blocks)-from))
		last = end
	}
	return append(append(dst, table...), blocks...)
}

// appendBlock appends postings behind the piece last: the mask that most have, and
// for each the gap, whether its mask is that one, else which, and the frequencies.
func appendBlock(dst []byte, list []posting, last int64, k uint) []byte {
	common := commonMask(list)
	w := bitWriter{buf: dst}
	w.put(uint64(common), maskBits)
	for _, p := range list {
		w.rice(uint32(int64(p.piece)-last-1), k)
		last = int64(p.piece)
		m := p.tf.mask()
		if m == common {
			w.put(1, 1)
		} else {
			w.put(uint64(m)<<1, 1+maskBits)
		}
		for ; m != 0; m &= m - 1 {
			w.gamma(p.tf.of(bits.TrailingZeros32(m)))
		}
	}
	w.align()
	return w.buf
}

// commonMask is the mask that most postings have.
func commonMask(list []posting) uint32 {
	if len(list) == 1 {
		return list[0].tf.mask()
	}
	var counts [1 << maskBits]int
	common := uint32(0)
	for _, p := range list {
		m := p.tf.mask()
		if counts[m]++; counts[m] > counts[common] {
			common = m
		}
	}
	return common
}
