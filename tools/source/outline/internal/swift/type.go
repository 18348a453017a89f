package swift

import (
	"strings"

	"github.com/dougu-go/dougu/tools/source"
	"github.com/dougu-go/dougu/tools/source/outline/internal/engine"
	"github.com/dougu-go/dougu/tools/source/outline/internal/lex"
)

// typeOf reads a class, struct, enum, protocol or actor after its word.
func (s *scanner) typeOf(in scope, h head, word uint8) {
	if !s.is(engine.Word) {
		if in != code {
			s.Unsure(int(s.Tokens[s.At-1].Start), "a type has no name")
		}
		return
	}
	kind, inner := source.Class, members
	switch word {
	case wordStruct:
		kind = source.Struct
	case wordEnum:
		kind, inner = source.Enum, cases
	case wordProtocol:
		kind = source.Interface
	case wordActor:
		kind = source.Actor
	}
	i := s.add(kind, h, s.At)
	s.At++
	s.generic()
	s.typeBody(i, inner)
}

// extension reads an extension after its keyword. Type arguments do not belong to its name, which
// is the container of its members.
func (s *scanner) extension(h head) {
	for s.is(engine.At) {
		s.attribute(false)
	}
	from := s.At
	end, ok := s.typeEnd(from)
	if s.At = end; !ok {
		s.Unsure(int(s.Tokens[from].Start), "an extension has no name")
		return
	}
	i := s.add(source.Extension, h, from)
	s.B.Chunk(i).Name = withoutArguments(lex.Text(s.Src[s.Tokens[from].Start:s.Tokens[end-1].End]))
	s.typeBody(i, members)
}

// withoutArguments is the name of a type, without blanks, comments excepted.
func withoutArguments(text string) string {
	if strings.HasPrefix(text, "[") || !strings.ContainsAny(text, "<> \t\r\n`") {
		return text
	}
	var name strings.Builder
	depth := 0
	for _, c := range []byte(text) {
		switch c {
		case '<':
			depth++
		case '>':
			depth--
		case ' ', '\t', '\r', '\n', '`':
		default:
			if depth == 0 {
				name.WriteByte(c)
			}
		}
	}
	if name.Len() == 0 {
		return text
	}
	return name.String()
}

// typeBody reads a type after its name.
func (s *scanner) typeBody(i int, in scope) {
	if s.is(engine.Colon) {
		s.At = s.types(s.At + 1)
	}
	if s.At = s.requirements(s.At); !s.is(engine.LeftBrace) {
		s.MarkUnsure("a type has no body")
		s.Close(i)
		return
	}
	s.Body(i, s.At)
	s.within(i, func() { s.block(in) })
}

// enumCases reads the cases that one word introduces.
func (s *scanner) enumCases(h head) {
	for s.is(engine.Word) {
		if h == none {
			h = head{s.At, s.At}
		}
		i := s.add(source.EnumCase, h, s.At)
		if s.At++; s.is(engine.LeftParen) && !s.Newline(s.At) {
			s.bracket()
		}
		if s.is(engine.Assign) {
			s.At++
			s.value()
		}
		if s.Close(i); !s.is(engine.Comma) {
			return
		}
		s.At++
		h = none
	}
	s.MarkUnsure("a case has no name")
}
