package swift

import "github.com/dougu-go/dougu/tools/source"

// function reads a function after its func.
func (p *parser) function(in scope, h head) {
	from, to := p.tok.start, p.tok.end
	kind := kindIn(in)
	switch p.tok.kind {
	case tWord:
	case tBinary, tPrefix, tPostfix:
		kind = source.Operator
		// func ==<T>(…) has the name ==.
		if text := p.src[from:to]; len(text) > 1 && text[len(text)-1] == '<' && to < len(p.src) && begins[p.src[to]] == bLetter {
			p.split(len(text) - 1)
			to--
		}
	default:
		if in != code {
			p.doubtAt(from, "a function has no name")
		}
		return
	}
	i := p.add(kind, h, from, to)
	p.next()
	p.within(i, func() {
		p.header(i, kind == source.Operator)
		p.body(i)
	})
	p.end(i)
}

// special reads init, deinit and subscript.
func (p *parser) special(h head, kw token) {
	kind := source.Initializer
	switch kw.word {
	case wDeinit:
		kind = source.Deinitializer
	case wSubscript:
		kind = source.Subscript
	}
	i := p.add(kind, h, kw.start, kw.end)
	if b := p.firstByte(); kind == source.Initializer && (b == '?' || b == '!') {
		p.split(1)
		p.next()
	}
	p.within(i, func() {
		p.header(i, kind == source.Subscript)
		if kind == source.Subscript && p.tok.kind == tLeftBrace {
			p.accessors(i)
		} else {
			p.body(i)
		}
	})
	p.end(i)
}

// header reads what stands between the name of a callable and its body. A bare
// parameter of subscripts and operators has no label.
func (p *parser) header(i int, bare bool) {
	if p.firstByte() == '<' {
		p.angle()
	}
	if p.tok.kind == tLeftParen {
		p.chunks[i].Labels = p.parameters(bare)
	} else if p.chunks[i].Kind != source.Deinitializer {
		p.doubtAt(p.tok.start, "there are no parameters")
	}
	p.effects()
	if p.tok.kind == tArrow {
		p.next()
		p.typeName()
	}
	p.requirements()
}

// body reads the body of a callable, if it has one.
func (p *parser) body(i int) {
	if p.tok.kind == tLeftBrace {
		p.chunks[i].Body = int32(p.tok.start)
		p.block(code)
	}
}

// parameters reads a list of parameters and answers with its labels.
func (p *parser) parameters(bare bool) string {
	if !p.enter() {
		return ""
	}
	start, from := p.tok.start, len(p.labels)
	p.labels = append(p.labels, '(')
	p.next()
	for p.tok.kind != tRightParen {
		switch p.tok.kind {
		case tEOF, tRightBrace, tRightBracket:
			p.doubtAt(start, "a list of parameters is not closed")
			p.depth--
			return ""
		}
		p.parameter(bare)
		if p.tok.kind == tComma {
			p.next()
		}
	}
	p.next()
	p.depth--
	labels := string(append(p.labels[from:], ')'))
	p.labels = p.labels[:from]
	return labels
}

// parameter reads one parameter and appends its label.
func (p *parser) parameter(bare bool) {
	for p.tok.kind == tAt {
		p.attribute(false)
	}
	label, words := p.tok, 0
	for p.tok.kind == tWord {
		words++
		p.next()
	}
	if words > 0 && p.tok.kind == tColon {
		if words == 1 && bare {
			p.labels = append(p.labels, '_')
		} else {
			p.labels = append(p.labels, p.src[label.start:label.end]...)
		}
		p.labels = append(p.labels, ':')
		p.next()
		p.typeName()
	} else {
		p.doubtAt(p.tok.start, "a parameter has no name or no type")
	}
	for {
		switch p.tok.kind {
		case tComma, tEOF, tRightParen, tRightBracket, tRightBrace:
			return
		}
		p.element()
	}
}

// macroDecl reads the declaration of a macro after its word.
func (p *parser) macroDecl(h head) {
	i := p.add(source.Macro, h, p.tok.start, p.tok.end)
	p.next()
	p.header(i, false)
	if p.tok.kind == tAssign {
		p.chunks[i].Body = int32(p.tok.start)
		p.next()
		p.expression()
	}
	p.end(i)
}

// operatorDecl reads the declaration of an operator after its word.
func (p *parser) operatorDecl(h head) {
	from, to := p.tok.start, p.tok.end
	switch p.tok.kind {
	case tBinary, tPrefix, tPostfix, tAssign, tArrow:
	default:
		p.doubtAt(from, "an operator has no name")
		return
	}
	i := p.add(source.Operator, h, from, to)
	p.next()
	if p.tok.kind == tColon {
		for p.next(); p.tok.kind == tWord; p.next() {
			if p.tok.newline && p.prev.kind != tComma && p.prev.kind != tColon {
				break
			}
		}
	}
	if p.tok.kind == tLeftBrace {
		p.chunks[i].Body = int32(p.tok.start)
		p.block(code)
	}
	p.end(i)
}
