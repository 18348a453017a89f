package textfile

import "unicode/utf8"

// stop says why transcode ended.
type stop uint8

const (
	atLimit     stop = iota // everything that was asked for is decoded
	atShort                 // the bytes end inside a character
	atMalformed             // the next bytes are no character
)

// transcode appends to dst the UTF-8 form of the characters that begin in src[:limit]; the last one can end after limit. It
// returns the number of bytes of src that it read, the next state, and the reason of the end. For malformed bytes, bad is their
// number.
func transcode(dst, src []byte, limit int, c codec, s state) (out []byte, n int, next state, why stop, bad int) {
	for n < limit {
		if k := c.plain(s, src[n:limit]); k > 0 {
			dst = append(dst, src[n:n+k]...)
			n += k
			continue
		}
		r, size, to := c.decode(s, src[n:])
		switch r {
		case short:
			return dst, n, s, atShort, 0
		case malformed:
			return dst, n, s, atMalformed, size
		case escape:
		default:
			dst = utf8.AppendRune(dst, r)
		}
		n += size
		s = to
	}
	return dst, n, s, atLimit, 0
}

// encodeRunes appends text, which must be valid UTF-8, starting in state s. It stops at a character that c lacks and returns
// its offset in text; otherwise the offset is len(text).
func encodeRunes(dst []byte, text string, c codec, s state) ([]byte, int, state) {
	for i := 0; i < len(text); {
		r, size := utf8.DecodeRuneInString(text[i:])
		if r == utf8.RuneError && size == 1 {
			return dst, i, s
		}
		var ok bool
		if dst, s, ok = c.encode(dst, s, r); !ok {
			return dst, i, s
		}
		i += size
	}
	return dst, len(text), s
}
