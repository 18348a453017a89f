package script

import (
	"bytes"
	"unicode"
	"unicode/utf8"

	"github.com/dougu-go/dougu/tools/source/outline/internal/lex"
)

// kind is the kind of a token. A punctuation mark of one byte is its own kind; the others are
// below.
type kind uint8

const end kind = 0 // of the text

const (
	word         kind = 128 + iota // an identifier that is no keyword
	private                        // #name
	number                         //
	str                            // 'a' or "a"
	arrow                          // =>
	ellipsis                       // ...
	optional                       // ?.
	step                           // ++ or --
	operator                       // an operator between two operands that is not below
	compound                       // += and the like; / and < take part in none
	unknown                        // a byte that begins no token
	firstKeyword                   // see keyword.go
)

// token is a piece of the text.
type token struct {
	kind       kind
	newline    bool // a line feed precedes it
	start, end int  // offsets
}

// next goes to the next token.
func (s *scanner) next() {
	s.prevEnd = s.tok.end
	src, at, newline := s.src, s.tok.end, false
	for at < len(src) {
		c := src[at]
		switch lead[c] {
		case leadSpace:
			at++
			continue
		case leadFeed:
			newline = true
			at++
			continue
		case leadWord:
			last := at + 1
			for last < len(src) && within[src[last]] {
				last++
			}
			if last < len(src) && (src[last] >= utf8.RuneSelf || src[last] == '\\') {
				last = identifier(src, last)
			}
			s.tok = token{keyword(src[at:last]), newline, at, last}
			return
		case leadPunct:
			s.tok = token{kind(c), newline, at, at + 1}
			return
		case leadQuote:
			s.quoted(at, newline)
			return
		case leadDigit:
			s.tok = token{number, newline, at, numeral(src, at)}
			return
		case leadSlash:
			if past := s.comment(at, &newline); past > at {
				at = past
				continue
			}
			s.operator(at, newline)
			return
		case leadOperator:
			s.operator(at, newline)
			return
		default:
			if past := blank(src, at); past > at {
				at = past
				continue
			}
			s.other(at, newline)
			return
		}
	}
	s.tok = token{end, true, len(src), len(src)}
}

// comment is the end of the comment at a position, or the position if there is
// none.
func (s *scanner) comment(at int, newline *bool) int {
	if at+1 >= len(s.src) {
		return at
	}
	switch s.src[at+1] {
	case '/':
		past := lex.Line(s.src, at)
		s.commented = at
		s.docs.Comment(s.src, at, past)
		return past
	case '*':
		past, ok := lex.Block(s.src, at)
		if !ok {
			s.tok.start = at
			s.doubt("a comment is not closed")
			return past
		}
		s.commented = at
		s.docs.Comment(s.src, at, past)
		if !*newline && bytes.IndexByte(s.src[at:past], '\n') >= 0 {
			*newline = true
		}
		return past
	}
	return at
}

// quoted reads a string, which a backslash may continue on the next line.
func (s *scanner) quoted(at int, newline bool) {
	src, quote, past := s.src, s.src[at], at+1
	for past < len(src) && src[past] != quote && src[past] != '\n' {
		if src[past] == '\\' {
			if past++; past+1 < len(src) && src[past] == '\r' && src[past+1] == '\n' {
				past++
			}
		}
		past++
	}
	past = min(past, len(src))
	closed := past < len(src) && src[past] == quote
	if closed {
		past++
	}
	s.tok = token{str, newline, at, past}
	if !closed {
		s.doubt("a string is not closed")
	}
}

// operator reads an operator of several bytes, or one byte that is none of them.
func (s *scanner) operator(at int, newline bool) {
	c, c1, c2 := s.src[at], byte(0), byte(0)
	if at+1 < len(s.src) {
		c1 = s.src[at+1]
	}
	if at+2 < len(s.src) {
		c2 = s.src[at+2]
	}
	k, n := kind(c), 1
	switch {
	case c == '=' && c1 == '>':
		k, n = arrow, 2
	case (c == '=' || c == '!') && c1 == '=':
		k, n = operator, 2
		if c2 == '=' {
			n = 3
		}
	case c == '.' && c1 == '.' && c2 == '.':
		k, n = ellipsis, 3
	case c == '.' && '0' <= c1 && c1 <= '9':
		k, n = number, numeral(s.src, at)-at
	case c == '?' && c1 == '.' && (c2 < '0' || c2 > '9'):
		k, n = optional, 2
	case (c == '+' || c == '-') && c1 == c:
		k, n = step, 2
	case (c == '&' || c == '|' || c == '?' || c == '*') && c1 == c:
		if k, n = operator, 2; c2 == '=' {
			k, n = compound, 3
		}
	case c1 == '=' && c != '=' && c != '.' && c != '?' && c != '!':
		k, n = compound, 2
	}
	s.tok = token{k, newline, at, at + n}
}

// other reads a token that begins with a rare byte.
func (s *scanner) other(at int, newline bool) {
	c := s.src[at]
	past := identifier(s.src, at+1)
	switch {
	case c == '#' && past > at+1:
		s.tok = token{private, newline, at, past}
	case c == '\\' || c >= utf8.RuneSelf:
		past = max(identifier(s.src, at), at+1)
		s.tok = token{word, newline, at, past}
	default:
		s.tok = token{unknown, newline, at, at + 1}
	}
}

// identifier is the end of the identifier that continues at an offset, with
// letters of any script and with escapes.
func identifier(src []byte, at int) int {
	for at < len(src) {
		switch c := src[at]; {
		case within[c]:
			at++
		case c == '\\' && at+1 < len(src) && src[at+1] == 'u':
			if at += 2; at < len(src) && src[at] == '{' {
				for at < len(src) && src[at] != '}' && src[at] != '\n' {
					at++
				}
				at = min(at+1, len(src))
			}
		case c >= utf8.RuneSelf && blank(src, at) == at:
			_, n := utf8.DecodeRune(src[at:])
			at += n
		default:
			return at
		}
	}
	return at
}

// blank is the end of the space at a position that is not ASCII.
func blank(src []byte, at int) int {
	if src[at] < utf8.RuneSelf {
		return at
	}
	if r, n := utf8.DecodeRune(src[at:]); unicode.IsSpace(r) || r == '\ufeff' {
		return at + n
	}
	return at
}

// numeral is the end of the number at a position.
func numeral(src []byte, at int) int {
	hex := at+1 < len(src) && src[at] == '0' && src[at+1]|0x20 == 'x'
	dot := hex
	for at < len(src) {
		switch c := src[at]; {
		case lex.Class[c]&(lex.Letter|lex.Digit) != 0 && c < utf8.RuneSelf:
			if !hex && c|0x20 == 'e' && at+1 < len(src) && (src[at+1] == '+' || src[at+1] == '-') {
				at++
			}
		case c == '.' && !dot:
			dot = true
		default:
			return at
		}
		at++
	}
	return at
}

// The ways in which a token can begin.
const (
	leadOther = iota
	leadSpace
	leadFeed
	leadWord
	leadDigit
	leadQuote
	leadSlash
	leadOperator
	leadPunct
)

var lead = func() (lead [256]uint8) {
	mark := func(bytes string, what uint8) {
		for i := range len(bytes) {
			lead[bytes[i]] = what
		}
	}
	for c := range within {
		if within[c] {
			lead[c] = leadWord
		}
	}
	mark("0123456789", leadDigit)
	mark(" \t\f\v", leadSpace)
	mark("\n\r", leadFeed)
	mark("\"'", leadQuote)
	mark("/", leadSlash)
	mark("=!.?+-*&|%^", leadOperator)
	mark("(){}[],;:<>~@`", leadPunct)
	return lead
}()

// within marks the ASCII bytes that continue an identifier.
var within = func() (within [256]bool) {
	for c := range utf8.RuneSelf {
		within[c] = lex.Class[c]&(lex.Letter|lex.Digit) != 0
	}
	return within
}()
