// Package lex contains the shared parts of the outline scanners: tables of bytes, and functions
// that skip comments, strings and documentation.
//
// Every function takes an offset within src and returns a later one. None recurses and none looks
// back, so a scan is linear in the length of the text.
package lex

import (
	"bytes"
	"unsafe"
)

// The classes of bytes, as bits. Bytes of 0x80 and above count as letters: identifiers may be
// written in any script, and outside strings and comments no other such bytes occur.
const (
	Space  = 1 << iota // blank, tab, form feed, carriage return
	Letter             // may begin an identifier
	Digit
)

// Class maps each byte to its classes.
var Class = func() (class [256]uint8) {
	for c := range class {
		switch {
		case c == ' ' || c == '\t' || c == '\r' || c == '\f' || c == '\v':
			class[c] = Space
		case 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || c == '_' || c == '$' || c >= 0x80:
			class[c] = Letter
		case '0' <= c && c <= '9':
			class[c] = Digit
		}
	}
	return class
}()

// Begin is where the text begins: after a byte-order mark, if there is one.
func Begin(src []byte) int {
	if bytes.HasPrefix(src, []byte("\ufeff")) {
		return 3
	}
	return 0
}

// Identifier is the end of the identifier or number at a position.
func Identifier(src []byte, at int) int {
	for at < len(src) && Class[src[at]]&(Letter|Digit) != 0 {
		at++
	}
	return at
}

// Spaces is the end of the blanks at a position; line feeds are not among them.
func Spaces(src []byte, at int) int {
	for at < len(src) && Class[src[at]] == Space {
		at++
	}
	return at
}

// Set is a table of bytes.
func Set(bytes string) (set [256]bool) {
	for at := range len(bytes) {
		set[bytes[at]] = true
	}
	return set
}

// Until is the position of the first byte from a position on that is among stops,
// or the end of src.
func Until(src []byte, at int, stops *[256]bool) int {
	for i, c := range src[at:] {
		if stops[c] {
			return at + i
		}
	}
	return len(src)
}

// Line is the end of the line at a position: its line feed, or the end of src.
func Line(src []byte, at int) int {
	if n := bytes.IndexByte(src[at:], '\n'); n >= 0 {
		return at + n
	}
	return len(src)
}

// Block is the end of the comment /* … */ that begins at a position; ok is false
// if nothing closes it, and then the end is that of src.
func Block(src []byte, at int) (end int, ok bool) {
	for end = at + 3; end < len(src); end++ { // slashes are rare in comments, and asterisks are not
		n := bytes.IndexByte(src[end:], '/')
		if n < 0 {
			break
		}
		if end += n; src[end-1] == '*' {
			return end + 1, true
		}
	}
	return len(src), false
}

// NestedBlock is Block where comments contain comments.
func NestedBlock(src []byte, at int) (end int, ok bool) {
	depth := 0
	for at < len(src) {
		n := bytes.IndexByte(src[at:], '*')
		if n < 0 {
			return len(src), false
		}
		star := at + n
		switch {
		case star > at && src[star-1] == '/':
			depth++
			at = star + 1
		case star+1 < len(src) && src[star+1] == '/':
			at = star + 2
			if depth--; depth == 0 {
				return at, true
			}
		default:
			at = star + 1
		}
	}
	return len(src), false
}

// Quoted is the end of the string that the quote at a position begins, in which
// a backslash takes the next byte or line end with it. A string that ends with its line ends
// at the line feed and is not ok.
func Quoted(src []byte, at int) (end int, ok bool) {
	quote := src[at]
	for at++; at < len(src); at++ {
		switch src[at] {
		case quote:
			return at + 1, true
		case '\\':
			if at++; at+1 < len(src) && src[at] == '\r' && src[at+1] == '\n' {
				at++
			}
		case '\n':
			return at, false
		}
	}
	return len(src), false
}

// Text returns a string that shares the memory of text and changes with it. It avoids a copy for
// the strings passed to a source.Builder, which copies them itself.
func Text(text []byte) string { return unsafe.String(unsafe.SliceData(text), len(text)) }
