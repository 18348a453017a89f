// Package kotlin finds the declarations of Kotlin, in files (.kt) and scripts
// (.kts).
//
// The code within bodies is only passed over, bracket by bracket, for the words
// that introduce a declaration. A declaration with an expression after "="
// (fun f() = …, val x = …) has no closing bracket. Its end follows from the language's
// rules about line feeds, so the expression is read operand by operand, as the
// compiler's parser does.
//
// Where the language leaves a choice, this package decides so:
//
//   - The Name of an extension is that of the function or property; the Container
//     of one that stands at the top level is its receiver type, as it is written but
//     without type arguments: List for fun <T> List<T>.second(). It is a Method
//     or a Property. Extensions within a type belong to that type.
//   - A function with the modifier operator is an Operator.
//   - The primary constructor is an Initializer if it has the word constructor;
//     its val and var parameters are properties of the class in any case.
//   - A companion object without a name is called Companion.
//   - A property whose value is a function literal is a Lambda, local ones too. At
//     the top level a const is a Constant, any other property a Variable, unless
//     it has accessors or a receiver. The Body of a property is where its value
//     begins if that takes more than a line, or its first accessor.
//   - init blocks are no chunks, their declarations belong to the class.
package kotlin

import (
	"bytes"
	"context"

	"github.com/dougu-go/dougu/tools/source"
	"github.com/dougu-go/dougu/tools/source/outline/internal/engine"
)

// patience is how many tokens are looked at in search of type arguments for each
// token of the text.
const patience = 4

// Parse finds the declarations of a text.
func Parse(ctx context.Context, src []byte, lang source.Language, o source.Options) (*source.File, error) {
	s := &scanner{open: -1}
	return s.Scanner.Parse(ctx, src, lang, o, table, func() {
		s.budget = patience*len(s.Tokens) + 4096
		s.scope(s.Last, inFile)
	})
}

// scanner reads the declarations from the tokens of a text.
type scanner struct {
	engine.Scanner
	prefix prefix
	open   int // the property to which an accessor may yet belong, or -1
	budget int // tokens that may yet be looked at in search of type arguments
}

// prefix is the beginning of a declaration, before the word that introduces it:
// annotations and modifiers.
type prefix struct {
	on         bool
	first, sig int    // indexes; sig is the first after the annotations, or -1
	words      uint64 // the modifiers, a bit for each
}

func (p *prefix) has(word uint8) bool { return p.words>>word&1 != 0 }

// scope is where tokens stand.
type scope uint8

const (
	inFile     scope = iota // declarations, in scripts statements too
	inType                  // the body of a class: nothing but declarations
	inCode                  // statements
	inBrackets              // expressions within ( ) or [ ], or that are values
)

const stray = "something other than a declaration stands in the body of a type"

// begin notes that a declaration may begin with the token at hand.
func (s *scanner) begin() {
	if !s.prefix.on {
		s.prefix = prefix{on: true, first: s.At, sig: -1}
	}
}

// take is the prefix of the declaration that the token at hand introduces.
func (s *scanner) take() prefix {
	s.begin()
	p := s.prefix
	if p.sig < 0 {
		p.sig = s.At
	}
	s.none()
	return p
}

// none notes that nothing belongs to the next tokens.
func (s *scanner) none() { s.prefix, s.open = prefix{}, -1 }

// add notes a chunk of the name with an index.
func (s *scanner) add(kind source.Kind, p prefix, ident int) int {
	return s.Add(kind, p.first, p.sig, s.Name(ident), ident)
}

func (s *scanner) is(kind engine.Kind) bool   { return s.Is(s.At, kind) }
func (s *scanner) isWord(i int, w uint8) bool { return s.Tokens[i].Word == w }
func (s *scanner) follows(k engine.Kind) bool { return s.Is(s.At+1, k) }

// group reads the bracket at hand and its content.
func (s *scanner) group(where scope) {
	end, after := s.Group(s.At)
	s.At++
	s.within(end, where)
	s.At = after
}

// within reads the tokens up to an index as something of its own.
func (s *scanner) within(end int, where scope) {
	before, open := s.prefix, s.open
	s.none()
	s.scope(end, where)
	s.prefix, s.open = before, open
}

// scope reads the tokens up to an index.
func (s *scanner) scope(end int, where scope) {
	for s.At < end {
		at := s.At
		switch t := s.Tok(); {
		case t.Kind == engine.Word:
			s.identified(end, where)
		case t.Kind == engine.At:
			s.begin()
			if s.IsText(at+1, "file") {
				s.none()
			}
			if s.At = s.annotation(at); s.is(engine.LeftParen) && !s.Newline(s.At) && s.Is(s.At-1, engine.Word) {
				s.group(inBrackets)
			}
		case t.Kind == engine.Semicolon:
			s.At++
			s.none()
		case t.Kind.Closes():
			s.At++
		default:
			if where == inType {
				s.MarkUnsure(stray)
			}
			s.none()
			switch {
			case t.Kind == engine.LeftBrace:
				s.group(inCode)
			case t.Kind.Opens():
				s.group(inBrackets)
			default:
				s.At++
			}
		}
	}
	s.At = end
}

// identified reads the word at hand, and the declaration that it introduces.
func (s *scanner) identified(end int, where scope) {
	w := s.Tok().Word
	if next := &s.Tokens[s.At+1]; next.Kind == engine.At && !next.Has(engine.Spaced) { // a label, or return@label
		s.none()
		if s.At += 2; (w == wordReturn || w == wordBreak || w == wordThis) && s.is(engine.Word) {
			s.At++
		}
		return
	}
	switch {
	case w >= wordModifier:
		if where < inBrackets && s.modifies(where) {
			s.modify()
			return
		}
	case w > 0 && w < wordIf && s.declaration(where, w):
		return
	}
	if where == inType {
		s.MarkUnsure(stray)
	}
	s.none()
	at := s.At
	s.At++
	switch {
	case w == wordAs || w == wordIs:
		if s.IsByte(s.At, '?') {
			s.At++
		}
		s.At = max(min(s.typeEnd(s.At), end), s.At)
	case named(w) && s.At < end && !s.Newline(s.At):
		s.called(at, end, where)
	}
}

// called notes the name with an index if it is called.
func (s *scanner) called(at, end int, where scope) {
	if s.IsText(at, "suspend") && s.Tok().Kind == engine.LeftParen {
		return // the type of a function
	}
	switch s.Tok().Kind {
	case engine.LeftParen, engine.LeftBrace:
		s.Call(at)
	case engine.Infix, engine.At, engine.Word:
		i := s.At
		if s.IsByte(i, '<') {
			after, ok := s.typeArguments(i)
			if !ok || after >= end {
				return
			}
			if i = after; s.Is(i, engine.LeftParen) || s.Is(i, engine.LeftBrace) {
				s.Call(at)
				return
			}
		}
		if i = s.lambda(i); where == inBrackets && i > s.At && s.Is(i, engine.LeftBrace) && i < end { // with a label or an annotation
			s.Call(at)
		}
	}
}

// lambda is the index after the labels and annotations of a lambda.
func (s *scanner) lambda(i int) int {
	for {
		switch {
		case s.Is(i, engine.At):
			i = s.annotation(i)
		case s.Is(i, engine.Word) && s.Is(i+1, engine.At) && !s.Tokens[i+1].Has(engine.Spaced):
			i += 2
		default:
			return i
		}
	}
}

// modifies reports whether the modifier at hand may be one, and is not just a name.
func (s *scanner) modifies(where scope) bool {
	switch {
	case where == inType || s.prefix.on || s.open >= 0:
		return true
	case s.follows(engine.Dot) || s.follows(engine.LeftParen) && !s.Tokens[s.At+1].Has(engine.Spaced):
		return false
	}
	return s.fresh()
}

// fresh reports whether a statement may begin with the token at hand: in a new
// line, unless an operator at the end of an earlier one asks for more, or after a
// bracket, a semicolon or an arrow.
func (s *scanner) fresh() bool {
	if s.At == 0 {
		return true
	}
	switch s.Tokens[s.At-1].Kind {
	case engine.LeftBrace, engine.RightBrace, engine.Semicolon, engine.Arrow:
		return true
	case engine.Dot, engine.Colon, engine.Comma, engine.Assign, engine.LeftParen, engine.LeftBracket, engine.At:
		return false
	case engine.Infix:
		return s.Newline(s.At) && (s.IsByte(s.At-1, '>') || s.IsByte(s.At-1, '*') || s.IsByte(s.At-1, '?'))
	}
	return s.Newline(s.At)
}

// modify reads a modifier, or another word before a declaration.
func (s *scanner) modify() {
	s.begin()
	if s.prefix.sig < 0 {
		s.prefix.sig = s.At
	}
	s.prefix.words |= 1 << s.Tok().Word
	s.At++
}

// declaration reads the declaration that a word introduces; it is false, and has
// read nothing, if the word does not introduce one here.
func (s *scanner) declaration(where scope, w uint8) bool {
	defer func() { s.Depth-- }()
	if !s.Deeper() {
		s.At = s.Last
		return true
	}
	switch w {
	case wordFun:
		s.function(where)
	case wordObject:
		s.object(where)
	case wordVal:
		switch where {
		case inFile, inType:
			s.property(where)
		case inCode:
			s.local()
		default:
			return false
		}
	case wordClass, wordInterface, wordTypealias:
		switch {
		case where >= inBrackets:
			return false
		case w == wordTypealias:
			s.alias()
		default:
			s.class(s.take(), w)
		}
	case wordPackage, wordImport:
		return where == inFile && s.fresh() && s.header(w)
	default:
		return where <= inType && s.member(where, w)
	}
	return true
}

// member is declaration for the words that are names everywhere but in a type or
// at the top level.
func (s *scanner) member(where scope, w uint8) bool {
	switch w {
	case wordConstructor:
		if where != inType || !s.follows(engine.LeftParen) {
			return false
		}
		s.constructor()
	case wordInit:
		if where != inType || !s.follows(engine.LeftBrace) {
			return false
		}
		s.initializer()
	case wordAccessor, wordField:
		return s.open >= 0 && s.accessor(w)
	case wordContext:
		if !s.follows(engine.LeftParen) || where == inFile && !s.fresh() {
			return false
		}
		s.modify()
		s.group(inBrackets)
	default:
		return false
	}
	return true
}

// header reads a package clause or an import.
func (s *scanner) header(w uint8) bool {
	at, first := s.At, s.At+1
	if !s.Is(first, engine.Word) || s.Newline(first) {
		return false
	}
	p := s.take()
	s.At = s.qualified(first)
	path := bytes.ReplaceAll(s.AppendPlain(nil, first, s.At), []byte("`"), nil)
	if w == wordPackage {
		s.Close(s.Add(source.Module, p.first, p.sig, string(path), first))
		return true
	}
	s.B.Import(string(path), int(s.Tokens[at].Start))
	if !s.Newline(s.At) && s.isWord(s.At, wordAs) {
		if s.At++; s.is(engine.Word) {
			s.At++
		}
	}
	return true
}

// qualified is the index after the name with dots that begins with an index.
func (s *scanner) qualified(i int) int {
	for s.Is(i, engine.Word) {
		if i++; !s.Is(i, engine.Dot) || s.Newline(i) {
			break
		}
		if i++; s.IsByte(i, '*') {
			return i + 1
		}
	}
	return i
}
