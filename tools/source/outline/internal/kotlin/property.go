package kotlin

import (
	"bytes"

	"github.com/dougu-go/dougu/tools/source"
)

// property reads a property of a type or of the file. Its accessors follow.
func (s *scanner) property(where scope) {
	p, word := s.take(), s.at
	s.next(s.at + len("val"))
	if s.is('<') {
		s.angles()
	}
	d, ok := s.declared()
	if !ok {
		if where == inType {
			s.unsure("a property has no name", s.at)
		}
		return
	}
	v := s.add(source.Property, p, unquoted(s.src[d.start:d.end]), d.start)
	switch {
	case d.extension && s.parent < 0:
		s.b.Chunk(v).Container = d.receiver
	case where == inFile && p.modifiers&constant == constant:
		s.b.Chunk(v).Kind = source.Constant
	case where == inFile:
		s.b.Chunk(v).Kind = source.Variable
	}
	before := s.within(v, false)
	if s.is(':') {
		s.next(s.at + 1)
		s.typeRef()
	}
	s.constraints()
	s.value(v, word)
	s.around = before
	s.open = v
	if s.is(';') {
		s.next(s.at + 1)
		if s.newline {
			s.open = -1
		}
	}
	s.b.Close(v, s.end)
}

// value reads what a property is set or delegated to. word is where its
// declaration's val or var stands.
func (s *scanner) value(v, word int) {
	at := s.at
	switch {
	case s.is('='):
		s.next(s.at + 1)
	case s.isWord("by"):
		s.next(s.at + len("by"))
		s.expression(false)
		s.valueBody(v, at)
		return
	default:
		return
	}
	if !s.literal() || s.plain[word] {
		s.expression(false)
		s.valueBody(v, at)
		return
	}
	s.callable = v
	if s.expression(false) || s.given() {
		c := s.b.Chunk(v)
		c.Kind, c.Body = source.Lambda, int32(at)
		return
	}
	s.plain[word], s.again = true, true
}

// given says that what a value was taken for must stand.
func (s *scanner) given() bool { return s.last || s.doubt != "" }

// valueBody makes a value of several lines the body of a property.
func (s *scanner) valueBody(v, at int) {
	if bytes.IndexByte(s.src[at:s.end], '\n') >= 0 {
		s.b.Chunk(v).Body = int32(at)
	}
}

// literal says that a function literal may begin with the next token.
func (s *scanner) literal() bool {
	switch {
	case s.is('{'), s.is('@'):
		return true
	case s.isWord("fun"):
		return true
	}
	end := s.identifier()
	return end > s.at && end < len(s.src) && s.src[end] == '@'
}

// local reads a local variable as far as it takes to know whether its value is a
// function literal: then it is a chunk.
func (s *scanner) local() {
	p, word := s.take(), s.at
	s.next(s.at + len("val"))
	end := s.identifier()
	if end == s.at {
		return
	}
	start := s.at
	s.next(end)
	if s.is(':') {
		s.next(s.at + 1)
		s.typeRef()
	}
	if !s.is('=') || s.peek(1) == '=' {
		return
	}
	at := s.at
	s.next(s.at + 1)
	if !s.literal() || s.plain[word] {
		return
	}
	v := s.add(source.Lambda, p, unquoted(s.src[start:end]), start)
	s.b.Chunk(v).Body = int32(at)
	before := s.within(v, true)
	if !s.expression(false) && !s.given() {
		s.plain[word], s.again = true, true
	}
	s.b.Close(v, s.end)
	s.around = before
}

// accessor reads an accessor of the property that is open. The explicit backing
// field is read like one.
func (s *scanner) accessor(w word, end int) bool {
	if w == wordField && !s.followed(end, '=') && !s.followed(end, ':') {
		return false
	}
	v := s.open
	p := s.take()
	ident := s.at
	s.next(end)
	before := s.within(v, false)
	switch {
	case w == wordField:
		if s.is(':') {
			s.next(s.at + 1)
			s.typeRef()
		}
		s.body()
	case s.is('('):
		a := s.add(source.Accessor, p, string(s.src[ident:end]), ident)
		s.within(a, true)
		labels := s.parameters(false)
		if s.is(':') {
			s.next(s.at + 1)
			s.typeRef()
		}
		body := s.body()
		if body == 0 {
			s.unsure("an accessor has parameters and no body", ident)
		}
		c := s.b.Chunk(a)
		c.Labels, c.Body = labels, int32(body)
		s.b.Close(a, s.end)
		s.computed(v, p)
	}
	s.around = before
	s.open = v
	if s.is(';') {
		s.next(s.at + 1)
	}
	s.b.Close(v, s.end)
	return true
}

// computed makes an accessor with this prefix the body of a property.
func (s *scanner) computed(v int, p prefix) {
	c := s.b.Chunk(v)
	if c.Kind == source.Variable {
		c.Kind = source.Property
	}
	switch {
	case c.Body > 0:
	case p.docEnd > 0:
		c.Body = int32(p.doc)
	default:
		c.Body = int32(p.start)
	}
}

// alias reads a type alias.
func (s *scanner) alias() {
	p := s.take()
	s.next(s.at + len("typealias"))
	end := s.identifier()
	if end == s.at {
		return
	}
	a := s.add(source.TypeAlias, p, unquoted(s.src[s.at:end]), s.at)
	s.next(end)
	if s.is('<') {
		s.angles()
	}
	if s.is('=') {
		s.next(s.at + 1)
		s.typeRef()
	}
	s.b.Close(a, s.end)
}
