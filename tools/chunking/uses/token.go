package uses

import (
	"strings"

	"github.com/dougu-go/dougu/tools/source"
)

// lexeme is a word, a literal or a sign of a text.
type lexeme struct {
	kind       tokenKind
	start, end int32
	line       int32
	match      int32 // the index of the other bracket of a pair, or -1
}

type tokenKind uint8

const (
	tokenSign tokenKind = iota
	tokenName
	tokenString
	tokenNumber
	tokenLine // the end of a logical line, in Python
)

// maxTokens limits the tokens of a text.
const maxTokens = 2_000_000

// maxTemplates is the maximum depth of templates in the expressions of templates.
const maxTemplates = 50

// lexer splits a text into tokens.
type lexer struct {
	src      string
	language source.Language
	tokens   []lexeme
	open     []int32
	line     int32
	nested   int // depth of expressions in strings
	python   bool
	script   bool // JavaScript or TypeScript
}

// signs are the signs of several characters, longer ones first.
var signs = []string{
	"...", "===", "!==", "**=", "=>", "?.", "==", "!=", "<=", ">=", "&&", "||", "??", "::", "->", ":=", "+=", "-=", "*=", "/=", "|=", "&=", "++", "--", "**",
}

// tokenize returns the tokens of a text, without comments.
func tokenize(src string, language source.Language) []lexeme {
	l := &lexer{src: src, language: language, line: 1, python: language == source.Python}
	l.script = language == source.TypeScript || language == source.TSX || language == source.JavaScript
	l.run(0, false)
	for _, i := range l.open {
		l.tokens[i].match = -1
	}
	return l.tokens
}

func (l *lexer) add(kind tokenKind, start, end int) {
	l.tokens = append(l.tokens, lexeme{kind, int32(start), int32(end), l.line, -1})
}

// run reads tokens from an offset. In a template it ends after the closing brace.
func (l *lexer) run(at int, template bool) int {
	depth := 0
	for at < len(l.src) && len(l.tokens) < maxTokens {
		c := l.src[at]
		switch {
		case c == '\n':
			if l.python && len(l.open) == 0 && l.nested == 0 && len(l.tokens) > 0 && l.tokens[len(l.tokens)-1].kind != tokenLine {
				l.add(tokenLine, at, at+1)
			}
			l.line++
			at++
		case c == ' ' || c == '\t' || c == '\r' || c == '\f':
			at++
		case l.python && c == '#', !l.python && strings.HasPrefix(l.src[at:], "//"):
			at = l.until(at, "\n")
		case l.script && at == 0 && strings.HasPrefix(l.src, "#!"):
			at = l.until(at, "\n")
		case !l.python && strings.HasPrefix(l.src[at:], "/*"):
			end := strings.Index(l.src[at+2:], "*/")
			if end < 0 {
				return len(l.src)
			}
			l.line += int32(strings.Count(l.src[at:at+2+end], "\n"))
			at += end + 4
		case l.python && c == '\\':
			at++
			for at < len(l.src) && l.src[at] == '\r' {
				at++
			}
			if at < len(l.src) && l.src[at] == '\n' {
				at++
				l.line++
			}
		case c == '"' || c == '\'':
			at = l.quoted(at)
		case l.script && c == '`':
			at = l.template(at)
		case l.script && c == '/' && l.regexAllowed():
			at = l.regex(at)
		case c >= '0' && c <= '9':
			start := at
			for at < len(l.src) && (isNameByte(l.src[at]) || l.src[at] == '.' && at+1 < len(l.src) && l.src[at+1] >= '0' && l.src[at+1] <= '9') {
				at++
			}
			l.add(tokenNumber, start, at)
		case isNameByte(c) || l.script && (c == '$' || c == '#' || c == '@'):
			start := at
			if at++; c == '@' || c == '#' {
				l.add(tokenSign, start, at)
				continue
			}
			at = l.word(start, at)
		default:
			length := 1
			for _, s := range signs {
				if strings.HasPrefix(l.src[at:], s) {
					length = len(s)
					break
				}
			}
			if length == 2 && c == '?' && l.src[at+1] == '.' && at+2 < len(l.src) && l.src[at+2] >= '0' && l.src[at+2] <= '9' {
				length = 1
			}
			if template && c == '}' && depth == 0 {
				return at + 1
			}
			switch c {
			case '{':
				depth++
			case '}':
				depth--
			}
			l.bracket(c)
			l.add(tokenSign, at, at+length)
			l.pair(c)
			at += length
		}
	}
	return at
}

// word reads the rest of a name, or a string of Python with a prefix. The word begins at
// start, and its bytes before at are read.
func (l *lexer) word(start, at int) int {
	for at < len(l.src) && (isNameByte(l.src[at]) || l.src[at] == '$') {
		at++
	}
	if l.python && at < len(l.src) && (l.src[at] == '"' || l.src[at] == '\'') && at-start <= 2 && strings.Trim(strings.ToLower(l.src[start:at]), "rbfut") == "" {
		first := at
		at = l.quoted(at)
		if strings.ContainsAny(l.src[start:first], "fF") {
			l.formatted(first, at)
		}
		return at
	}
	l.add(tokenName, start, at)
	return at
}

// bracket drops unmatched opening brackets before a closing one.
func (l *lexer) bracket(c byte) {
	want := map[byte]byte{')': '(', ']': '[', '}': '{'}[c]
	if want == 0 {
		return
	}
	for n := len(l.open) - 1; n >= 0 && n >= len(l.open)-4; n-- {
		if l.src[l.tokens[l.open[n]].start] == want {
			l.open = l.open[:n+1]
			return
		}
	}
}

// pair connects the last token with its opening bracket.
func (l *lexer) pair(c byte) {
	last := int32(len(l.tokens) - 1)
	switch c {
	case '(', '[', '{':
		l.open = append(l.open, last)
	case ')', ']', '}':
		want := map[byte]byte{')': '(', ']': '[', '}': '{'}[c]
		if n := len(l.open); n > 0 && l.src[l.tokens[l.open[n-1]].start] == want {
			l.tokens[last].match, l.tokens[l.open[n-1]].match = l.open[n-1], last
			l.open = l.open[:n-1]
		}
	}
}

func (l *lexer) until(at int, end string) int {
	if n := strings.Index(l.src[at:], end); n >= 0 {
		return at + n
	}
	return len(l.src)
}

// quoted reads a string. Strings of one line end with the line.
func (l *lexer) quoted(at int) int {
	start, line := at, l.line
	quote := l.src[at : at+1]
	if (l.python || l.language == source.Java) && strings.HasPrefix(l.src[at:], strings.Repeat(quote, 3)) {
		quote = strings.Repeat(quote, 3)
	}
	at += len(quote)
	for at < len(l.src) {
		switch {
		case l.src[at] == '\\':
			if at+1 < len(l.src) && l.src[at+1] == '\n' {
				l.line++
			}
			at += 2
			continue
		case strings.HasPrefix(l.src[at:], quote):
			at += len(quote)
			l.tokens = append(l.tokens, lexeme{tokenString, int32(start), int32(at), line, -1})
			return at
		case l.src[at] == '\n':
			if len(quote) == 1 {
				l.tokens = append(l.tokens, lexeme{tokenString, int32(start), int32(at), line, -1})
				return at
			}
			l.line++
		}
		at++
	}
	l.tokens = append(l.tokens, lexeme{tokenString, int32(start), int32(len(l.src)), line, -1})
	return len(l.src)
}

// template reads a template literal. Its expressions become tokens in parentheses.
func (l *lexer) template(at int) int {
	l.add(tokenString, at, at+1)
	for at++; at < len(l.src); {
		switch {
		case l.src[at] == '\\':
			at = min(at+2, len(l.src))
		case l.src[at] == '`':
			return at + 1
		case l.src[at] == '\n':
			l.line++
			at++
		case strings.HasPrefix(l.src[at:], "${") && len(l.tokens) < maxTokens && l.nested < maxTemplates:
			open := int32(len(l.tokens))
			l.add(tokenSign, at, at+2)
			outer := l.open
			l.open = nil
			l.nested++
			at = l.run(at+2, true)
			l.nested--
			for _, i := range l.open {
				l.tokens[i].match = -1
			}
			l.open = outer
			l.add(tokenSign, at-1, at)
			l.tokens[open].match, l.tokens[len(l.tokens)-1].match = int32(len(l.tokens)-1), open
		default:
			at++
		}
	}
	return at
}

// formatted reads the expressions in a formatted string of Python. They become tokens in
// parentheses.
func (l *lexer) formatted(from, to int) {
	if l.nested > 3 {
		return
	}
	l.nested++
	src, outer, line := l.src, l.open, l.line
	l.line -= int32(strings.Count(src[from:to], "\n"))
	for at := from; at < to; at++ {
		if src[at] == '\n' {
			l.line++
		}
		if src[at] != '{' {
			continue
		}
		if at+1 < to && src[at+1] == '{' {
			at++
			continue
		}
		end := strings.IndexByte(src[at:to], '}')
		if end < 0 {
			break
		}
		end += at
		open := int32(len(l.tokens))
		l.add(tokenSign, at, at+1)
		l.open, l.src = nil, src[:end]
		l.run(at+1, false)
		for _, i := range l.open {
			l.tokens[i].match = -1
		}
		l.src = src
		l.add(tokenSign, end, end+1)
		l.tokens[open].match, l.tokens[len(l.tokens)-1].match = int32(len(l.tokens)-1), open
		at = end
	}
	l.src, l.open, l.line = src, outer, line
	l.nested--
}

// regexAllowed reports whether a slash begins a regular expression.
func (l *lexer) regexAllowed() bool {
	if len(l.tokens) == 0 {
		return true
	}
	t := l.tokens[len(l.tokens)-1]
	text := l.src[t.start:t.end]
	switch t.kind {
	case tokenName:
		return text == "return" || text == "typeof" || text == "case" || text == "in" || text == "of" || text == "await" || text == "yield" || text == "else"
	case tokenSign:
		return text != ")" && text != "]" && text != "}" && text != "++" && text != "--"
	}
	return false
}

// regex reads a regular expression, or a single slash.
func (l *lexer) regex(at int) int {
	class := false
	for i := at + 1; i < len(l.src) && l.src[i] != '\n'; i++ {
		switch l.src[i] {
		case '\\':
			i++
		case '[':
			class = true
		case ']':
			class = false
		case '/':
			if !class {
				l.add(tokenString, at, i+1)
				return i + 1
			}
		}
	}
	l.add(tokenSign, at, at+1)
	return at + 1
}
