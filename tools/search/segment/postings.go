package segment

import (
	"encoding/binary"
	"math"
	"math/bits"
	"slices"

	"github.com/dougu-go/dougu/tools/search/index"
)

// posting holds a piece and the frequencies of a word in its fields.
type posting struct {
	piece uint32
	tf    frequencies
}

// frequencies has eight bits for each field.
type frequencies uint64

func (f frequencies) of(field int) uint32 { return uint32(f>>(8*field)) & 0xFF }

// mask returns a bit for each field that contains the word.
func (f frequencies) mask() uint32 {
	const low = 0x7F7F7F7F7F7F7F7F
	some := (uint64(f)&low + low | uint64(f)) &^ low >> 7 // the lowest bit of each byte that is not 0
	return uint32(some * 0x0102040810204080 >> 56)
}

// maskBits is the number of bits of a mask.
const maskBits = uint(index.Fields)

// blockSize is the number of postings in each block except the last.
const blockSize = 128

// appendPostings appends a list of postings. A list of several blocks begins with a
// table: for each block the distance of its last piece from that of the block before,
// and its length in bytes. pieces is the number of pieces in the segment.
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

// appendBlock appends the postings after piece last. A block has its most frequent
// mask, and for each posting the gap, the mask if it differs, and the frequencies.
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

// commonMask returns the most frequent mask.
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

// end is greater than every piece number.
const end = math.MaxUint32

// cursor iterates over a list of postings.
type cursor struct {
	pieces [blockSize]uint32
	tfs    [blockSize]frequencies
	at, n  int // position in the block, and its length
	piece  uint32

	blocks []blockEntry
	ahead  int // index of the next block
	data   []byte
	limit  uint32 // number of pieces in the segment
	bad    bool   // the data is invalid; the cursor is at its end
	padded []byte // copy of a block with zero bytes after it, for wide reads
}

type blockEntry struct {
	after  int64 // last piece of the block before
	last   uint32
	count  int32
	offset uint32
	length uint32
}

// open positions the cursor on the first of count postings.
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

// fail ends a damaged list.
func (c *cursor) fail() {
	c.bad, c.ahead, c.blocks = true, 0, c.blocks[:0]
	c.at, c.n, c.piece = 0, 0, end
}

// load decodes the next block and moves to its first posting.
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

// bytesOf returns the bytes of a block with padding.
func (c *cursor) bytesOf(e blockEntry) []byte {
	if rest := c.data[e.offset:]; len(rest) >= int(e.length)+padding {
		return rest[:int(e.length)+padding]
	}
	c.padded = append(append(c.padded[:0], c.data[e.offset:e.offset+e.length]...), make([]byte, padding)...)
	return c.padded
}

// decode decodes a block. Searches spend most of their time here.
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
		if single && w.acc&3 == 3 { // one occurrence in the most frequent field
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

// next moves to the next posting. At the end, piece is end.
func (c *cursor) next() { c.move(c.at + 1) }

// move moves to a posting of the block, or past its end.
func (c *cursor) move(at int) {
	if c.at = at; at < c.n {
		c.piece = c.pieces[at]
		return
	}
	c.load()
}

func (c *cursor) tf() frequencies { return c.tfs[c.at] }

// seek moves to the first posting whose piece is not less than the given one.
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
		c.load() // a list of one block has no table with its last piece
	}
}

// bitWriter appends numbers of some bits each to bytes, the lowest bit first.
type bitWriter struct {
	buf []byte
	acc uint64
	n   uint
}

// put appends the lowest bits of v, at most 32; the others must be 0.
func (w *bitWriter) put(v uint64, size uint) {
	w.acc |= v << w.n
	w.n += size
	if w.n >= 32 {
		w.buf = binary.LittleEndian.AppendUint32(w.buf, uint32(w.acc))
		w.acc >>= 32
		w.n -= 32
	}
}

// align fills the last byte with zero bits.
func (w *bitWriter) align() {
	for ; w.n > 0; w.n -= min(w.n, 8) {
		w.buf = append(w.buf, byte(w.acc))
		w.acc >>= 8
	}
	w.acc = 0
}

// escape is the number of zero bits that precede an uncompressed number.
const escape = 24

// rice appends v in Rice code with k low bits.
func (w *bitWriter) rice(v uint32, k uint) {
	q := uint(uint64(v) >> k)
	if q >= escape {
		w.put(1<<escape, escape+1)
		w.put(uint64(v), 32)
		return
	}
	if low := uint64(v) & (1<<k - 1); q+1+k <= 32 {
		w.put(1<<q|low<<(q+1), q+1+k)
	} else {
		w.put(1<<q, q+1)
		w.put(low, k)
	}
}

// gamma appends v, from 1 to 65,535, by Elias' gamma code.
func (w *bitWriter) gamma(v uint32) {
	n := uint(bits.Len32(v)) - 1
	w.put(1<<n|(uint64(v)-1<<n)<<(n+1), 2*n+1)
}

// bitReader reads the output of a bitWriter. Zero bits follow after the end.
type bitReader struct {
	data []byte
	pos  int
	acc  uint64
	n    uint
	over uint // bits of acc after the end of the data
}

// fill loads at least 32 bits into acc.
func (r *bitReader) fill() {
	if r.n > 32 {
		return
	}
	if r.pos+4 <= len(r.data) {
		r.acc |= uint64(binary.LittleEndian.Uint32(r.data[r.pos:])) << r.n
		r.pos += 4
		r.n += 32
		return
	}
	r.fillEnd()
}

func (r *bitReader) fillEnd() {
	for ; r.n <= 32; r.n += 8 {
		if r.pos < len(r.data) {
			r.acc |= uint64(r.data[r.pos]) << r.n
			r.pos++
		} else {
			r.over += 8
		}
	}
}

// overrun reports whether more bits were read than exist.
func (r *bitReader) overrun() bool { return r.over > r.n }

// take reads size bits, at most 32, after a fill.
func (r *bitReader) take(size uint) uint32 {
	v := uint32(r.acc & (1<<size - 1))
	r.acc >>= size
	r.n -= size
	return v
}

func (r *bitReader) rice(k uint) uint32 {
	r.fill()
	q := uint(bits.TrailingZeros64(r.acc | 1<<escape))
	r.acc >>= q + 1
	r.n -= q + 1
	if r.n < 32 {
		r.fill()
	}
	if q == escape {
		return r.take(32)
	}
	return uint32(q)<<k | r.take(k)
}

// gamma reads a number of at most 16 bits.
func (r *bitReader) gamma() uint32 {
	r.fill()
	n := uint(bits.TrailingZeros64(r.acc | 1<<15))
	r.acc >>= n + 1
	r.n -= n + 1
	return 1<<n | r.take(n)
}

// padding is the number of bytes that must follow data for wideBits. It exceeds the
// size of a posting.
const padding = 48

// wideBits is a faster bitReader that reads eight bytes at once and fits registers. The
// caller keeps pos within the data.
type wideBits struct {
	acc uint64
	n   uint
	pos int
}

// filled returns w with at least 56 bits in acc.
func (w wideBits) filled(data []byte) wideBits {
	w.acc |= binary.LittleEndian.Uint64(data[w.pos:]) << w.n
	w.pos += int((63 - w.n) >> 3)
	w.n |= 56
	return w
}

func (w wideBits) dropped(size uint) wideBits {
	w.acc >>= size
	w.n -= size
	return w
}

// frequencies reads the frequencies of a posting. They are 0 for invalid data.
func (w wideBits) frequencies(data []byte, common uint32) (frequencies, wideBits) {
	usual := w.acc&1 != 0
	w = w.dropped(1)
	if !usual {
		common = uint32(w.acc & (1<<maskBits - 1))
		w = w.dropped(maskBits)
	}
	tf := frequencies(0)
	for ; common != 0; common &= common - 1 {
		w = w.filled(data)
		size := uint(bits.TrailingZeros64(w.acc | 1<<7)) // the bit 1<<7 limits the size for values up to 255
		tf |= frequencies(w.acc>>(size+1)&(1<<size-1)|1<<size) << (8 * bits.TrailingZeros32(common))
		w = w.dropped(2*size + 1)
	}
	return tf, w
}

// riceBits returns the best number of low bits for count numbers with the sum span.
func riceBits(span, count uint32) uint {
	mean := span / max(count, 1)
	if mean < 2 {
		return 0
	}
	return min(uint(bits.Len32(mean*7/10+1))-1, 28)
}
