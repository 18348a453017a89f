package lex

import (
	"bytes"
	"unicode/utf8"
)

// Docs follows the comments of a text and finds the documentation of a declaration: the comments
// directly before it, on lines of their own, without an empty line between.
type Docs struct {
	start, end int // of the comments that may yet turn out to be documentation
}

// Comment notes the comment src[start:end]. One that was noted before, by a
// scanner that has gone back, changes nothing.
func (d *Docs) Comment(src []byte, start, end int) {
	switch {
	case start < d.end:
	case d.end > 0 && oneLineFeed(src[d.end:start]):
		d.end = end
	case ownLine(src, start):
		d.start, d.end = start, end
	default:
		d.end = 0
	}
}

// Before is the documentation of a declaration that begins at a position, or of
// which the first attribute does; both are 0 if there is none.
func (d *Docs) Before(src []byte, at int) (start, end int) {
	if d.end == 0 || d.end > at || !oneLineFeed(src[d.end:at]) {
		return 0, 0
	}
	return d.start, d.end
}

// oneLineFeed reports whether there are only blanks and at most one line feed in a gap.
func oneLineFeed(gap []byte) bool {
	feeds := 0
	for _, c := range gap {
		switch {
		case c == '\n':
			if feeds++; feeds > 1 {
				return false
			}
		case c == ' ' || '\t' <= c && c <= '\r':
		case c < utf8.RuneSelf:
			return false
		default: // the white space of other scripts
			return len(bytes.TrimSpace(gap)) == 0 && bytes.Count(gap, []byte("\n")) <= 1
		}
	}
	return true
}

// ownLine reports whether only blanks stand before a position in its line.
func ownLine(src []byte, at int) bool {
	for at--; at >= 0 && src[at] != '\n'; at-- {
		if Class[src[at]] != Space && src[at] < 0x80 {
			return false
		}
	}
	return true
}
