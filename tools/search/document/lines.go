package document

import "bytes"

var lineFeed = []byte{'\n'}

// lines computes line numbers of offsets. It counts from the previous offset, so that ascending offsets are cheap.
type lines struct {
	text []byte
	pos  int32
	line int32
}

// at returns the line number of an offset, from 1.
func (l *lines) at(pos int32) int32 {
	if pos >= l.pos {
		l.line += int32(bytes.Count(l.text[l.pos:pos], lineFeed))
	} else {
		l.line -= int32(bytes.Count(l.text[pos:l.pos], lineFeed))
	}
	l.pos = pos
	return l.line
}
