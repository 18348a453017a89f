package script

// operand reads one operand with the operators before it.
func (s *scanner) operand(in exprContext) value {
	s.callee = token{}
	for prefixed := false; ; prefixed = true {
		switch k := s.tok.kind; k {
		case '!', '~', '+', '-', step, kwTypeof, kwVoid, kwDelete, kwNew, ellipsis:
			s.next()
			if k == kwNew && s.is('.') {
				s.next()
			}
			continue
		case kwAwait, kwYield:
			if s.lacksOperand() {
				return s.identifier(in)
			}
			s.next()
			if k == kwYield {
				s.accept('*')
			}
			continue
		}
		v := s.primary(in)
		if prefixed {
			v.kind, v.prefixed = isOther, true
		}
		return v
	}
}

// lacksOperand reports whether the current await or yield has no operand.
func (s *scanner) lacksOperand() bool {
	after := s.peek()
	if s.tok.kind == kwYield && after.newline {
		return true
	}
	switch k := after.kind; k {
	case end, ')', ']', '}', ',', ';', ':', '=', '.', '?', optional, arrow, operator, compound, kwIn, kwInstanceof, kwOf, '>', '&', '|':
		return true
	case '*':
		return s.tok.kind == kwAwait
	}
	return false
}

func (s *scanner) primary(in exprContext) value {
	switch k := s.tok.kind; k {
	case word:
		return s.identifier(in)
	case str, number, private:
		s.next()
	case '(':
		return s.parentheses(in)
	case '[':
		s.list(']')
	case '{':
		s.object()
	case '`':
		s.template(false)
	case '/', compound:
		s.regexp()
	case '<':
		return s.angle(in)
	case '@':
		s.decorators()
		if !s.is(kwClass) {
			s.doubt("a decorator decorates nothing")
			return otherValue
		}
		return s.classExpression()
	case kwFunction:
		return s.functionExpression(s.head())
	case kwClass:
		return s.classExpression()
	case kwImport:
		s.callee = s.tok
		s.next()
		return otherValue
	default:
		if k.identifies() {
			return s.identifier(in)
		}
		s.doubt("there is no operand")
		if k != ')' && k != ']' && k != '}' && k != end && k < firstKeyword {
			s.next()
		}
		return otherValue
	}
	s.callee = token{}
	return otherValue
}

// identifier reads a name, and the function that it may begin.
func (s *scanner) identifier(in exprContext) value {
	name, h := s.tok, head{}
	if name.kind == kwAsync {
		h = s.head()
	}
	s.next()
	if s.tok.newline {
		s.callee = name
		return otherValue
	}
	if s.is(arrow) {
		return s.arrow(in)
	}
	if name.kind == kwAsync {
		switch {
		case s.is(kwFunction):
			return s.functionExpression(h)
		case s.tok.kind.identifies() && s.tok.kind != kwOf && s.tok.kind != kwAs && s.tok.kind != kwSatisfies || s.is('<') && !s.plain:
			if s.is('<') {
				s.angles()
				s.parameters(-1)
				s.returns()
			} else {
				s.next()
			}
			if s.is(arrow) {
				return s.arrow(in)
			}
			s.doubt("async without a function")
			return otherValue
		case s.is('('):
			if v := s.parentheses(in | asyncCall); v.ended {
				return v
			}
			s.callee = token{}
			return otherValue
		}
	}
	s.callee = name
	return otherValue
}

// arrow reads the rest of an arrow function from its arrow on.
func (s *scanner) arrow(in exprContext) value {
	v := value{kind: isFunction, ended: true, body: s.tok.start, own: -1}
	s.next()
	if s.is('{') {
		v.body = s.tok.start
		s.body()
		return v
	}
	s.expression(in & (noIn | colon))
	return v
}

// parentheses reads an expression in parentheses, or an arrow function that
// begins with its parameters.
func (s *scanner) parentheses(in exprContext) value {
	v, params := s.group()
	switch {
	case s.is(arrow) && !s.tok.newline:
		return s.arrow(in)
	case s.is(':'):
		if in&colon == 0 {
			if s.returns(); s.is(arrow) {
				return s.arrow(in)
			}
			s.doubt("a type where there is no parameter")
			return otherValue
		}
		if v, ok := s.arrowBeforeColon(in); ok {
			return v
		}
	}
	if params && in&asyncCall == 0 {
		s.doubt("parameters without a function")
	}
	return v
}

// arrowBeforeColon tries a return type and the rest of an arrow function, after
// which a colon has to follow: a ? (b): c => d : e.
func (s *scanner) arrowBeforeColon(in exprContext) (value, bool) {
	m := s.try()
	s.returns()
	if s.is(arrow) && !s.tok.newline {
		if v := s.arrow(in); !s.failed && s.is(':') {
			s.keep()
			return v, true
		}
	}
	s.back(m)
	return otherValue, false
}

// group reads a parenthesized expression, or parameters, which only a following arrow reveals.
// params is true if the content can only be parameters.
func (s *scanner) group() (v value, params bool) {
	s.next()
	params = s.is(')')
	v = otherValue
	for n := 0; !s.is(')') && !s.is(end); n++ {
		switch s.tok.kind {
		case ',':
			s.next()
			continue
		case ellipsis:
			params = true
			s.next()
		case '@':
			s.decorators()
		}
		w := s.expression(0)
		if v = w; n > 0 {
			v = otherValue
		}
		if s.is('?') {
			params = true
			s.next()
		}
		if s.is(':') {
			params = true
			s.next()
			s.typ(0)
			if s.accept('=') {
				s.expression(0)
			}
		} else if params && s.accept('=') {
			s.expression(0)
		}
		if s.tok.kind != ',' && s.tok.kind != ')' {
			s.doubt("parentheses go on after an expression")
			return otherValue, false
		}
	}
	s.expect(')')
	s.callee = token{}
	v.ended = false
	return v, params
}

// angle reads an expression that begins with "<": a JSX element, a generic arrow function, or a
// type assertion.
func (s *scanner) angle(in exprContext) value {
	if s.jsx && !s.genericArrow() {
		s.element()
		s.next()
		s.callee = token{}
		return otherValue
	}
	if !s.enter() {
		return otherValue
	}
	defer s.leave()
	if s.angles(); s.is('(') {
		return s.parentheses(in)
	}
	return s.operand(in)
}

// genericArrow says, where there is JSX, that "<" begins type parameters: a name
// follows with a comma or "extends", or const.
func (s *scanner) genericArrow() bool {
	if s.plain {
		return false
	}
	m := s.try()
	s.next()
	generic := s.is(kwConst)
	if s.tok.kind.identifies() {
		s.next()
		generic = s.is(',') || s.is('=')
		if s.is(kwExtends) {
			s.next()
			generic = !s.is('=') && !s.is('>') && !s.is('/')
		}
	}
	s.back(m)
	return generic
}

// argumentTypes reads type arguments in an expression, unless "<" is a comparison.
func (s *scanner) argumentTypes(in exprContext) bool {
	callee := s.callee
	m := s.try()
	if s.tok.end < len(s.src) && s.src[s.tok.end] == '=' {
		s.back(m)
		return false
	}
	s.next()
	for !s.failed && !s.is('>') {
		s.typ(0)
		if !s.accept(',') && !s.is('>') {
			s.failed = true
		}
	}
	past := s.tok.end
	doubled := past < len(s.src) && (s.src[past] == '>' || s.src[past] == '=')
	if !s.failed && !doubled {
		if s.next(); in&heritage != 0 || s.canFollowTypes() {
			s.keep()
			s.callee = callee
			return true
		}
	}
	s.back(m)
	return false
}

// canFollowTypes reports whether the token after <…> is none that would make it a
// comparison.
func (s *scanner) canFollowTypes() bool {
	switch k := s.tok.kind; k {
	case '(', '`':
		return true
	case '<', '>', '+', '-':
		return false
	case operator, compound, '*', '/', '%', '&', '|', '^', '=', '?', kwIn, kwInstanceof, kwAs, kwSatisfies:
		return true
	case word, str, number, private, '[', '{', '!', '~', '@', step,
		kwFunction, kwClass, kwNew, kwTypeof, kwVoid, kwDelete, kwImport:
		return s.tok.newline
	default:
		return s.tok.newline || !k.identifies()
	}
}
