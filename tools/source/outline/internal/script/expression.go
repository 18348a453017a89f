package script

// value describes an expression: whether all of it is a function or a class.
type value struct {
	kind     valueKind
	ended    bool  // nothing can follow: the function is an arrow without parentheses
	assigned bool  // it is the value of an assignment
	body     int   // of the function or class
	own      int32 // the declaration that it is under its own name, or -1
	prefixed bool  // an operator such as new or await precedes it
	// wrapped and wrappedOwn are the body and own of the function in a call that returns it in another form: memo(() => 1).
	// wrapped is 0 if the value is no such call.
	wrapped    int
	wrappedOwn int32
}

// function returns the function that a call wraps, or v.
func (v value) function() value {
	if v.kind == isOther && v.wrapped > 0 {
		v.kind, v.body, v.own = isFunction, v.wrapped, v.wrappedOwn
	}
	return v
}

type valueKind uint8

const (
	isOther valueKind = iota
	isFunction
	isClass
)

var otherValue = value{own: -1}

// exprContext is the context that limits an expression.
type exprContext uint8

const (
	comma     exprContext = 1 << iota // a, b is one expression
	noIn                              // "in" belongs to a for statement
	colon                             // so does a ":" after it, to a conditional or a case
	heritage                          // it is followed by the body of a class
	asyncCall                         // parentheses may hold the arguments of async(…)
)

// expression reads one expression.
func (s *scanner) expression(in exprContext) value {
	if !s.enter() {
		return otherValue
	}
	v := s.rest(s.operand(in), in)
	s.depth--
	return v
}

// rest reads on after an operand.
func (s *scanner) rest(v value, in exprContext) value {
	mixed, assigned := false, false
	for {
		more := !v.ended && s.suffix(&v, in)
		if more {
			continue
		}
		switch {
		case s.tok.kind == ',' && in&comma != 0:
			mixed = true
		case v.ended:
			return combinedValue(v, mixed, assigned)
		case s.tok.kind == '=':
			assigned = true
		case s.tok.kind == '?':
			if s.optionalMark() {
				return v
			}
			s.next()
			s.expression(colon)
			if !s.is(':') {
				s.doubt("a conditional expression has no :")
				return otherValue
			}
			mixed = true
		case s.between(in):
			mixed = true
		default:
			return combinedValue(v, mixed, assigned)
		}
		s.next()
		v = s.operand(in)
	}
}

// combinedValue is the value of an expression that ends with v: another one if that is
// only a part of it.
func combinedValue(v value, mixed, assigned bool) value {
	if mixed {
		v.kind, v.wrapped = isOther, 0
	}
	v.assigned = assigned
	return v
}

// optionalMark reports whether the "?" that is looked at marks a parameter that may be
// left out.
func (s *scanner) optionalMark() bool {
	switch s.ahead() {
	case ',', ')', ':', '=':
		return true
	}
	return false
}

// ahead is the byte that the token after this one begins with, unless there is a
// comment.
func (s *scanner) ahead() byte {
	for at := s.tok.end; at < len(s.src); at++ {
		if l := lead[s.src[at]]; l != leadSpace && l != leadFeed {
			return s.src[at]
		}
	}
	return 0
}

// between reports whether an operator between two operands is looked at, and makes
// it one token.
func (s *scanner) between(in exprContext) bool {
	switch s.tok.kind {
	case operator, compound, '+', '-', '*', '/', '%', '&', '|', '^', kwInstanceof:
		return true
	case kwIn:
		return in&noIn == 0
	case '<', '>':
		c := byte(s.tok.kind)
		past := s.tok.end
		for past < len(s.src) && s.src[past] == c && past < s.tok.start+3 {
			past++
		}
		if past < len(s.src) && s.src[past] == '=' {
			past++
		}
		s.tok.end = past
		return true
	}
	return false
}

// suffix reads one thing that may follow an operand and belongs to it, and says
// whether there was one.
func (s *scanner) suffix(v *value, in exprContext) bool {
	switch s.tok.kind {
	case '.', optional:
		s.next()
		s.member()
	case '(':
		prefixed := v.prefixed
		*v = s.invocation()
		if v.prefixed = prefixed; prefixed {
			v.wrapped = 0
		}
		return true
	case '[':
		s.index()
	case '`':
		s.template(false)
		s.callee = token{}
	case '!':
		if s.tok.newline {
			return false
		}
		s.next()
		return true
	case step:
		if s.tok.newline {
			return false
		}
		s.next()
	case '<':
		if s.plain && in&heritage == 0 || !s.argumentTypes(in) {
			return false
		}
	case kwAs, kwSatisfies:
		if s.tok.newline {
			return false
		}
		s.next()
		s.typ(0)
		return true
	default:
		return false
	}
	*v = value{own: -1, prefixed: v.prefixed}
	return true
}

// member reads the name after "." or "?.".
func (s *scanner) member() {
	switch k := s.tok.kind; {
	case k.names() || k == private:
		s.callee = s.tok
		s.next()
	case k == '(' || k == '[' || k == '`' || k == '<':
	default:
		s.doubt("no name after a dot")
	}
}

// index reads [expression].
func (s *scanner) index() {
	s.next()
	if s.tok.kind != ']' {
		s.expression(comma)
	}
	s.expect(']')
	s.callee = token{}
}

// invocation reads the arguments of a call, and returns its value.
func (s *scanner) invocation() value {
	callee := s.callee
	if callee.end > 0 {
		s.called(callee)
	}
	v := s.list(')')
	s.callee = token{}
	if v.wrapped > 0 && !s.wraps(callee) {
		v.wrapped = 0
	}
	return v
}

// wraps reports whether a call of a function given another function as its first argument probably returns that function in another
// form. Methods of lists and most other methods return a result of it.
func (s *scanner) wraps(callee token) bool {
	name := s.src[callee.start:callee.end]
	switch string(name) {
	case "":
		return false
	case "memo", "forwardRef", "lazy", "useCallback", "debounce", "throttle", "once", "memoize", "wrap", "curry", "promisify", "$constructor":
		return true
	case "useMemo", "useState", "useRef", "useReducer", "setTimeout", "setInterval", "setImmediate", "requestAnimationFrame", "requestIdleCallback", "super", "import":
		return false
	}
	return !s.dotBefore(callee.start)
}

// called notes a call, and an import if it is one.
func (s *scanner) called(callee token) {
	name := s.src[callee.start:callee.end]
	if s.want.Calls && string(name) != "super" && string(name) != "import" {
		s.calls = append(s.calls, call{int32(callee.start), int32(callee.end), s.parent})
	}
	if (string(name) != "require" || s.dotBefore(callee.start)) && callee.kind != kwImport {
		return
	}
	if argument := s.peek(); argument.kind == str {
		s.imported(argument)
	}
}

func (s *scanner) dotBefore(at int) bool { return at > 0 && s.src[at-1] == '.' }

// imported notes the module that a string names.
func (s *scanner) imported(t token) {
	if t.end-t.start > 2 {
		s.imports = append(s.imports, call{start: int32(t.start + 1), end: int32(t.end - 1)})
	}
}

// list reads expressions between brackets, from the opening one on. The result has the wrapped function: the first expression, or the
// second one after a string or number.
func (s *scanner) list(closing kind) value {
	v := otherValue
	s.next()
	isFirst, candidate := true, true
	for s.tok.kind != closing && s.tok.kind != end {
		switch s.tok.kind {
		case ',':
			s.next()
			continue
		case ellipsis:
			s.next()
		}
		literal := isFirst && (s.tok.kind == str || s.tok.kind == number)
		w := s.expression(0)
		if candidate && !w.assigned {
			if w.kind == isFunction {
				v.wrapped, v.wrappedOwn = w.body, w.own
			} else if isFirst {
				v.wrapped, v.wrappedOwn = w.wrapped, w.wrappedOwn
			}
		}
		isFirst, candidate = false, literal
		if s.tok.kind != ',' && s.tok.kind != closing {
			s.doubt("a list goes on after an expression")
			return otherValue
		}
	}
	s.expect(closing)
	return v
}

// is reports whether a token of a kind is looked at.
func (s *scanner) is(k kind) bool { return s.tok.kind == k }

// expect passes a token that has to be there.
func (s *scanner) expect(k kind) {
	if s.tok.kind != k {
		s.doubt("a bracket is not closed")
		return
	}
	s.next()
}

// accept passes a token if it is there.
func (s *scanner) accept(k kind) bool {
	if s.tok.kind != k {
		return false
	}
	s.next()
	return true
}

// peek is the token after the one that is looked at.
func (s *scanner) peek() token {
	tok, prevEnd, docs, commented := s.tok, s.prevEnd, s.docs, s.commented
	reason, at := s.reason, s.doubtAt
	s.next()
	after := s.tok
	s.tok, s.prevEnd, s.docs, s.commented = tok, prevEnd, docs, commented
	s.reason, s.doubtAt = reason, at
	return after
}
