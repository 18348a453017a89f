package java

import (
	"github.com/dougu-go/dougu/tools/source"
	"github.com/dougu-go/dougu/tools/source/outline/internal/lex"
)

// none is the number of no chunk.
const none = -1

// add notes a chunk whose name is at a position; start is its first token.
func (s *scanner) add(kind source.Kind, start, sig, name, nameEnd int, in scope) int {
	c := source.Chunk{
		Kind: kind, Name: lex.Text(s.src[name:nameEnd]), Decl: int32(start), Sig: int32(sig), Ident: int32(name), Parent: int32(in.parent),
	}
	if doc, docEnd := s.docs.Before(s.src, start); docEnd > 0 {
		c.Doc, c.DocEnd = int32(doc), int32(docEnd)
	}
	return s.b.Add(c)
}

// close ends a chunk with the last token before a position.
func (s *scanner) close(i, end int) { s.b.Close(i, max(s.trim(end), int(s.b.Chunk(i).Ident)+1)) }

// member reads the next declaration.
func (s *scanner) member(in scope) {
	start := s.at
	sig, at := s.modifiers(start)
	if s.byteAt(at) == '{' { // an initialiser
		s.at = at
		s.block(in)
		return
	}
	if kind, name := s.typeHead(at); kind != source.Invalid && s.letter(name) {
		s.typeDecl(kind, start, sig, name, in)
		return
	}
	if s.byteAt(at) == '<' {
		next, ok := s.angle(at)
		if !ok {
			s.lost(start, at)
			return
		}
		at = s.annotations(next)
	}
	end, ok := s.typ(at)
	if !ok {
		s.lost(start, at)
		return
	}
	name := s.gap(end)
	switch c := s.byteAt(name); {
	case c == '(' && s.word(at) == end:
		s.callable(source.Initializer, start, sig, at, end, name, in)
	case c == '{' && s.word(at) == end:
		i := s.add(source.Initializer, start, sig, at, end, in) // of a record
		s.at = name
		s.body(i)
	case s.letter(name):
		s.named(start, sig, name, in)
	default:
		s.lost(start, name)
	}
}

// named reads the method or the fields whose name, behind a type, is next.
func (s *scanner) named(start, sig, name int, in scope) {
	end := s.word(name)
	switch next := s.gap(end); s.byteAt(next) {
	case '(':
		kind := source.Method
		if in.parent == none {
			kind = source.Function
		}
		s.callable(kind, start, sig, name, end, next, in)
	case '=', ',', ';', '[', '@':
		s.fields(start, sig, name, end, in)
	default:
		s.lost(start, next)
	}
}

// lost passes over a member that is not understood.
func (s *scanner) lost(start, at int) {
	s.unsure(at, "a declaration that is not understood")
	s.at = max(start, min(at, len(s.src)))
	s.code(';', scope{none, none}, none)
	if c := s.byteAt(s.at); c == ';' || c == ',' || s.at == start && c != '}' {
		s.at = min(s.at+1, len(s.src))
	}
}

// callable reads a method or constructor from its parameters to its end.
func (s *scanner) callable(kind source.Kind, start, sig, name, nameEnd, open int, in scope) {
	i := s.add(kind, start, sig, name, nameEnd, in)
	labels, at := s.parameters(open)
	s.b.Chunk(i).Labels = labels
	switch at = s.throws(at); s.byteAt(at) {
	case '{':
		s.at = at
		s.body(i)
	case ';':
		s.at = at + 1
		s.close(i, s.at)
	default:
		if string(s.src[at:s.word(at)]) != "default" { // the value of an annotation's element
			s.unsure(at, "a method that is not understood")
		}
		s.at = at
		s.code(';', scope{i, in.callable}, none)
		if s.byteAt(s.at) == ';' {
			s.at++
		}
		s.close(i, s.at)
	}
}

// throws skips the array brackets and the throws clause after the parameters of a method and
// returns the offset of the next token.
func (s *scanner) throws(at int) int {
	for at = s.gap(at); s.byteAt(at) != '{' && s.byteAt(at) != ';'; at++ {
		at = s.supertypes(s.dims(at))
		if s.byteAt(at) != '[' {
			break
		}
	}
	return at
}

// body reads the body of a callable chunk, whose bracket is next.
func (s *scanner) body(i int) {
	s.b.Chunk(i).Body = int32(s.at)
	s.block(scope{i, i})
	s.close(i, s.at)
}

// fields reads the names that one declaration declares.
func (s *scanner) fields(start, sig, name, end int, in scope) {
	kind := source.Property
	if in.parent == none {
		kind = source.Variable
	}
	for {
		i := s.add(kind, start, sig, name, end, in)
		at := s.gap(s.dims(end))
		if s.byteAt(at) == '=' {
			s.at = at + 1
			s.code(';', scope{i, in.callable}, i)
			at = s.at
		}
		switch s.byteAt(at) {
		case ';':
			s.at = at + 1
			s.close(i, s.at)
			return
		case ',':
			s.close(i, at)
			start = s.gap(at + 1)
			sig, name, end = start, start, s.word(start)
			if end > name {
				continue
			}
		}
		s.unsure(at, "a field without its end")
		s.at = max(min(at, len(s.src)), end)
		s.close(i, s.at)
		return
	}
}

// trim returns the end of the text before an offset without white space.
func (s *scanner) trim(at int) int {
	for at > 0 && (s.src[at-1] == ' ' || s.src[at-1] == '\n' || s.src[at-1] == '\t' || s.src[at-1] == '\r') {
		at--
	}
	return at
}
