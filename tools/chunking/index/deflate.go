package index

import (
	"encoding/binary"
	"math/bits"
	"sync"
)

// Package compress/flate spends most of its time for a small text on the construction of its Huffman codes. deflate
// uses the fixed codes of RFC 1951, section 3.2.6, and takes a third of the time.

const (
	hashBits    = 13
	minMatch    = 4
	maxMatch    = 258
	maxDistance = 32 << 10
)

// deflateCode is a code for a literal, a length or a distance, in the order in which its bits are written, and
// the number of its bits. Extra bits of a length are part of it.
type deflateCode struct {
	bits uint32
	n    uint8
}

// deflateCodes are the fixed codes.
type deflateCodes struct {
	literals [257]deflateCode          // the last one ends a block
	lengths  [maxMatch + 1]deflateCode // by length
}

var fixedCodes = sync.OnceValue(func() *deflateCodes {
	c := new(deflateCodes)
	symbol := func(n int) deflateCode {
		switch {
		case n < 144:
			return reversed(0x30+n, 8)
		case n < 256:
			return reversed(0x190+n-144, 9)
		case n < 280:
			return reversed(n-256, 7)
		}
		return reversed(0xC0+n-280, 8)
	}
	for n := range c.literals {
		c.literals[n] = symbol(n)
	}
	for length := 3; length <= maxMatch; length++ {
		n, extra, value := 285, 0, 0
		if length < maxMatch {
			n, extra, value = rangeCode(length-3, 4)
			n += 257
		}
		code := symbol(n)
		code.bits |= uint32(value) << code.n
		code.n += uint8(extra)
		c.lengths[length] = code
	}
	return c
})

// reversed returns a code with its bits in the order in which they are written.
func reversed(code, n int) deflateCode {
	return deflateCode{bits.Reverse32(uint32(code)) >> (32 - n), uint8(n)}
}

// rangeCode returns the number of the range that contains a value, if every step ranges have the same size and the size doubles
// after them. extra is the number of bits of a position in the range, and at the position.
func rangeCode(value, step int) (n, extra, at int) {
	if value < 2*step {
		return value, 0, 0
	}
	extra = bits.Len(uint(value/step)) - 1
	return step*extra + value>>extra, extra, value & (1<<extra - 1)
}

// bitWriter appends bits to a slice, the lowest first.
type bitWriter struct {
	out  []byte
	bits uint64
	n    uint
}

func (w *bitWriter) write(v uint32, n uint8) {
	w.bits |= uint64(v) << w.n
	if w.n += uint(n); w.n >= 32 {
		w.out = binary.LittleEndian.AppendUint32(w.out, uint32(w.bits))
		w.bits >>= 32
		w.n -= 32
	}
}

func (w *bitWriter) flush() {
	for ; w.n > 0; w.n -= min(w.n, 8) {
		w.out = append(w.out, byte(w.bits))
		w.bits >>= 8
	}
}

// appendDeflate appends src in the format of RFC 1951, as one block.
func appendDeflate(b, src []byte) []byte {
	codes := fixedCodes()
	w := bitWriter{out: b}
	w.write(0b011, 3)             // the last block, with fixed codes
	var last [1 << hashBits]int32 // the position after the last one with a hash
	at := 0
	for at+minMatch <= len(src) {
		word := binary.LittleEndian.Uint32(src[at:])
		h := word * 0x9E3779B1 >> (32 - hashBits)
		before := int(last[h]) - 1
		last[h] = int32(at + 1)
		if before < 0 || at-before > maxDistance || binary.LittleEndian.Uint32(src[before:]) != word {
			code := codes.literals[src[at]]
			w.write(code.bits, code.n)
			at++
			continue
		}
		length := minMatch
		for most := min(maxMatch, len(src)-at); length < most && src[before+length] == src[at+length]; {
			length++
		}
		code := codes.lengths[length]
		w.write(code.bits, code.n)
		n, extra, value := rangeCode(at-before-1, 2)
		distance := reversed(n, 5)
		w.write(distance.bits|uint32(value)<<5, 5+uint8(extra))
		for next := at + 1; next < at+length && next+minMatch <= len(src); next += 2 {
			last[binary.LittleEndian.Uint32(src[next:])*0x9E3779B1>>(32-hashBits)] = int32(next + 1)
		}
		at += length
	}
	for ; at < len(src); at++ {
		code := codes.literals[src[at]]
		w.write(code.bits, code.n)
	}
	end := codes.literals[256]
	w.write(end.bits, end.n)
	w.flush()
	return w.out
}
