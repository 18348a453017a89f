package swift

import (
	"strings"

	"github.com/dougu-go/dougu/tools/source"
	"github.com/dougu-go/dougu/tools/source/outline/internal/lex"
)

// span is a stretch of the text.
type span struct{ from, to int }

// variables reads the declarations that one let or var introduces. Local ones are
// noted only if they are closures.
func (p *parser) variables(in scope, h head, kw token) {
	for {
		if h.decl < 0 {
			h.decl, h.sig = p.tok.before(), p.tok.before()
		}
		if !p.variable(in, h, kw) || p.tok.kind != tComma {
			return
		}
		p.next()
		h = head{-1, -1, p.docs}
	}
}

// variable reads one of them. It is false if the rest is left to be read as
// statements.
func (p *parser) variable(in scope, h head, kw token) bool {
	var room [4]span
	names, ok := p.names(room[:0])
	if !ok {
		if in != code {
			p.doubtAt(p.tok.start, "a variable has no name")
		}
		return false
	}
	if p.tok.kind == tColon {
		p.next()
		p.typeName()
	}
	stored, equals := p.tok.kind == tAssign, p.tok.start
	if stored {
		p.next()
	}
	closure := stored && p.tok.kind == tLeftBrace && len(names) == 1
	first := len(p.chunks)
	switch {
	case closure:
		p.add(source.Lambda, h, names[0].from, names[0].to)
	case in == code && stored:
		return false
	case in != code:
		p.values(names, h, valueKind(in, kw))
	}
	last := len(p.chunks)
	if closure {
		if !p.closure(first, in, kw) {
			return false
		}
	} else if stored {
		p.expression()
	}
	if p.tok.kind == tLeftBrace && (!stored || p.accessorsFollow()) {
		if last > first {
			p.within(first, func() { p.accessors(first) })
		} else {
			p.accessors(-1)
		}
	}
	for i := first; i < last; i++ {
		if p.end(i); stored {
			p.shorten(&p.chunks[i], equals)
		}
	}
	return true
}

// values makes the chunks of the names of one pattern. The first has the
// documentation.
func (p *parser) values(names []span, h head, kind source.Kind) {
	for n, name := range names {
		if n > 0 {
			h.docs = lex.Docs{}
		}
		p.add(kind, h, name.from, name.to)
	}
}

// shorten leaves a value out of the signature that is code or has several lines.
func (p *parser) shorten(c *source.Chunk, equals int) {
	end := int(c.End)
	if c.Body > 0 {
		end = max(equals, int(c.Body))
	}
	if c.Kind != source.Lambda && !strings.Contains(p.text[equals:end], "\n") {
		return
	}
	if text := p.text[c.Sig:equals]; len(text) <= source.MaxSignature {
		c.Signature = strings.Join(strings.Fields(text), " ")
	}
}

// closure reads the closure that a variable is bound to, whose chunk is there. If
// it is called at once, or an operand of something, then the chunk is that of an
// ordinary variable. It is false if the rest is left to be read as statements.
func (p *parser) closure(i int, in scope, kw token) bool {
	body := p.tok.start
	p.within(i, func() { p.block(code) })
	if (!p.tok.newline || p.goesOn()) && p.continues() {
		if in == code {
			p.drop(i)
			p.chunks[i].End = p.chunks[i].Ident + 1
			return false
		}
		p.chunks[i].Kind = valueKind(in, kw)
		p.expression()
		return true
	}
	p.chunks[i].Body = int32(body)
	return true
}

// continues says that the token at hand goes on with the expression before it.
func (p *parser) continues() bool {
	switch p.tok.kind {
	case tEOF, tRightParen, tRightBracket, tRightBrace, tComma, tSemicolon:
		return false
	case tLeftBrace:
		return !p.accessorsFollow()
	}
	return true
}

// names reads the pattern of a variable: a name or a tuple of them.
func (p *parser) names(names []span) ([]span, bool) {
	switch p.tok.kind {
	case tWord:
		if text := p.text[p.tok.start:p.tok.end]; text != "_" || p.tok.quoted {
			names = append(names, span{p.tok.start, p.tok.end})
		}
		p.next()
		return names, true
	case tLeftParen:
		return p.tuple(names)
	}
	return nil, false
}

func (p *parser) tuple(names []span) ([]span, bool) {
	depth := 0
	for {
		t := p.tok
		switch t.kind {
		case tLeftParen:
			depth++
		case tRightParen:
			depth--
		case tWord, tComma, tColon:
		default:
			return nil, false
		}
		p.next()
		if t.kind == tWord && p.tok.kind != tColon && p.text[t.start:t.end] != "_" {
			names = append(names, span{t.start, t.end})
		}
		if depth == 0 {
			return names, true
		}
	}
}

func valueKind(in scope, kw token) source.Kind {
	switch {
	case in != file:
		return source.Property
	case kw.word == wLet:
		return source.Constant
	}
	return source.Variable
}

// accessors reads the braces of a computed or observed property or of a subscript,
// whose chunk has this number unless it is negative.
func (p *parser) accessors(i int) {
	body := int32(p.tok.start)
	if !p.accessorsFollow() {
		if i >= 0 {
			p.chunks[i].Body = body
		}
		p.block(code)
		return
	}
	if !p.enter() {
		return
	}
	p.next()
	bodies := false
	for p.tok.kind != tRightBrace {
		if !p.accessor(&bodies) {
			p.doubtAt(p.tok.start, "this is no accessor")
			p.statements(code)
			break
		}
	}
	if bodies && i >= 0 {
		p.chunks[i].Body = body
	}
	if p.tok.kind == tRightBrace {
		p.next()
	} else {
		p.doubtAt(int(body), "a brace is not closed")
	}
	p.depth--
}

// accessor reads one accessor, which is a chunk if it has a body.
func (p *parser) accessor(bodies *bool) bool {
	h := head{-1, -1, p.docs}
	for p.tok.kind == tAt {
		p.begin(&h)
		p.attribute(false)
	}
	p.modified(&h)
	for p.tok.word == wModifier || p.isWord(yielding) {
		p.next()
	}
	name := p.tok
	if name.kind != tWord || name.quoted || !accessorName(p.text[name.start:name.end]) {
		return false
	}
	p.next()
	if p.tok.kind == tLeftParen {
		p.bracket()
	}
	p.effects()
	for p.isWord("initializes") || p.isWord("accesses") {
		if p.next(); p.tok.kind == tLeftParen {
			p.bracket()
		}
	}
	if p.tok.kind != tLeftBrace {
		return true
	}
	*bodies = true
	i := p.add(source.Accessor, h, name.start, name.end)
	p.within(i, func() { p.body(i) })
	p.end(i)
	return true
}
