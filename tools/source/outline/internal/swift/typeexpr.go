package swift

import "strings"

// typeName reads a type; it is false if there is none at hand.
func (p *parser) typeName() bool {
	for {
		p.specifiers()
		if !p.primaryType() {
			return false
		}
		p.typeSuffix()
		switch {
		case p.tok.kind == tBinary && p.src[p.tok.start] == '&' && p.tok.end == p.tok.start+1:
			p.next()
		case p.functionType():
		default:
			return true
		}
	}
}

// specifiers reads what may stand before a type: attributes, some, inout ….
func (p *parser) specifiers() {
	for {
		switch p.tok.kind {
		case tAt:
			p.attribute(false)
			continue
		case tPrefix, tBinary, tPostfix:
			if p.src[p.tok.start] != '~' {
				return
			}
			p.next()
			continue
		case tWord:
			if !specifier(p.text[p.tok.start:p.tok.end]) || p.tok.quoted {
				return
			}
		default:
			return
		}
		if !p.typeFollows() {
			return
		}
		bare := p.isWord("nonisolated")
		p.next()
		if bare && p.tok.kind == tLeftParen && strings.HasPrefix(p.text[p.tok.end:], "nonsending)") {
			p.bracket()
		}
	}
}

func specifier(text string) bool {
	switch text {
	case "some", "any", "inout", "each", "repeat", "borrowing", "consuming", "isolated", "sending", "nonisolated",
		"__owned", "__shared", "_const", "unowned", "weak":
		return true
	}
	return false
}

func (p *parser) primaryType() bool {
	switch p.tok.kind {
	case tWord, tValue: // a value: <4, Int>
		p.next()
	case tLeftParen, tLeftBracket:
		p.bracket()
	default:
		return false
	}
	return true
}

// typeSuffix reads what follows the beginning of a type directly.
func (p *parser) typeSuffix() {
	for {
		switch {
		case p.tok.kind == tDot && !p.tok.newline:
			if p.next(); p.tok.kind == tWord {
				p.next()
			}
		case p.tok.newline:
			return
		case p.firstByte() == '<':
			p.angle()
		case !p.tok.spaced && (p.firstByte() == '?' || p.firstByte() == '!'):
			p.split(1)
			p.next()
		case p.tok.kind != tEOF && p.tok.end-p.tok.start == 3 && p.text[p.tok.start:p.tok.end] == "...":
			p.next()
		default:
			return
		}
	}
}

// functionType reads async throws(E) ->, as far as it is there; it is true if a
// type follows.
func (p *parser) functionType() bool {
	if p.prev.kind == tRightParen {
		p.effects()
	}
	if p.tok.kind != tArrow {
		return false
	}
	p.next()
	return true
}

// effects reads async, throws, throws(E) and rethrows.
func (p *parser) effects() {
	for p.tok.word == wAsync || p.tok.word == wThrows {
		word := p.tok.word
		p.next()
		if word == wThrows && p.tok.kind == tLeftParen {
			p.bracket()
		}
	}
}

// angle reads type parameters or arguments, of which the < is at hand.
func (p *parser) angle() {
	start, depth := p.tok.start, 0
	for {
		switch p.tok.kind {
		case tEOF, tLeftBrace, tRightBrace, tSemicolon, tRightParen, tRightBracket:
			p.doubtAt(start, "type arguments are not closed")
			return
		case tLeftParen, tLeftBracket:
			p.bracket()
			continue
		case tBinary, tPrefix, tPostfix:
			switch p.src[p.tok.start] {
			case '<':
				depth++
			case '>':
				depth--
			}
			p.split(1)
		}
		p.next()
		if depth == 0 {
			return
		}
	}
}

// requirements reads a where clause.
func (p *parser) requirements() {
	if p.tok.word != wWhere {
		return
	}
	p.next()
	for p.typeName() {
		if p.tok.kind == tColon || p.tok.end-p.tok.start == 2 && p.firstByte() == '=' {
			p.next()
			p.typeName()
		}
		if p.tok.kind != tComma {
			return
		}
		p.next()
	}
}
