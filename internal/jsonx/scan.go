package jsonx

import (
	"encoding/binary"
	"fmt"
	"math/bits"
	"unicode/utf8"
)

// MaxDepth is how deep arrays and objects may be nested. Deeper input is
// refused: no message of the protocol comes near it, and a recursive reader
// behind this package must not be driven to exhaustion.
const MaxDepth = 128

// Flags are the unusual contents of strings that the scanner has found.
type Flags uint8

const (
	// Escaped is set when a string holds at least one backslash escape.
	Escaped Flags = 1 << iota
	// LoneSurrogate is set when a \uD800–\uDFFF escape is not part of a pair.
	LoneSurrogate
	// InvalidUTF8 is set when a string holds bytes that are not UTF-8.
	InvalidUTF8
)

// SyntaxError is input that is not JSON, or is nested too deeply.
type SyntaxError struct {
	Offset int    // of the offending byte, from the start of the input
	Msg    string // the problem at the offset
}

func (e *SyntaxError) Error() string { return fmt.Sprintf("%s at byte %d", e.Msg, e.Offset) }

func syntaxError(at int, msg string) error { return &SyntaxError{Offset: at, Msg: msg} }

// Space returns the index of the first byte at or after i that is not JSON
// white space, or len(data).
func Space(data []byte, i int) int {
	for i < len(data) {
		switch data[i] {
		case ' ', '\t', '\n', '\r':
			i++
		default:
			return i
		}
	}
	return i
}

const (
	ones  = 0x0101010101010101
	highs = 0x8080808080808080
)

// special has the high bit set in the first byte of v that a string scanner
// must look at: a control character, a quote, a backslash or a non-ASCII byte.
// Bits above the first are not reliable.
func special(v uint64) uint64 {
	control := (v - ones*0x20) &^ v
	quote := v ^ ones*'"'
	quote = (quote - ones) &^ quote
	slash := v ^ ones*'\\'
	slash = (slash - ones) &^ slash
	return (control | quote | slash | v) & highs
}

// String scans the string whose opening quote is data[i] and returns the index
// after its closing quote.
func String(data []byte, i int) (end int, f Flags, err error) {
	if i >= len(data) || data[i] != '"' {
		return i, 0, syntaxError(i, "expected a string")
	}
	for j := i + 1; j < len(data); {
		if len(data)-j >= 8 {
			m := special(binary.LittleEndian.Uint64(data[j:]))
			if m == 0 {
				j += 8
				continue
			}
			j += bits.TrailingZeros64(m) / 8
		}
		switch c := data[j]; {
		case c == '"':
			return j + 1, f, nil
		case c == '\\':
			next, more, err := escape(data, j)
			if err != nil {
				return j, f, err
			}
			f |= Escaped | more
			j = next
		case c < 0x20:
			return j, f, syntaxError(j, "control character in a string")
		case c < utf8.RuneSelf:
			j++
		default:
			r, n := utf8.DecodeRune(data[j:])
			if r == utf8.RuneError && n == 1 {
				f |= InvalidUTF8
			}
			j += n
		}
	}
	return len(data), f, syntaxError(len(data), "unterminated string")
}

// escape checks the escape sequence that begins at data[i] and returns the
// index after it; both halves of a surrogate pair count as one.
func escape(data []byte, i int) (int, Flags, error) {
	if i+1 >= len(data) {
		return i, 0, syntaxError(len(data), "unterminated string")
	}
	switch data[i+1] {
	case '"', '\\', '/', 'b', 'f', 'n', 'r', 't':
		return i + 2, 0, nil
	case 'u':
		r, ok := hex4(data, i+2)
		if !ok {
			return i, 0, syntaxError(i, "bad \\u escape")
		}
		if r < 0xD800 || r > 0xDFFF {
			return i + 6, 0, nil
		}
		if r < 0xDC00 && i+7 < len(data) && data[i+6] == '\\' && data[i+7] == 'u' {
			if low, ok := hex4(data, i+8); ok && low >= 0xDC00 && low <= 0xDFFF {
				return i + 12, 0, nil
			}
		}
		return i + 6, LoneSurrogate, nil
	}
	return i, 0, syntaxError(i, "bad escape in a string")
}

func hex4(data []byte, i int) (r rune, ok bool) {
	if len(data)-i < 4 {
		return 0, false
	}
	for _, c := range data[i : i+4] {
		switch {
		case '0' <= c && c <= '9':
			c -= '0'
		case 'a' <= c && c <= 'f':
			c -= 'a' - 10
		case 'A' <= c && c <= 'F':
			c -= 'A' - 10
		default:
			return 0, false
		}
		r = r<<4 | rune(c)
	}
	return r, true
}

// Number scans the number that begins at data[i] and returns the index after
// it; integer is true when it has neither fraction nor exponent.
func Number(data []byte, i int) (end int, integer bool, err error) {
	j := i
	if j < len(data) && data[j] == '-' {
		j++
	}
	switch {
	case j < len(data) && data[j] == '0':
		j++
	case j < len(data) && '1' <= data[j] && data[j] <= '9':
		j = digits(data, j)
	default:
		return j, false, syntaxError(j, "expected a value")
	}
	integer = true
	if j < len(data) && data[j] == '.' {
		integer = false
		start := j + 1
		if j = digits(data, start); j == start {
			return j, false, syntaxError(j, "expected a digit after the decimal point")
		}
	}
	if j < len(data) && (data[j] == 'e' || data[j] == 'E') {
		integer = false
		j++
		if j < len(data) && (data[j] == '+' || data[j] == '-') {
			j++
		}
		start := j
		if j = digits(data, start); j == start {
			return j, false, syntaxError(j, "expected a digit in the exponent")
		}
	}
	return j, integer, nil
}

func digits(data []byte, i int) int {
	for i < len(data) && '0' <= data[i] && data[i] <= '9' {
		i++
	}
	return i
}

// Skip scans one value, white space before it included, and returns the index
// after it and the union of the flags of all strings in it.
func Skip(data []byte, i int) (end int, f Flags, err error) { return skip(data, i, 0) }

func skip(data []byte, i, depth int) (int, Flags, error) {
	i = Space(data, i)
	if i >= len(data) {
		return i, 0, syntaxError(i, "unexpected end of input")
	}
	switch c := data[i]; c {
	case '"':
		return String(data, i)
	case '{', '[':
		if depth == MaxDepth {
			return i, 0, syntaxError(i, fmt.Sprintf("nested deeper than %d levels", MaxDepth))
		}
		if c == '{' {
			return skipObject(data, i, depth+1)
		}
		return skipArray(data, i, depth+1)
	case 't':
		return literal(data, i, "true")
	case 'f':
		return literal(data, i, "false")
	case 'n':
		return literal(data, i, "null")
	}
	end, _, err := Number(data, i)
	return end, 0, err
}

func literal(data []byte, i int, word string) (int, Flags, error) {
	if len(data)-i < len(word) || string(data[i:i+len(word)]) != word {
		return i, 0, syntaxError(i, "expected a value")
	}
	return i + len(word), 0, nil
}

func skipObject(data []byte, i, depth int) (int, Flags, error) {
	var flags Flags
	i = Space(data, i+1)
	if i < len(data) && data[i] == '}' {
		return i + 1, 0, nil
	}
	for {
		end, f, err := String(data, Space(data, i))
		flags |= f
		if err != nil {
			return end, flags, err
		}
		if i = Space(data, end); i >= len(data) || data[i] != ':' {
			return i, flags, syntaxError(i, "expected ':' after a member name")
		}
		end, f, err = skip(data, i+1, depth)
		flags |= f
		if err != nil {
			return end, flags, err
		}
		i = Space(data, end)
		switch {
		case i < len(data) && data[i] == ',':
			i++
		case i < len(data) && data[i] == '}':
			return i + 1, flags, nil
		default:
			return i, flags, syntaxError(i, "expected ',' or '}' in an object")
		}
	}
}

func skipArray(data []byte, i, depth int) (int, Flags, error) {
	var flags Flags
	i = Space(data, i+1)
	if i < len(data) && data[i] == ']' {
		return i + 1, 0, nil
	}
	for {
		end, f, err := skip(data, i, depth)
		flags |= f
		if err != nil {
			return end, flags, err
		}
		i = Space(data, end)
		switch {
		case i < len(data) && data[i] == ',':
			i++
		case i < len(data) && data[i] == ']':
			return i + 1, flags, nil
		default:
			return i, flags, syntaxError(i, "expected ',' or ']' in an array")
		}
	}
}

// Valid returns an error unless data is exactly one value, with optional white space around it.
func Valid(data []byte) error {
	end, _, err := Skip(data, 0)
	if err != nil {
		return err
	}
	if end = Space(data, end); end < len(data) {
		return syntaxError(end, "more input after the value")
	}
	return nil
}
