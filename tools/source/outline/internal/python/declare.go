package python

import (
	"bytes"
	"strings"

	"github.com/dougu-go/dougu/tools/source"
	"github.com/dougu-go/dougu/tools/source/outline/internal/lex"
)

// decorate reads a decorator.
func (s *scanner) decorate() {
	start := s.at
	if s.decorator == none {
		s.decorator = start
	}
	s.at++
	s.tokens(false)
	name := bytes.TrimSpace(s.src[start+1 : max(s.end, start+1)])
	switch string(name[bytes.LastIndexByte(name, '.')+1:]) {
	case "property", "cached_property", "abstractproperty", "setter", "getter", "deleter":
		s.accessor = true
	}
}

// add notes a chunk that begins with the decorators before a position.
func (s *scanner) add(kind source.Kind, start, name, end int) int {
	decl := start
	if s.decorator != none {
		decl = s.decorator
	}
	s.decorator, s.accessor = none, false
	return s.b.Add(source.Chunk{
		Kind: kind, Name: lex.Text(s.src[name:end]), Decl: int32(decl), Sig: int32(start), Ident: int32(name),
		Parent: int32(s.currentBlock().chunk),
	})
}

// function reads the head of a function; at is behind the word def.
func (s *scanner) function(start, at int) {
	name := s.blanks(at)
	end := lex.Identifier(s.src, name)
	if end == name {
		s.nameless(start)
		return
	}
	around := s.currentBlock()
	i := s.add(s.functionKind(s.src[name:end], around), start, name, end)
	s.at = end
	s.body(i, start, block{s.indent, i, i, false})
}

func (s *scanner) functionKind(name []byte, around block) source.Kind {
	switch {
	case !around.typ:
		return source.Function
	case s.accessor:
		return source.Accessor
	case string(name) == "__init__":
		return source.Initializer
	case string(name) == "__del__":
		return source.Deinitializer
	}
	return source.Method
}

// class reads the head of a class.
func (s *scanner) class(start int) {
	name := s.blanks(start + len("class"))
	end := lex.Identifier(s.src, name)
	if end == name {
		s.nameless(start)
		return
	}
	callable := s.currentBlock().callable
	i := s.add(source.Class, start, name, end)
	s.at = end
	s.body(i, start, block{s.indent, i, callable, true})
}

// nameless passes over a declaration that has no name.
func (s *scanner) nameless(start int) {
	s.unsure(start, "a declaration without a name")
	s.decorator, s.accessor = none, false
	s.head()
}

// body reads the rest of the head of a declaration and the remainder of its line.
func (s *scanner) body(i, start int, in block) {
	why := s.tokens(true)
	s.b.Chunk(i).Signature = s.signature(start, s.end)
	s.flush(in.callable, 0)
	s.open = append(s.open, in)
	if why != colon {
		s.unsure(start, "the head of a declaration without its colon")
		return
	}
	s.bodiless = i
	s.suite()
}

// blanks is the end of the blanks, and of joined lines, at a position.
func (s *scanner) blanks(at int) int {
	for {
		at = lex.Spaces(s.src, at)
		if s.byteAt(at) != '\\' || s.joined(at) == at {
			return at
		}
		at = s.joined(at)
	}
}

// signature is a head in one line, without comments.
func (s *scanner) signature(start, end int) string {
	if head := s.src[start:end]; len(head) <= source.MaxSignature && !bytes.ContainsAny(head, "#\\\n\t") {
		return string(head)
	}
	var line []byte
	for at := start; at < end && len(line) <= source.MaxSignature; {
		next := at + 1
		switch c := s.src[at]; {
		case c == '#':
			at = min(lex.Line(s.src, at), end)
			continue
		case c == '"' || c == '\'':
			next = min(s.quoted(at), end)
		case c == '\n' || lex.Class[c] == lex.Space || c == '\\':
			if line[len(line)-1] != ' ' {
				line = append(line, ' ')
			}
			at = next
			continue
		}
		line = append(line, s.src[at:next]...)
		at = next
	}
	if len(line) > source.MaxSignature {
		return strings.ToValidUTF8(string(line[:source.MaxSignature]), "") + "…"
	}
	return string(line)
}

// typeAlias reads a statement like type X[T] = list[T]; ok is false if the word
// type is but a name.
func (s *scanner) typeAlias(start int) (why stop, ok bool) {
	at := start + len("type")
	name := s.blanks(at)
	end := lex.Identifier(s.src, name)
	next := s.byteAt(s.blanks(end))
	if name == at || end == name || lex.Class[s.src[name]] != lex.Letter || next != '=' && next != '[' {
		return lineEnd, false
	}
	if keyword(s.src[name:end]) {
		return lineEnd, false
	}
	i := s.add(source.TypeAlias, start, name, end)
	s.at = end
	why = s.tokens(false)
	s.b.Close(i, s.end)
	s.flush(none, 0)
	return why, true
}
