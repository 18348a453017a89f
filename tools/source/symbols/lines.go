package symbols

import (
	"bytes"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/dougu-go/dougu/tools/internal/textfile"
)

// textLines holds the offsets of lines, which end at LF, CRLF or CR. A byte-order mark is
// no part of the first.
type textLines struct {
	src    []byte
	starts []int
}

func linesOf(src []byte) *textLines {
	text := withoutMark(src)
	starts := textfile.LineStarts(string(text))
	for i := range starts {
		starts[i] += len(src) - len(text)
	}
	return &textLines{src, starts}
}

// offset is the byte at a position; false if the text does not have it. A column behind
// the end of its line is that end, as in the protocol.
func (t *textLines) offset(p Position) (int, bool) {
	if p.Line == len(t.starts)+1 && p.Column == 1 {
		return len(t.src), true
	}
	if p.Line < 1 || p.Line > len(t.starts) || p.Column < 1 {
		return 0, false
	}
	at, end := t.starts[p.Line-1], len(t.src)
	if p.Line < len(t.starts) {
		end = t.starts[p.Line]
		for end > at && (t.src[end-1] == '\n' || t.src[end-1] == '\r') {
			end--
		}
	}
	for left := p.Column - 1; left > 0 && at < end; {
		r, size := utf8.DecodeRune(t.src[at:])
		left -= utf16.RuneLen(r)
		at += size
	}
	return at, true
}

// line is that of a byte, by line feeds alone, as parse counts them.
func (t *textLines) line(at int) int { return bytes.Count(t.src[:at], []byte("\n")) + 1 }
