package kotlin

import (
	"github.com/dougu-go/dougu/tools/source"
)

// declared is the name of a function or property and its receiver.
type declared struct {
	start, end int    // of the name
	receiver   string // the receiver type without type arguments; "" if it is not a named one
	extension  bool
}

// declared reads a receiver type, if there is one, and the name after it. It is
// not ok for an anonymous function, of which it has read the parameters then, and
// for a destructuring declaration, likewise.
func (s *scanner) declared() (d declared, ok bool) {
	from := len(s.text)
	defer func() { s.text = s.text[:from] }()
	for {
		for s.is('@') {
			s.annotation()
		}
		if s.is('(') {
			s.nested(inBrackets)
			s.text = s.text[:from]
		} else {
			end := s.identifier()
			if end == s.at {
				return d, false
			}
			d.start, d.end = s.at, end
			s.text = append(s.text, unquoted(s.src[s.at:end])...)
			s.next(end)
			if s.is('<') {
				s.angles()
			}
		}
		for s.is('?') {
			s.next(s.at + 1)
		}
		if !s.is('.') {
			break
		}
		d.extension = true
		d.receiver = string(s.text[from:])
		d.start, d.end = 0, 0
		s.text = append(s.text, '.')
		s.next(s.at + 1)
	}
	return d, d.end > 0
}

// function reads what the word fun introduces. Of an anonymous function that is
// all up to the type of its result: the rest is code like any other.
func (s *scanner) function(where scope) {
	p := s.take()
	s.next(s.at + len("fun"))
	if s.isWord("interface") {
		s.class(p, wordInterface, s.at+len("interface"))
		return
	}
	if s.is('<') {
		s.angles()
	}
	d, ok := s.declared()
	if !ok || !s.is('(') {
		if where == inType {
			s.unsure("a function has no name", s.at)
		}
		if s.is(':') && s.src[s.end-1] == ')' {
			s.next(s.at + 1)
			s.typeRef()
		}
		return
	}
	kind := source.Function
	switch {
	case p.modifiers&operator == operator:
		kind = source.Operator
	case where == inType, d.extension && s.parent < 0:
		kind = source.Method
	}
	f := s.add(kind, p, unquoted(s.src[d.start:d.end]), d.start)
	if d.extension && s.parent < 0 {
		s.b.Chunk(f).Container = d.receiver
	}
	before := s.within(f, true)
	labels := s.parameters(false)
	s.b.Chunk(f).Labels = labels
	if s.is(':') {
		s.next(s.at + 1)
		s.typeRef()
	}
	s.constraints()
	body := s.body()
	s.b.Chunk(f).Body = int32(body)
	s.b.Close(f, s.end)
	s.around = before
}

// body reads the body of a function and answers with where it begins, 0 if there
// is none.
func (s *scanner) body() int {
	at := s.at
	switch {
	case s.is('{'):
		s.nested(inCode)
	case s.is('='):
		s.next(s.at + 1)
		s.expression(false)
	default:
		return 0
	}
	return at
}

// constructor reads a secondary constructor.
func (s *scanner) constructor() {
	p := s.take()
	c := s.add(source.Initializer, p, "constructor", s.at)
	before := s.within(c, true)
	s.next(s.at + len("constructor"))
	labels := s.parameters(false)
	s.b.Chunk(c).Labels = labels
	if s.is(':') {
		s.next(s.at + 1)
		s.next(s.identifier())
		if s.is('(') {
			s.nested(inBrackets)
		}
	}
	if s.is('{') {
		s.b.Chunk(c).Body = int32(s.at)
		s.nested(inCode)
	}
	s.b.Close(c, s.end)
	s.around = before
}

// parameters reads a list of parameters and answers with their types. Those of a
// primary constructor may declare properties.
func (s *scanner) parameters(primary bool) string {
	from := len(s.text)
	s.text = append(s.text, '(')
	before := s.prefix
	s.next(s.at + 1)
	for s.at < len(s.src) && !s.is(')') {
		at := s.at
		s.prefix = prefix{}
		s.parameter(primary, from)
		if s.is(',') {
			s.next(s.at + 1)
		} else if !s.is(')') && s.at == at || s.is('}') || s.is(']') {
			break
		}
	}
	if s.is(')') {
		s.next(s.at + 1)
	} else {
		s.unsure("the parameters cannot be read", s.at)
	}
	s.prefix = before
	labels := string(append(s.text, ')')[from:])
	s.text = s.text[:from]
	return labels
}

// parameter reads a parameter; from is where the labels begin in text.
func (s *scanner) parameter(primary bool, from int) {
	s.begin()
	p, property, ident, name := &s.prefix, false, 0, ""
	for s.at < len(s.src) {
		if s.is('@') {
			s.annotation()
			continue
		}
		end := s.identifier()
		if end == s.at {
			break
		}
		start := s.at
		if p.sig < 0 {
			p.sig = start
		}
		s.next(end)
		if s.is(':') || s.is(')') || s.is(',') || s.is('=') {
			ident, name = start, unquoted(s.src[start:end])
			break
		}
		property = property || primary && wordOf(s.src[start:end]) == wordVal
	}
	if name == "" {
		s.argument()
		return
	}
	declared := *p
	if s.is(':') {
		s.next(s.at + 1)
		start := s.typeRef()
		if len(s.text) > from+1 {
			s.text = append(s.text, ',')
		}
		s.label(start, s.end)
	}
	if s.is('=') {
		s.next(s.at + 1)
		s.argument()
	}
	if property {
		s.b.Close(s.add(source.Property, declared, name, ident), s.end)
	}
}

// argument passes over an expression within brackets.
func (s *scanner) argument() {
	if s.depth == maxDepth {
		s.unsure("declarations are nested too deeply", s.at)
		s.stop()
		return
	}
	s.depth++
	s.scope(inArgument, ')')
	s.depth--
}
