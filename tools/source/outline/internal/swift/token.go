package swift

import (
	"bytes"
	"unicode/utf8"

	"github.com/dougu-go/dougu/tools/source/outline/internal/lex"
)

// kind is the kind of a token.
type kind uint8

const (
	tEOF kind = iota
	tWord
	tValue // a number, a string, a regular expression
	tHash  // #name
	tAt
	tDot
	tComma
	tColon
	tSemicolon
	tAssign
	tArrow
	tBinary // an operator between two operands
	tPrefix // an operator before one, and what else an operand follows
	tPostfix
	tLeftParen
	tLeftBracket
	tLeftBrace
	tRightParen
	tRightBracket
	tRightBrace
)

// token is one token. The name of a word is src[start:end] without back-quotes.
type token struct {
	kind    kind
	word    word
	newline bool // a line feed stands before it
	spaced  bool // white space, a comment or the beginning of the text does
	quoted  bool // a word in back-quotes
	start   int
	end     int
}

// before and after are the bounds of the token with its back-quotes.
func (t *token) before() int {
	if t.quoted {
		return t.start - 1
	}
	return t.start
}

func (t *token) after() int {
	if t.quoted {
		return t.end + 1
	}
	return t.end
}

// operandEnded says that an operand may end with the token, so that an operator
// may follow it.
func (t *token) operandEnded() bool {
	switch t.kind {
	case tWord:
		return !t.word.beforeOperand()
	case tValue, tHash, tPostfix, tRightParen, tRightBracket, tRightBrace:
		return true
	}
	return false
}

// What a byte begins.
const (
	bOther = iota
	bSpace
	bLine
	bLetter
	bDigit
	bOperator
	bSlash
	bQuote
	bHash
	bDot
	bBackquote
	bBackslash
	bSingle // a token of one byte, in singles
)

var begins, singles = func() (begins [256]uint8, singles [256]kind) {
	for c := range begins {
		switch class := lex.Class[c]; {
		case class&lex.Letter != 0:
			begins[c] = bLetter
		case class&lex.Digit != 0:
			begins[c] = bDigit
		case class&lex.Space != 0 || c == 0:
			begins[c] = bSpace
		}
	}
	for _, c := range []byte("=-+!*%<>&|^~?") {
		begins[c] = bOperator
	}
	for c, k := range map[byte]kind{
		'@': tAt, ',': tComma, ':': tColon, ';': tSemicolon, '(': tLeftParen, ')': tRightParen,
		'[': tLeftBracket, ']': tRightBracket, '{': tLeftBrace, '}': tRightBrace,
	} {
		begins[c], singles[c] = bSingle, k
	}
	begins['\n'], begins['/'], begins['"'], begins['#'] = bLine, bSlash, bQuote, bHash
	begins['.'], begins['`'], begins['\\'] = bDot, bBackquote, bBackslash
	return
}()

// lexer makes tokens. Directives of conditional compilation are white space to
// it.
type lexer struct {
	src      []byte
	at       int   // where the token after tok begins, or white space before it
	tok      token // the token at hand
	prev     token // the one before it
	docs     lex.Docs
	open     int   // brackets that are open
	branches []int // how many were at each #if that is not closed
}

// next goes on to the next token.
func (p *parser) next() {
	p.prev = p.tok
	t := token{spaced: p.at == 0}
	src := p.src
	for p.at < len(src) {
		c := src[p.at]
		switch begins[c] {
		case bSpace:
			p.at++
			t.spaced = true
			continue
		case bLine:
			p.at++
			t.spaced, t.newline = true, true
			continue
		case bSlash:
			if p.comment() {
				t.spaced = true
				continue
			}
		case bHash:
			if p.directive() {
				t.spaced, t.newline = true, true
				continue
			}
		}
		t.start = p.at
		p.token(c, &t)
		t.end = p.at
		if t.quoted {
			t.start, t.end = t.start+1, t.end-1
		}
		p.tok = t
		return
	}
	t.start, t.end, t.newline = len(src), len(src), true
	p.tok = t
}

// token reads the token that begins with c.
func (p *parser) token(c byte, t *token) {
	switch begins[c] {
	case bLetter:
		t.kind = tWord
		p.at = lex.Identifier(p.src, p.at)
		if p.prev.kind != tDot {
			t.word = wordOf(p.src[t.start:p.at])
		}
		if c >= utf8.RuneSelf && operatorAt(p.src[t.start:p.at]) {
			p.foreignOperator(t)
		}
	case bDigit:
		t.kind = tValue
		p.at = lex.Identifier(p.src, p.at)
	case bSingle:
		p.single(c, t)
	case bQuote:
		t.kind = tValue
		p.str(0)
	case bHash:
		p.hash(t)
	case bBackquote:
		p.backquoted(t)
	case bDot:
		if p.at+1 < len(p.src) && (p.src[p.at+1] == '.' || begins[p.src[p.at+1]] == bOperator && p.src[p.at+1] != '?') {
			p.operator(t)
			return
		}
		t.kind = tDot
		p.at++
	case bSlash:
		if p.regexAllowed(t) {
			if end := slashRegex(p.src, p.at); end > 0 {
				t.kind, p.at = tValue, end
				return
			}
		}
		p.operator(t)
	case bOperator:
		p.operator(t)
	default: // a backslash before a key path, and what is no Swift
		t.kind = tPrefix
		p.at++
	}
}

// single reads a token of one byte, or the :: of a module's name, which is as good
// as a dot.
func (p *parser) single(c byte, t *token) {
	t.kind = singles[c]
	p.at++
	if c == ':' && p.at+1 < len(p.src) && p.src[p.at] == ':' && begins[p.src[p.at+1]] == bLetter && !t.spaced {
		t.kind = tDot
		p.at++
	}
	switch {
	case t.kind >= tRightParen:
		p.open--
	case t.kind >= tLeftParen:
		p.open++
	}
}

// comment passes over the comment at hand, if there is one.
func (p *parser) comment() bool {
	if p.at+1 >= len(p.src) {
		return false
	}
	start, ok := p.at, true
	switch p.src[p.at+1] {
	case '/':
		p.at = lex.Line(p.src, p.at)
	case '*':
		if p.at, ok = lex.NestedBlock(p.src, p.at); !ok {
			p.doubtAt(start, "a comment is not closed")
		}
	default:
		return false
	}
	p.docs.Comment(p.src, start, p.at)
	return true
}

// directive passes over #if, #elseif, #else and #endif with their lines.
func (p *parser) directive() bool {
	end := lex.Identifier(p.src, p.at+1)
	switch string(p.src[p.at+1 : end]) {
	case "if":
		p.branches = append(p.branches, p.open)
	case "elseif", "else":
		p.sameDepth()
	case "endif":
		if p.sameDepth(); len(p.branches) > 0 {
			p.branches = p.branches[:len(p.branches)-1]
		}
	default:
		return false
	}
	p.at = lex.Line(p.src, end)
	return true
}

// sameDepth checks that a branch of #if closes what it opens.
func (p *parser) sameDepth() {
	switch {
	case len(p.branches) == 0:
		p.doubtAt(p.at, "no #if stands before this directive")
	case p.branches[len(p.branches)-1] != p.open:
		p.doubtAt(p.at, "the brackets of a branch of #if do not match")
	}
}

// hash reads what begins with #: a raw string, a regular expression, a macro.
func (p *parser) hash(t *token) {
	marks := p.at
	for marks < len(p.src) && p.src[marks] == '#' {
		marks++
	}
	n := marks - p.at
	t.kind = tValue
	switch {
	case marks < len(p.src) && p.src[marks] == '"':
		p.at = marks
		p.str(n)
	case marks < len(p.src) && p.src[marks] == '/':
		p.markedRegex(marks, n)
	default:
		t.kind = tHash
		p.at = max(p.at+1, lex.Identifier(p.src, p.at+1))
	}
}

// backquoted reads a word in back-quotes.
func (p *parser) backquoted(t *token) {
	line := p.src[p.at+1 : lex.Line(p.src, p.at)]
	n := bytes.IndexByte(line, '`')
	if n <= 0 {
		t.kind = tPrefix
		p.at++
		return
	}
	t.kind, t.quoted = tWord, true
	p.at += n + 2
}

// isWord says that a word is at hand, which may mean nothing elsewhere.
func (p *parser) isWord(text string) bool {
	return p.tok.kind == tWord && !p.tok.quoted && p.text[p.tok.start:p.tok.end] == text
}
