// Package dart finds the declarations of Dart (version 3): libraries with classes, mixins, enumerations, extensions, extension types
// and their members.
//
// A declaration is read up to its name, and from there to the bracket or semicolon that ends it. The code in bodies is passed over,
// token by token, for calls and for local functions.
//
// Where the language leaves a choice, this package decides so:
//
//   - A constructor has the name that its calls have: Point or Point.origin.
//   - An extension without a name has that of the type that it extends.
//   - A variable whose value is a function literal is a Lambda, local ones too.
//   - At the top level a final or const variable is a Constant, any other a Variable; in a type each is a Property.
//   - Fields of an extension type's head are no chunks.
package dart

import (
	"bytes"
	"context"

	"github.com/dougu-go/dougu/tools/source"
	"github.com/dougu-go/dougu/tools/source/outline/internal/engine"
)

// Parse finds the declarations of a text.
func Parse(ctx context.Context, src []byte, lang source.Language, o source.Options) (*source.File, error) {
	s := &scanner{}
	return s.Scanner.Parse(ctx, src, lang, o, table, func() { s.declarations(s.Last, "") })
}

// scanner reads the declarations from the tokens of a text.
type scanner struct {
	engine.Scanner
}

// head is a declaration up to its name.
type head struct {
	first, sig int // the indexes of its first token, and of the first after its annotations
	ident      int // the index of its name
	after      int // the index behind its name
	name       string
	kind       source.Kind
	isConst    bool
	isVar      bool
}

func (s *scanner) isWord(i int, w uint8) bool { return s.Tokens[i].Word == w }

// declarations reads the members of a type, or those of a library if class is empty, up to an index.
func (s *scanner) declarations(end int, class string) {
	for s.At < end {
		at := s.At
		switch t := s.Tok(); {
		case t.Kind == engine.Semicolon || t.Kind.Closes():
			s.At++
		default:
			s.declaration(end, class)
		}
		if s.At <= at {
			s.At = at + 1
		}
	}
	s.At = end
}

// declaration reads the declaration at hand.
func (s *scanner) declaration(end int, class string) {
	defer func() { s.Depth-- }()
	if !s.Deeper() {
		s.At = end
		return
	}
	first := s.At
	sig := s.annotations(first)
	i := sig
	for s.isWord(i, wordModifier) && s.isDeclaring(i+1) {
		i++
	}
	switch w := s.Tokens[i].Word; {
	case w == wordDirective && class == "" && (s.Is(i+1, engine.Word) || s.Is(i+1, engine.Value) || s.IsText(i, "library") && s.Is(i+1, engine.Semicolon)):
		s.directive(i)
	case (w == wordConst || w == wordMixin) && s.isWord(i+1, wordClass) && s.Is(i+2, engine.Word):
		s.class(source.Class, first, sig, i+2)
	case w == wordClass && s.Is(i+1, engine.Word):
		s.class(source.Class, first, sig, i+1)
	case w == wordMixin && s.Is(i+1, engine.Word):
		s.class(source.Class, first, sig, i+1)
	case w == wordEnum && s.Is(i+1, engine.Word):
		s.class(source.Enum, first, sig, i+1)
	case w == wordExtension && s.Is(i+1, engine.Word):
		s.extension(first, sig, i)
	case w == wordTypedef && s.Is(i+1, engine.Word):
		s.alias(first, sig, i)
	default:
		h, ok := s.head(first, sig, end, class)
		if !ok {
			s.MarkUnsure("this is no declaration")
			s.recover(end)
			return
		}
		s.member(h, end, class)
	}
}

// recover passes over tokens that declare nothing, up to the end of a statement or of a block.
func (s *scanner) recover(end int) {
	from, i := s.At, s.At
	for i < end && !s.Is(i, engine.Semicolon) && !s.Is(i, engine.LeftBrace) {
		i = s.Skip(i)
	}
	i = min(s.Skip(i), end)
	s.code(from, i)
}

// isDeclaring reports whether the token behind a modifier goes on with the declaration: the modifier may be a name itself.
func (s *scanner) isDeclaring(i int) bool {
	return s.Is(i, engine.Word) || s.Is(i, engine.LeftParen) && s.Tokens[i].Has(engine.Spaced)
}

// annotations returns the index behind the annotations that begin at an index.
func (s *scanner) annotations(i int) int {
	for s.Is(i, engine.At) && s.Is(i+1, engine.Word) {
		i += 2
		for s.Is(i, engine.Dot) && s.Is(i+1, engine.Word) {
			i += 2
		}
		i = s.typeArguments(i)
		if s.Is(i, engine.LeftParen) && !s.Tokens[i].Has(engine.Spaced) {
			i = s.Skip(i)
		}
	}
	return i
}

// typeArguments returns the index behind the type arguments or parameters at an index, or the index if there are none.
func (s *scanner) typeArguments(i int) int {
	if !s.IsByte(i, '<') {
		return i
	}
	depth := 0
	for j := i; j < min(s.Last, i+maxTypes); j = s.Skip(j) {
		switch {
		case s.IsByte(j, '<'):
			depth++
		case s.IsByte(j, '>'):
			if depth--; depth == 0 {
				return j + 1
			}
		case s.Is(j, engine.Semicolon), s.Tokens[j].Kind.Closes(), s.Is(j, engine.LeftBrace) && depth == 1 && s.Is(j-1, engine.RightParen):
			return i
		}
	}
	return i
}

// maxTypes is the number of tokens among which the end of type arguments is looked for.
const maxTypes = 400

// directive reads an import, export, part or library directive.
func (s *scanner) directive(i int) {
	isImport := !s.IsText(i, "library")
	for s.At = i + 1; s.At < s.Last && !s.Is(s.At, engine.Semicolon); s.At = s.Skip(s.At) {
		if path := bytes.Trim(s.Bytes(s.At), `'"`); isImport && s.Is(s.At, engine.Value) && len(path) > 0 {
			s.B.Import(string(path), int(s.Tokens[s.At].Start))
			isImport = false
		}
	}
	s.At = min(s.At+1, s.Last)
}

// class reads a class, mixin or enumeration whose name has an index.
func (s *scanner) class(kind source.Kind, first, sig, ident int) {
	chunk := s.Add(kind, first, sig, s.Name(ident), ident)
	s.typeBody(chunk, kind, ident+1, s.Name(ident))
}

// typeBody reads the rest of a type, from behind its name. A type may end with a semicolon in place of a body.
func (s *scanner) typeBody(chunk int, kind source.Kind, i int, name string) {
	for i < s.Last && !s.Is(i, engine.LeftBrace) && !s.Is(i, engine.Semicolon) && !s.Tokens[i].Kind.Closes() {
		i = s.Skip(i)
	}
	s.At = i
	if s.Is(i, engine.LeftBrace) {
		s.Body(chunk, i)
		before := s.Within(chunk, false)
		end, after := s.Group(i)
		s.At++
		if kind == source.Enum {
			s.enumerators(end)
		}
		s.declarations(end, name)
		s.At, s.Context = after, before
	} else if s.Is(i, engine.Semicolon) {
		s.At++
	}
	s.Close(chunk)
}

// enumerators reads the values of an enumeration, up to the semicolon behind them.
func (s *scanner) enumerators(end int) {
	for s.At < end && !s.Is(s.At, engine.Semicolon) {
		first := s.At
		ident := s.annotations(first)
		if !s.Is(ident, engine.Word) || ident >= end {
			s.At = min(s.Skip(first), end)
			continue
		}
		chunk := s.Add(source.EnumCase, first, ident, s.Name(ident), ident)
		s.At = s.typeArguments(ident + 1)
		for s.At < end && !s.Is(s.At, engine.Comma) && !s.Is(s.At, engine.Semicolon) {
			s.At = min(s.Skip(s.At), end)
		}
		s.Close(chunk)
		if s.Is(s.At, engine.Comma) && s.At < end {
			s.At++
		}
	}
}

// extension reads an extension or an extension type.
func (s *scanner) extension(first, sig, i int) {
	kind := source.Extension
	if i++; s.IsText(i, "type") && s.Is(i+1, engine.Word) && !s.IsText(i+1, "on") {
		kind = source.Class
		if i++; s.isWord(i, wordConst) {
			i++
		}
	} else if s.IsText(i, "on") && s.Is(i+1, engine.Word) && !s.IsText(i+1, "on") {
		i++ // without a name
	}
	if !s.Is(i, engine.Word) {
		s.MarkUnsure("an extension has no name")
		s.recover(s.Last)
		return
	}
	chunk := s.Add(kind, first, sig, s.Name(i), i)
	s.typeBody(chunk, kind, i+1, s.Name(i))
}

// alias reads a typedef: its name is that before "=", or before the parameters of the old form.
func (s *scanner) alias(first, sig, i int) {
	ident := i + 1
	for j := i + 1; j < s.Last && !s.Is(j, engine.Semicolon) && !s.Is(j, engine.Assign); j = s.Skip(j) {
		if s.Is(j, engine.Word) {
			if after := s.typeArguments(j + 1); s.Is(after, engine.Assign) || s.Is(after, engine.LeftParen) && !s.isWord(j, wordFunction) {
				ident = j
				break
			}
		}
	}
	chunk := s.Add(source.TypeAlias, first, sig, s.Name(ident), ident)
	for s.At = ident + 1; s.At < s.Last && !s.Is(s.At, engine.Semicolon); {
		s.At = s.Skip(s.At)
	}
	s.At = min(s.At+1, s.Last)
	s.Close(chunk)
}
