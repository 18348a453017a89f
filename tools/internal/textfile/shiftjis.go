package textfile

import "unicode/utf8"

// Half-width katakana are one byte, in this order, in all Japanese encodings.
const (
	firstHalfKana     = '｡'
	lastHalfKana      = 'ﾟ'
	firstHalfKanaByte = 0xA1
	lastHalfKanaByte  = 0xDF
)

// shiftJIS is code page 932: one byte for ASCII and half-width katakana, two for the rest.
type shiftJIS struct {
	*charset
}

func (shiftJIS) shift(dst []byte, _, _ state) []byte { return dst }

func (shiftJIS) plain(_ state, b []byte) int { return asciiLen(b) }

func (c shiftJIS) decode(s state, b []byte) (rune, int, state) {
	switch lead := b[0]; {
	case lead <= 0x80:
		return rune(lead), 1, s
	case firstHalfKanaByte <= lead && lead <= lastHalfKanaByte:
		return firstHalfKana + rune(lead-firstHalfKanaByte), 1, s
	case !isShiftJISLead(lead):
		return malformed, 1, s
	case len(b) < 2:
		return short, 0, s
	}
	if r := c.runes[uint16(b[0])<<8|uint16(b[1])]; r != 0 {
		return rune(r), 2, s
	}
	if b[1] < 0x80 {
		return malformed, 1, s // the second byte may be a character of its own
	}
	return malformed, 2, s
}

func (c shiftJIS) encode(dst []byte, s state, r rune) ([]byte, state, bool) {
	if r <= utf8.RuneSelf {
		return append(dst, byte(r)), s, true
	}
	if firstHalfKana <= r && r <= lastHalfKana {
		return append(dst, byte(r-firstHalfKana)+firstHalfKanaByte), s, true
	}
	code, ok := c.code(r)
	if !ok {
		return dst, s, false
	}
	return append(dst, byte(code>>8), byte(code)), s, true
}

// anchor: a byte that cannot be the first of two is the last of its character.
func (shiftJIS) anchor(b []byte) int {
	for i := len(b); i > 0; i-- {
		if !isShiftJISLead(b[i-1]) {
			return i
		}
	}
	return -1
}

func isShiftJISLead(b byte) bool { return 0x81 <= b && b <= 0x9F || 0xE0 <= b && b <= 0xFC }
