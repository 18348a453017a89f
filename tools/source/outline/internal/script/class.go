package script

import "github.com/dougu-go/dougu/tools/source"

// decorators reads @a.b(c) and the like, any number.
func (s *scanner) decorators() {
	for s.is('@') {
		s.next()
		switch {
		case s.is('('):
			s.next()
			s.expression(comma)
			s.expect(')')
		case s.tok.kind.names():
			s.callee = s.tok
			s.next()
		default:
			s.doubt("a decorator has no name")
			return
		}
		v := otherValue
		for s.is('.') || s.is('(') || s.is('<') && !s.plain || s.is('!') {
			if !s.suffix(&v, heritage) {
				break
			}
		}
		s.callee = token{}
	}
}

// class reads the declaration of a class from the word on.
func (s *scanner) class(h head) { s.classNamed(h, token{}) }

// classNamed reads a class that is called by name if it has none of its own.
func (s *scanner) classNamed(h head, name token) {
	s.next()
	if s.tok.kind.identifies() && !s.is(kwImplements) {
		name = s.tok
		s.next()
	}
	if name.end == 0 {
		s.doubt("a class has no name")
		name = token{start: h.sig, end: h.sig}
	}
	i := s.open(source.Class, h, name)
	s.found[i].body = int32(s.classRest(i))
	s.close(i)
}

// classExpression reads a class within an expression.
func (s *scanner) classExpression() value {
	v, h := value{kind: isClass, own: -1}, s.head()
	s.next()
	members := s.parent
	if s.tok.kind.identifies() && !s.is(kwImplements) {
		v.own = s.open(source.Class, h, s.tok)
		members = v.own
		s.next()
	}
	v.body = s.classRest(members)
	if v.own >= 0 {
		s.found[v.own].body = int32(v.body)
		s.close(v.own)
	}
	s.callee = token{}
	return v
}

// classRest reads a class after its name, and returns the offset where its body
// begins. The fields that its constructor declares belong to declaration i.
func (s *scanner) classRest(i int32) (body int) {
	if s.is('<') {
		s.angles()
	}
	if s.accept(kwExtends) {
		s.expression(heritage)
	}
	if s.accept(kwImplements) {
		s.heritage()
	}
	if !s.is('{') {
		s.doubt("a class has no body")
		return 0
	}
	body = s.tok.start
	if !s.enter() {
		return body
	}
	top := s.top
	s.top = false
	s.next()
	for !s.is('}') && !s.is(end) {
		if s.accept(';') {
			continue
		}
		at := s.tok.start
		if s.classMember(i); s.tok.start == at {
			s.doubt("this is no member of a class")
			s.next()
		}
	}
	s.top = top
	s.expect('}')
	s.depth--
	return body
}

// classMember reads a method, accessor, field or static block.
func (s *scanner) classMember(class int32) {
	h, kind, static := s.head(), source.Method, false
	if s.is('@') {
		s.decorators()
		h.sig = s.tok.start
	}
	for s.memberModifier() {
		switch s.tok.kind {
		case kwGet, kwSet:
			kind = source.Accessor
		case kwStatic:
			static = true
		}
		if s.next(); static && s.is('{') {
			s.body()
			return
		}
	}
	constructor := string(s.src[s.tok.start:s.tok.end])
	name, named := s.memberName()
	if !named {
		s.mapped()
		s.semicolon()
		return
	}
	if !s.is('?') || s.ahead() != '(' && s.ahead() != '<' {
		if !s.callable(s.tok.kind) {
			s.field(h, name)
			return
		}
	} else {
		s.next()
	}
	if !static && kind == source.Method && (constructor == "constructor" || constructor == `"constructor"` || constructor == "'constructor'") {
		kind = source.Initializer
	} else {
		class = -1
	}
	i := s.open(kind, h, name)
	if s.function(i, class) == 0 {
		s.semicolon()
	}
	s.close(i)
}

// field reads a field after its name.
func (s *scanner) field(h head, name token) {
	i := s.open(source.Invalid, h, name)
	if s.is('?') || s.is('!') {
		s.next()
	}
	s.returns()
	v := otherValue
	if s.accept('=') {
		v = s.expression(0)
	}
	if v.assigned {
		v.kind, v.wrapped = isOther, 0
	}
	s.bind(i, v.function(), source.Property)
	s.semicolon()
	s.found[i].end = int32(s.prevEnd)
}

// memberModifier reports whether a modifier is looked at, or "*", and not a member of
// that name.
func (s *scanner) memberModifier() bool {
	switch s.tok.kind {
	case '*':
		return true
	case kwStatic, kwGet, kwSet, kwAsync, kwPublic, kwPrivate, kwProtected, kwReadonly, kwAbstract, kwOverride,
		kwDeclare, kwAccessor, kwConst, kwExport, kwIn, kwOut:
	default:
		return false
	}
	after := s.peek()
	switch k := after.kind; k {
	case str, number, private, '[', '*':
	case '{':
		return s.is(kwStatic)
	default:
		if !k.names() {
			return false
		}
	}
	return !after.newline || s.is(kwStatic) || s.is(kwGet) || s.is(kwSet)
}
