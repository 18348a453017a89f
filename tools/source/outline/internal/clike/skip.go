package clike

import (
	"bytes"

	"github.com/dougu-go/dougu/tools/source/outline/internal/lex"
)

// comment is the end of the comment at a position, or the position.
func (s *scanner) comment(at int) int {
	src := s.src
	if at+1 >= len(src) || src[at] != '/' {
		return at
	}
	switch src[at+1] {
	case '/':
		end := lex.Line(src, at)
		for end < len(src) && continued(src, end) {
			end = lex.Line(src, end+1)
		}
		return end
	case '*':
		end, ok := lex.Block(src, at)
		if !ok {
			s.unsure(at, "the comment is not closed")
		}
		return end
	}
	return at
}

// continued reports whether a backslash joins a line that ends at a position with the
// next one.
func continued(src []byte, end int) bool {
	if end > 0 && src[end-1] == '\r' {
		end--
	}
	return end > 0 && src[end-1] == '\\'
}

// number is the end of the number at a position.
func (s *scanner) number(at int) int {
	src := s.src
	for at < len(src) {
		switch {
		case lex.Class[src[at]]&(lex.Letter|lex.Digit) != 0 || src[at] == '.':
			at++
		case src[at] == '\'' && s.cpp && at+1 < len(src) && lex.Class[src[at+1]]&(lex.Letter|lex.Digit) != 0:
			at++
		default:
			return at
		}
	}
	return at
}

// quoted is the end of the literal whose quote is at a position; the letters
// before it say whether it is a raw one.
func (s *scanner) quoted(at int) int {
	src := s.src
	if s.cpp && src[at] == '"' && at > 0 && src[at-1] == 'R' {
		from := at - 1
		for from > 0 && at-from < 4 && lex.Class[src[from-1]]&(lex.Letter|lex.Digit) != 0 {
			from--
		}
		if prefixes(src[from:at]) {
			return s.raw(at)
		}
	}
	if src[at] == '\'' && s.separator(at) {
		return at + 1
	}
	return s.literal(at)
}

// literal is the end of the string or character whose quote is at a position.
func (s *scanner) literal(at int) int {
	end, ok := lex.Quoted(s.src, at)
	if !ok {
		s.unsure(at, "the quote is not closed in its line")
	}
	return end
}

// separator reports whether an apostrophe separates the digits of a number.
func (s *scanner) separator(at int) bool {
	src := s.src
	if !s.cpp || at == 0 || at+1 >= len(src) || lex.Class[src[at-1]]&(lex.Letter|lex.Digit) == 0 || lex.Class[src[at+1]]&(lex.Letter|lex.Digit) == 0 {
		return false
	}
	from := at
	for from > 0 && at-from < 100 && (lex.Class[src[from-1]]&(lex.Letter|lex.Digit) != 0 || src[from-1] == '\'') {
		from--
	}
	return lex.Class[src[from]] == lex.Digit
}

// raw is the end of the raw string whose quote is at a position.
func (s *scanner) raw(at int) int {
	open := bytes.IndexByte(s.src[at:min(len(s.src), at+20)], '(')
	if open < 0 {
		return s.literal(at)
	}
	closing := append(append([]byte{')'}, s.src[at+1:at+open]...), '"')
	end := bytes.Index(s.src[at+open:], closing)
	if end < 0 {
		s.unsure(at, "the raw string is not closed")
		return len(s.src)
	}
	return at + open + end + len(closing)
}

// pair returns the end of the brackets that open at an offset. ok is false if they do not close, or
// if round brackets contain the end of a statement.
func (s *scanner) pair(at int) (end int, ok bool) {
	src := s.src
	depth, braces := 0, 0
	for at < len(src) {
		switch src[at] {
		case '(', '[':
			depth++
		case '{':
			depth++
			braces++
		case '}':
			if braces == 0 {
				return at, false
			}
			braces--
			fallthrough
		case ')', ']':
			if depth--; depth == 0 {
				return at + 1, true
			}
		case ';':
			if braces == 0 {
				return at, false
			}
		case '"', '\'':
			at = s.quoted(at)
			continue
		case '/':
			if end := s.comment(at); end > at {
				at = end
				continue
			}
		case '#':
			if s.firstInLine(at) {
				at = s.directive(at, true)
				continue
			}
		}
		at++
	}
	return len(src), false
}

// handlers is the end of the handlers of exceptions that follow the body of a
// function.
func (s *scanner) handlers(end int) int {
	for {
		at := s.gap(end)
		word := lex.Identifier(s.src, at)
		if string(s.src[at:word]) != "catch" {
			return end
		}
		for range 2 {
			if at = s.gap(word); at >= len(s.src) || s.src[at] != '(' && s.src[at] != '{' {
				return end
			}
			closing, ok := s.pair(at)
			if !ok {
				return end
			}
			word = closing
		}
		end = word
	}
}

// peekPair is pair for a text that will be read again: directives in it have no
// effect.
func (s *scanner) peekPair(at int) (end int, ok bool) {
	if at < s.noPair {
		return at, false
	}
	before, open := s.lookAhead, s.conditionals
	s.lookAhead, s.conditionals = true, 0
	end, ok = s.pair(at)
	ok = ok && s.conditionals == 0
	s.lookAhead, s.conditionals = before, open
	if !ok {
		s.noPair = end
	}
	return end, ok
}

// maxAngles is the maximum number of bytes that are searched for the end of a template argument
// list.
const maxAngles = 1 << 14

// angles is the end of the template arguments that open at a position; not ok if
// the sign is that of a comparison.
func (s *scanner) angles(at int) (end int, ok bool) {
	if at < s.noAngles {
		return at + 1, false
	}
	before, open := s.lookAhead, s.conditionals
	s.lookAhead, s.conditionals = true, 0
	end, ok = s.arguments(at)
	ok = ok && s.conditionals == 0
	s.lookAhead, s.conditionals = before, open
	if !ok {
		s.noAngles = end
		return at + 1, false
	}
	return end, true
}

// arguments is like angles, but returns the offset where the list is broken off if it is
// none.
func (s *scanner) arguments(at int) (end int, ok bool) {
	src := s.src
	start := at
	for depth := 0; at < len(src) && at-start < maxAngles; {
		switch src[at] {
		case '<':
			if at > start && at+1 < len(src) && (src[at+1] == '<' || src[at+1] == '=') {
				at++ // a shift, a comparison
			} else {
				depth++
			}
		case '>':
			if depth--; depth == 0 && src[at-1] != '-' {
				return at + 1, true
			}
			if src[at-1] == '-' {
				depth++
			}
		case '(', '[', '{':
			end, ok := s.pair(at)
			if !ok {
				return end, false
			}
			at = end
			continue
		case '#':
			if s.firstInLine(at) {
				at = s.directive(at, true)
				continue
			}
		case ';', ')', ']', '}':
			return at, false
		case '"', '\'':
			at = s.quoted(at)
			continue
		case '/':
			if end := s.comment(at); end > at {
				at = end
				continue
			}
		}
		at++
	}
	return at, false
}
