package script

import "github.com/dougu-go/dougu/tools/source"

// members reads the members of an interface or object type, from "{" on.
func (s *scanner) members(declares bool) {
	if !s.enter() {
		return
	}
	s.next()
	for !s.is('}') && !s.is(end) {
		at := s.tok.start
		if !s.is(';') && !s.is(',') {
			s.signature(declares)
		}
		switch {
		case s.is(';'), s.is(','):
			s.next()
		case s.is('}'), s.tok.start > at && s.memberEnds():
		default:
			s.doubt("a member goes on where it should end")
			s.next()
		}
	}
	s.expect('}')
	s.depth--
}

// memberEnds reports whether one may begin at the token that is looked at: after a line
// or a separator.
func (s *scanner) memberEnds() bool {
	c := s.src[s.prevEnd-1]
	return s.tok.newline || c == ';' || c == ','
}

// signature reads one member of an interface or object type.
func (s *scanner) signature(declares bool) {
	h := s.head()
	kind := source.Property
	s.accept(ellipsis) // of a pattern among the parameters of a function type
	for s.signatureModifier() {
		if s.is(kwGet) || s.is(kwSet) {
			kind = source.Accessor
		}
		s.next()
	}
	switch {
	case s.is('('), s.is('<'), s.is(kwNew) && s.callable(s.peek().kind):
		s.accept(kwNew)
		s.callSignature()
		return
	}
	name, named := s.memberName()
	if !named {
		s.mapped()
		return
	}
	i := int32(-1)
	if declares {
		i = s.open(kind, h, name)
	}
	s.accept('?')
	if s.callable(s.tok.kind) {
		if s.callSignature(); i >= 0 && kind == source.Property {
			s.found[i].kind = source.Method
		}
	} else if i >= 0 && s.is(':') {
		s.next()
		s.typ(declaring)
	} else {
		s.returns()
	}
	if s.is(';') || s.is(',') {
		s.next()
	}
	if i >= 0 {
		s.close(i)
	}
}

func (s *scanner) callable(k kind) bool { return k == '(' || k == '<' }

// signatureModifier reports whether a modifier of a member is looked at, and not a
// member of that name.
func (s *scanner) signatureModifier() bool {
	switch s.tok.kind {
	case kwReadonly, kwGet, kwSet:
		after := s.peek()
		return after.kind.names() || after.kind == str || after.kind == number || after.kind == '[' || after.kind == private
	case '+', '-':
		return true
	}
	return false
}

// callSignature reads <T>(a: A): R.
func (s *scanner) callSignature() {
	if s.is('<') {
		s.angles()
	}
	if !s.is('(') {
		s.doubt("a signature has no parameters")
		return
	}
	s.parameters(-1)
	s.returns()
}

// mapped reads the type of an index signature or mapped type, after its
// brackets.
func (s *scanner) mapped() {
	for s.is('+') || s.is('-') || s.is('?') {
		s.next()
	}
	s.returns()
}
