package template

import "bytes"

const (
	// maxPlaceholder is the maximum length of a placeholder, in bytes. It bounds the search for its end.
	maxPlaceholder = 160
	maxNesting     = 4 // brackets within brackets
)

// placeholder returns the length of the placeholder at the beginning of a text, or 0 without one: %d, %-8.3f, %1$s, %(name)s, %{name},
// ${name}, $name, {}, {0}, {name:>8}, {{name}}, #{name} and \(name).
func placeholder(text []byte) int {
	if len(text) < 2 {
		return 0
	}
	switch text[0] {
	case '%':
		return verb(text)
	case '{':
		return closing(text, '{', '}')
	case '#':
		if text[1] == '{' {
			return after(1, closing(text[1:], '{', '}'))
		}
	case '\\':
		if text[1] == '(' {
			return after(1, closing(text[1:], '(', ')'))
		}
	case '$':
		switch {
		case text[1] == '{':
			return after(1, closing(text[1:], '{', '}'))
		case text[1] == '(':
			return after(1, closing(text[1:], '(', ')'))
		case isAlnum(text[1]):
			return 1 + nameLength(text[1:])
		}
	}
	return 0
}

// verb returns the length of a verb of printf, or of a named reference with %.
func verb(text []byte) int {
	i := 1
	switch text[1] {
	case '{':
		return after(1, closing(text[1:], '{', '}'))
	case '(':
		n := closing(text[1:], '(', ')')
		if n == 0 {
			return 0
		}
		i += n
	case '<':
		n := bytes.IndexByte(text[:min(len(text), maxPlaceholder)], '>')
		if n < 0 {
			return 0
		}
		i = n + 1
	}
	for i < len(text) && i < maxPlaceholder && bytes.IndexByte([]byte("+-#0123456789.*$[]'lhqjzt"), text[i]) >= 0 {
		i++
	}
	if i < len(text) && (text[i] == '@' || isAlnum(text[i]) && text[i] != '_') {
		return i + 1
	}
	if text[i-1] == 't' || text[i-1] == 'q' { // a verb of Go that is a length in C
		return i
	}
	return 0
}

// closing returns the length of a text up to the bracket that closes its first byte, or 0 without one.
func closing(text []byte, open, end byte) int {
	depth := 0
	for i, c := range text[:min(len(text), maxPlaceholder)] {
		switch c {
		case open:
			if depth++; depth > maxNesting {
				return 0
			}
		case end:
			if depth--; depth == 0 {
				return i + 1
			}
		}
	}
	return 0
}

// after returns a length behind a prefix, or 0 for no length.
func after(prefix, length int) int {
	if length == 0 {
		return 0
	}
	return prefix + length
}

func nameLength(text []byte) int {
	n := 0
	for n < len(text) && isAlnum(text[n]) {
		n++
	}
	return n
}
