package kotlin

import (
	"bytes"

	"github.com/dougu-go/dougu/tools/source"
	"github.com/dougu-go/dougu/tools/source/outline/internal/engine"
)

// property reads a property of a type or of the file. Its accessors follow.
func (s *scanner) property(where scope) {
	p := s.take()
	if s.At++; s.IsByte(s.At, '<') {
		s.At = s.angles(s.At)
	}
	d, end := s.declared(s.At)
	s.At = end
	if d.name < 0 {
		if where == inType {
			s.MarkUnsure("a property has no name")
		}
		return
	}
	v := s.add(source.Property, p, d.name)
	switch c := s.B.Chunk(v); {
	case d.extension && s.Parent < 0:
		c.Container = d.receiver
	case where == inFile && p.has(wordConst):
		c.Kind = source.Constant
	case where == inFile:
		c.Kind = source.Variable
	}
	before := s.Within(v, false)
	if s.is(engine.Colon) {
		s.At = s.typeEnd(s.At + 1)
	}
	s.At = s.constraints(s.At)
	if at := s.At; s.is(engine.Assign) || s.isWord(at, wordBy) {
		end := s.expression(at+1, false)
		if c := s.B.Chunk(v); s.is(engine.Assign) && s.functionLiteral(at+1, end) {
			c.Kind, c.Body = source.Lambda, s.Tokens[at].Start
			s.Callable = v
		} else if bytes.IndexByte(s.Src[s.Tokens[at].Start:s.Tokens[end-1].End], '\n') >= 0 {
			c.Body = s.Tokens[at].Start
		}
		s.At++
		s.within(end, inBrackets)
	}
	s.Context = before
	s.open = v
	if s.is(engine.Semicolon) {
		if s.At++; s.Newline(s.At) {
			s.open = -1
		}
	}
	s.Close(v)
}

// local reads a local variable as far as it takes to know whether its value is a
// function literal: then it is a chunk.
func (s *scanner) local() {
	p := s.take()
	s.At++
	name := s.At
	if !s.is(engine.Word) {
		return
	}
	if s.At++; s.is(engine.Colon) {
		s.At = s.typeEnd(s.At + 1)
	}
	if !s.is(engine.Assign) {
		return
	}
	at := s.At
	s.At++
	if i := s.lambda(s.At); !s.Is(i, engine.LeftBrace) && !s.isWord(i, wordFun) {
		return
	}
	end := s.expression(s.At, false)
	if !s.functionLiteral(s.At, end) {
		return
	}
	v := s.add(source.Lambda, p, name)
	s.Body(v, at)
	before := s.Within(v, true)
	s.within(end, inBrackets)
	s.Close(v)
	s.Context = before
}

// accessor reads an accessor of the property that is open. The explicit backing
// field is read like one.
func (s *scanner) accessor(w uint8) bool {
	if w == wordField && !s.follows(engine.Assign) && !s.follows(engine.Colon) {
		return false
	}
	v := s.open
	p := s.take()
	ident := s.At
	before := s.Within(v, false)
	s.At++
	switch {
	case w == wordField:
		if s.is(engine.Colon) {
			s.At = s.typeEnd(s.At + 1)
		}
		switch {
		case s.is(engine.Assign):
			s.value()
		case s.is(engine.LeftBrace):
			s.group(inCode)
		}
	case s.is(engine.LeftParen):
		a := s.add(source.Accessor, p, ident)
		s.callable(a)
		if s.B.Chunk(a).Body == 0 {
			s.Unsure(int(s.Tokens[ident].Start), "an accessor has parameters and no body")
		}
		s.computed(v, s.B.Chunk(a))
	}
	s.Context = before
	s.open = v
	if s.is(engine.Semicolon) {
		s.At++
	}
	s.Close(v)
	return true
}

// computed makes an accessor the body of a property.
func (s *scanner) computed(v int, a *source.Chunk) {
	c := s.B.Chunk(v)
	if c.Kind == source.Variable {
		c.Kind = source.Property
	}
	switch {
	case c.Body > 0:
	case a.DocEnd > 0:
		c.Body = a.Doc
	default:
		c.Body = a.Decl
	}
}

// alias reads a type alias.
func (s *scanner) alias() {
	p := s.take()
	name := s.At + 1
	if !s.Is(name, engine.Word) {
		s.At = name
		return
	}
	a := s.add(source.TypeAlias, p, name)
	if s.At = name + 1; s.IsByte(s.At, '<') {
		s.At = s.angles(s.At)
	}
	if s.is(engine.Assign) {
		s.At = s.typeEnd(s.At + 1)
	}
	s.Close(a)
}
