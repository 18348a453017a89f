package script

import "github.com/dougu-go/dougu/tools/source"

// object reads an object literal, or a pattern that looks like one.
func (s *scanner) object() {
	if !s.enter() {
		return
	}
	s.next()
	for !s.is('}') && !s.is(end) {
		switch s.tok.kind {
		case ',':
			s.next()
			continue
		case ellipsis:
			s.next()
			s.expression(0)
		default:
			s.property()
		}
		if !s.is(',') && !s.is('}') {
			s.doubt("an object goes on where a property should end")
			return
		}
	}
	s.expect('}')
	s.depth--
}

// property reads one property of an object literal.
func (s *scanner) property() {
	h, kind := s.head(), source.Method
	for s.propertyModifier() {
		if s.is(kwGet) || s.is(kwSet) {
			kind = source.Accessor
		}
		s.next()
	}
	name, named := s.memberName()
	if !named {
		return
	}
	switch s.tok.kind {
	case '(', '<':
		i := s.open(kind, h, name)
		s.function(i, -1)
		s.close(i)
	case ':':
		i := s.open(source.Invalid, h, name)
		s.next()
		v := s.expression(0)
		if v.assigned {
			v.kind = isOther
		}
		s.bind(i, v, source.Invalid)
	case '=':
		s.next()
		s.expression(0)
	}
}

// propertyModifier reports whether get, set, async or * is looked at, and not a
// property of that name.
func (s *scanner) propertyModifier() bool {
	switch s.tok.kind {
	case '*':
		return true
	case kwGet, kwSet, kwAsync:
		switch k := s.peek().kind; k {
		case str, number, private, '[':
			return true
		case '*':
			return s.is(kwAsync)
		default:
			return k.names()
		}
	}
	return false
}
