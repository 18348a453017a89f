package python

import (
	"bytes"

	"github.com/dougu-go/dougu/tools/source/outline/internal/lex"
)

// literal describes a string by its quote and prefix.
type literal struct {
	quote       byte
	triple, raw bool
}

// quoted returns the end of the string whose quote is at an offset. It reads the prefix backwards.
func (s *scanner) quoted(at int) int {
	l := literal{quote: s.src[at]}
	fields := false
	from := at
	for from > 0 && at-from < 3 && lex.Class[s.src[from-1]]&(lex.Letter|lex.Digit) != 0 {
		from--
	}
	for _, c := range s.src[from:at] {
		switch c | 0x20 {
		case 'r':
			l.raw = true
		case 'f', 't':
			fields = true
		case 'b', 'u':
		default: // no prefix but a keyword before the string
			l.raw, fields = false, false
			from = at
		}
		if from == at {
			break
		}
	}
	start := at
	at++
	if s.byteAt(at) == l.quote && s.byteAt(at+1) == l.quote {
		l.triple = true
		at += 2
	}
	var end int
	var ok bool
	switch {
	case fields:
		end, ok = s.formatted(l, at)
	case l.triple:
		end, ok = s.tripled(l, at)
	default:
		end, ok = s.plain(l, at)
	}
	if !ok {
		s.unsure(start, "a string is not closed")
	}
	return min(end, len(s.src))
}

// plain is the end of a string in one line.
func (s *scanner) plain(l literal, at int) (end int, ok bool) {
	for at < len(s.src) {
		switch s.src[at] {
		case l.quote:
			return at + 1, true
		case '\\':
			if next := s.joined(at); next > at {
				at = next
				continue
			}
			at++
		case '\n':
			return at, false
		}
		at++
	}
	return at, false
}

// tripled is the end of a string that ends with three quotes.
func (s *scanner) tripled(l literal, at int) (end int, ok bool) {
	from := at
	for {
		n := bytes.IndexByte(s.src[at:], l.quote)
		if n < 0 {
			return len(s.src), false
		}
		at += n
		escapes := 0
		for at-escapes > from && s.src[at-escapes-1] == '\\' {
			escapes++
		}
		if escapes%2 == 1 {
			at++
			from = at
			continue
		}
		if s.byteAt(at+1) == l.quote && s.byteAt(at+2) == l.quote {
			return at + 3, true
		}
		at++
		from = at
	}
}

// formatted is the end of an f-string.
func (s *scanner) formatted(l literal, at int) (end int, ok bool) {
	for at < len(s.src) {
		switch c := s.src[at]; c {
		case l.quote:
			if !l.triple {
				return at + 1, true
			}
			if s.byteAt(at+1) == c && s.byteAt(at+2) == c {
				return at + 3, true
			}
		case '\\':
			at = s.escape(l, at)
			continue
		case '\n':
			if !l.triple {
				return at, false
			}
		case '{':
			if s.byteAt(at+1) == '{' {
				at++
				break
			}
			if at, ok = s.field(l, at+1); !ok {
				return at, false
			}
			continue
		}
		at++
	}
	return at, false
}

// escape returns the end of an escape sequence in an f-string.
func (s *scanner) escape(l literal, at int) int {
	switch c := s.byteAt(at + 1); {
	case c == '{' || c == '}':
		return at + 1
	case c == 'N' && !l.raw && s.byteAt(at+2) == '{':
		for at < len(s.src) && s.src[at] != '}' && s.src[at] != '\n' {
			at++
		}
		return at
	case c == '\r' && s.byteAt(at+2) == '\n':
		return at + 3
	}
	return at + 2
}

// field returns the end of a replacement field in an f-string: the expression, its conversion and
// format, and the closing bracket.
func (s *scanner) field(l literal, at int) (end int, ok bool) {
	if s.depth++; s.depth > maxDepth {
		return len(s.src), false
	}
	defer func() { s.depth-- }()
	for depth := 0; at < len(s.src); {
		switch c := s.src[at]; {
		case c == '"' || c == '\'':
			if c == l.quote && !s.nested(l, at) {
				return at, true // the end of the string; the caller checks it
			}
			at = s.quoted(at)
			continue
		case c == '(' || c == '[' || c == '{':
			depth++
		case c == '}' && depth == 0:
			return at + 1, true
		case c == ')' || c == ']' || c == '}':
			depth--
		case c == '#':
			at = lex.Line(s.src, at)
			continue
		case c == ':' && depth == 0:
			return s.format(l, at+1)
		case s.calls && lex.Class[c] == lex.Letter:
			at = s.name(at, s.blanks)
			continue
		}
		at++
	}
	return at, false
}

// nested reports whether a quote within an expression begins a string, even though it
// is the one that would end the string around it: in a triple-quoted string
// three of them end it.
func (s *scanner) nested(l literal, at int) bool {
	return !l.triple || s.byteAt(at+1) != l.quote || s.byteAt(at+2) != l.quote
}

// format returns the end of the format specifier after the colon in a field, with the closing
// bracket.
func (s *scanner) format(l literal, at int) (end int, ok bool) {
	for at < len(s.src) {
		switch c := s.src[at]; c {
		case '}':
			return at + 1, true
		case '{':
			if at, ok = s.field(l, at+1); !ok {
				return at, false
			}
			continue
		case l.quote:
			if !l.triple || s.byteAt(at+1) == c && s.byteAt(at+2) == c {
				return at, true
			}
		case '\\':
			at = s.escape(l, at)
			continue
		case '\n':
			if !l.triple {
				return at, false
			}
		}
		at++
	}
	return at, false
}
