package swift

import (
	"bytes"

	"github.com/dougu-go/dougu/tools/source/outline/internal/lex"
)

// str passes over the string literal of which the first quote is at hand, after n
// marks #. What is interpolated is read as code.
func (p *parser) str(n int) {
	start, src := p.at, p.src
	quotes := 1
	if bytes.HasPrefix(src[p.at:], []byte(`"""`)) && !closesInLine(src, p.at+2, n) {
		quotes = 3
	}
	p.at += quotes
	for p.at < len(src) {
		switch c := src[p.at]; {
		case c == '"' && closes(src[p.at:], quotes, n):
			p.at += quotes + n
			return
		case c == '\\' && marked(src[p.at+1:], n):
			if p.at += 1 + n; p.at < len(src) && src[p.at] == '(' {
				p.interpolation(quotes == 1)
				continue
			}
			if p.at < len(src) && src[p.at] == '\n' && quotes == 1 {
				continue
			}
		case c == '\n' && quotes == 1:
			p.doubtAt(start, "a string is not closed")
			return
		}
		p.at++
	}
	p.at = len(src)
	p.doubtAt(start, "a string is not closed")
}

// closesInLine says that a raw string that begins like one of several lines is of
// one, as #"""# is: what closes it stands in the same line.
func closesInLine(src []byte, at, n int) bool {
	if n == 0 {
		return false
	}
	for ; at < len(src) && src[at] != '\n'; at++ {
		if src[at] == '"' && marked(src[at+1:], n) {
			return true
		}
	}
	return false
}

// closes says that text begins with what closes a literal.
func closes(text []byte, quotes, n int) bool {
	if quotes == 3 && !bytes.HasPrefix(text, []byte(`"""`)) {
		return false
	}
	return len(text) >= quotes && marked(text[quotes:], n)
}

// marked says that text begins with n marks #.
func marked(text []byte, n int) bool {
	if len(text) < n {
		return false
	}
	for _, c := range text[:n] {
		if c != '#' {
			return false
		}
	}
	return true
}

// interpolation reads the expressions in \( … ), of which the bracket is at hand.
func (p *parser) interpolation(oneLine bool) {
	tok, prev, docs := p.tok, p.prev, p.docs
	start := p.at
	p.at++
	p.open++
	p.tok = token{kind: tLeftParen, start: start, end: start + 1}
	if p.enter() {
		p.next()
		p.elements(tRightParen)
		if p.tok.kind != tRightParen {
			p.doubtAt(start, "an interpolation is not closed")
			if p.tok.kind != tEOF {
				p.at = p.tok.start
			}
		}
		p.depth--
	}
	p.tok, p.prev, p.docs = tok, prev, docs
}

// regexAllowed says that a slash at this place may begin a regular expression.
func (p *parser) regexAllowed(t *token) bool {
	switch p.prev.word {
	case wFunc, wOperator:
		return false
	}
	return !p.prev.operandEnded() || t.newline
}

// maxRegex bounds how far slashRegex looks.
const maxRegex = 2000

// slashRegex is the end of the regular expression that begins with the slash at a
// position, or 0: it ends in its line, neither begins nor ends with a blank, and
// its parentheses match.
func slashRegex(src []byte, at int) int {
	start := at
	depth, class := 0, false
	for at++; at < min(len(src), start+maxRegex); at++ {
		switch c := src[at]; {
		case c == '\n' || c == '\r':
			return 0
		case c == '\\':
			at++
			if at < len(src) && src[at] == '\n' {
				return 0
			}
		case (c == ' ' || c == '\t') && at == start+1:
			return 0
		case class:
			class = c != ']'
		case c == '[':
			class = true
		case c == '(':
			depth++
		case c == ')':
			if depth--; depth < 0 {
				return 0
			}
		case c == '/':
			if before := src[at-1]; depth > 0 || at == start+1 || before == ' ' || before == '\t' {
				return 0
			}
			return at + 1
		}
	}
	return 0
}

// markedRegex passes over #/ … /#, of which the slash is at a position, after n
// marks. It may have several lines if the first holds nothing else.
func (p *parser) markedRegex(slash, n int) {
	src := p.src
	lines := len(bytes.TrimSpace(src[slash+1:lex.Line(src, slash)])) == 0
	for at := slash + 1; at < len(src); at++ {
		switch c := src[at]; {
		case c == '\\':
			at++
		case c == '/' && marked(src[at+1:], n):
			p.at = at + 1 + n
			return
		case c == '\n' && !lines:
			p.at = at
			p.doubtAt(slash, "a regular expression is not closed")
			return
		}
	}
	p.at = len(src)
	p.doubtAt(slash, "a regular expression is not closed")
}
