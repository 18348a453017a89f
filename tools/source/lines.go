package source

import "bytes"

// lineIndex finds the line of a position. It knows how many line feeds come before
// each block of the text, and counts the rest: counting is so fast that knowing the
// place of every line feed would cost more.
type lineIndex struct {
	src    []byte
	before []int32
}

const lineBlock = 512

// index looks through a text.
func (x *lineIndex) index(src []byte) {
	x.src, x.before = src, x.before[:0]
	n := 0
	for at := 0; at < len(src); at += lineBlock {
		x.before = append(x.before, int32(n))
		n += bytes.Count(src[at:min(at+lineBlock, len(src))], lineFeed)
	}
	x.before = append(x.before, int32(n))
}

var lineFeed = []byte{'\n'}

// at is the line, from 1, of the byte at a position.
func (x *lineIndex) at(pos int32) int32 {
	block := pos / lineBlock
	if int(pos) >= len(x.src) {
		return x.before[len(x.before)-1] + 1
	}
	return x.before[block] + int32(bytes.Count(x.src[block*lineBlock:pos], lineFeed)) + 1
}

// later is at for a position that may be near to another one, whose line is known.
func (x *lineIndex) later(known, line, pos int32) int32 {
	if pos < known || pos-known > lineBlock/2 || int(pos) > len(x.src) {
		return x.at(pos)
	}
	if pos == known {
		return line
	}
	return line + int32(bytes.Count(x.src[known:pos], lineFeed))
}
