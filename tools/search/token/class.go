package token

import "unicode"

// class says what a character does in a word. Values are bits, so that those of a
// run can be gathered.
type class uint8

const (
	gap   class = 0 // between words
	lower class = 1 << iota
	upper
	digit
	under
	wide // a byte that is not ASCII
	pair // a character of a script without spaces
	mark // belongs to the character before
)

const letter = lower | upper

// inWord are the classes that make up words that are no pairs.
const inWord = letter | digit | under | mark

var classes = func() (c [256]class) {
	for b := range c {
		switch {
		case 'a' <= b && b <= 'z':
			c[b] = lower
		case 'A' <= b && b <= 'Z':
			c[b] = upper
		case '0' <= b && b <= '9':
			c[b] = digit
		case b == '_':
			c[b] = under
		case b >= 0x80:
			c[b] = wide
		}
	}
	return c
}()

// classOf is the class of a character that need not be ASCII.
func classOf(r rune) class {
	switch {
	case r < 0x80:
		return classes[r]
	case paired(r):
		return pair
	case r == unicode.ReplacementChar:
		return gap
	case unicode.IsUpper(r) || unicode.IsTitle(r):
		return upper
	case unicode.IsLetter(r):
		return lower
	case unicode.IsDigit(r):
		return digit
	case unicode.IsMark(r):
		return mark
	}
	return gap
}

// paired says that a character is of a script that is written without spaces, or is
// Hangul, whose words have endings.
func paired(r rune) bool {
	switch {
	case r < 0x0E01:
		return false
	case r < 0x1100:
		return r <= 0x0E4E && r != 0x0E3F || 0x0E81 <= r && r <= 0x0EDF || 0x1000 <= r && r <= 0x109F
	case r < 0x3005:
		return r <= 0x11FF || 0x1780 <= r && r <= 0x17D3
	case r < 0x3400:
		return r <= 0x3007 || 0x3021 <= r && r <= 0x3029 || 0x3031 <= r && r <= 0x3035 || r == 0x303B ||
			0x3041 <= r && r <= 0x309F && r != 0x309B && r != 0x309C ||
			0x30A1 <= r && r <= 0x31FF && r != 0x30FB && (r <= 0x318E || r >= 0x31A0)
	case r < 0xAC00:
		return r <= 0x4DBF || 0x4E00 <= r && r <= 0x9FFF
	case r < 0x20000:
		return r <= 0xD7A3 || 0xF900 <= r && r <= 0xFAFF
	}
	return r <= 0x3FFFD
}

// fold is the lower case of a character, by which it is compared.
func fold(r rune) rune {
	if r == 'ς' {
		return 'σ'
	}
	return unicode.ToLower(r)
}
