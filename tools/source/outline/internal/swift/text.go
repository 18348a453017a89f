package swift

import (
	"bytes"
	"strings"
	"unicode/utf8"

	"github.com/dougu-go/dougu/tools/source/outline/internal/engine"
	"github.com/dougu-go/dougu/tools/source/outline/internal/lex"
)

// signs are the bytes that operators are made of.
const signs = "=-+!*%<>&|^~?/."

// above are the bytes that the other characters of operators may begin with.
const above = "\xc2\xc3\xe2\xe3"

// isSign says which bytes operators go on with.
var isSign = lex.Set(strings.TrimSuffix(signs, "."))

// read reads the tokens that the table alone does not tell: operators and the texts between
// operands, directives, raw strings, regular expressions.
func read(l *engine.Lexer, t engine.Token) bool {
	src, at := l.Src, l.At
	next := byte(0)
	if at+1 < len(src) {
		next = src[at+1]
	}
	switch c := src[at]; {
	case c >= utf8.RuneSelf:
		return foreignOperator(l, t)
	case c == '#':
		return hash(l, t)
	case c == ':':
		if next != ':' || l.Flags&engine.Spaced != 0 || at+2 == len(src) || lex.Class[src[at+2]] != lex.Letter {
			return false
		}
		t.Kind = engine.Dot // the :: of a module's name
		l.At += 2
		l.Put(t)
	case c == '\\':
		t.Kind = engine.Prefix
		l.At++
		l.Put(t)
	case c == '.' && next != '.' && (!isSign[next] || next == '?'):
		return false
	case c == '/' && regexAllowed(l) && slashRegex(src, at) > 0:
		t.Kind = engine.Value
		l.At = slashRegex(src, at)
		l.Put(t)
	default:
		operator(l, t)
	}
	return true
}

// operator reads an operator. < and > are tokens of their own in it.
func operator(l *engine.Lexer, t engine.Token) {
	src, end := l.Src, l.At
	dots := src[end] == '.'
	for end < len(src) && (isSign[src[end]] || dots && src[end] == '.') {
		if src[end] == '/' && end+1 < len(src) && (src[end+1] == '/' || src[end+1] == '*') {
			break
		}
		end++
	}
	kind := engine.Assign
	if end != l.At+1 || src[l.At] != '=' {
		kind = fixity(l, end)
	}
	for l.At < end {
		t.Start, t.Kind = int32(l.At), kind
		switch text := src[l.At:end]; {
		case bytes.HasPrefix(text, []byte("->")):
			t.Kind = engine.Arrow
			l.At += 2
		case text[0] == '<' || text[0] == '>':
			l.At++
		default:
			for l.At++; l.At < end && src[l.At] != '<' && src[l.At] != '>' && !bytes.HasPrefix(src[l.At:end], []byte("->")); l.At++ {
			}
		}
		l.Put(t)
	}
}

// fixity is the kind of the operator from l.At to an end, by the blanks around it.
func fixity(l *engine.Lexer, end int) engine.Kind {
	last := l.Last()
	spaced := l.Flags&engine.Spaced != 0
	left := !spaced && operandEnded(&last)
	right := end < len(l.Src)
	if right {
		switch l.Src[end] {
		case ' ', '\t', '\r', '\n', ')', ']', '}', ',', ';', ':':
			right = false
		case '.':
			right = !left
		}
	}
	if first := l.Src[l.At]; first == '?' || first == '!' {
		switch {
		case !spaced && (last.Word == wordAs || last.Word == wordTry):
			return engine.Prefix // as? and try! have no operand yet
		case left && (!right || end == l.At+1):
			return engine.Postfix
		}
	}
	switch {
	case left == right:
		return engine.Infix
	case left:
		return engine.Postfix
	}
	return engine.Prefix
}

// operatorAt reports whether text begins with a character that operators are made of
// and that is not of ASCII.
func operatorAt(text []byte) bool {
	r, _ := utf8.DecodeRune(text)
	switch {
	case r < 0xa1 || r > 0x3030:
		return false
	case r <= 0xbf:
		return r <= 0xa7 || r == 0xa9 || r == 0xab || r == 0xac || r == 0xae || r == 0xb0 || r == 0xb1 || r == 0xb6 || r == 0xbb || r == 0xbf
	case r < 0x2016:
		return r == 0xd7 || r == 0xf7
	}
	return r <= 0x2017 || 0x2020 <= r && r <= 0x2027 || 0x2030 <= r && r <= 0x203e || 0x2041 <= r && r <= 0x2053 ||
		0x2055 <= r && r <= 0x205e || 0x2190 <= r && r <= 0x23ff || 0x2500 <= r && r <= 0x2775 ||
		0x2794 <= r && r <= 0x2bff || 0x2e00 <= r && r <= 0x2e7f || 0x3001 <= r && r <= 0x3003 || 0x3008 <= r
}

// foreignOperator reads an operator of characters that are not of ASCII, or nothing.
func foreignOperator(l *engine.Lexer, t engine.Token) bool {
	end := l.At
	for end < len(l.Src) && operatorAt(l.Src[end:]) {
		_, n := utf8.DecodeRune(l.Src[end:])
		end += n
	}
	if end == l.At {
		return false
	}
	t.Kind = fixity(l, end)
	l.At = end
	l.Put(t)
	return true
}

// hash reads a token that begins with #: a directive, a raw string, a regular expression, a
// macro.
func hash(l *engine.Lexer, t engine.Token) bool {
	src := l.Src
	end := lex.Identifier(src, l.At+1)
	if directive(l, string(src[l.At+1:end])) {
		l.At = lex.Line(src, end)
		l.Flags |= engine.Spaced | engine.Newline
		return true
	}
	marks := l.At
	for marks < len(src) && src[marks] == '#' {
		marks++
	}
	n := marks - l.At
	switch {
	case marks < len(src) && src[marks] == '"':
		x, from := literal(src, marks, n)
		l.At = from
		l.Content(t, x)
	case marks < len(src) && src[marks] == '/':
		t.Kind = engine.Value
		lines := len(bytes.TrimSpace(src[marks+1:lex.Line(src, marks)])) == 0
		l.At = marks + 1
		l.Content(t, engine.Literal{Close: engine.Marked("/", "#", n), Escape: `\`, Lines: lines})
	default:
		t.Kind = engine.Hash
		l.At = lex.Identifier(src, marks)
		l.Put(t)
	}
	return true
}

// directive reports whether a word is that of a directive of conditional
// compilation. Every branch counts, if it closes its own brackets.
func directive(l *engine.Lexer, word string) bool {
	n := len(l.Branches)
	switch word {
	case "if":
		l.Branches = append(l.Branches, l.Open())
		return true
	case "elseif", "else", "endif":
	default:
		return false
	}
	switch {
	case n == 0:
		l.Doubt(l.At, "no #if stands before this directive")
	case l.Branches[n-1] != l.Open():
		l.Doubt(l.At, "the brackets of a branch of #if do not match")
	}
	if word == "endif" && n > 0 {
		l.Branches = l.Branches[:n-1]
	}
	return true
}

// literal is the string of which the first quote is at a position, after n marks #.
func literal(src []byte, at, n int) (x engine.Literal, from int) {
	x = engine.Literal{Close: engine.Marked(`"`, "#", n), Escape: engine.Marked(`\`, "#", n), Code: engine.Marked(`\`, "#", n) + "("}
	if bytes.HasPrefix(src[at:], []byte(`"""`)) && (n == 0 || !bytes.Contains(src[at+2:lex.Line(src, at)], []byte(x.Close))) {
		x.Close, x.Lines = engine.Marked(`"""`, "#", n), true
		return x, at + 3
	}
	return x, at + 1
}

// regexAllowed reports whether a slash at this place may begin a regular expression.
func regexAllowed(l *engine.Lexer) bool {
	last := l.Last()
	if last.Word == wordFunc || last.Word == wordOperator {
		return false
	}
	return !operandEnded(&last) || l.Flags&engine.Newline != 0
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
