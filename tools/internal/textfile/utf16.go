package textfile

import "unicode/utf16"

// utf16Codec is UTF-16 without lone surrogates, little-endian unless big.
type utf16Codec struct {
	stateless
	big bool
}

func (utf16Codec) plain(state, []byte) int { return 0 }

// unit reads the 16-bit unit at the start of b, which holds two bytes at least.
func (c utf16Codec) unit(b []byte) rune {
	if c.big {
		return rune(b[0])<<8 | rune(b[1])
	}
	return rune(b[1])<<8 | rune(b[0])
}

func (c utf16Codec) decode(s state, b []byte) (rune, int, state) {
	if len(b) < 2 {
		return short, 0, s
	}
	r := c.unit(b)
	if !utf16.IsSurrogate(r) {
		return r, 2, s
	}
	if isLowSurrogate(r) {
		return malformed, 2, s
	}
	if len(b) < 4 {
		return short, 0, s
	}
	low := c.unit(b[2:])
	if !isLowSurrogate(low) {
		return malformed, 2, s
	}
	return utf16.DecodeRune(r, low), 4, s
}

func (c utf16Codec) encode(dst []byte, s state, r rune) ([]byte, state, bool) {
	if high, low := utf16.EncodeRune(r); high != '\uFFFD' {
		return c.put(c.put(dst, high), low), s, true
	}
	return c.put(dst, r), s, true
}

func (c utf16Codec) put(dst []byte, unit rune) []byte {
	if c.big {
		return append(dst, byte(unit>>8), byte(unit))
	}
	return append(dst, byte(unit), byte(unit>>8))
}

func (c utf16Codec) anchor(b []byte) int {
	n := len(b) &^ 1
	if n == 0 {
		return -1
	}
	if u := c.unit(b[n-2:]); utf16.IsSurrogate(u) && !isLowSurrogate(u) {
		return n - 2
	}
	return n
}

func isLowSurrogate(r rune) bool { return 0xDC00 <= r && r <= 0xDFFF }
