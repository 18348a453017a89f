package swift

import "strings"

// expression reads an expression that ends with its line, or before a comma, a
// closing bracket or the accessors of a property.
func (p *parser) expression() {
	condition := false
	for first := true; ; first = false {
		if p.tok.newline && !first && !p.goesOn() {
			return
		}
		switch p.tok.kind {
		case tEOF, tRightParen, tRightBracket, tRightBrace, tComma, tSemicolon:
			return
		case tLeftBrace:
			if p.accessorsFollow() {
				return
			}
			condition = false
			p.block(code)
		case tWord:
			if p.tok.word == wCondition {
				condition = true
			}
			p.name(condition)
		default:
			p.element()
		}
	}
}

// goesOn says that the expression read so far does not end with its line.
func (p *parser) goesOn() bool {
	if !p.prev.operandEnded() {
		return true
	}
	switch p.tok.kind {
	case tDot, tBinary, tAssign, tArrow, tColon:
		return true
	case tLeftBrace:
		return p.prev.kind != tRightBrace
	case tWord:
		return p.tok.word == wAs || p.tok.word == wElse || p.prev.kind == tRightBrace && (p.isWord("catch") || p.labelledClosure())
	}
	return false
}

// labelledClosure says that the word at hand labels a closure.
func (p *parser) labelledClosure() bool {
	rest := p.text[p.at:min(len(p.text), p.at+200)]
	rest, found := strings.CutPrefix(rest, ":")
	return found && strings.HasPrefix(strings.TrimLeft(rest, " \t\r\n"), "{")
}

// element reads a token, or a bracket with what is in it, or type arguments.
func (p *parser) element() {
	switch p.tok.kind {
	case tLeftParen, tLeftBracket:
		p.bracket()
	case tLeftBrace:
		p.block(code)
	case tWord:
		p.name(false)
	default:
		p.next()
	}
}

// bracket reads the parentheses or square brackets at hand.
func (p *parser) bracket() {
	closing, start := tRightParen, p.tok.start
	if p.tok.kind == tLeftBracket {
		closing = tRightBracket
	}
	if !p.enter() {
		return
	}
	p.next()
	p.elements(closing)
	if p.tok.kind == closing {
		p.next()
	} else {
		p.doubtAt(start, "a bracket is not closed")
	}
	p.depth--
}

// elements reads up to a closing bracket, or to one that does not fit.
func (p *parser) elements(closing kind) {
	for {
		switch p.tok.kind {
		case closing, tEOF, tRightBrace, tRightParen, tRightBracket:
			return
		}
		p.element()
	}
}

// name reads a word within an expression, with the type arguments that follow it,
// and notes it if it is called.
func (p *parser) name(condition bool) {
	t := p.tok
	p.next()
	if t.word == 0 || t.word == wModifier {
		p.calledName(t, condition)
	}
}

// calledName is name after the word.
func (p *parser) calledName(t token, condition bool) {
	if p.tok.spaced && p.tok.kind != tLeftBrace {
		return
	}
	if p.tok.kind >= tBinary && p.tok.kind <= tPostfix && p.src[p.tok.start] == '<' {
		if end := typeArguments(p.src, p.tok.start); end > 0 {
			p.at = end
			p.tok.kind, p.tok.end = tPostfix, end
			p.next()
		}
	}
	if !p.wantCalls || p.pattern {
		return
	}
	called := p.tok.kind == tLeftParen && !p.tok.spaced || p.tok.kind == tLeftBrace && !p.tok.newline && !condition && !p.accessorsFollow()
	if p.tok.kind == tPostfix && !p.tok.spaced && p.tok.end == p.tok.start+1 {
		called = p.at < len(p.src) && p.src[p.at] == '(' // f?() and f!()
	}
	member := t.quoted || t.start > 0 && p.src[t.start-1] == '.'
	if called && (member || !noFunction(p.text[t.start:t.end])) {
		p.calls = append(p.calls, call{p.text[t.start:t.end], t.start, p.callable})
	}
}

// noFunction says that a word is no function, whatever follows it.
func noFunction(text string) bool {
	switch text {
	case "_", "default", "self", "super", "true", "false", "nil":
		return true
	}
	return text[0] == '$'
}

// typeArguments is the end of the type arguments <…> at a position, or 0 if that
// is rather an operator.
func typeArguments(src []byte, at int) int {
	depth, brackets := 0, 0
	src = src[:min(len(src), at+maxTypeArguments)]
	for ; at < len(src); at++ {
		switch c := src[at]; c {
		case '<':
			if depth++; depth > maxArgumentDepth {
				return 0
			}
		case '>':
			if at > 0 && src[at-1] == '-' {
				continue
			}
			if depth--; depth == 0 {
				return afterArguments(src, at+1, brackets)
			}
		case '(', '[':
			brackets++
		case ')', ']':
			if brackets--; brackets < 0 {
				return 0
			}
		case '.', ',', ':', '?', '!', '&', '@', '~', '-', ' ', '\t', '\n', '\r':
		default:
			if b := begins[c]; b != bLetter && b != bDigit {
				return 0
			}
		}
	}
	return 0
}

// These bound how far typeArguments looks, so that it stays linear.
const (
	maxTypeArguments = 500
	maxArgumentDepth = 12
)

// afterArguments answers with the position after type arguments if what stands
// there may follow them.
func afterArguments(src []byte, at, brackets int) int {
	if brackets != 0 {
		return 0
	}
	if at == len(src) {
		return at
	}
	switch src[at] {
	case '(', ')', ']', '}', '{', '.', ',', ';', ':', '?', '!', '\n', '\r', ' ', '=', '>':
		return at
	}
	return 0
}
