package gosource

import (
	"bytes"

	"github.com/dougu-go/dougu/tools/source"
	"github.com/dougu-go/dougu/tools/source/outline/internal/lex"
)

// file reads the declarations of a file.
func (s *scanner) file() {
	s.skip(true)
	decl := s.at
	if word := s.identifier(); string(s.text(word)) != "package" {
		s.unsure("a file begins with its package")
		return
	}
	s.skip(false)
	name := s.identifier()
	if name.from == name.to {
		s.unsure("the package has no name")
		return
	}
	if string(s.text(name)) != "_" {
		n := s.add(source.Chunk{Kind: source.Module}, decl, name, true)
		s.found[n].End = int32(name.to)
	}
	for s.next(0) {
		decl := s.at
		switch word := s.text(s.identifier()); string(word) {
		case "func":
			s.function(decl)
		case "type", "var", "const", "import":
			s.general(string(word), decl)
		default:
			s.unsure("this is no declaration")
		}
	}
}

// next goes to the next statement or specification of a list that a bracket ends,
// or 0 the end of the file.
func (s *scanner) next(end byte) bool {
	for s.doubt == nil {
		s.skip(true)
		switch c := s.peek(); {
		case c == 0 && s.at >= len(s.src):
			if end != 0 {
				s.unsure("the file ends within brackets")
			}
			return false
		case c == ';':
			s.at++
		case c == end && end != 0:
			s.at++
			s.last, s.end = operand, s.at
			return false
		case c == ')' || c == ']' || c == '}':
			s.unsure("the brackets do not match")
		default:
			s.last = start
			return true
		}
	}
	return false
}

// function reads a declaration behind its func.
func (s *scanner) function(decl int) {
	c := source.Chunk{Kind: source.Function}
	s.skip(true)
	if s.peek() == '(' {
		from := s.at + 1
		s.bracket(')')
		if c.Container = receiver(s.src[from:max(from, s.at-1)]); c.Container != "" {
			c.Kind = source.Method
		}
	}
	s.skip(true)
	name := s.identifier()
	if name.from == name.to {
		s.unsure("a function has no name")
		return
	}
	n := s.add(c, decl, name, true)
	s.within(n, true, func() {
		s.typeParameters()
		if s.peek() != '(' {
			s.unsure("a function has no parameters")
			return
		}
		s.bracket(')')
		s.result(n)
	})
	s.found[n].End = int32(s.end)
}

// result reads the result and the body after the parameters.
func (s *scanner) result(n int32) {
	for s.doubt == nil && s.at < len(s.src) {
		if s.skip(false) {
			if s.last == operand {
				return
			}
			s.at++
			continue
		}
		switch c := s.peek(); {
		case c == '{':
			s.found[n].Body = int32(s.at)
			s.bracket('}')
			return
		case s.at >= len(s.src) || c == ';' || c == ')' || c == '}' || c == ',':
			return
		case c == '(' || c == '[':
			s.bracket(closing(c))
		case lex.Class[c] == lex.Letter:
			if word := s.text(s.identifier()); (string(word) == "struct" || string(word) == "interface") && s.braceFollows() {
				s.bracket('}')
			}
		default:
			s.at++
			s.last, s.end = operator, s.at
		}
	}
}

// braceFollows goes to a brace if there is one next.
func (s *scanner) braceFollows() bool {
	s.skip(true)
	return s.peek() == '{'
}

// typeParameters passes over them if they are there.
func (s *scanner) typeParameters() {
	s.skip(false)
	if s.peek() == '[' {
		s.bracket(']')
		s.skip(false)
	}
}

// receiver is the name of the type in a receiver's brackets.
func receiver(text []byte) string {
	text = bytes.TrimRight(text, " \t\r\n,)")
	if open := bytes.IndexByte(text, '['); open >= 0 {
		text = bytes.TrimRight(text[:open], " \t")
	}
	end := len(text)
	for end > 0 && lex.Class[text[end-1]]&(lex.Letter|lex.Digit) != 0 {
		end--
	}
	return string(text[end:])
}

// general reads a declaration of types, variables, constants or imports behind
// its word.
func (s *scanner) general(word string, decl int) {
	s.skip(true)
	if s.peek() != '(' {
		s.spec(word, decl)
		return
	}
	s.at++
	for s.next(')') {
		s.spec(word, s.at)
	}
}

func (s *scanner) spec(word string, decl int) {
	switch word {
	case "import":
		s.imported()
	case "type":
		s.typeSpec(decl)
	default:
		s.values(word == "const", decl)
	}
}

func (s *scanner) imported() {
	s.identifier()
	s.skip(false)
	if s.peek() == '.' {
		s.at++
		s.skip(false)
	}
	from := s.at
	switch s.peek() {
	case '"', '`':
		if s.str(); s.at > from+2 {
			s.imports = append(s.imports, span{from, s.at})
		}
	default:
		s.unsure("an import has no path")
	}
}

// typeSpec reads one type.
func (s *scanner) typeSpec(decl int) {
	name := s.identifier()
	if name.from == name.to {
		s.unsure("a type has no name")
		return
	}
	n := s.add(source.Chunk{Kind: source.TypeAlias}, decl, name, true)
	s.skip(false)
	array := false
	if s.peek() == '[' {
		from := s.at + 1
		s.within(n, true, func() { s.bracket(']') })
		array = !parameters(s.src[from:max(from, s.at-1)])
		s.skip(false)
	}
	if s.peek() == '=' {
		s.at++
		s.last = operator
		s.skip(true)
	}
	if !array && s.members(n) {
		s.found[n].End = int32(s.end)
		return
	}
	// Declarations within another kind of type belong to no chunk.
	s.within(s.parent, true, s.expression)
	s.found[n].End = int32(s.end)
}

// parameters reports whether a bracket holds type parameters, [T any], and not the length of an array.
func parameters(text []byte) bool {
	text = bytes.TrimLeft(text, " \t\r\n")
	end := lex.Identifier(text, 0)
	if end == 0 || lex.Class[text[0]] != lex.Letter {
		return false
	}
	rest := bytes.TrimLeft(text[end:], " \t\r\n")
	if len(rest) == 0 {
		return false
	}
	c := rest[0]
	return lex.Class[c] == lex.Letter || c == ',' || c == '~' || c == '[' || c == '*' && bytes.ContainsAny(rest, ",|")
}

// members reads the body of a struct or an interface. It returns false for other types.
func (s *scanner) members(n int32) bool {
	at, end, last := s.at, s.end, s.last
	word := string(s.text(s.identifier()))
	if word != "struct" && word != "interface" || !s.braceFollows() {
		s.at, s.end, s.last = at, end, last
		return false
	}
	c := &s.found[n]
	c.Kind, c.Body = source.Struct, int32(s.at)
	member := s.field
	if word == "interface" {
		c.Kind, member = source.Interface, s.method
	}
	s.at++
	s.within(n, true, func() {
		for s.next('}') {
			member()
		}
	})
	return true
}

// field reads a field of a struct, or several with one type.
func (s *scanner) field() {
	decl := s.at
	first := len(s.found)
	doc := true
	for s.doubt == nil {
		name := s.identifier()
		if name.from == name.to || s.embedded(name) {
			s.embed(decl, first)
			return
		}
		s.add(source.Chunk{Kind: source.Property}, decl, name, doc)
		s.skip(false)
		if s.peek() != ',' {
			break
		}
		s.at++
		s.skip(true)
	}
	parent, last := s.parent, len(s.found)
	s.last = operator
	s.within(parent, true, s.expression)
	for i := first; i < last; i++ {
		s.found[i].End = int32(s.end)
	}
}

// embedded reports whether a name at the beginning of a field is its type.
func (s *scanner) embedded(name span) bool {
	at, docs := s.at, s.docs
	newline := s.skip(false)
	c, behind := s.peek(), s.at
	s.at, s.docs = at, docs
	switch {
	case newline, c == ';', c == '}', c == '.', c == '"', c == '`', behind >= len(s.src):
		return true
	case c != '[' || behind != name.to:
		return false
	}
	// A generic type, or an array if a type follows.
	s.bracket(']')
	newline = s.skip(false)
	c = s.peek()
	s.at, s.end, s.last = at, name.to, operand
	return newline || c == ';' || c == '}' || c == '"' || c == '`'
}

// embed adds the embedded field that begins at decl.
func (s *scanner) embed(decl, first int) {
	s.found = s.found[:first]
	s.at, s.last = decl, operator
	n := s.add(source.Chunk{Kind: source.Property}, decl, span{decl, decl}, true)
	s.within(s.parent, true, s.expression)
	s.found[n].End = int32(s.end)
	text := s.src[decl:max(decl, s.end)]
	if i := bytes.IndexAny(text, " \t\"`["); i > 0 {
		text = text[:i]
	}
	s.found[n].Name = receiver(text)
	s.found[n].dropped = s.found[n].Name == ""
}

// method reads a method of an interface, or passes over an embedded type.
func (s *scanner) method() {
	decl := s.at
	name := s.identifier()
	if s.skip(false); name.from < name.to && s.peek() == '(' && string(s.text(name)) != "func" {
		n := s.add(source.Chunk{Kind: source.Method}, decl, name, true)
		s.within(n, true, func() {
			s.bracket(')')
			s.result(n)
		})
		s.found[n].End = int32(s.end)
		return
	}
	s.expression()
}
