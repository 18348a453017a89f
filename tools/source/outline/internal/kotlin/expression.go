package kotlin

import "github.com/dougu-go/dougu/tools/source/outline/internal/lex"

// expression follows an expression to its end, by the rules of the compiler: after
// an operand, a line feed ends it unless what follows may continue an earlier line.
type expression struct {
	*scanner
	clause  bool // after by, where { begins the body of the class
	ifs     int  // those which may yet have an else
	tested  bool // is and a type were read: no infix call may follow
	suffix  bool // arguments were read last: a lambda on a later line is one more
	start   int  // of the name that was read last and may be called
	count   int  // of operands and of what was applied to them
	literal bool // the first operand is a function literal
	takes   bool // it is fun(…) = …, which takes all that follows
}

// step is what was read.
type step uint8

const (
	ended   step = iota // nothing: the expression is at its end
	operand             // an operand, or something after one
	binary              // an operator: an operand must follow
)

// expression reads an expression, and says whether it is a function literal.
func (s *scanner) expression(clause bool) (literal bool) {
	if s.depth == maxDepth {
		s.unsure("declarations are nested too deeply", s.at)
		s.stop()
		return false
	}
	before, open := s.prefix, s.open
	s.prefix, s.open = prefix{}, -1
	s.depth++
	e := expression{scanner: s, clause: clause, start: -1}
	for read := binary; read != ended; {
		if read == binary {
			read = e.first()
		} else {
			read = e.further()
		}
		if e.count++; e.count&0xff == 0 && s.at >= s.look && s.cancelled() {
			break
		}
	}
	s.depth--
	s.prefix, s.open = before, open
	return e.takes || e.literal && e.count == 2
}

// further reads what may follow an operand.
func (e *expression) further() step {
	if e.at == len(e.src) {
		return ended
	}
	suffix, start := e.suffix, e.start
	e.suffix, e.start = false, -1
	c := e.src[e.at]
	if lex.Class[c] == lex.Letter || c == '`' {
		return e.infix(suffix, start)
	}
	switch c {
	case '{':
		if e.clause || e.newline && !suffix {
			return ended
		}
		e.callee(start)
		return e.lambda()
	case '@':
		if e.newline && !suffix {
			return ended
		}
		return e.annotated(start)
	case '.':
		if e.peek(1) != '.' {
			return e.operator(1)
		}
	case '?':
		switch {
		case e.peek(1) == ':' && e.peek(2) == ':':
			return e.symbol(1, operand)
		case e.peek(1) == '.' || e.peek(1) == ':':
			return e.operator(2)
		}
		return ended
	case '&', '|':
		if e.peek(1) == c {
			return e.operator(2)
		}
		return ended
	case ';':
		if at := e.over(e.at + 1); e.ifs > 0 && at < len(e.src) && string(e.src[at:lex.Identifier(e.src, at)]) == "else" {
			e.next(e.at + 1)
			return operand
		}
		return ended
	}
	if e.newline {
		return ended
	}
	return e.sameLine(c, start)
}

// sameLine reads what may follow an operand in its line.
func (e *expression) sameLine(c byte, start int) step {
	two := e.peek(1)
	switch c {
	case '(':
		e.callee(start)
		e.nested(inBrackets)
		e.suffix = true
		return operand
	case '[':
		e.nested(inBrackets)
		return operand
	case ':':
		if two == ':' {
			e.reference()
			return operand
		}
	case '<':
		if end, ok := e.typeArguments(e.at); ok {
			e.next(end)
			e.suffix, e.start = true, start
			return operand
		}
		return e.operator(1)
	case '+', '-':
		switch two {
		case c:
			return e.symbol(2, operand)
		case '>':
			return ended
		}
		return e.operator(1)
	case '!':
		switch two {
		case '!':
			return e.symbol(2, operand)
		case '=':
			return e.operator(2)
		case 'i':
			return e.symbol(1, operand)
		}
	case '*', '/', '%', '>':
		return e.operator(1)
	case '=', '.':
		return e.operator(1)
	}
	return ended
}

// symbol reads a symbol of so many bytes.
func (e *expression) symbol(n int, read step) step {
	e.next(e.at + n)
	return read
}

// operator reads an operator that begins with so many bytes: all that could belong
// to one.
func (e *expression) operator(n int) step {
	end := e.at + n
	for end < len(e.src) && (e.src[end] == '=' || e.src[end] == '.' && e.src[end-1] == '.' || e.src[end] == '<' && e.src[end-1] == '.') {
		end++
	}
	return e.symbol(end-e.at, binary)
}

// callee notes a call of the name that was read last.
func (e *expression) callee(start int) {
	if start >= 0 && e.calls {
		end := lex.Identifier(e.src, start)
		if e.src[start] == '`' {
			for end = start + 1; e.src[end] != '`'; end++ {
			}
			end++
		}
		e.call(start, end)
	}
}

// infix reads an identifier after an operand: an operator, or the function of an
// infix call.
func (e *expression) infix(suffix bool, start int) step {
	tested := e.tested
	e.tested = false
	end := e.identifier()
	if end == e.at {
		return ended
	}
	w := wordOf(e.src[e.at:end])
	switch {
	case w == wordAs:
		e.next(end)
		if e.is('?') {
			e.next(e.at + 1)
		}
		e.typeRef()
		return operand
	case w == wordElse && e.ifs > 0 && !e.arrow(end):
		e.ifs--
		e.next(end)
		if e.is('{') {
			e.nested(inCode)
			return operand
		}
		return binary
	case e.newline && !suffix:
		return ended
	case end < len(e.src) && e.src[end] == '@':
		return e.labelledLambda(end+1, start)
	case e.newline:
		return ended
	case w == wordIs:
		e.next(end)
		e.typeRef()
		e.tested = true
		return operand
	case w == wordIn:
		e.next(end)
		return binary
	case w.hard() || tested:
		return ended
	}
	e.next(end)
	return binary
}

// labelledLambda reads the label of a lambda that is an argument, and the lambda.
func (e *expression) labelledLambda(end, start int) step {
	if at := e.over(end); at == len(e.src) || e.src[at] != '{' {
		return ended
	}
	e.callee(start)
	e.next(end)
	return e.lambda()
}

// lambda reads a lambda that is an argument.
func (e *expression) lambda() step {
	e.nested(inCode)
	e.suffix = true
	return operand
}

// arrow says that -> follows.
func (e *expression) arrow(end int) bool {
	at := e.over(end)
	return at+1 < len(e.src) && e.src[at] == '-' && e.src[at+1] == '>'
}

// annotated reads the annotation of a lambda that is an argument.
func (e *expression) annotated(start int) step {
	if at := e.over(e.overAnnotation(e.at)); at == len(e.src) || e.src[at] != '{' {
		return ended
	}
	e.annotation()
	if !e.is('{') {
		return operand
	}
	e.callee(start)
	return e.lambda()
}
