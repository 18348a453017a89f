package script

import "github.com/dougu-go/dougu/tools/source"

// function reads the part of a function after its name: type parameters, parameters, result type
// and, unless it is only declared, its body. It returns the offset of the body, and stores that for
// declaration i if i is not -1. class is the argument of parameters.
func (s *scanner) function(i, class int32) (body int) {
	if s.is('<') {
		s.angles()
	}
	if !s.is('(') {
		s.doubt("a function has no parameters")
		return 0
	}
	s.parameters(class)
	s.returns()
	if !s.is('{') {
		return 0
	}
	body = s.tok.start
	if i >= 0 {
		s.found[i].body = int32(body)
	}
	s.body()
	return body
}

// body reads the body of a function.
func (s *scanner) body() {
	s.nested(s.block)
}

// block reads { statements }.
func (s *scanner) block() {
	if !s.enter() {
		return
	}
	s.next()
	s.statements()
	s.expect('}')
	s.depth--
}

// parameters reads the parameters of a function from "(" on. class is the declaration of the class
// for a constructor, whose parameters may declare fields; otherwise it is -1.
func (s *scanner) parameters(class int32) {
	s.next()
	for !s.is(')') && !s.is(end) {
		h := s.head()
		if s.is('@') {
			s.decorators()
			h.sig = s.tok.start
		}
		modified := false
		for s.parameterModifier() {
			modified = true
			s.next()
		}
		s.accept(ellipsis)
		i := int32(-1)
		if modified && class >= 0 && s.tok.kind.identifies() {
			parent := s.parent
			s.parent = class
			i = s.open(source.Property, h, s.tok)
			s.parent = parent
		}
		s.pattern(false, h)
		s.accept('?')
		s.returns()
		if s.accept('=') {
			s.expression(0)
		}
		if i >= 0 {
			s.found[i].end = int32(s.prevEnd)
		}
		if !s.accept(',') && !s.is(')') {
			s.doubt("parameters go on where they should end")
			return
		}
	}
	s.expect(')')
}

func (s *scanner) parameterModifier() bool {
	switch s.tok.kind {
	case kwPublic, kwPrivate, kwProtected, kwReadonly, kwOverride:
		k := s.peek().kind
		return k.identifies() || k == '{' || k == '['
	}
	return false
}

// pattern reads the binding of a variable or parameter: a name, or names within { } and [ ]. If
// declares is set, each name is declared.
func (s *scanner) pattern(declares bool, h head) {
	switch k := s.tok.kind; {
	case k.identifies():
		if declares {
			s.variable(h)
		}
		s.next()
	case k == '{', k == '[':
		s.bindings(declares, h)
	default:
		s.doubt("there is no name")
	}
}

// variable notes a name of a pattern. Where it ends is known later.
func (s *scanner) variable(h head) {
	parent := s.parent
	s.open(source.Variable, h, s.tok)
	s.parent = parent
}

// bindings reads { a, b: c = d, ...e } or [a, , b].
func (s *scanner) bindings(declares bool, h head) {
	if !s.enter() {
		return
	}
	closing := kind('}')
	if s.is('[') {
		closing = ']'
	}
	s.next()
	for !s.is(closing) && !s.is(end) {
		if s.accept(',') {
			continue
		}
		switch {
		case s.accept(ellipsis), closing == ']':
			s.pattern(declares, h)
		default:
			s.bindingProperty(declares, h)
		}
		if s.accept('=') {
			s.expression(0)
		}
		if !s.is(',') && !s.is(closing) {
			s.doubt("a pattern goes on where it should end")
			return
		}
	}
	s.expect(closing)
	s.depth--
}

// bindingProperty reads a or a: b of a pattern.
func (s *scanner) bindingProperty(declares bool, h head) {
	name := s.tok
	if name.kind.identifies() {
		if after := s.peek().kind; after != ':' {
			s.pattern(declares, h)
			return
		}
	}
	if _, named := s.memberName(); !named {
		return
	}
	if s.accept(':') {
		s.pattern(declares, h)
	}
}

// functionExpression reads function … in an expression; the async before it was
// read already.
func (s *scanner) functionExpression(h head) value {
	s.next()
	s.accept('*')
	v := value{kind: isFunction, own: -1}
	if s.tok.kind.identifies() {
		v.own = s.open(source.Function, h, s.tok)
		s.next()
	}
	if v.body = s.function(v.own, -1); v.body == 0 {
		s.doubt("a function has no body")
	}
	if v.own >= 0 {
		s.close(v.own)
	}
	s.callee = token{}
	return v
}
