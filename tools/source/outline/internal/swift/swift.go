// Package swift finds the declarations of Swift.
//
// It reads tokens, and understands declarations, types and brackets; of
// statements and expressions it knows only the marks of their ends. Every
// branch of #if counts, as if the lines of the directives were not there.
package swift

import (
	"context"

	"github.com/dougu-go/dougu/tools/source"
	"github.com/dougu-go/dougu/tools/source/outline/internal/engine"
)

// Parse scans one file. It notes calls only if o.Calls is set.
func Parse(ctx context.Context, src []byte, lang source.Language, o source.Options) (*source.File, error) {
	s := &scanner{}
	return s.Scanner.Parse(ctx, src, lang, o, table, func() { s.statements(s.Last, file) })
}

// scanner reads the declarations from the tokens of a text.
type scanner struct {
	engine.Scanner
	pattern bool // in a case of a switch or if: .name(…) is a pattern and not a call
}

// scope is the surroundings of statements.
type scope uint8

const (
	file scope = iota
	members
	cases // the members of an enum
	code
)

// typed reports whether a scope is the body of a type.
func (in scope) typed() bool { return in == members || in == cases }

// head is the beginning of a declaration, before the word that names its kind. first is
// the index of its first token, which can be an attribute. sig is the index of the first
// token of its signature, after the attributes. Each is -1 until it is found.
type head struct{ first, sig int }

var none = head{-1, -1}

// begin records that the current token may be the first of a declaration.
func (s *scanner) begin(h *head) {
	if h.first < 0 {
		h.first = s.At
	}
}

// modified records that the current token is the first after the attributes.
func (s *scanner) modified(h *head) {
	s.begin(h)
	if h.sig < 0 {
		h.sig = s.At
	}
}

// add makes a chunk of the name with an index.
func (s *scanner) add(kind source.Kind, h head, ident int) int {
	i := s.Add(kind, h.first, h.sig, s.Name(ident), ident)
	if s.Tokens[ident].Has(engine.Quoted) {
		s.B.Chunk(i).Ident++
	}
	return i
}

// within calls read with chunk as the enclosing declaration, then ends the chunk.
func (s *scanner) within(chunk int, read func()) {
	before := s.Within(chunk, s.B.Chunk(chunk).Kind.IsCallable())
	read()
	s.Context = before
	s.Close(chunk)
}

func (s *scanner) is(kind engine.Kind) bool      { return s.Is(s.At, kind) }
func (s *scanner) isWord(i int, word uint8) bool { return s.Tokens[i].Word == word }

// first returns the first byte of the token at index i if it is an operator, or 0.
func (s *scanner) first(i int) byte {
	switch t := &s.Tokens[i]; t.Kind {
	case engine.Infix, engine.Prefix, engine.Postfix, engine.Assign:
		return s.Src[t.Start]
	}
	return 0
}

// block reads the current bracket and the statements in it.
func (s *scanner) block(in scope) {
	pattern := s.pattern
	s.pattern = false
	end, after := s.Group(s.At)
	s.At++
	s.statements(end, in)
	s.At = after
	s.pattern = pattern
}

// bracket reads the current bracket and the expressions in it.
func (s *scanner) bracket() {
	end, after := s.Group(s.At)
	s.At++
	s.elements(end)
	s.At = after
}

// elements reads expressions up to an index.
func (s *scanner) elements(end int) {
	condition := false // between if, for … and the brace that follows it
	for s.At < end {
		s.element(&condition)
	}
	s.At = end
}

// element reads a token, or a bracket with its content, or type arguments.
func (s *scanner) element(condition *bool) {
	switch t := s.Tok(); {
	case t.Kind == engine.LeftBrace:
		*condition = false
		s.block(code)
	case t.Kind.Opens():
		s.bracket()
	case t.Kind == engine.Word:
		*condition = *condition || t.Word == wordCondition
		s.name(*condition)
	default:
		s.At++
	}
}

// name reads a word within an expression, with the type arguments that follow it,
// and notes it if it is called.
func (s *scanner) name(condition bool) {
	s.At++
	if w := s.Tokens[s.At-1].Word; w == 0 || w == wordModifier {
		s.calledName(s.At-1, condition)
	}
}

// calledName skips type arguments after the word with index i, and notes a call if one
// follows: a parenthesis without a space before it, a trailing closure, or ?( and !(. A
// brace on the same line is a trailing closure, unless it belongs to a condition such as
// that of if, or begins accessors.
func (s *scanner) calledName(i int, condition bool) {
	if s.Tok().Has(engine.Spaced) && !s.is(engine.LeftBrace) {
		return
	}
	if s.first(s.At) == '<' {
		if end := s.typeArguments(s.At); end > 0 {
			s.At = end
		}
	}
	if !s.Calls || s.pattern {
		return
	}
	t := s.Tok()
	called := t.Kind == engine.LeftParen && !t.Has(engine.Spaced) ||
		t.Kind == engine.LeftBrace && !t.Has(engine.Newline) && !condition && !s.accessorsFollow(s.At) ||
		t.Kind == engine.Postfix && !t.Has(engine.Spaced) && t.End == t.Start+1 && s.Is(s.At+1, engine.LeftParen) && !s.Tokens[s.At+1].Has(engine.Spaced) // f?() and f!()
	if name := &s.Tokens[i]; called && (name.Has(engine.Quoted) || name.Start > 0 && s.Src[name.Start-1] == '.' || !noFunction(s.Name(i))) {
		s.Call(i)
	}
}

// noFunction reports whether a word can never be the name of a function, for example
// self or $0. A quoted word or a word after a dot is not tested.
func noFunction(text string) bool {
	switch text {
	case "_", "default", "self", "super", "true", "false", "nil":
		return true
	}
	return text[0] == '$'
}

// expression returns the index after the expression that begins at index i. The
// expression ends with its line, unless goesOn, or before a comma, a closing bracket or
// the accessors of a property.
func (s *scanner) expression(i int) int {
	for start := i; ; {
		t := &s.Tokens[i]
		if i > start && t.Has(engine.Newline) && !s.goesOn(i) {
			return i
		}
		switch {
		case t.Kind == engine.End, t.Kind == engine.Comma, t.Kind == engine.Semicolon, t.Kind.Closes(), t.Kind == engine.LeftBrace && s.accessorsFollow(i):
			return i
		case t.Kind == engine.Word && (t.Word == 0 || t.Word == wordModifier) && s.first(i+1) == '<' && !s.Tokens[i+1].Has(engine.Spaced):
			i = max(s.typeArguments(i+1), i+1)
		default:
			i = s.Skip(i)
		}
	}
}

// value reads an expression.
func (s *scanner) value() { s.elements(s.expression(s.At)) }

// goesOn reports whether the expression before an index does not end with its line.
func (s *scanner) goesOn(i int) bool {
	last, t := &s.Tokens[i-1], &s.Tokens[i]
	if !operandEnded(last) {
		return true
	}
	switch t.Kind {
	case engine.Dot, engine.Infix, engine.Assign, engine.Arrow, engine.Colon:
		return true
	case engine.LeftBrace:
		return last.Kind != engine.RightBrace
	case engine.Word:
		return t.Word == wordAs || t.Word == wordElse ||
			last.Kind == engine.RightBrace && (s.IsText(i, "catch") || s.Is(i+1, engine.Colon) && s.Is(i+2, engine.LeftBrace)) // a labelled closure
	}
	return false
}
