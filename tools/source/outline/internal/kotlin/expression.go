package kotlin

import "github.com/dougu-go/dougu/tools/source/outline/internal/engine"

// expression returns the index after the expression at index i, by the rules of the compiler. After
// an operand, a line feed ends the expression unless the next token can continue an earlier line.
// clause is true after "by", where a brace begins the body of the class.
func (s *scanner) expression(i int, clause bool) int {
	if s.Depth++; s.Depth > 2*engine.MaxDepth {
		s.Unsure(int(s.Tokens[i].Start), "declarations are nested too deeply")
		s.Depth--
		return s.Last
	}
	defer func() { s.Depth-- }()
	e := expression{scanner: s, clause: clause}
	for more := true; more; {
		if e.operand {
			i, more = e.further(i)
		} else {
			i, more = e.first(i)
		}
	}
	return i
}

// expression is one that is being read.
type expression struct {
	*scanner
	clause  bool
	operand bool // one was read last, or something after one
	suffix  bool // arguments were read last: a lambda on a later line is one more
	tested  bool // is and a type were read: no infix call may follow
	ifs     int  // conditions that may yet have an else
}

// done says that an operand ends before an index.
func (e *expression) done(i int) (int, bool) {
	e.operand = true
	return i, true
}

// missing says that an operand is missing at an index.
func (e *expression) missing(i int) (int, bool) {
	e.Unsure(int(e.Tokens[i].Start), "an expression is missing")
	return i, false
}

// first reads the beginning of an operand.
func (e *expression) first(i int) (end int, more bool) {
	e.suffix, e.tested = false, false
	switch t := &e.Tokens[i]; t.Kind {
	case engine.Word:
		return e.word(i)
	case engine.Value:
		return e.done(i + 1)
	case engine.LeftParen, engine.LeftBracket, engine.LeftBrace:
		return e.done(e.Skip(i))
	case engine.At:
		return e.annotation(i), true
	case engine.Postfix, engine.Dot:
		return i + 1, true
	case engine.Assign:
		if !t.Has(engine.Spaced) {
			return i + 1, true // of >=
		}
	case engine.Infix:
		switch c := e.Src[t.Start]; {
		case c == '+', c == '-', c == '!', c == '*':
			return i + 1, true
		}
	}
	return e.missing(i)
}

// word reads an operand that begins with a word.
func (e *expression) word(i int) (end int, more bool) {
	w := e.Tokens[i].Word
	if next := &e.Tokens[i+1]; next.Kind == engine.At && !next.Has(engine.Spaced) {
		i += 2
		if w != wordReturn && w != wordBreak && w != wordThis {
			return i, true
		}
		if e.Is(i, engine.Word) {
			i++
		}
		if w == wordReturn && e.returns(i) {
			return i, true
		}
		return e.done(i)
	}
	i++
	switch w {
	case wordObject:
		if e.Is(i, engine.Colon) {
			i = e.supertypes(i + 1)
		}
		return e.done(e.block(i, false))
	case wordWhen:
		if e.Is(i, engine.LeftParen) {
			i = e.Skip(i)
		}
		return e.done(e.block(i, true))
	case wordTry:
		for i = e.block(i, true); e.isWord(i, wordCatch) && (e.Is(i+1, engine.LeftParen) || e.Is(i+1, engine.LeftBrace)); {
			if i++; e.Is(i, engine.LeftParen) {
				i = e.Skip(i)
			}
			i = e.block(i, true)
		}
		return e.done(i)
	case wordThrow, wordDo:
		return i, true
	case wordReturn:
		if e.returns(i) {
			return i, true
		}
	case wordIf, wordLoop:
		if !e.Is(i, engine.LeftParen) {
			e.Unsure(int(e.Tokens[i].Start), "a condition is missing")
			return i, false
		}
		if w == wordIf {
			e.ifs++
		}
		if i = e.Skip(i); e.Is(i, engine.LeftBrace) {
			return e.done(e.Skip(i))
		}
		return i, true
	case wordElse:
		if e.ifs == 0 {
			return i - 1, false
		}
		return e.further(i - 1)
	case wordFun:
		if i = e.anonymous(i); e.Is(i, engine.Assign) {
			return i + 1, true
		}
		return e.done(e.block(i, false))
	case wordVal, wordClass, wordInterface, wordTypealias, wordPackage, wordAs, wordIs, wordIn:
		return e.missing(i - 1)
	case wordThis:
		if e.IsText(i-1, "super") && e.IsByte(i, '<') {
			if after, ok := e.typeArguments(i); ok {
				i = after
			}
		}
	}
	return e.done(i)
}

// block is the index after a block; must says that there has to be one.
func (e *expression) block(i int, must bool) int {
	if e.Is(i, engine.LeftBrace) {
		return e.Skip(i)
	}
	if must {
		e.Unsure(int(e.Tokens[i].Start), "a block is missing")
	}
	return i
}

// anonymous is the index after the head of a function, from behind the word fun.
func (s *scanner) anonymous(i int) int {
	if s.IsByte(i, '<') {
		i = s.angles(i)
	}
	if _, i = s.declared(i); s.Is(i, engine.LeftParen) {
		i = s.Skip(i)
	}
	if s.Is(i, engine.Colon) {
		i = s.typeEnd(i + 1)
	}
	return s.constraints(i)
}

// returns reports whether a value follows return.
func (e *expression) returns(i int) bool {
	if e.Newline(i) || e.isWord(i, wordElse) {
		return false
	}
	switch t := &e.Tokens[i]; t.Kind {
	case engine.End, engine.Semicolon, engine.RightParen, engine.RightBracket, engine.RightBrace, engine.Comma, engine.Assign:
		return false
	case engine.Infix, engine.Dot:
		c := e.Src[t.Start]
		return c != '?' && c != '&' && c != '|'
	}
	return true
}

// further reads the tokens after an operand.
func (e *expression) further(i int) (end int, more bool) {
	suffix := e.suffix
	e.suffix = false
	t := &e.Tokens[i]
	apart := t.Has(engine.Newline)
	switch t.Kind {
	case engine.Word:
		return e.infix(i, apart, suffix)
	case engine.LeftBrace:
		if t.Has(engine.Code) {
			return e.Skip(i), true
		}
		if e.clause || apart && !suffix {
			return i, false
		}
		e.suffix = true
		return e.Skip(i), true
	case engine.At:
		if after := e.annotation(i); (!apart || suffix) && e.Is(after, engine.LeftBrace) {
			e.suffix = true
			return e.Skip(after), true
		}
		return i, false
	case engine.Value:
		return i + 1, !apart
	case engine.Semicolon:
		return i + 1, e.ifs > 0 && e.isWord(i+1, wordElse)
	case engine.Dot:
		if e.IsByte(i, '.') || e.Src[t.Start] == '?' {
			e.operand = false
			return i + 1, true
		}
	case engine.Infix:
		switch c := e.Src[t.Start]; {
		case t.End == t.Start+2 && (c == '?' || c == '&' || c == '|'):
			e.operand = false
			return i + 1, true
		}
	}
	if apart {
		return i, false
	}
	return e.sameLine(i, t)
}

// sameLine reads the tokens after an operand in its line.
func (e *expression) sameLine(i int, t *engine.Token) (end int, more bool) {
	switch t.Kind {
	case engine.LeftParen, engine.LeftBracket:
		e.suffix = t.Kind == engine.LeftParen
		return e.Skip(i), true
	case engine.Postfix:
		return i + 1, true
	case engine.Dot:
		if e.Is(i+1, engine.Word) {
			return i + 2, true
		}
		return i + 1, true
	case engine.Assign:
		e.operand = false
		return i + 1, true
	case engine.Infix:
		switch e.Src[t.Start] {
		case '<':
			if after, ok := e.typeArguments(i); ok {
				e.suffix = true
				return after, true
			}
		case '!':
			if t.End == t.Start+1 { // !in and !is
				return i + 1, e.isWord(i+1, wordIn) || e.isWord(i+1, wordIs)
			}
		case '+', '-', '*', '/', '%', '>', '=', '.':
		default:
			return i, false
		}
		e.operand = false
		return i + 1, true
	}
	return i, false
}

// infix reads a word after an operand: an operator, or the function of an infix
// call.
func (e *expression) infix(i int, apart, suffix bool) (end int, more bool) {
	tested := e.tested
	e.tested = false
	w := e.Tokens[i].Word
	next := &e.Tokens[i+1]
	switch {
	case w == wordAs:
		if i++; e.IsByte(i, '?') {
			i++
		}
		return e.typeEnd(i), true
	case w == wordElse && e.ifs > 0 && next.Kind != engine.Arrow:
		e.ifs--
		if next.Kind == engine.LeftBrace {
			return e.Skip(i + 1), true
		}
		e.operand = false
		return i + 1, true
	case apart && !suffix:
		return i, false
	case next.Kind == engine.At && !next.Has(engine.Spaced):
		if after := e.lambda(i); e.Is(after, engine.LeftBrace) {
			e.suffix = true
			return e.Skip(after), true
		}
		return i, false
	case apart:
		return i, false
	case w == wordIs:
		e.tested = true
		return e.typeEnd(i + 1), true
	case w == wordIn:
	case hard(w) || tested:
		return i, false
	}
	e.operand = false
	return i + 1, true
}

// functionLiteral reports whether the expression from an index to another is a
// function literal.
func (s *scanner) functionLiteral(i, end int) bool {
	i = s.lambda(i)
	if s.isWord(i, wordFun) {
		if i = s.anonymous(i + 1); s.Is(i, engine.Assign) {
			return true
		}
	}
	return s.Is(i, engine.LeftBrace) && s.Skip(i) == end
}
