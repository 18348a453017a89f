package kotlin

import (
	"bytes"

	"github.com/dougu-go/dougu/tools/source/outline/internal/lex"
)

// arguments looks at what may be type arguments, which begin like a comparison.
type arguments struct {
	depth, parens int
	last          byte // the byte before, 'a' for an identifier
	name          bool // that identifier is followed by no other
}

// typeArguments finds the end of the type arguments that may begin with the < at
// a position. It reads nothing. Like the compiler it takes for type arguments what
// can be such.
func (s *scanner) typeArguments(from int) (end int, ok bool) {
	at := from
	defer func() { s.budget -= at - from }()
	if s.budget < 0 {
		s.unsure("there are too many angle brackets", at)
		return 0, false
	}
	var a arguments
	for at < len(s.src) {
		switch c := s.src[at]; {
		case c == '\n' || lex.Class[c] == lex.Space:
			at++
		case c == '/':
			next := s.over(at)
			if next == at {
				return 0, false
			}
			at = next
		case c == '`' || lex.Class[c] == lex.Letter:
			end := quotedEnd(s.src, at)
			if !a.identifier(s.src[at:end]) {
				return 0, false
			}
			at = end
		default:
			if !a.symbol(c) {
				return 0, false
			}
			at++
			if a.depth == 0 {
				return at, a.parens == 0
			}
		}
	}
	return 0, false
}

// quotedEnd is the end of the identifier at a position, which may be in
// back-quotes.
func quotedEnd(src []byte, at int) int {
	if src[at] != '`' {
		return lex.Identifier(src, at)
	}
	if n := bytes.IndexByte(src[at+1:lex.Line(src, at)], '`'); n >= 0 {
		return at + 1 + n + 1
	}
	return at + 1
}

func (a *arguments) identifier(word []byte) bool {
	if a.last == 'a' && a.name {
		return false
	}
	switch string(word) {
	case "in", "out", "suspend", "reified":
		a.name = false
	default:
		a.name = a.last != '@'
	}
	a.last = 'a'
	return true
}

func (a *arguments) symbol(c byte) bool {
	last := a.last
	a.last = c
	if last == '-' {
		return c == '>'
	}
	switch c {
	case '<':
		a.depth++
	case '>':
		a.depth--
	case '(':
		a.parens++
		return last != 'a' || !a.name
	case ')':
		a.parens--
		return a.parens >= 0
	case ':':
		return a.parens > 0
	case '&':
		return last != '&'
	case ',', '.', '?', '*', '@', '-':
	default:
		return false
	}
	return true
}
