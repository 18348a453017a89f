package kotlin

import (
	"github.com/dougu-go/dougu/tools/source"
	"github.com/dougu-go/dougu/tools/source/outline/internal/engine"
)

// object reads an object, or an object expression, whose supertypes and body are
// left to be read.
func (s *scanner) object(where scope) {
	named := where < inBrackets && (s.prefix.has(wordCompanion) || !s.follows(engine.LeftBrace) && !s.follows(engine.Colon))
	if named {
		s.class(s.take(), wordObject)
		return
	}
	s.none()
	if s.At++; s.is(engine.Colon) {
		s.At++
		s.within(s.supertypes(s.At), inBrackets)
	}
	if s.is(engine.LeftBrace) {
		s.group(inType)
	}
}

// class reads the declaration of a class, interface or object, which the word at
// hand introduces.
func (s *scanner) class(p prefix, w uint8) {
	kind := source.Class
	switch {
	case w == wordObject:
		kind = source.Object
	case w == wordInterface, p.has(wordAnnotation):
		kind = source.Interface
	case p.has(wordEnum):
		kind = source.Enum
	}
	ident, name := s.At, "Companion"
	if s.At++; s.is(engine.Word) && !hard(s.Tok().Word) && !(w == wordObject && s.Newline(s.At) && p.has(wordCompanion)) {
		ident, name = s.At, s.Name(s.At)
		s.At++
	} else if !p.has(wordCompanion) {
		s.MarkUnsure("a type has no name")
		return
	}
	c := s.Add(kind, p.first, p.sig, name, ident)
	before := s.Within(c, false)
	if s.IsByte(s.At, '<') {
		s.At = s.angles(s.At)
	}
	if w != wordObject {
		s.primary()
	}
	if s.is(engine.Colon) {
		s.At++
		s.within(s.supertypes(s.At), inBrackets)
	}
	if s.At = s.constraints(s.At); s.is(engine.LeftBrace) {
		s.Body(c, s.At)
		if kind == source.Enum {
			s.entries()
		} else {
			s.group(inType)
		}
	}
	s.Close(c)
	s.Context = before
}

// entries reads the body of an enum class.
func (s *scanner) entries() {
	end, after := s.Group(s.At)
	s.At++
	for {
		first := s.At
		if s.At = s.annotations(s.At); !s.is(engine.Word) {
			break
		}
		e := s.Add(source.EnumCase, first, s.At, s.Name(s.At), s.At)
		before := s.Within(e, false)
		if s.At++; s.is(engine.LeftParen) {
			s.group(inBrackets)
		}
		if s.is(engine.LeftBrace) {
			s.Body(e, s.At)
			s.group(inType)
		}
		s.Close(e)
		s.Context = before
		if !s.is(engine.Comma) {
			break
		}
		s.At++
	}
	if s.is(engine.Semicolon) {
		s.At++
	}
	s.within(end, inType)
	s.At = after
}

// primary reads a primary constructor, if there is one.
func (s *scanner) primary() {
	if s.is(engine.LeftParen) {
		s.parameters(true)
		return
	}
	i := s.annotations(s.At)
	sig := i
	for s.Tokens[i].Word >= wordModifier {
		i = s.annotations(i + 1)
	}
	if !s.isWord(i, wordConstructor) {
		return
	}
	c := s.Add(source.Initializer, s.At, sig, "constructor", i)
	if s.At = i + 1; !s.is(engine.LeftParen) {
		s.MarkUnsure("a constructor has no parameters")
		s.Close(c)
		return
	}
	callable := s.Callable
	s.Callable = c // its properties belong to the class
	labels := s.parameters(true)
	s.B.Chunk(c).Labels = labels
	s.Callable = callable
	s.Close(c)
}
