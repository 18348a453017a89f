package java

import (
	"github.com/dougu-go/dougu/tools/source"
	"github.com/dougu-go/dougu/tools/source/outline/internal/lex"
)

// class reads the name of a type, with the arguments of its parameters but
// without the brackets of an array. last and lastEnd delimit the last part of the
// name.
func (s *scanner) class(at int) (last, lastEnd, end int, ok bool) {
	for at = s.annotations(at); s.letter(at); {
		last, lastEnd = at, s.word(at)
		if end = lastEnd; s.spaced(end) {
			return last, lastEnd, end, true
		}
		next := s.gap(end)
		if s.byteAt(next) == '<' {
			if end, ok = s.angle(next); !ok {
				return last, lastEnd, lastEnd, true
			}
			next = s.gap(end)
		}
		if s.byteAt(next) != '.' || s.byteAt(next+1) == '.' {
			return last, lastEnd, end, true
		}
		at = s.annotations(next + 1)
	}
	return at, at, at, false
}

// typ is the end of the type at a position.
func (s *scanner) typ(at int) (end int, ok bool) {
	_, _, end, ok = s.class(at)
	if !ok {
		return at, false
	}
	return s.dims(end), true
}

// dims is the end of the empty brackets behind a type or a name.
func (s *scanner) dims(at int) int {
	for {
		if c := s.byteAt(at); s.spaced(at) || c != '[' && c != '@' && !apart[c] {
			return at
		}
		open := s.annotations(at)
		if s.byteAt(open) != '[' {
			return at
		}
		shut := s.gap(open + 1)
		if s.byteAt(shut) != ']' {
			return at
		}
		at = shut + 1
	}
}

// spaced reports whether one blank separates a position and a name, as behind most
// types.
func (s *scanner) spaced(at int) bool { return s.byteAt(at) == ' ' && s.letter(at+1) }

// maxAngle bounds how deep angle brackets may lie in each other, so that signs of
// comparison which are none cost little.
const maxAngle = 20

// angle is the end of the arguments or parameters in angle brackets of which the
// first is at a position.
func (s *scanner) angle(at int) (end int, ok bool) {
	for depth := 0; at < len(s.src); {
		switch c := s.src[at]; c {
		case '<':
			if depth++; depth > maxAngle {
				return at, false
			}
			at++
		case '>':
			at++
			if depth--; depth == 0 {
				return at, true
			}
		case ',', '.', '?', '&', '[', ']', ' ', '\n', '\t', '\r', '\f':
			at++
		case '@':
			at = max(s.annotation(at), at+1)
		case '/':
			next := s.comment(at)
			if next == at {
				return at, false
			}
			at = next
		default:
			if lex.Class[c] != lex.Letter {
				return at, false
			}
			at = s.word(at)
		}
	}
	return at, false
}

// typeHead recognises the keyword of the declaration of a type; name is where
// its name begins.
func (s *scanner) typeHead(at int) (kind source.Kind, name int) {
	switch s.byteAt(at) {
	case '@':
		word := s.gap(at + 1)
		return source.Interface, s.gap(s.word(word))
	case 'c', 'i', 'e', 'r':
	default:
		return source.Invalid, 0
	}
	end := s.word(at)
	switch string(s.src[at:end]) {
	case "class":
		kind = source.Class
	case "interface":
		kind = source.Interface
	case "enum":
		kind = source.Enum
	case "record":
		name = s.gap(end)
		open := s.byteAt(s.gap(s.word(name)))
		if !s.letter(name) || open != '(' && open != '<' {
			return source.Invalid, 0
		}
		return source.Class, name
	default:
		return source.Invalid, 0
	}
	if name = s.gap(end); !s.letter(name) {
		return source.Invalid, 0
	}
	return kind, name
}

// typeDecl reads the declaration of a type from its name to its end.
func (s *scanner) typeDecl(kind source.Kind, start, sig, name int, in scope) {
	end := s.word(name)
	i := s.add(kind, start, sig, name, end, in)
	within := scope{i, in.callable}
	at := s.gap(end)
	if s.byteAt(at) == '<' {
		if next, ok := s.angle(at); ok {
			at = s.gap(next)
		}
	}
	if s.byteAt(at) == '(' {
		at = s.components(at, within)
	}
	if at = s.supertypes(at); s.byteAt(at) != '{' {
		s.unsure(at, "a type without a body")
		s.at = max(at, end)
		s.close(i, s.at)
		return
	}
	s.b.Chunk(i).Body = int32(at)
	s.at = at + 1
	if kind == source.Enum {
		s.constants(within)
	}
	s.members(within)
	s.close(i, s.at)
}

// supertypes passes over the clauses between the name of a type, or the parameters
// of a method, and its body.
func (s *scanner) supertypes(at int) int {
	for {
		at = s.gap(at)
		switch c := s.byteAt(at); {
		case c == ',':
			at++
		case c == '@' || s.letter(at):
			next, ok := s.typ(at)
			if !ok || string(s.src[at:next]) == "default" {
				return at
			}
			at = next
		default:
			return at
		}
	}
}

// constants reads the constants of an enum, up to the semicolon or bracket after them.
func (s *scanner) constants(in scope) {
	for {
		s.blanks()
		switch c := s.byteAt(s.at); {
		case c == ',':
			s.at++
		case c == ';':
			s.at++
			return
		case c == '@' || s.letter(s.at):
			if !s.constant(in) {
				return
			}
		default:
			return // members says what is wrong with it
		}
	}
}

func (s *scanner) constant(in scope) bool {
	start := s.at
	name := s.annotations(start)
	end := s.word(name)
	if end == name {
		s.unsure(name, "a constant without a name")
		return false
	}
	i := s.add(source.EnumCase, start, name, name, end, in)
	within := scope{i, in.callable}
	s.at = end
	if open := s.gap(s.at); s.byteAt(open) == '(' {
		s.inside(open, within)
	}
	if open := s.gap(s.at); s.byteAt(open) == '{' {
		s.b.Chunk(i).Body = int32(open)
		s.at = open + 1
		s.members(within)
	}
	s.close(i, s.at)
	return true
}
