package textfile

import "math/bits"

// state is the shift state of an encoding at one place. Encodings without states stay at 0, where every file begins.
type state uint8

// What codec.decode answers instead of a character.
const (
	malformed rune = -1 - iota // the bytes are no character
	escape                     // the bytes change the state only
	short                      // the bytes begin a character that goes on behind them
)

// codec is one encoding, a character at a time.
type codec interface {
	// plain answers how many bytes at the start of b are UTF-8 that stands for itself: at least the ASCII, where it does.
	plain(s state, b []byte) int
	// decode reads what stands first in b, which is not empty: a character, or malformed, escape or short. The size is
	// never 0, except for short.
	decode(s state, b []byte) (r rune, size int, next state)
	// encode appends a character; false if the encoding lacks it.
	encode(dst []byte, s state, r rune) ([]byte, state, bool)
	// shift appends what leads from one state to another.
	shift(dst []byte, from, to state) []byte
	// anchor answers the last place in b where a character or an escape is sure to begin, whatever stands before b,
	// and -1 if there is none. It may be len(b). b begins at an even offset of the file.
	anchor(b []byte) int
}

// codecFor answers the codec of an encoding in which characters can be stored, and nil for Auto and Binary.
func codecFor(e Encoding) codec {
	switch e {
	case UTF8:
		return utf8Codec{}
	case UTF16, UTF16LE:
		return utf16Codec{}
	case UTF16BE:
		return utf16Codec{big: true}
	case ShiftJIS:
		return shiftJIS{shiftJISCharset()}
	case EUCJP:
		return eucJP{jisCharset()}
	case ISO2022JP:
		return iso2022JP{jisCharset()}
	case Windows1252:
		return windows1252{}
	}
	return nil
}

// stateless is embedded by the encodings without shift states.
type stateless struct{}

func (stateless) shift(dst []byte, _, _ state) []byte { return dst }

// asciiLen answers how many bytes at the start of b are below 0x80.
func asciiLen(b []byte) int {
	n := 0
	for ; len(b)-n >= 8; n += 8 {
		w := b[n : n+8 : n+8]
		word := uint64(w[0]) | uint64(w[1])<<8 | uint64(w[2])<<16 | uint64(w[3])<<24 |
			uint64(w[4])<<32 | uint64(w[5])<<40 | uint64(w[6])<<48 | uint64(w[7])<<56
		if high := word & 0x8080808080808080; high != 0 {
			return n + bits.TrailingZeros64(high)/8
		}
	}
	for n < len(b) && b[n] < 0x80 {
		n++
	}
	return n
}
