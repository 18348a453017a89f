package script

import "github.com/dougu-go/dougu/tools/source"

// limits are the restrictions on a type in its context.
type limits uint8

const (
	unconditional limits = 1 << iota // "extends" does not belong to it
	declaring                        // the members of its object types are declarations
)

// typ reads a type.
func (s *scanner) typ(in limits) {
	if !s.enter() {
		return
	}
	if s.is('|') || s.is('&') {
		s.next()
	}
	for first := len(s.found); s.typeOperand(in); first = len(s.found) {
		if s.typeSuffix() || s.is(kwExtends) && in&unconditional == 0 {
			s.forget(first) // members of an operand of the type
		}
		switch s.tok.kind {
		case '|', '&':
			s.next()
			continue
		case kwExtends:
			if in&unconditional != 0 || s.tok.newline {
				break
			}
			s.next()
			s.typ(unconditional)
			if in &^= declaring; !s.accept('?') {
				break // the constraint of infer T extends …
			}
			s.typ(0)
			s.expect(':')
			if s.is('|') || s.is('&') {
				s.next()
			}
			continue
		}
		break
	}
	s.depth--
}

// forget makes declarations none.
func (s *scanner) forget(first int) {
	for i := first; i < len(s.found); i++ {
		s.found[i].kind = source.Invalid
	}
}

// typeSuffix reads the suffixes of a type, such as T[] and T["key"]. any reports that there was
// one.
func (s *scanner) typeSuffix() (any bool) {
	for ; ; any = true {
		switch {
		case s.is('[') && !s.tok.newline:
			if s.next(); !s.is(']') {
				s.typ(0)
			}
			s.expect(']')
		case s.is('!') && !s.tok.newline:
			s.next()
		default:
			return any
		}
	}
}

// typeOperand reads one type without the operators after it. It says false if
// nothing can follow it, because it was read to its end.
func (s *scanner) typeOperand(in limits) bool {
	for {
		switch k := s.tok.kind; k {
		case word:
			return s.typeName()
		case kwKeyof, kwUnique, kwReadonly, kwInfer, kwAsserts, kwAbstract, kwNew, kwTypeof, kwImport:
			if !s.operatorOnType() {
				return s.typeName()
			}
			s.next()
			if !s.operatedOn(k, in) {
				return true
			}
		case '(', '<':
			return s.functionType()
		case '[':
			s.typeElements(']')
			return true
		case '{':
			s.members(in&declaring != 0)
			return true
		case '`':
			s.template(true)
			return true
		case str, number, kwVoid:
			s.next()
			return true
		case '-':
			s.next()
		case '?': // of Flow, and of comments that the compiler reads as types
			if s.next(); !s.plain {
				s.doubt("a type that is not TypeScript")
			}
		default:
			if k.names() {
				return s.typeName()
			}
			s.doubt("there is no type")
			return false
		}
	}
}

// operatedOn reads on after an operator on types, and says whether a type is
// still to come.
func (s *scanner) operatedOn(operator kind, in limits) bool {
	switch operator {
	case kwAsserts:
		if s.next(); s.is(kwIs) && !s.tok.newline {
			s.next()
			return true
		}
		return false
	case kwInfer: // T, or T extends …, which elsewhere may be a condition
		if s.next(); in&unconditional != 0 && s.accept(kwExtends) {
			s.typ(unconditional)
		}
		return false
	case kwTypeof:
		s.typeQuery()
		return false
	case kwImport:
		s.list(')')
		s.qualified()
		return false
	}
	return true
}

// functionType reads the type of a function, or a type in parentheses, and says
// whether more can follow.
func (s *scanner) functionType() bool {
	generic := s.is('<')
	if generic {
		s.angles()
	}
	function := s.is('(') && s.typeElements(')')
	switch {
	case s.is(arrow) && !s.tok.newline && (function || generic):
		s.next()
		s.typ(0)
		return false
	case generic:
		s.doubt("a function type has no =>")
	}
	return true
}

// operatorOnType reports whether the word that is looked at is an operator and not a
// name.
func (s *scanner) operatorOnType() bool {
	after := s.peek()
	switch after.kind {
	case '(':
		return s.tok.kind != kwAsserts && s.tok.kind != kwInfer && s.tok.kind != kwAbstract
	case '<':
		return s.tok.kind == kwNew
	case '{', '[', '`', '-':
		return s.tok.kind == kwKeyof || s.tok.kind == kwReadonly || s.tok.kind == kwUnique
	case str, number, private:
		return s.tok.kind != kwAsserts
	}
	switch s.tok.kind {
	case kwAsserts, kwAbstract, kwInfer, kwUnique, kwImport:
		if after.newline {
			return false
		}
	}
	return after.kind.names() && after.kind != kwExtends && after.kind != kwIs
}

// typeName reads a.b.C<T>, or x is T.
func (s *scanner) typeName() bool {
	name := s.tok
	s.next()
	if s.is(kwIs) && !s.tok.newline {
		s.next()
		s.typ(0)
		return false
	}
	if s.is('<') && predefined(s.src[name.start:name.end]) {
		return true // compared: a as number < b
	}
	s.qualified()
	return true
}

// predefined reports whether a name is that of a type without arguments.
func predefined(name []byte) bool {
	switch string(name) {
	case "any", "unknown", "string", "number", "bigint", "symbol", "boolean", "undefined", "never", "object", "null":
		return true
	}
	return false
}

// qualified reads the rest of a qualified name after its first part.
func (s *scanner) qualified() {
	for s.is('.') {
		if s.next(); s.tok.kind.names() || s.is(private) {
			s.next()
		}
	}
	if s.is('<') && !s.tok.newline {
		s.angles()
	}
}

// typeQuery reads the operand of typeof.
func (s *scanner) typeQuery() {
	if s.is(kwImport) {
		s.next()
		s.list(')')
	} else if s.tok.kind.names() {
		s.next()
	} else {
		s.doubt("there is no type")
	}
	s.qualified()
}

// typeElements reads the elements of a tuple or, in parentheses, a type or the
// parameters of a function type, with names or without. It says whether they can
// be parameters.
func (s *scanner) typeElements(closing kind) (parameters bool) {
	s.next()
	parameters = s.is(closing)
	for n := 0; !s.is(closing) && !s.is(end); n++ {
		first := s.tok
		rest := s.accept(ellipsis)
		s.typ(0)
		if n == 0 {
			parameters = rest || s.couldBeName(first)
		}
		s.accept('?')
		if s.accept(':') {
			s.typ(0)
			s.accept('?')
		}
		if s.accept('=') {
			s.expression(0)
		}
		if !s.accept(',') && !s.is(closing) {
			s.doubt("a type goes on where it should end")
			return false
		}
	}
	s.expect(closing)
	return parameters
}

// couldBeName reports whether the text that was read as a type, from a token on, may be the name of
// a parameter or a pattern instead.
func (s *scanner) couldBeName(first token) bool {
	switch s.tok.kind {
	case ':', ',', '?', '=', ')':
	default:
		return false
	}
	last := s.src[s.prevEnd-1]
	return first.kind.names() && s.prevEnd == first.end || first.kind == '{' && last == '}' || first.kind == '[' && last == ']'
}

// angles reads type parameters or type arguments in < >.
func (s *scanner) angles() {
	s.next()
	for !s.is('>') && !s.is(end) {
		for s.typeModifier() {
			s.next()
		}
		s.typ(unconditional)
		if s.accept(kwExtends) {
			s.typ(0)
			if s.accept('?') { // it was an argument: A extends B ? C : D
				s.typ(0)
				s.expect(':')
				s.typ(0)
			}
		}
		if s.accept('=') {
			s.typ(0)
		}
		if !s.accept(',') && !s.is('>') {
			s.doubt("type parameters do not end")
			return
		}
	}
	s.expect('>')
}

// typeModifier reports whether const, in or out precedes a type parameter.
func (s *scanner) typeModifier() bool {
	switch s.tok.kind {
	case kwConst, kwIn:
		return true
	case kwOut:
		after := s.peek().kind
		return after.identifies() || after == kwIn
	}
	return false
}

// returns reads the type after a ":", if there is one.
func (s *scanner) returns() {
	if s.accept(':') {
		s.typ(0)
	}
}
