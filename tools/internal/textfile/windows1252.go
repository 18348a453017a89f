package textfile

import (
	"unicode/utf8"

	"golang.org/x/text/encoding/charmap"
)

// windows1252 maps each byte to one character, so that any bytes survive. The five bytes that code page 1252 leaves
// undefined are the C1 controls of the same number, as on the web.
type windows1252 struct{ stateless }

func (windows1252) plain(_ state, b []byte) int { return asciiLen(b) }

func (windows1252) decode(s state, b []byte) (rune, int, state) {
	if undefined1252(b[0]) {
		return rune(b[0]), 1, s
	}
	return charmap.Windows1252.DecodeByte(b[0]), 1, s
}

func (windows1252) encode(dst []byte, s state, r rune) ([]byte, state, bool) {
	if r < utf8.RuneSelf || r <= 0xFF && undefined1252(byte(r)) {
		return append(dst, byte(r)), s, true
	}
	b, ok := charmap.Windows1252.EncodeRune(r)
	if !ok {
		return dst, s, false
	}
	return append(dst, b), s, true
}

func (windows1252) anchor(b []byte) int { return len(b) }

func undefined1252(b byte) bool {
	switch b {
	case 0x81, 0x8D, 0x8F, 0x90, 0x9D:
		return true
	}
	return false
}
