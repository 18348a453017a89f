package dart

import (
	"github.com/dougu-go/dougu/tools/source"
	"github.com/dougu-go/dougu/tools/source/outline/internal/engine"
)

// head reads a declaration up to its name. The token sig follows its annotations. class is the type around it. ok is false if no
// declaration begins there.
func (s *scanner) head(first, sig, end int, class string) (h head, ok bool) {
	h = head{first: first, sig: sig, ident: -1}
	i, isFactory, words := sig, false, 0 // words are names before that of the declaration
	for i < end {
		t := &s.Tokens[i]
		next := &s.Tokens[i+1]
		switch {
		case t.Kind == engine.LeftParen && s.isRecord(i, sig): // the type of a record
			i = s.optional(s.Skip(i))
			words++
			continue
		case t.Kind != engine.Word || t.Word == wordStatement || t.Word == wordClass:
			return h, false
		case t.Word == wordFunction && (next.Kind == engine.LeftParen || s.IsByte(i+1, '<') || s.IsByte(i+1, '?') || next.Kind == engine.Word):
			if i = s.typeArguments(i + 1); s.Is(i, engine.LeftParen) {
				i = s.Skip(i)
			}
			i = s.optional(i)
			words++
			continue
		case t.Word == wordOperator && s.isOperator(i+1):
			return s.operator(h, i)
		case t.Word == wordAccessor && next.Kind == engine.Word && next.Word != wordAsync:
			h.kind, h.ident, h.after = source.Accessor, i+1, i+2
			h.name = s.Name(h.ident)
			return h, true
		case (t.Word == wordModifier || t.Word == wordFactory || t.Word == wordConst || t.Word == wordVar) && s.isDeclaring(i+1):
			isFactory = isFactory || t.Word == wordFactory
			h.isConst = h.isConst || t.Word == wordConst
			h.isVar = h.isVar || t.Word == wordVar || t.Word == wordModifier && s.IsText(i, "late")
			i++
			continue
		}
		name := i // a name, or a type
		for i++; s.Is(i, engine.Dot) && (s.Is(i+1, engine.Word)) && i+1 < end; {
			i += 2
		}
		args := s.typeArguments(i)
		after := s.optional(args)
		if s.Is(after, engine.Word) && !s.isWord(after, wordAsync) {
			i, words = after, words+1
			continue
		}
		h.ident, h.after = name, args
		h.name = string(s.AppendPlain(nil, name, i))
		switch {
		case s.Is(args, engine.LeftParen):
			h.kind = source.Method
			isOwn := class != "" && (s.Name(name) == class || s.Name(name) == "new")
			switch {
			case class == "":
				h.kind = source.Function
			case isFactory || isOwn && words == 0:
				h.kind = source.Initializer
			}
			if words == 0 && h.kind != source.Initializer && i > name+1 {
				return h, false // a call of a method
			}
			return h, true
		case words > 0 || h.isConst || h.isVar:
			h.kind, h.after = source.Variable, i
			return h, i == name+1 && (s.Is(i, engine.Assign) || s.Is(i, engine.Semicolon) || s.Is(i, engine.Comma))
		}
		return h, false
	}
	return h, false
}

// isRecord reports whether the bracket at an index is the type of a record: a name follows it, and it begins a declaration.
func (s *scanner) isRecord(i, sig int) bool {
	after := s.optional(s.Skip(i))
	return s.Is(after, engine.Word) && !s.isWord(after, wordAsync) && !s.isWord(after, wordStatement) && (i == sig || s.Is(i-1, engine.Word))
}

// optional returns the index behind a question mark, or the index if there is none.
func (s *scanner) optional(i int) int {
	if s.IsByte(i, '?') {
		return i + 1
	}
	return i
}

// isOperator reports whether an operator that may be declared stands at an index.
func (s *scanner) isOperator(i int) bool {
	k := s.Tokens[i].Kind
	return k == engine.Infix || k == engine.Prefix || k == engine.LeftBracket || k == engine.Postfix
}

// operator reads the sign of an operator, of one or more tokens.
func (s *scanner) operator(h head, i int) (head, bool) {
	h.kind, h.ident = source.Operator, i+1
	for h.after = i + 1; h.after < s.Last && h.after < i+5 && !s.Is(h.after, engine.LeftParen); {
		h.after++
	}
	h.name = "operator" + string(s.AppendPlain(nil, h.ident, h.after))
	return h, s.Is(h.after, engine.LeftParen)
}

// member reads the declaration of a function or of variables from behind its name.
func (s *scanner) member(h head, end int, class string) {
	if h.kind == source.Variable {
		s.variables(h, end, class != "")
		return
	}
	chunk := s.Add(h.kind, h.first, h.sig, h.name, h.ident)
	s.function(chunk, h.after, end, h.kind == source.Initializer)
}

// function reads the parameters and the body of a function.
func (s *scanner) function(chunk, i, end int, isConstructor bool) {
	before := s.Within(chunk, true)
	defer func() { s.Context = before }()
	i = s.typeArguments(i)
	if s.Is(i, engine.LeftParen) {
		s.code(i+1, min(int(s.Tokens[i].Match), end))
		i = s.Skip(i)
	}
	if isConstructor && s.Is(i, engine.Colon) {
		i = s.initializers(i+1, end)
	}
	for s.isWord(i, wordAsync) || s.IsByte(i, '*') || s.Is(i, engine.Value) && s.isWord(i-1, wordAsync) {
		i++
	}
	switch {
	case s.Is(i, engine.LeftBrace) && i < end:
		s.Body(chunk, i)
		close, after := s.Group(i)
		s.code(i+1, close)
		s.At = after
	case (s.Is(i, engine.Arrow) || s.Is(i, engine.Assign)) && i < end:
		s.Body(chunk, i)
		s.At = s.statement(i+1, end)
	case s.Is(i, engine.Semicolon):
		s.At = i + 1
	default:
		s.At = i
		s.MarkUnsure("a function has neither a body nor a semicolon")
	}
	s.Close(chunk)
}

// initializers passes over the initializers of a constructor and returns the index of its body, or of its semicolon.
func (s *scanner) initializers(i, end int) int {
	from := i
	for i < end && !s.Is(i, engine.Semicolon) {
		if s.Is(i, engine.LeftBrace) && s.isBody(i) {
			break
		}
		i = s.Skip(i)
	}
	s.code(from, i)
	return i
}

// isBody reports whether a bracket behind initializers is the body: it stands behind a complete expression.
func (s *scanner) isBody(i int) bool {
	last := &s.Tokens[i-1]
	switch last.Kind {
	case engine.Word:
		return last.Word == 0 || last.Word == wordStatement
	case engine.Value, engine.RightBracket, engine.RightBrace, engine.Postfix:
		return true
	case engine.RightParen:
		open := int(last.Match)
		return open > 0 && (s.Is(open-1, engine.Word) && !s.IsText(open-1, "switch") || s.IsByte(open-1, '>') || s.IsByte(open-1, '!'))
	}
	return s.IsByte(i-1, '!')
}

// variables reads the names of a declaration with their values.
func (s *scanner) variables(h head, end int, isMember bool) {
	kind := source.Variable
	switch {
	case isMember:
		kind = source.Property
	case h.isConst && !h.isVar:
		kind = source.Constant
	}
	first, sig, ident := h.first, h.sig, h.ident
	for {
		one := kind
		value := ident + 1
		if s.Is(value, engine.Assign) && s.isFunction(value+1) {
			one = source.Lambda
		}
		chunk := s.Add(one, first, sig, s.Name(ident), ident)
		s.At = value
		if s.Is(value, engine.Assign) {
			before := s.Context
			if one == source.Lambda {
				before = s.Within(chunk, true)
				s.Body(chunk, value)
			}
			s.At = s.value(value+1, end)
			s.Context = before
		}
		if s.Is(s.At, engine.Comma) && s.Is(s.At+1, engine.Word) && s.At+1 < end {
			s.Close(chunk)
			s.At++
			first, sig, ident = s.At, s.At, s.At
			continue
		}
		if s.Is(s.At, engine.Semicolon) && s.At < end {
			s.At++
		} else {
			s.MarkUnsure("a declaration has no semicolon")
		}
		s.Close(chunk)
		return
	}
}

// isFunction reports whether a function literal begins at an index.
func (s *scanner) isFunction(i int) bool {
	if i = s.typeArguments(i); !s.Is(i, engine.LeftParen) {
		return false
	}
	i = s.Skip(i)
	for s.isWord(i, wordAsync) || s.IsByte(i, '*') && s.isWord(i-1, wordAsync) {
		i++
	}
	return s.Is(i, engine.LeftBrace) || s.Is(i, engine.Arrow)
}

// value passes over an expression up to a comma or semicolon. A comma in type arguments ends nothing.
func (s *scanner) value(i, end int) int {
	from := i
	for i < end && !s.Is(i, engine.Semicolon) && !s.Is(i, engine.Comma) && !s.Tokens[i].Kind.Closes() {
		if after := s.typeArguments(i); after > i {
			i = after
			continue
		}
		i = s.Skip(i)
	}
	s.code(from, i)
	return i
}

// statement passes over code up to the index behind the next semicolon.
func (s *scanner) statement(i, end int) int {
	from := i
	for i < end && !s.Is(i, engine.Semicolon) {
		i = s.Skip(i)
	}
	i = min(i, end)
	s.code(from, i)
	return min(i+1, end)
}
