package segment

import (
	"encoding/binary"
	"math"
	"math/bits"
)

// end is behind every piece.
const end = math.MaxUint32

// cursor goes through a list of postings.
type cursor struct {
	pieces [blockSize]uint32
	tfs    [blockSize]frequencies
	at, n  int // in the block
	piece  uint32

	blocks []blockEntry
	ahead  int // the next block
	data   []byte
	limit  uint32 // pieces of the segment
	bad    bool
	padded []byte
}

type blockEntry struct {
	after  int64 // the last piece of the block before
	last   uint32
	count  int32
	offset uint32
	length uint32
}

// open begins a list of count postings and goes to the first.
func (c *cursor) open(data []byte, count int, pieces uint32) {
	c.blocks, c.ahead, c.at, c.n, c.limit, c.bad = c.blocks[:0], 0, 0, 0, pieces, false
	c.data = data
	switch {
	case count <= 0 || uint32(count) > pieces:
		c.fail()
		return
	case count <= blockSize:
		c.blocks = append(c.blocks, blockEntry{after: -1, last: pieces - 1, count: int32(count), length: uint32(len(data))})
	case !c.readTable(count):
		c.fail()
		return
	}
	c.load()
}

func (c *cursor) readTable(count int) bool {
	last, offset := int64(-1), uint64(0)
	for left := count; left > 0; left -= blockSize {
		gap, n := binary.Uvarint(c.data)
		length, m := binary.Uvarint(c.data[max(n, 0):])
		if n <= 0 || m <= 0 || gap > uint64(c.limit) || length > math.MaxInt32 {
			return false
		}
		c.data = c.data[n+m:]
		e := blockEntry{after: last, count: int32(min(left, blockSize)), offset: uint32(offset), length: uint32(length)}
		last += int64(gap)
		offset += length
		if last >= int64(c.limit) || offset > math.MaxUint32 {
			return false
		}
		e.last = uint32(last)
		c.blocks = append(c.blocks, e)
	}
	return offset <= uint64(len(c.data))
}

// fail ends a list that is damaged.
func (c *cursor) fail() {
	c.bad, c.ahead, c.blocks = true, 0, c.blocks[:0]
	c.at, c.n, c.piece = 0, 0, end
}

// load decodes the next block, and stands on its first posting.
func (c *cursor) load() {
	if c.ahead >= len(c.blocks) {
		c.at, c.n, c.piece = 0, 0, end
		return
	}
	e := c.blocks[c.ahead]
	c.ahead++
	span := c.limit
	if len(c.blocks) > 1 {
		span = uint32(int64(e.last) - e.after)
	}
	if !c.decode(e, riceBits(span, uint32(e.count))) {
		c.fail()
		return
	}
	c.at, c.n, c.piece = 0, int(e.count), c.pieces[0]
}

// bytesOf are the bytes of a block, with padding behind it.
func (c *cursor) bytesOf(e blockEntry) []byte {
	if rest := c.data[e.offset:]; len(rest) >= int(e.length)+padding {
		return rest[:int(e.length)+padding]
	}
	c.padded = append(append(c.padded[:0], c.data[e.offset:e.offset+e.length]...), make([]byte, padding)...)
	return c.padded
}

// decode reads a block. Most of the time of a search is spent here.
func (c *cursor) decode(e blockEntry, k uint) bool {
	data := c.bytesOf(e)
	w := wideBits{}.filled(data)
	common := uint32(w.acc & (1<<maskBits - 1))
	w = w.dropped(maskBits)
	if common == 0 {
		return false
	}
	single := common&(common-1) == 0
	once := frequencies(1) << (8 * bits.TrailingZeros32(common))
	last := e.after
	for i := range int(e.count) {
		if w.pos > len(data)-padding+8 {
			return false
		}
		w = w.filled(data)
		q := uint(bits.TrailingZeros64(w.acc | 1<<escape))
		w = w.dropped(q + 1)
		if q < escape {
			last += int64(q)<<k + int64(w.acc&(1<<k-1)) + 1
			w = w.dropped(k)
		} else {
			w = w.filled(data)
			last += int64(uint32(w.acc)) + 1
			w = w.dropped(32)
		}
		if last > int64(e.last) {
			return false
		}
		c.pieces[i] = uint32(last)
		w = w.filled(data)
		if single && w.acc&3 == 3 { // once in the field that is usual
			c.tfs[i] = once
			w = w.dropped(2)
			continue
		}
		if c.tfs[i], w = w.frequencies(data, common); c.tfs[i] == 0 {
			return false
		}
	}
	return w.pos*8-int(w.n) <= int(e.length)*8
}

// next goes to the next posting; piece is end behind the last.
func (c *cursor) next() { c.move(c.at + 1) }

// move goes to a posting of the block, or behind the last of it.
func (c *cursor) move(at int) {
	if c.at = at; at < c.n {
		c.piece = c.pieces[at]
		return
	}
	c.load()
}

func (c *cursor) tf() frequencies { return c.tfs[c.at] }

// seek goes to the first posting at a piece or behind it.
func (c *cursor) seek(piece uint32) {
	if c.piece >= piece {
		return
	}
	if c.n == 0 || c.pieces[c.n-1] < piece {
		for c.ahead < len(c.blocks) && c.blocks[c.ahead].last < piece {
			c.ahead++
		}
		c.load()
	}
	for c.at < c.n && c.pieces[c.at] < piece {
		c.at++
	}
	if c.at < c.n {
		c.piece = c.pieces[c.at]
	} else if c.piece != end {
		c.load() // a single block says nothing of its last piece
	}
}
