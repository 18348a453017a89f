package swift

import (
	"github.com/dougu-go/dougu/tools/source"
	"github.com/dougu-go/dougu/tools/source/outline/internal/engine"
	"github.com/dougu-go/dougu/tools/source/outline/internal/lex"
)

// statements reads up to an index.
func (s *scanner) statements(end int, in scope) {
	h := none
	condition := false // between if, for … and the brace that follows it
	for s.At < end {
		switch t := s.Tok(); t.Kind {
		case engine.At:
			s.begin(&h)
			s.attribute(true)
			continue
		case engine.Word:
			if t.Word == 0 && in.typed() {
				s.unknownModifier(&h)
				continue
			}
			if t.Word == 0 {
				s.name(condition)
			} else if s.keyword(in, &h, &condition) {
				continue
			}
		case engine.Hash: // the use of a macro: #name(…) { … }
			if s.At++; in.typed() {
				s.value()
			}
		case engine.LeftBrace:
			s.pattern, condition = false, false
			s.block(code)
		case engine.LeftParen, engine.LeftBracket:
			s.strange(in, s.At)
			s.bracket()
		case engine.Semicolon:
			s.At++
		case engine.RightParen, engine.RightBracket, engine.RightBrace:
			s.At++
		default:
			if t.Kind == engine.Assign || t.Kind == engine.Colon {
				s.pattern = false
			}
			s.strange(in, s.At)
			s.At++
		}
		h = none
	}
	s.At = end
}

// strange notes that the token with an index cannot stand among the members of a
// type.
func (s *scanner) strange(in scope, i int) {
	if in.typed() {
		s.Unsure(int(s.Tokens[i].Start), "this does not begin a declaration")
	}
}

// attribute reads an attribute.
func (s *scanner) attribute(blank bool) {
	end := s.attributeEnd(s.At, blank)
	if last := &s.Tokens[end-1]; last.Kind == engine.RightParen && int(last.Match) > s.At {
		s.At = int(last.Match) // its arguments
		s.elements(end)
	}
	s.At = end
}

// unknownModifier reads a word that is no word of ours but seems to modify the
// declaration that follows it.
func (s *scanner) unknownModifier(h *head) {
	s.modified(h)
	i := s.At
	if s.At++; s.is(engine.LeftParen) && !s.Tok().Has(engine.Spaced) {
		s.bracket()
	}
	if !s.is(engine.Word) || s.Newline(s.At) {
		s.strange(members, i)
	}
}

// keyword reads a construct that begins with a word that means something. It returns true if
// that was a modifier.
func (s *scanner) keyword(in scope, h *head, condition *bool) bool {
	kw, word := s.At, s.Tok().Word
	var before engine.Token
	if kw > 0 {
		before = s.Tokens[kw-1]
	}
	s.modified(h)
	s.At++
	next := s.Tok()
	switch word {
	case wordModifier, wordAsync:
		return s.modifier(kw, *condition)
	case wordCase:
		if in == cases {
			s.enumCases(*h)
			break
		}
		s.pattern = true
		s.strange(in, kw)
	case wordCondition, wordIn, wordWhere, wordElse, wordAs, wordTry, wordStatement, wordThrows:
		*condition = *condition || word == wordCondition
		if word == wordIn || word == wordWhere {
			s.pattern = false
		}
		s.strange(in, kw)
	case wordLet, wordVar:
		if in.typed() || !(beforeOperand(before.Word) && before.Word != wordIn || before.Kind == engine.Comma) { // else a condition or a pattern
			s.variables(in, *h, word)
		}
	case wordClass:
		if declares(next.Word) && next.Word != wordActor && next.Word != wordMacro {
			return true // class func
		}
		s.typeOf(in, *h, word)
	case wordActor, wordMacro:
		if next.Kind != engine.Word || next.Has(engine.Newline) || next.Word != 0 {
			s.calledName(kw, *condition)
			break
		}
		if word == wordActor {
			s.typeOf(in, *h, word)
		} else {
			s.macro(*h)
		}
	default:
		s.declaration(in, *h, kw)
	}
	return false
}

// declaration reads the declarations that nothing but their word is needed for.
func (s *scanner) declaration(in scope, h head, kw int) {
	switch word := s.Tokens[kw].Word; word {
	case wordFunc:
		s.function(in, h)
	case wordInit, wordDeinit, wordSubscript:
		if in.typed() {
			s.special(h, kw)
		}
	case wordStruct, wordEnum, wordProtocol:
		s.typeOf(in, h, word)
	case wordExtension:
		s.extension(h)
	case wordTypealias, wordAssociatedtype:
		s.alias(h)
	case wordOperator:
		s.operator(h)
	case wordPrecedencegroup:
		if s.At++; s.is(engine.LeftBrace) {
			s.block(code)
		}
	case wordImport:
		s.imported()
	}
}

// modifier goes on after a modifier; it is false if the word turns out to be a
// name.
func (s *scanner) modifier(kw int, condition bool) bool {
	t := s.Tok()
	if t.Kind == engine.LeftParen && !t.Has(engine.Spaced) && s.isWord(kw, wordModifier) && s.Is(s.At+2, engine.RightParen) {
		switch string(s.Bytes(s.At + 1)) {
		case "set", "safe", "unsafe", "nonsending":
			s.At += 3
			return true
		}
	}
	if t.Kind == engine.At || t.Kind == engine.Word && t.Word != wordIn && t.Word != wordAs {
		return true
	}
	s.calledName(kw, condition)
	return false
}

// imported reads the path after import.
func (s *scanner) imported() {
	switch s.Tok().Word {
	case wordStruct, wordClass, wordEnum, wordProtocol, wordTypealias, wordFunc, wordLet, wordVar, wordActor:
		s.At++
	}
	from := s.At
	if !s.is(engine.Word) || s.Newline(from) {
		return
	}
	for s.At++; s.is(engine.Dot) && !s.Newline(s.At) && s.Is(s.At+1, engine.Word); {
		s.At += 2
	}
	s.B.Import(lex.Text(s.Src[s.Tokens[from].Start:s.Tokens[s.At-1].End]), int(s.Tokens[from].Start))
}

// alias reads a typealias or an associatedtype after its word.
func (s *scanner) alias(h head) {
	if !s.is(engine.Word) {
		s.MarkUnsure("a type alias has no name")
		return
	}
	i := s.add(source.TypeAlias, h, s.At)
	s.At++
	s.generic()
	if s.is(engine.Colon) {
		s.At = s.types(s.At + 1)
	}
	if s.is(engine.Assign) {
		s.At, _ = s.typeEnd(s.At + 1)
	}
	s.At = s.requirements(s.At)
	s.Close(i)
}

// generic passes over type parameters, if there are any.
func (s *scanner) generic() {
	if s.first(s.At) == '<' {
		s.At = s.angles(s.At)
	}
}
