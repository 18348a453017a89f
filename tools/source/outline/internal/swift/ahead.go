package swift

import (
	"bytes"

	"github.com/dougu-go/dougu/tools/source/outline/internal/lex"
)

// What is looked at ahead of the token at hand is looked at byte by byte: reading
// tokens would read what is interpolated in strings, again and again.

// accessorsFollow says that the brace at hand begins a list of accessors, not a
// closure or the body of a getter.
func (p *parser) accessorsFollow() bool {
	at := p.blanks(p.tok.end)
	for at < len(p.src) && p.src[at] == '@' {
		if at = p.attributeEnd(at + 1); at < 0 {
			return false
		}
		at = p.blanks(at)
	}
	word, at := p.wordAt(at)
	for wordOf(word) == wModifier || string(word) == yielding {
		word, at = p.wordAt(p.blanks(at))
	}
	if !accessorName(string(word)) {
		return false
	}
	if at = p.blanks(at); at == len(p.src) {
		return false
	}
	switch p.src[at] {
	case '{', '}', '@':
		return true
	case '(':
		return wordTakesName(string(word)) && p.setterName(at+1)
	}
	word, _ = p.wordAt(at)
	switch wordOf(word) {
	case wAsync, wThrows, wModifier:
		return true
	}
	return accessorName(string(word))
}

// setterName says that name) { stands at a position.
func (p *parser) setterName(at int) bool {
	word, at := p.wordAt(p.blanks(at))
	if at = p.blanks(at); len(word) == 0 || at == len(p.src) || p.src[at] != ')' {
		return false
	}
	at = p.blanks(at + 1)
	return at < len(p.src) && p.src[at] == '{'
}

// wordAt is the word at a position and its end.
func (p *parser) wordAt(at int) (word []byte, end int) {
	if at < len(p.src) && begins[p.src[at]] == bLetter {
		end = lex.Identifier(p.src, at)
		return p.src[at:end], end
	}
	return nil, at
}

// blanks is the end of the white space, comments and directives at a position.
func (p *parser) blanks(at int) int {
	for at < len(p.src) {
		rest := p.src[at:]
		switch {
		case begins[rest[0]] == bSpace || begins[rest[0]] == bLine:
			at++
		case bytes.HasPrefix(rest, []byte("//")), bytes.HasPrefix(rest, []byte("#if ")), bytes.HasPrefix(rest, []byte("#else")), bytes.HasPrefix(rest, []byte("#endif")):
			at = lex.Line(p.src, at)
		case bytes.HasPrefix(rest, []byte("/*")):
			at, _ = lex.NestedBlock(p.src, at)
		default:
			return at
		}
	}
	return at
}

// maxAttribute bounds the arguments of an attribute that are looked through.
const maxAttribute = 500

// attributeEnd is the end of the attribute of which the name begins at a position,
// or -1 if it is too long to be looked through.
func (p *parser) attributeEnd(at int) int {
	for at < len(p.src) && (p.src[at] == '.' || begins[p.src[at]] == bLetter || begins[p.src[at]] == bDigit) {
		at++
	}
	if at == len(p.src) || p.src[at] != '(' {
		return at
	}
	depth, quoted := 0, false
	for end := min(len(p.src), at+maxAttribute); at < end; at++ {
		switch c := p.src[at]; {
		case c == '"':
			quoted = !quoted
		case quoted:
		case c == '(':
			depth++
		case c == ')':
			if depth--; depth == 0 {
				return at + 1
			}
		}
	}
	return -1
}

// typeFollows says that a type goes on in the same line after the word at hand.
func (p *parser) typeFollows() bool {
	at := lex.Spaces(p.src, p.tok.after())
	if at == len(p.src) {
		return false
	}
	switch c := p.src[at]; c {
	case '@', '(', '[', '~', '`':
		return true
	default:
		return begins[c] == bLetter
	}
}

// yielding stands before the names of some accessors.
const yielding = "yielding"

// accessorName says that a word names an accessor. There are experiments with
// more names, read and modify, which are rather those of functions.
func accessorName(text string) bool {
	switch text {
	case "get", "_read", "_modify", "unsafeAddress", "unsafeMutableAddress", "borrow", "mutate":
		return true
	}
	return wordTakesName(text)
}

// wordTakesName says that an accessor may have a name in parentheses.
func wordTakesName(text string) bool {
	switch text {
	case "set", "willSet", "didSet", "init":
		return true
	}
	return false
}
