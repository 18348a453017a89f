package dart

import (
	"github.com/dougu-go/dougu/tools/source"
	"github.com/dougu-go/dougu/tools/source/outline/internal/engine"
)

// code passes over the tokens of statements and expressions. It adds calls, local functions, and variables with a function literal.
func (s *scanner) code(from, end int) {
	for s.At = from; s.At < end; {
		at := s.At
		if s.beginsStatement(at) && s.local(at, end) {
			if s.At <= at {
				s.At = at + 1
			}
			continue
		}
		if t := s.Tok(); t.Kind == engine.Word && (t.Word == 0 || t.Word >= wordModifier && t.Word < wordStatement && t.Word != wordConst) {
			after := at + 1
			if s.IsByte(after, '<') {
				after = s.typeArguments(after)
			}
			if s.Is(after, engine.LeftParen) && !s.isWord(at-1, wordConst) {
				s.Call(at)
			}
		}
		s.At = at + 1
	}
	s.At = end
}

// beginsStatement reports whether a statement may begin at an index.
func (s *scanner) beginsStatement(i int) bool {
	t := &s.Tokens[i]
	if i == 0 || t.Kind != engine.Word && t.Kind != engine.At && t.Kind != engine.LeftParen {
		return false
	}
	switch s.Tokens[i-1].Kind {
	case engine.LeftBrace, engine.RightBrace, engine.Semicolon, engine.Colon:
		return true
	}
	return false
}

// local reads a local function, or a variable with a function literal. It returns false, and has read nothing, if the statement at an
// index is something else.
func (s *scanner) local(first, end int) bool {
	defer func() { s.Depth-- }()
	if !s.Deeper() {
		s.At = end
		return true
	}
	sig := s.annotations(first)
	h, ok := s.head(first, sig, end, "")
	if !ok {
		return false
	}
	if h.kind == source.Variable {
		if !s.Is(h.after, engine.Assign) || !s.isFunction(h.after+1) {
			return false
		}
		chunk := s.Add(source.Lambda, first, sig, h.name, h.ident)
		before := s.Within(chunk, true)
		s.Body(chunk, h.after)
		s.At = s.value(h.after+1, end)
		s.Context = before
		if s.Is(s.At, engine.Semicolon) && s.At < end {
			s.At++
		}
		s.Close(chunk)
		return true
	}
	i := s.typeArguments(h.after)
	if h.kind == source.Accessor || !s.Is(i, engine.LeftParen) {
		return false
	}
	if i = s.Skip(i); i >= end {
		return false
	}
	for s.isWord(i, wordAsync) || s.IsByte(i, '*') {
		i++
	}
	if !s.Is(i, engine.LeftBrace) && !s.Is(i, engine.Arrow) || i >= end {
		return false
	}
	chunk := s.Add(source.Function, first, sig, h.name, h.ident)
	s.function(chunk, h.after, end, false)
	return true
}
