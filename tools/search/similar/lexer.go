package similar

import "bytes"

// token is one token of a text.
type token struct {
	code uint16 // identifier, number, text, or the code of an operator or keyword
	// name is a hash of the text of an identifier or literal; 0 for other tokens.
	name       uint32
	start, end int32
}

// lexer splits a text into tokens. It accepts every text.
type lexer struct {
	*rules
	src     []byte
	at      int
	tokens  []token
	pending []byte // name of a heredoc that begins with the next line
	looks   int    // remaining bytes of lookahead for closing delimiters
}

// looksEach is the maximum number of lookahead bytes per byte of text. Code needs about
// one. Beyond the limit, an opening delimiter is read as an operator.
const looksEach = 16

// lex appends the tokens of a text. It omits comments, semicolons, and commas before
// closing brackets, because formatters add and remove them.
func lex(tokens []token, src []byte, d dialect) []token {
	l := lexer{rules: d.rules, src: src, tokens: tokens, looks: looksEach*len(src) + 1000}
	if d.syntax != nil {
		return l.defined(d)
	}
	if l.html {
		if open := bytes.Index(src, []byte("<?")); open >= 0 {
			l.markup(open)
		}
	}
	for l.at < len(src) {
		l.next()
	}
	return l.tokens
}

// Classes of bytes.
const (
	isSign uint8 = iota
	isSpace
	isLetter
	isDigit
	isQuote
)

var classes = func() (c [256]uint8) {
	for _, b := range " \t\r\n\f\v\\;\x00" {
		c[b] = isSpace
	}
	for b := range c {
		switch {
		case 'a' <= b && b <= 'z', 'A' <= b && b <= 'Z', b == '_', b >= 128:
			c[b] = isLetter
		case '0' <= b && b <= '9':
			c[b] = isDigit
		case b == '"', b == '\'', b == '`':
			c[b] = isQuote
		}
	}
	return c
}()

// next reads one token, a comment or white space.
func (l *lexer) next() {
	c := l.src[l.at]
	switch classes[c] {
	case isSpace:
		l.at++
		if c == '\n' && l.pending != nil {
			l.hereText()
		}
	case isLetter:
		l.word()
	case isDigit:
		l.number()
	case isQuote:
		l.quoted(l.at)
	default:
		l.sign(c)
	}
}

// add appends the token from start to the current offset.
func (l *lexer) add(code uint16, name uint32, start int) {
	l.tokens = append(l.tokens, token{code, name, int32(start), int32(l.at)})
}

// previous returns the code of the last token, or 0.
func (l *lexer) previous() uint16 {
	if n := len(l.tokens); n > 0 {
		return l.tokens[n-1].code
	}
	return 0
}

// word reads an identifier, a keyword or the prefix of a string.
func (l *lexer) word() {
	start := l.at
	h := uint32(hashStart)
	i := start
	for i < len(l.src) && (classes[l.src[i]] == isLetter || classes[l.src[i]] == isDigit) {
		h = (h ^ uint32(l.src[i])) * hashTimes
		i++
	}
	l.at = i
	if l.prefixed && i-start <= 3 && i < len(l.src) {
		switch c := l.src[i]; {
		case c == '"', c == '\'' && l.triple, c == '\'' && l.raw == '#' && l.src[start] == 'b', c == '\'' && l.single == inLine:
			l.prefixedText(start)
			return
		case c == '#' && l.raw == '#' && rawOpening(l.src[i:]):
			l.fenced(start)
			return
		}
	}
	text := l.src[start:i]
	if l.keywords != nil {
		if code := l.keywords[string(text)]; code != 0 {
			l.add(code, 0, start)
		} else {
			l.add(identifier, h|1, start)
		}
		return
	}
	if code := words.code(h, text, l.words); code != 0 {
		l.add(code, 0, start)
		return
	}
	l.add(identifier, h|1, start)
}

// number reads a number with its letters.
func (l *lexer) number() {
	start := l.at
	i := start
	for i < len(l.src) {
		c := l.src[i]
		switch {
		case classes[c] == isDigit, classes[c] == isLetter && c < 128:
		case c == '.' && i+1 < len(l.src) && classes[l.src[i+1]] == isDigit:
		case c == '\'' && l.words&wordsC != 0 && i+1 < len(l.src) && classes[l.src[i+1]] == isDigit:
		case (c == '-' || c == '+') && (l.src[i-1] == 'e' || l.src[i-1] == 'E') && !(l.src[start] == '0' && l.src[min(start+1, i-1)] == 'x'):
		default:
			l.at = i
			l.add(number, hashOf(l.src[start:i])|1, start)
			return
		}
		i++
	}
	l.at = i
	l.add(number, hashOf(l.src[start:i])|1, start)
}

// sign reads an operator, a comment, or a literal that begins with an operator
// character.
func (l *lexer) sign(c byte) {
	rest := l.src[l.at:]
	if l.comment(c, rest) || l.special(c, rest) {
		return
	}
	start := l.at
	code, n := longest.operator(rest)
	if (c == ')' || c == ']' || c == '}') && l.previous() == byteOperators|',' {
		l.tokens = l.tokens[:len(l.tokens)-1]
	}
	l.at += n
	l.add(code, 0, start)
}

// special reads names, strings and patterns that begin with a sign.
func (l *lexer) special(c byte, rest []byte) bool {
	for i := 0; i < len(l.signs); i++ {
		if c == l.signs[i] && len(rest) > 1 && (classes[rest[1]] == isLetter || rest[1] == c) {
			l.signed()
			return true
		}
	}
	switch {
	case c == '/' && l.pattern && l.operand():
		return l.regexp()
	case c == '<' && l.heredoc(rest):
		return true
	case c == '#' && l.raw == '#' && rawOpening(rest):
		l.fenced(l.at)
		return true
	case c == '@' && l.raw == '@' && len(rest) > 1 && (rest[1] == '"' || rest[1] == '$' && len(rest) > 2 && rest[2] == '"'),
		c == '$' && l.raw == '@' && len(rest) > 1 && (rest[1] == '"' || rest[1] == '@' && len(rest) > 2 && rest[2] == '"'):
		l.verbatim()
		return true
	case c == '%' && l.begin && l.operand() && len(rest) > 2:
		return l.percent(rest)
	case c == '?' && l.html && len(rest) > 1 && rest[1] == '>':
		l.markup(l.at + 2)
		return true
	}
	return false
}

// signed reads an identifier with signs before it.
func (l *lexer) signed() {
	start := l.at
	for l.at < len(l.src) && classes[l.src[l.at]] == isSign && l.at-start < 2 {
		l.at++
	}
	from := l.at
	for l.at < len(l.src) && (classes[l.src[l.at]] == isLetter || classes[l.src[l.at]] == isDigit) {
		l.at++
	}
	if string(l.src[from:l.at]) == "this" {
		l.add(words.code(hashOf([]byte("this")), []byte("this"), wordsAny), 0, start)
		return
	}
	l.add(identifier, hashOf(l.src[start:l.at])|1, start)
}

// operand reports whether a value is expected here, and not an operator.
func (l *lexer) operand() bool {
	switch code := l.previous(); code {
	case identifier, number, text, byteOperators | ')', byteOperators | ']', byteOperators | '}':
		return false
	case byteOperators | '!': // x! in TypeScript, or a negation
		n := len(l.tokens)
		return n < 2 || l.tokens[n-2].end != l.tokens[n-1].start || l.tokens[n-2].code > text && bracket(l.tokens[n-2].code) >= 0
	default:
		return code < firstWord || !l.value(code)
	}
}

// value reports whether a keyword represents a value: this, null, end.
func (l *lexer) value(code uint16) bool {
	t := l.tokens[len(l.tokens)-1]
	switch string(l.src[t.start:t.end]) {
	case "this", "super", "self", "null", "nil", "true", "false", "undefined", "end":
		return true
	}
	return false
}
