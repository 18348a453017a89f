package textfile

import "bytes"

// The states of ISO-2022-JP: the character set that the next bytes are in.
const (
	inASCII   state = iota
	inRoman         // JIS X 0201 Roman, read as ASCII
	inKana          // half-width katakana
	inJIS1978       // JIS X 0208 as of 1978, read as that of 1983
	inJIS1983
	inJIS0212
)

const esc = 0x1B

// escapes holds the sequence that leads to each state.
var escapes = [...]string{"\x1b(B", "\x1b(J", "\x1b(I", "\x1b$@", "\x1b$B", "\x1b$(D"}

// iso2022JP is ISO-2022-JP (RFC 1468) with the further sets that files in Japanese use when read.
type iso2022JP struct {
	*charset
}

func (iso2022JP) plain(s state, b []byte) int {
	if s != inASCII {
		return 0
	}
	for i, c := range b {
		if !isISOPlain(c) {
			return i
		}
	}
	return len(b)
}

// isISOPlain reports whether a byte is ASCII that represents itself. ESC changes the character set. Shift out and shift in are
// not supported.
func isISOPlain(c byte) bool { return c < 0x80 && c != esc && c != 0x0E && c != 0x0F }

func (c iso2022JP) decode(s state, b []byte) (rune, int, state) {
	first := b[0]
	switch {
	case first == esc:
		return decodeEscape(s, b)
	case first == '\n':
		return '\n', 1, inASCII // every line begins in ASCII
	case !isISOPlain(first):
		return malformed, 1, s
	case s == inASCII || s == inRoman || !isISOByte(first): // controls and the space are in every set
		return rune(first), 1, s
	case s == inKana:
		if first|0x80 > lastHalfKanaByte {
			return malformed, 1, s
		}
		return firstHalfKana + rune(first|0x80-firstHalfKanaByte), 1, s
	case len(b) < 2:
		return short, 0, s
	case !isISOByte(b[1]):
		return malformed, 1, s
	case s == inJIS0212:
		return known(c.runes[jis0212(first, b[1])]), 2, s
	}
	return known(c.runes[jis0208(first, b[1])]), 2, s
}

// isISOByte reports whether a byte belongs to a character of the current set.
func isISOByte(b byte) bool { return 0x21 <= b && b <= 0x7E }

func decodeEscape(s state, b []byte) (rune, int, state) {
	for to, seq := range escapes {
		n := min(len(seq), len(b))
		switch {
		case seq[:n] != string(b[:n]):
		case n < len(seq):
			return short, 0, s
		default:
			return escape, n, state(to)
		}
	}
	return malformed, 1, s
}

func (c iso2022JP) encode(dst []byte, s state, r rune) ([]byte, state, bool) {
	if r < 0x80 {
		if !isISOPlain(byte(r)) {
			return dst, s, false
		}
		to := inASCII
		if s == inRoman && r != '\n' {
			to = inRoman
		}
		return append(c.shift(dst, s, to), byte(r)), to, true
	}
	if firstHalfKana <= r && r <= lastHalfKana {
		return append(c.shift(dst, s, inKana), byte(r-firstHalfKana)+firstHalfKanaByte&^0x80), inKana, true
	}
	code, ok := c.code(r)
	if in0208 := code&0x80 != 0; !ok || !in0208 {
		return dst, s, false
	}
	to := inJIS1983
	if s == inJIS1978 {
		to = inJIS1978
	}
	return append(c.shift(dst, s, to), byte(code>>8)&0x7F, byte(code)&0x7F), to, true
}

func (iso2022JP) shift(dst []byte, from, to state) []byte {
	if from == to {
		return dst
	}
	return append(dst, escapes[to]...)
}

// anchor uses two facts: an escape names the state that follows it, and a line begins in ASCII.
func (iso2022JP) anchor(b []byte) int {
	line, seq := bytes.LastIndexByte(b, '\n'), bytes.LastIndexByte(b, esc)
	if line >= 0 && line > seq {
		return line + 1
	}
	return seq
}
