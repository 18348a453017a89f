package clientconfig

import "bytes"

// scan calls visit with the offset of each byte outside white space, strings and comments, and of
// the first byte of each string and comment. It stops when visit returns false. The text may be
// invalid.
func scan(text []byte, visit func(at int) bool) {
	for i := 0; i < len(text); i++ {
		if bytes.IndexByte([]byte(" \t\r\n"), text[i]) >= 0 {
			continue
		}
		if !visit(i) {
			return
		}
		switch text[i] {
		case '"':
			for i++; i < len(text) && text[i] != '"'; i++ {
				if text[i] == '\\' {
					i++
				}
			}
		case '/':
			i += max(0, commentLength(text[i:])-1)
		}
	}
}

// findTooDeep returns the offset of the bracket that opens one level too many, or -1.
func findTooDeep(text []byte) int {
	depth, found := 0, -1
	scan(text, func(at int) bool {
		switch text[at] {
		case '{', '[':
			depth++
		case '}', ']':
			depth--
		}
		if depth > maxDepth {
			found = at
		}
		return found < 0
	})
	return found
}

// nonstandardOffset returns the offset of the first comment, or of a comma before a closing
// bracket; -1 if the text is standard JSON.
func (d *document) nonstandardOffset() int {
	found, comma := -1, -1
	scan(d.text, func(at int) bool {
		switch d.text[at] {
		case '/':
			found = at
		case '}', ']':
			found = comma
		case ',':
			comma = at
			return true
		}
		comma = -1
		return found < 0
	})
	return found
}
