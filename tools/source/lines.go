package source

import "bytes"

// lineIndex converts offsets to line numbers. It stores the number of line feeds before each block
// of lineBlock bytes and counts the remainder on demand. Counting is cheaper than an index of every
// line feed.
type lineIndex struct {
	src    []byte
	before []int32 // the line feeds before each block, and in all
}

// lineBlock is the size of a block in bytes.
const lineBlock = 512

// reset replaces the text and counts its line feeds.
func (x *lineIndex) reset(src []byte) {
	x.src, x.before = src, x.before[:0]
	n := 0
	for at := 0; at < len(src); at += lineBlock {
		x.before = append(x.before, int32(n))
		n += bytes.Count(src[at:min(at+lineBlock, len(src))], lineFeed)
	}
	x.before = append(x.before, int32(n))
}

var lineFeed = []byte{'\n'}

// line returns the line, from 1, of an offset.
func (x *lineIndex) line(pos int32) int32 {
	block := pos / lineBlock
	if int(pos) >= len(x.src) {
		return x.before[len(x.before)-1] + 1
	}
	return x.before[block] + int32(bytes.Count(x.src[block*lineBlock:pos], lineFeed)) + 1
}

// lineAfter returns the line of pos, given the line of an offset known before it. It is faster than
// line if the two offsets are near to each other.
func (x *lineIndex) lineAfter(known, line, pos int32) int32 {
	if pos < known || pos-known > lineBlock/2 || int(pos) > len(x.src) {
		return x.line(pos)
	}
	if pos == known {
		return line
	}
	return line + int32(bytes.Count(x.src[known:pos], lineFeed))
}
