package segment

import (
	"encoding/binary"
	"math/bits"
)

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

// align fills up the last byte.
func (w *bitWriter) align() {
	for ; w.n > 0; w.n -= min(w.n, 8) {
		w.buf = append(w.buf, byte(w.acc))
		w.acc >>= 8
	}
	w.acc = 0
}

// escape is how many zeros say that a number follows as it is.
const escape = 24

// rice appends v by the code of Rice: what is above the lowest k bits in unary.
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

// bitReader reads what a bitWriter wrote. Behind the end are zeros.
type bitReader struct {
	data []byte
	pos  int
	acc  uint64
	n    uint
	over uint // bits of acc that stand behind the end
}

// fill has at least 32 bits in acc.
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

// overrun reports whether more was read than there was.
func (r *bitReader) overrun() bool { return r.over > r.n }

// take reads size bits of what fill has brought, at most 32.
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

// padding is what must follow data that is read by wideBits: more than what a posting
// has at most.
const padding = 48

// wideBits reads what a bitWriter wrote, as bitReader does, but eight bytes at a
// time, and kept in registers. Who uses it sees to it that pos stays in the data.
type wideBits struct {
	acc uint64
	n   uint
	pos int
}

// filled has at least 56 bits in acc.
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

// frequencies reads those of a posting; they are 0 if they cannot be.
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
		size := uint(bits.TrailingZeros64(w.acc | 1<<7)) // of at most 255
		tf |= frequencies(w.acc>>(size+1)&(1<<size-1)|1<<size) << (8 * bits.TrailingZeros32(common))
		w = w.dropped(2*size + 1)
	}
	return tf, w
}

// riceBits is how many low bits are best kept as they are where count numbers
// have the sum span.
func riceBits(span, count uint32) uint {
	mean := span / max(count, 1)
	if mean < 2 {
		return 0
	}
	return min(uint(bits.Len32(mean*7/10+1))-1, 28)
}
