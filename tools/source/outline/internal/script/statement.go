package script

// statements reads statements up to a closing bracket or the end.
func (s *scanner) statements() {
	for !s.is('}') && !s.is(end) {
		at := s.tok.start
		s.statement()
		if s.tok.start == at && !s.is(end) {
			s.doubt("this begins no statement")
			s.next()
		}
	}
}

// statement reads one statement or declaration.
func (s *scanner) statement() {
	depth := s.depth
	if !s.enter() {
		return
	}
	s.statementAt()
	s.depth = depth // whatever went wrong within
}

func (s *scanner) statementAt() {
	switch s.tok.kind {
	case '{':
		s.nested(s.block)
	case ';':
		s.next()
	case '@':
		s.declaration()
	case kwVar, kwConst, kwFunction, kwClass, kwEnum, kwExport, kwImport,
		kwLet, kwType, kwInterface, kwNamespace, kwModule, kwDeclare, kwAbstract, kwAsync, kwUsing, kwAwait, kwGlobal:
		if !s.declaration() {
			s.expressionStatement()
		}
	case kwIf, kwFor, kwWhile, kwWith, kwDo, kwSwitch, kwTry, kwReturn, kwThrow, kwBreak, kwContinue, kwDebugger:
		s.nested(s.control)
	case kwCase, kwDefault, kwElse, kwCatch, kwFinally:
		s.doubt("a part of a statement stands by itself")
		s.next()
	default:
		s.expressionStatement()
	}
}

func (s *scanner) leave() { s.depth-- }

// nested calls read for a part that is not directly in a file or namespace.
func (s *scanner) nested(read func()) {
	top := s.top
	s.top = false
	read()
	s.top = top
}

// control reads a statement that begins with a reserved word and declares
// nothing itself.
func (s *scanner) control() {
	k := s.tok.kind
	s.next()
	switch k {
	case kwIf:
		s.branches()
	case kwFor:
		s.loop()
	case kwWhile, kwWith:
		s.condition()
		s.statement()
	case kwDo:
		if s.statement(); s.accept(kwWhile) {
			s.condition()
		} else {
			s.doubt("do without while")
		}
		s.accept(';')
	case kwSwitch:
		s.condition()
		s.cases()
	case kwTry:
		s.attempts()
	case kwReturn, kwThrow:
		if !s.is(';') && !s.is('}') && !s.tok.newline {
			s.expression(comma)
		}
		s.semicolon()
	default:
		if s.tok.kind.identifies() && !s.tok.newline {
			s.next()
		}
		s.semicolon()
	}
}

// branches reads an if from its condition on, with all that its else may hold.
func (s *scanner) branches() {
	for {
		s.condition()
		s.statement()
		if !s.accept(kwElse) {
			return
		}
		if !s.accept(kwIf) {
			s.statement()
			return
		}
	}
}

func (s *scanner) condition() {
	if !s.is('(') {
		s.doubt("a condition has no parentheses")
		return
	}
	s.next()
	s.expression(comma)
	s.expect(')')
}

// loop reads a for from its parentheses on.
func (s *scanner) loop() {
	s.accept(kwAwait)
	if !s.accept('(') {
		s.doubt("a loop has no parentheses")
		return
	}
	switch {
	case s.declares():
		if s.accept(kwAwait); s.is(kwConst) || s.is(kwVar) || s.is(kwLet) || s.is(kwUsing) {
			s.variables(s.head(), noIn)
		}
	case !s.is(';'):
		s.expression(comma | noIn)
	}
	if s.accept(kwOf) || s.accept(kwIn) {
		s.expression(comma)
	} else {
		for range 2 {
			if !s.accept(';') {
				s.doubt("a loop has no three parts")
				return
			}
			if !s.is(';') && !s.is(')') {
				s.expression(comma)
			}
		}
	}
	s.expect(')')
	s.statement()
}

// declares reports whether the current token begins a declaration of variables.
func (s *scanner) declares() bool {
	switch s.tok.kind {
	case kwVar, kwConst:
		return true
	case kwLet:
		k := s.peek().kind
		return k.identifies() || k == '{' || k == '['
	case kwUsing:
		after := s.peek()
		return after.kind.identifies() && !after.newline && after.kind != kwOf && after.kind != kwAs && after.kind != kwSatisfies
	case kwAwait:
		if after := s.peek(); after.kind != kwUsing || after.newline {
			return false
		}
		m := s.try()
		s.next()
		using := s.declares()
		s.back(m)
		return using
	}
	return false
}

// cases reads the braces of a switch.
func (s *scanner) cases() {
	if !s.is('{') {
		s.doubt("a switch has no braces")
		return
	}
	s.next()
	for !s.is('}') && !s.is(end) {
		switch {
		case s.accept(kwCase):
			s.expression(comma | colon)
		case s.accept(kwDefault):
		default:
			at := s.tok.start
			if s.statement(); s.tok.start == at {
				s.doubt("this begins no statement")
				s.next()
			}
			continue
		}
		s.expect(':')
	}
	s.expect('}')
}

// attempts reads a try from its braces on.
func (s *scanner) attempts() {
	s.braced()
	if s.accept(kwCatch) {
		if s.accept('(') {
			s.pattern(false, head{})
			s.returns()
			s.expect(')')
		}
		s.braced()
	}
	if s.accept(kwFinally) {
		s.braced()
	}
}

func (s *scanner) braced() {
	if !s.is('{') {
		s.doubt("a block has no braces")
		return
	}
	s.block()
}

// semicolon ends a statement: with a semicolon, or where one is inserted.
func (s *scanner) semicolon() {
	switch {
	case s.is(';'):
		s.next()
	case s.is('}'), s.is(end), s.tok.newline:
	default:
		s.doubt("a statement goes on where it should end")
	}
}

// expressionStatement reads an expression, an assignment that gives a function a
// name, or a label.
func (s *scanner) expressionStatement() {
	if k := s.tok.kind; !k.identifies() || k == kwAwait || k == kwYield {
		s.expression(comma)
		s.semicolon()
		return
	}
	h, first, name, dots := s.head(), s.tok, s.tok, 0
	v := s.identifier(comma)
	for !v.ended && s.is('.') {
		owner := name
		s.next()
		name = s.tok
		s.member()
		first.end = owner.end
		dots++
	}
	switch {
	case s.is(':') && dots == 0 && !v.ended:
		s.next()
		s.statement()
		return
	case s.is('=') && !v.ended:
		s.assignment(h, first, name, dots)
	default:
		s.rest(v, comma)
	}
	s.semicolon()
}
