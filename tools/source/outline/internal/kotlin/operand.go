package kotlin

import "github.com/dougu-go/dougu/tools/source/outline/internal/lex"

// first reads what may stand where an operand is expected.
func (e *expression) first() step {
	e.suffix, e.tested, e.start = false, false, -1
	if e.at == len(e.src) {
		e.unsure("an expression is missing", e.at)
		return ended
	}
	switch c := e.src[e.at]; {
	case lex.Class[c] == lex.Letter, c == '`':
		return e.named()
	case lex.Class[c] == lex.Digit:
		e.next(lex.Identifier(e.src, e.at))
	case c == '"':
		e.quoted(1)
	case c == '\'':
		e.char()
	case c == '(' || c == '[':
		e.nested(inBrackets)
	case c == '{':
		e.literal = e.literal || e.count == 0
		e.nested(inCode)
	case c == '@':
		e.annotation()
		e.count--
		return binary
	case c == '+' || c == '-' || c == '!' || c == '*' || c == '.' && lex.Class[e.peek(1)] == lex.Digit:
		e.next(e.at + 1)
		return binary
	case c == ':' && e.peek(1) == ':':
		e.reference()
	default:
		e.unsure("an expression is missing", e.at)
		return ended
	}
	return operand
}

// named reads an operand that begins with an identifier or keyword.
func (e *expression) named() step {
	end := e.identifier()
	if end == e.at {
		e.unsure("a name is not closed", e.at)
		e.next(e.at + 1)
		return operand
	}
	w := wordOf(e.src[e.at:end])
	if e.src[e.at] == '$' && end < len(e.src) && e.src[end] == '"' {
		e.labelled(end)
		return operand
	}
	if end < len(e.src) && e.src[end] == '@' {
		return e.label(w, end)
	}
	if e.control(w, end) {
		return operand
	}
	switch w {
	case wordThrow, wordDo:
		e.next(end)
		return binary
	case wordReturn:
		e.next(end)
		if e.returns() {
			return binary
		}
	case wordIf, wordLoop:
		return e.branch(w, end)
	case wordElse:
		if e.ifs > 0 {
			return e.further()
		}
		return ended
	case wordFun:
		return e.anonymousFunction(end)
	case wordVal, wordClass, wordInterface, wordTypealias, wordPackage, wordAs, wordIs, wordIn:
		e.unsure("an expression is missing", e.at)
		return ended
	default:
		if w == name || w >= modifier || w < wordIf {
			e.start = e.at
		}
		super := e.isWord("super")
		e.next(end)
		if super && e.is('<') {
			if after, ok := e.typeArguments(e.at); ok {
				e.next(after)
			}
		}
	}
	return operand
}

// label reads a label before an operand, or a word with one after it.
func (e *expression) label(w word, end int) step {
	e.labelled(end)
	switch {
	case w == wordReturn && e.returns():
		return binary
	case w == wordThis || w == wordReturn || w == wordBreak:
		return operand
	}
	e.count--
	return binary
}

// returns says that a value follows return.
func (e *expression) returns() bool {
	if e.newline || e.at == len(e.src) || e.word() == wordElse {
		return false
	}
	switch e.src[e.at] {
	case ';', ')', ']', '}', ',', '?', '=', '&', '|':
		return false
	}
	return true
}

// control reads a keyword whose operand ends with a block.
func (e *expression) control(w word, end int) bool {
	switch w {
	case wordObject:
		e.next(end)
		e.anonymous()
	case wordWhen:
		e.next(end)
		if e.is('(') {
			e.nested(inBrackets)
		}
		e.block()
	case wordTry:
		e.next(end)
		e.block()
		for e.word() == wordCatch && (e.followed(e.identifier(), '(') || e.followed(e.identifier(), '{')) {
			e.next(e.identifier())
			if e.is('(') {
				e.nested(inBrackets)
			}
			e.block()
		}
	default:
		return false
	}
	return true
}

func (e *expression) block() {
	if e.is('{') {
		e.nested(inCode)
		return
	}
	e.unsure("a block is missing", e.at)
}

// branch reads the condition of an if or a loop, and its block if it has one.
func (e *expression) branch(w word, end int) step {
	e.next(end)
	if !e.is('(') {
		e.unsure("a condition is missing", e.at)
		return ended
	}
	e.nested(inBrackets)
	if w == wordIf {
		e.ifs++
	}
	if e.is('{') {
		e.nested(inCode)
		return operand
	}
	return binary
}

// anonymousFunction reads fun(…) { … }, or fun(…) = as far as its expression.
func (e *expression) anonymousFunction(end int) step {
	first := e.count == 0
	e.next(end)
	if e.is('<') {
		e.angles()
	}
	if _, named := e.declared(); named && e.is('(') {
		e.nested(inBrackets)
	}
	if e.is(':') {
		e.next(e.at + 1)
		e.typeRef()
	}
	e.constraints()
	e.literal = e.literal || first
	switch {
	case e.is('{'):
		e.nested(inCode)
	case e.is('='):
		e.takes = e.takes || first
		e.next(e.at + 1)
		return binary
	}
	return operand
}
