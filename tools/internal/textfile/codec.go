package textfile

import "math/bits"

// state is the shift state of an encoding at one place. Encodings without states stay at 0, where every file begins.
type state uint8

// Results of codec.decode other than a character.
const (
	malformed rune = -1 - iota // the bytes are no character
	escape                     // the bytes change the state only
	short                      // the bytes begin a character that goes on behind them
)

// codec is one encoding, a character at a time.
type codec interface {
	// plain returns the number of bytes at the start of b that are equal in UTF-8: at least the ASCII prefix, where the
	// encoding has it.
	plain(s state, b []byte) int
	// decode decodes the beginning of b, which is not empty: a character, or malformed, escape or short. size is 0 only for
	// short.
	decode(s state, b []byte) (r rune, size int, next state)
	// encode appends a character; false if the encoding lacks it.
	encode(dst []byte, s state, r rune) ([]byte, state, bool)
	// shift appends the bytes that change one state to another.
	shift(dst []byte, from, to state) []byte
	// anchor returns the last offset in b at which a character or an escape certainly begins, whatever precedes b, or -1. It
	// can be len(b). b begins at an even offset of the file.
	anchor(b []byte) int
}

// codecFor returns the codec of an encoding, or nil for Auto and Binary.
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

// asciiLen returns the number of bytes below 0x80 at the start of b.
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
