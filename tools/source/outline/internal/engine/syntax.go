package engine

import (
	"strings"

	"github.com/dougu-go/dougu/tools/source/outline/internal/lex"
)

// Syntax is the table by which the texts of a language are cut into tokens.
type Syntax struct {
	// Keywords are the words with a meaning, by number from 1, several to a number
	// with blanks between them. A word after a Dot is a name.
	Keywords map[uint8]string
	// Operators are the signs of several bytes, with blanks between them. Of those
	// that fit, the longest is taken.
	Operators map[Kind]string
	// Quotes are the bytes that may begin a literal, for which the scanner calls Literal.
	Quotes string
	// Literal describes the literal that begins at a position, and where its content
	// does; from is 0 if none begins there.
	Literal func(src []byte, at int) (l Literal, from int)
	// Special are bytes that Read reads, which reports whether it has.
	Special string
	Read    func(l *Lexer, t Token) bool
}

// Literal is a string that is being read.
type Literal struct {
	Close  string // its end
	Escape string // the next byte belongs to it, whatever it is; "" for none
	Code   string // the beginning of code, with its bracket; "" for none
	Lines  bool   // line feeds may be in it
	Greedy bool   // further bytes like the last one of Close belong to it
}

// The kinds of tokens that a byte begins.
const (
	beginsOther = iota
	beginsSpace
	beginsLine
	beginsWord
	beginsDigit
	beginsSingle
	beginsQuote
	beginsBackquote
	beginsSpecial
)

// operator is a sign of several bytes.
type operator struct {
	text string
	kind Kind
}

// Table is a Syntax made ready for use.
type Table struct {
	Syntax
	begins    [256]uint8
	kinds     [256]Kind // of single bytes
	operators [256][]operator
	keywords  [1024]keyword
	longest   int
}

type keyword struct {
	text string
	word uint8
}

// searchOffset is where a keyword of two bytes or more is looked for first.
func searchOffset(text []byte) int {
	return (int(text[0])*15 + int(text[1])*38 + int(text[len(text)-1])*61 + len(text)*7) & 1023
}

// Compile makes a Table.
func (x Syntax) Compile() *Table {
	t := &Table{Syntax: x}
	for c := range t.begins {
		t.kinds[c] = Infix
		switch class := lex.Class[c]; {
		case class == lex.Letter:
			t.begins[c] = beginsWord
		case class == lex.Digit:
			t.begins[c] = beginsDigit
		case class == lex.Space || c == 0:
			t.begins[c] = beginsSpace
		default:
			t.begins[c] = beginsSingle
		}
	}
	for c, kind := range map[byte]Kind{
		'@': At, '.': Dot, ',': Comma, ':': Colon, ';': Semicolon, '=': Assign,
		'(': LeftParen, ')': RightParen, '[': LeftBracket, ']': RightBracket, '{': LeftBrace, '}': RightBrace,
	} {
		t.kinds[c] = kind
	}
	t.begins['\n'], t.begins['`'] = beginsLine, beginsBackquote
	for _, c := range []byte(x.Quotes) {
		t.begins[c] = beginsQuote
	}
	for _, c := range []byte(x.Special) {
		t.begins[c] = beginsSpecial
	}
	for kind, all := range x.Operators {
		for _, text := range strings.Fields(all) {
			t.operators[text[0]] = append(t.operators[text[0]], operator{text, kind})
		}
	}
	for word, all := range x.Keywords {
		for _, text := range strings.Fields(all) {
			at := searchOffset([]byte(text))
			for t.keywords[at].text != "" {
				at = (at + 1) & 1023
			}
			t.keywords[at] = keyword{text, word}
			t.longest = max(t.longest, len(text))
		}
	}
	return t
}

// Keyword is the number of a keyword, 0 for any other word.
func (t *Table) Keyword(text []byte) uint8 {
	if len(text) < 2 || len(text) > t.longest || text[0] >= 0x80 {
		return 0
	}
	for at := searchOffset(text); t.keywords[at].text != ""; at = (at + 1) & 1023 {
		if t.keywords[at].text == string(text) {
			return t.keywords[at].word
		}
	}
	return 0
}

// operator is the sign at a position.
func (t *Table) operator(src []byte, at int) (end int, kind Kind) {
	end, kind = at+1, t.kinds[src[at]]
	for _, o := range t.operators[src[at]] {
		if n := at + len(o.text); n > end && n <= len(src) && string(src[at:n]) == o.text {
			end, kind = n, o.kind
		}
	}
	return end, kind
}
