package segment

import (
	"encoding/binary"
	"math/bits"
)

// trigramEncoder writes the trigrams that there are, with how many files have each
// and how long that list is, and a table of where to begin to look.
type trigramEncoder struct {
	entries, table []byte
	n              int
	last           uint32
	lists          uint64 // bytes
}

// trigramsInBlock is how many trigrams have a row in the table together.
const trigramsInBlock = 64

// trigramRow is the size of a row: the first trigram, where its entry is and where
// its list.
const trigramRow = 4 + 4 + 8

func (e *trigramEncoder) add(trigram uint32, count, length int) {
	if e.n%trigramsInBlock == 0 {
		e.table = binary.LittleEndian.AppendUint32(e.table, trigram)
		e.table = binary.LittleEndian.AppendUint32(e.table, uint32(len(e.entries)))
		e.table = binary.LittleEndian.AppendUint64(e.table, e.lists)
		e.last = trigram
	}
	e.n++
	e.entries = binary.AppendUvarint(e.entries, uint64(trigram-e.last))
	e.entries = binary.AppendUvarint(e.entries, uint64(count))
	e.entries = binary.AppendUvarint(e.entries, uint64(length))
	e.last = trigram
	e.lists += uint64(length)
}

// data is the entries, the table, and how many rows that has.
func (e *trigramEncoder) data() []byte {
	rows := len(e.table) / trigramRow
	return binary.LittleEndian.AppendUint32(append(e.entries, e.table...), uint32(rows))
}

// printEncoder writes fingerprints in blocks, each with the pieces that have it.
type printEncoder struct {
	keys   []uint32
	counts []uint32
	pieces []uint32 // of all keys, one after the other
	limit  uint32

	common, index []byte
	written       uint32
	bits          bitWriter
}

const (
	printsInBlock = 128
	// manyPieces have a list elsewhere, so that it need not be read to come to what
	// is behind it.
	manyPieces = 24
	printRow   = 8 // the first print and where the block begins
)

// add reports whether a block is full.
func (e *printEncoder) add(print uint32, pieces []uint32, limit uint32) bool {
	e.limit = limit
	e.keys = append(e.keys, print)
	e.counts = append(e.counts, uint32(len(pieces)))
	e.pieces = append(e.pieces, pieces...)
	return len(e.keys) == printsInBlock
}

// block writes what was added; it is empty if nothing was.
func (e *printEncoder) block() []byte {
	if len(e.keys) == 0 {
		return nil
	}
	e.index = binary.LittleEndian.AppendUint32(e.index, e.keys[0])
	e.index = binary.LittleEndian.AppendUint32(e.index, e.written)
	span := e.keys[len(e.keys)-1] - e.keys[0]
	k := riceBits(span, uint32(len(e.keys)))
	w := bitWriter{buf: e.bits.buf[:0]}
	w.put(uint64(k), 5)
	w.put(uint64(len(e.keys)), 8)
	last := e.keys[0]
	pieces := e.pieces
	for i, key := range e.keys {
		w.rice(key-last, k)
		last = key
		list := pieces[:e.counts[i]]
		pieces = pieces[e.counts[i]:]
		w.gamma(min(uint32(len(list)), manyPieces))
		if len(list) < manyPieces {
			w.list(list, e.limit)
			continue
		}
		from := len(e.common)
		e.common = appendList(e.common, list, e.limit)
		w.put(uint64(len(list)), 32)
		w.put(uint64(from), 32)
		w.put(uint64(len(e.common)-from), 32)
	}
	w.align()
	e.bits = w
	e.written += uint32(len(w.buf))
	e.keys, e.counts, e.pieces = e.keys[:0], e.counts[:0], e.pieces[:0]
	return w.buf
}

// printReader reads a block: the prints, one after the other, with their pieces.
type printReader struct {
	r      bitReader
	k      uint
	left   int
	last   uint32
	limit  uint32
	pieces []uint32
	far    farList
	bad    bool
}

// farList is where the pieces of a print are that many have.
type farList struct {
	count          int
	offset, length int64
}

func (p *printReader) open(block []byte, first, limit uint32) {
	p.r = bitReader{data: block}
	p.r.fill()
	p.k = uint(p.r.take(5))
	p.left = int(p.r.take(8))
	p.last, p.limit, p.bad = first, limit, false
}

// next reads a print. Its pieces are in pieces, or where far says if that has a
// count. It is false at the end of the block, or if bad is set.
func (p *printReader) next() (uint32, bool) {
	if p.left == 0 || p.bad {
		return 0, false
	}
	p.left--
	delta := p.r.rice(p.k)
	sum, carry := bits.Add32(p.last, delta, 0)
	p.last = sum
	count := p.r.gamma()
	p.far, p.pieces = farList{}, p.pieces[:0]
	switch {
	case count < manyPieces:
		var ok bool
		p.pieces, ok = p.r.list(p.pieces, int(count), p.limit)
		p.bad = !ok
	default:
		p.r.fill()
		p.far.count = int(p.r.take(32))
		p.r.fill()
		p.far.offset = int64(p.r.take(32))
		p.r.fill()
		p.far.length = int64(p.r.take(32))
	}
	p.bad = p.bad || carry != 0 || count > manyPieces || p.r.overrun()
	return p.last, !p.bad
}
