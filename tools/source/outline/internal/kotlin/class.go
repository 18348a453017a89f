package kotlin

import (
	"github.com/dougu-go/dougu/tools/source"
	"github.com/dougu-go/dougu/tools/source/outline/internal/lex"
)

// object reads an object, or an object expression.
func (s *scanner) object(where scope) {
	end := s.at + len("object")
	named := where < inCode && s.prefix.modifiers&companion == companion || !s.followed(end, '{') && !s.followed(end, ':')
	if !named || where >= inBrackets {
		s.prefix, s.open = prefix{}, -1
		s.next(end)
		s.anonymous()
		return
	}
	s.class(s.take(), wordObject, end)
}

// anonymous reads the supertypes and the body of an object expression.
func (s *scanner) anonymous() {
	if s.is(':') {
		s.next(s.at + 1)
		s.supertypes()
	}
	if s.is('{') {
		s.nested(inType)
	}
}

// class reads the declaration of a class, interface or object; end is that of the
// word which introduces it and is the next token.
func (s *scanner) class(p prefix, w word, end int) {
	kind := source.Class
	switch {
	case w == wordObject:
		kind = source.Object
	case w == wordInterface, p.modifiers&annotation == annotation:
		kind = source.Interface
	case p.modifiers&enum == enum:
		kind = source.Enum
	}
	ident, name := s.at, "Companion"
	s.next(end)
	if end := s.identifier(); end > s.at && !s.word().hard() {
		ident, name = s.at, unquoted(s.src[s.at:end])
		s.next(end)
	} else if p.modifiers&companion != companion {
		s.unsure("a type has no name", s.at)
		return
	}
	c := s.add(kind, p, name, ident)
	before := s.within(c, false)
	if s.is('<') {
		s.angles()
	}
	if w != wordObject {
		s.primary()
	}
	if s.is(':') && s.peek(1) != ':' {
		s.next(s.at + 1)
		s.supertypes()
	}
	s.constraints()
	if s.is('{') {
		s.b.Chunk(c).Body = int32(s.at)
		s.members(kind)
	}
	s.b.Close(c, s.end)
	s.around = before
}

// members reads the body of a type.
func (s *scanner) members(kind source.Kind) {
	if kind != source.Enum {
		s.nested(inType)
		return
	}
	if s.depth == maxDepth {
		s.unsure("brackets are nested too deeply", s.at)
		s.stop()
		return
	}
	s.depth++
	s.next(s.at + 1)
	s.entries()
	if s.is(';') {
		s.next(s.at + 1)
	}
	s.prefix, s.open = prefix{}, -1
	s.scope(inType, '}')
	s.prefix, s.open = prefix{}, -1
	s.depth--
	if s.is('}') {
		s.next(s.at + 1)
	}
}

// entries reads the entries of an enum class.
func (s *scanner) entries() {
	for {
		s.prefix = prefix{}
		s.begin()
		for s.is('@') {
			s.annotation()
		}
		end := s.identifier()
		if end == s.at {
			return
		}
		p := s.take()
		e := s.add(source.EnumCase, p, unquoted(s.src[s.at:end]), s.at)
		before := s.within(e, false)
		s.next(end)
		if s.is('(') {
			s.nested(inBrackets)
		}
		if s.is('{') {
			s.b.Chunk(e).Body = int32(s.at)
			s.nested(inType)
		}
		s.b.Close(e, s.end)
		s.around = before
		if !s.is(',') {
			return
		}
		s.next(s.at + 1)
	}
}

// primary reads a primary constructor, if there is one.
func (s *scanner) primary() {
	if s.is('(') {
		s.parameters(true)
		return
	}
	if !s.constructing() {
		return
	}
	before := s.prefix
	s.prefix = prefix{}
	for !s.isWord("constructor") {
		s.begin()
		if s.is('@') {
			s.annotation()
			continue
		}
		s.modify(modifier, s.identifier())
	}
	p := s.take()
	s.prefix = before
	ident := s.at
	s.next(s.at + len("constructor"))
	if !s.is('(') {
		s.unsure("a constructor has no parameters", s.at)
		return
	}
	c := s.add(source.Initializer, p, "constructor", ident)
	around := s.around
	s.callable = c // what it declares belongs to the class
	labels := s.parameters(true)
	s.b.Chunk(c).Labels = labels
	s.b.Close(c, s.end)
	s.around = around
}

// constructing says that nothing but annotations and modifiers stand before the
// word constructor.
func (s *scanner) constructing() bool {
	at := s.at
	for at < len(s.src) {
		c := s.src[at]
		switch {
		case c == '@':
			at = s.overAnnotation(at)
		case lex.Class[c] == lex.Letter:
			end := lex.Identifier(s.src, at)
			switch w := wordOf(s.src[at:end]); {
			case w == wordConstructor:
				return true
			case w&modifier == 0:
				return false
			}
			at = end
		default:
			return false
		}
		at = s.over(at)
	}
	return false
}

// supertypes reads the types after the colon of a class.
func (s *scanner) supertypes() {
	for {
		start := s.typeRef()
		if s.end <= start {
			return
		}
		end := s.end
		if s.is('(') {
			s.call(s.lastName(start, end))
			s.nested(inBrackets)
		} else if s.isWord("by") {
			s.next(s.at + len("by"))
			s.expression(true)
		}
		if !s.is(',') {
			return
		}
		s.next(s.at + 1)
	}
}

// constraints reads a where clause, if there is one.
func (s *scanner) constraints() {
	if !s.isWord("where") {
		return
	}
	for {
		s.next(max(s.identifier(), s.at))
		for s.is('@') {
			s.annotation()
		}
		if end := s.identifier(); end > s.at && !s.is(':') {
			s.next(end)
		}
		if s.is(':') {
			s.next(s.at + 1)
			s.typeRef()
		}
		if !s.is(',') {
			return
		}
		s.next(s.at + 1)
	}
}
