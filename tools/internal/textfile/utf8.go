package textfile

import "unicode/utf8"

// utf8Codec is UTF-8: the shortest form only, no surrogates.
type utf8Codec struct{ stateless }

func (utf8Codec) plain(_ state, b []byte) int {
	n := asciiLen(b)
	for n < len(b) {
		r, size := utf8.DecodeRune(b[n:])
		if r == utf8.RuneError && size == 1 {
			break
		}
		n += size
	}
	return n
}

func (utf8Codec) decode(s state, b []byte) (rune, int, state) {
	r, size := utf8.DecodeRune(b)
	if r != utf8.RuneError || size > 1 {
		return r, size, s
	}
	if !utf8.FullRune(b) {
		return short, 0, s
	}
	return malformed, 1, s
}

func (utf8Codec) encode(dst []byte, s state, r rune) ([]byte, state, bool) {
	return utf8.AppendRune(dst, r), s, true
}

func (utf8Codec) anchor(b []byte) int {
	for back := 1; back < utf8.UTFMax; back++ {
		i := len(b) - back
		if i < 0 {
			return -1
		}
		if utf8.RuneStart(b[i]) {
			return i
		}
	}
	return len(b)
}
