package swift

import (
	"strings"

	"github.com/dougu-go/dougu/tools/source"
)

// typeOf reads a class, struct, enum, protocol or actor after its word.
func (p *parser) typeOf(in scope, h head, kw token) {
	if p.tok.kind != tWord {
		if in != code {
			p.doubtAt(kw.start, "a type has no name")
		}
		return
	}
	kind, inner := source.Class, members
	switch kw.word {
	case wStruct:
		kind = source.Struct
	case wEnum:
		kind, inner = source.Enum, cases
	case wProtocol:
		kind = source.Interface
	case wActor:
		kind = source.Actor
	}
	i := p.add(kind, h, p.tok.start, p.tok.end)
	p.next()
	if p.firstByte() == '<' {
		p.angle()
	}
	p.typeBody(i, inner)
}

// extension reads an extension after its word. Type arguments are no part of its
// name: it is what members of the type have as their container.
func (p *parser) extension(h head) {
	from := p.tok.start
	for p.tok.kind == tAt {
		p.attribute(false)
		from = p.tok.start
	}
	if !p.typeName() {
		p.doubtAt(from, "an extension has no name")
		return
	}
	i := p.add(source.Extension, h, from, p.prev.after())
	p.chunks[i].Name = withoutArguments(p.chunks[i].Name)
	p.typeBody(i, members)
}

// withoutArguments is the name of a type, without blanks, comments excepted.
func withoutArguments(text string) string {
	if strings.HasPrefix(text, "[") || !strings.ContainsAny(text, "<> \t\r\n`") {
		return text
	}
	var name strings.Builder
	depth := 0
	for _, c := range []byte(text) {
		switch c {
		case '<':
			depth++
		case '>':
			depth--
		case ' ', '\t', '\r', '\n', '`':
		default:
			if depth == 0 {
				name.WriteByte(c)
			}
		}
	}
	if name.Len() == 0 {
		return text
	}
	return name.String()
}

// typeBody reads a type after its name.
func (p *parser) typeBody(i int, in scope) {
	if p.tok.kind == tColon {
		for ok := true; ok; ok = p.tok.kind == tComma {
			p.next()
			p.typeName()
		}
	}
	p.requirements()
	if p.tok.kind != tLeftBrace {
		p.doubtAt(p.tok.start, "a type has no body")
		p.end(i)
		return
	}
	p.chunks[i].Body = int32(p.tok.start)
	p.within(i, func() { p.block(in) })
	p.end(i)
}

// alias reads a typealias or an associatedtype after its word.
func (p *parser) alias(h head) {
	if p.tok.kind != tWord {
		p.doubtAt(p.tok.start, "a type alias has no name")
		return
	}
	i := p.add(source.TypeAlias, h, p.tok.start, p.tok.end)
	p.next()
	if p.firstByte() == '<' {
		p.angle()
	}
	if p.tok.kind == tColon {
		for ok := true; ok; ok = p.tok.kind == tComma {
			p.next()
			p.typeName()
		}
	}
	if p.tok.kind == tAssign {
		p.next()
		p.typeName()
	}
	p.requirements()
	p.end(i)
}

// enumCases reads the cases that one word introduces.
func (p *parser) enumCases(h head) {
	for p.tok.kind == tWord {
		if h.decl < 0 {
			h.decl, h.sig = p.tok.before(), p.tok.before()
		}
		i := p.add(source.EnumCase, h, p.tok.start, p.tok.end)
		p.next()
		if p.tok.kind == tLeftParen && !p.tok.newline {
			p.bracket()
		}
		if p.tok.kind == tAssign {
			p.next()
			p.expression()
		}
		p.end(i)
		if p.tok.kind != tComma {
			return
		}
		p.next()
		h = head{-1, -1, p.docs}
	}
	p.doubtAt(p.tok.start, "a case has no name")
}
