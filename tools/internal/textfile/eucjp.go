package textfile

import "unicode/utf8"

const (
	singleShift2 = 0x8E // one half-width katakana follows
	singleShift3 = 0x8F // two bytes of JIS X 0212 follow
)

// eucJP is EUC-JP: ASCII, two bytes for JIS X 0208 and half-width katakana, three for JIS X 0212.
type eucJP struct {
	*charset
}

func (eucJP) shift(dst []byte, _, _ state) []byte { return dst }

func (eucJP) plain(_ state, b []byte) int { return asciiLen(b) }

func (c eucJP) decode(s state, b []byte) (rune, int, state) {
	switch lead := b[0]; {
	case lead < utf8.RuneSelf:
		return rune(lead), 1, s
	case lead != singleShift2 && lead != singleShift3 && !isEUCByte(lead):
		return malformed, 1, s
	case len(b) < 2:
		return short, 0, s
	case !isEUCByte(b[1]):
		return malformed, 1, s
	case lead == singleShift2:
		if b[1] > lastHalfKanaByte {
			return malformed, 2, s
		}
		return firstHalfKana + rune(b[1]-firstHalfKanaByte), 2, s
	case lead == singleShift3:
		if len(b) < 3 {
			return short, 0, s
		}
		if !isEUCByte(b[2]) {
			return malformed, 2, s
		}
		return known(c.runes[jis0212(b[1], b[2])]), 3, s
	}
	return known(c.runes[jis0208(b[0], b[1])]), 2, s
}

// known returns a character of a charset, or malformed for an unassigned code.
func known(r uint16) rune {
	if r == 0 {
		return malformed
	}
	return rune(r)
}

func (c eucJP) encode(dst []byte, s state, r rune) ([]byte, state, bool) {
	if r < utf8.RuneSelf {
		return append(dst, byte(r)), s, true
	}
	if firstHalfKana <= r && r <= lastHalfKana {
		return append(dst, singleShift2, byte(r-firstHalfKana)+firstHalfKanaByte), s, true
	}
	code, ok := c.code(r)
	if !ok {
		return dst, s, false
	}
	if in0212 := code&0x80 == 0; in0212 {
		dst = append(dst, singleShift3)
	}
	return append(dst, byte(code>>8), byte(code)|0x80), s, true
}

// anchor: only the bytes A1 to FE can stand anywhere but at the start of a character.
func (eucJP) anchor(b []byte) int {
	for i := len(b); i > 0; i-- {
		switch c := b[i-1]; {
		case c == singleShift2 || c == singleShift3:
			return i - 1
		case !isEUCByte(c):
			return i
		}
	}
	return -1
}

func isEUCByte(b byte) bool { return 0xA1 <= b && b <= 0xFE }
