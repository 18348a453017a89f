package gosource

import (
	"github.com/dougu-go/dougu/tools/source"
	"github.com/dougu-go/dougu/tools/source/outline/internal/lex"
)

// binding is a definition, name := func() {…}, while its values are read.
type binding struct {
	decl    int
	names   []span
	index   int // the index of the current value
	depth   int // the depth of the enclosing brackets
	chunks  []int32
	literal int32 // the chunk of the literal that was just closed, or -1
	values  bool  // a declaration: its names have chunks already, the first of which is chunks[0]
}

// binding is the definition whose values stand at this depth.
func (s *scanner) binding() *binding {
	if n := len(s.pending); n > 0 && s.pending[n-1].depth == s.depth {
		return &s.pending[n-1]
	}
	return nil
}

// settle decides about the literal that was read last: it is the value only if
// nothing followed it.
func (s *scanner) settle(b *binding) {
	if b.literal >= 0 && int(s.found[b.literal].End) != s.end {
		s.found[b.literal].dropped = true
	}
	b.literal = -1
}

// finish ends a statement and the definition in it.
func (s *scanner) finish() {
	b := s.binding()
	if b == nil {
		return
	}
	s.settle(b)
	for _, n := range b.chunks {
		s.found[n].End = int32(s.end)
		if b.index+1 != len(b.names) {
			s.found[n].dropped = true
		}
	}
	s.pending = s.pending[:len(s.pending)-1]
}

// literal reads a function without a name, or its type.
func (s *scanner) literal(before kind) {
	s.ended(operator)
	s.name = span{}
	b := s.binding()
	bound := b != nil && (before == define || before == comma) && b.index < len(b.names)
	n := int32(-1)
	if bound && (b.values || string(s.text(b.names[b.index])) != "_") {
		n = s.bind(b)
	}
	if s.skip(true); s.peek() != '(' {
		if s.named() {
			s.unsure("a function is declared within another one")
		}
		return
	}
	s.bracket(')')
	if before == start && s.named() {
		s.unsure("a method is declared within a function")
		return
	}
	if body := s.resultType(); body < 0 {
		s.unbind(n)
		return
	}
	parent := s.parent
	if n >= 0 {
		s.found[n].Kind, s.found[n].Body = source.Lambda, int32(s.at)
		parent = n
	}
	index := len(s.pending) - 1
	s.within(parent, true, func() { s.bracket('}') })
	if n >= 0 {
		s.found[n].End = int32(s.end)
		s.pending[index].literal = n
	}
}

// named reports whether a name and its parameters follow, as they do behind the word func and behind the receiver of a method.
// A literal has the type of its result there, which parentheses never follow.
func (s *scanner) named() bool {
	from := lex.Spaces(s.src, s.at)
	end := lex.Identifier(s.src, from)
	if end == from || end == len(s.src) || s.src[end] != '(' {
		return false
	}
	switch string(s.src[from:end]) {
	case "func", "chan", "interface":
		return false
	}
	return true
}

// bind makes a chunk of the name that a literal is bound to.
func (s *scanner) bind(b *binding) int32 {
	if b.values {
		return b.chunks[b.index]
	}
	n := s.add(source.Chunk{Kind: source.Lambda}, b.decl, b.names[b.index], false)
	b.chunks = append(b.chunks, n)
	return n
}

// unbind takes that back.
func (s *scanner) unbind(n int32) {
	if n >= 0 {
		s.found[n].dropped = true
	}
}

// resultType skips the result of a literal, and returns the offset
// of its body, or -1 if it is a type.
func (s *scanner) resultType() int {
	for s.doubt == nil && s.at < len(s.src) {
		at, end := s.at, s.end
		if s.skip(false) {
			if s.last == operand {
				s.at, s.end = at, end
				return -1
			}
			s.at++
			continue
		}
		switch c := s.peek(); {
		case c == '{':
			return s.at
		case c == '(' || c == '[':
			s.bracket(closing(c))
		case lex.Class[c] == lex.Letter:
			switch string(s.text(s.identifier())) {
			case "struct", "interface":
				if s.braceFollows() {
					s.bracket('}')
				}
			}
		case c == '*' || c == '.' || c == '<' || c == '-':
			s.at++
			s.last, s.end = operator, s.at
		default:
			return -1
		}
	}
	return -1
}
