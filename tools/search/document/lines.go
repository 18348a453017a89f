package document

import "bytes"

var lineFeed = []byte{'\n'}

// lines counts the lines of a text from the place that was asked for last.
type lines struct {
	text []byte
	pos  int32
	line int32
}

// at is the line, from 1, of a place.
func (l *lines) at(pos int32) int32 {
	if pos >= l.pos {
		l.line += int32(bytes.Count(l.text[l.pos:pos], lineFeed))
	} else {
		l.line -= int32(bytes.Count(l.text[pos:l.pos], lineFeed))
	}
	l.pos = pos
	return l.line
}
