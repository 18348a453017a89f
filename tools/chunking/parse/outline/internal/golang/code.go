package golang

import (
	"github.com/dougu-go/dougu/tools/chunking/parse"
	"github.com/dougu-go/dougu/tools/chunking/parse/outline/internal/lex"
)

// binding is a definition whose values are being read: name := func() {…}.
type binding struct {
	decl    int
	names   []span
	index   int // of the value that is read
	depth   int // of the brackets around
	chunks  []int32
	literal int32 // the chunk of the literal that was just closed, or -1
	values  bool  // a declaration: its names have chunks already, the first of which is chunks[0]
}

// closing is the bracket that closes another.
func closing(open byte) byte {
	switch open {
	case '(':
		return ')'
	case '[':
		return ']'
	}
	return '}'
}

// bracket reads from an opening bracket to the closing one.
func (s *scanner) bracket(end byte) {
	if s.depth++; s.depth > maxDepth {
		s.unsure("brackets are nested too deeply")
		return
	}
	s.at++
	if s.last = operator; end == '}' {
		s.last = start
	}
	s.code(end)
	s.depth--
	s.last, s.end, s.name, s.element = operand, s.at, span{}, false
}

// expression reads to the end of a statement, which is not passed.
func (s *scanner) expression() {
	if s.depth++; s.depth > maxDepth {
		s.unsure("brackets are nested too deeply")
		return
	}
	s.code(0)
	s.depth--
}

// code reads to a closing bracket and past it, or to the end of the statement.
func (s *scanner) code(end byte) {
	s.names = s.names[:0]
	for s.at < len(s.src) {
		switch c := s.src[s.at]; {
		case lex.Class[c] == lex.Space:
			s.at++
		case c == '\n':
			if s.last == operand || s.last == leave {
				s.finish()
				if end == 0 {
					return
				}
				s.last = start
			}
			s.at++
		case lex.Class[c] == lex.Letter:
			s.word()
		case lex.Class[c] == lex.Digit:
			for s.at < len(s.src) && (lex.Class[s.src[s.at]]&(lex.Letter|lex.Digit) != 0 || s.src[s.at] == '.') {
				s.at++
			}
			s.name = span{}
			s.ended(operand)
		case c == '"' || c == '`' || c == '\'':
			s.str()
		case c == '(' || c == '[' || c == '{':
			s.open(c)
		case c == ')' || c == ']' || c == '}':
			s.finish()
			if end == 0 {
				return
			}
			s.at++
			if c != end {
				s.unsure("the brackets do not match")
			}
			return
		case c == '/' && s.at+1 < len(s.src) && (s.src[s.at+1] == '/' || s.src[s.at+1] == '*'):
			if s.remark() && (s.last == operand || s.last == leave) {
				s.finish()
				if end == 0 {
					return
				}
				s.last = start
			}
		case c == ';':
			s.finish()
			if end == 0 {
				return
			}
			s.at++
			s.last = start
		default:
			s.sign(c)
		}
	}
	s.finish()
	if end != 0 {
		s.unsure("the file ends within brackets")
	}
}

// ended notes that a token ends at the position.
func (s *scanner) ended(k kind) {
	s.last, s.end = k, s.at
	s.names = s.names[:0]
}

// remark passes over a comment. One that goes over a line end is one, which it
// says.
func (s *scanner) remark() (newline bool) {
	from := s.at
	if !s.skip(false) || s.at != from {
		return false
	}
	s.at, _ = lex.Block(s.src, from)
	s.comment(from)
	return true
}

// sign reads an operator.
func (s *scanner) sign(c byte) {
	second := byte(0)
	if s.at+1 < len(s.src) {
		second = s.src[s.at+1]
	}
	switch {
	case c == ':' && second == '=':
		s.at += 2
		s.finish()
		if len(s.names) > 0 && s.last == operand {
			s.pending = append(s.pending, binding{decl: s.names[0].from, names: append([]span(nil), s.names...), depth: s.depth, literal: -1})
		}
		s.ended(define)
	case c == ',':
		s.at++
		if b := s.binding(); b != nil {
			s.settle(b)
			b.index++
		}
		if s.last == operand && len(s.names) > 0 && len(s.names) < 64 {
			s.last, s.end = comma, s.at
			return
		}
		s.ended(comma)
	case c == '.':
		s.at++
		s.ended(dot)
	case c == ':':
		s.at++
		s.ended(start)
	case (c == '+' || c == '-') && second == c:
		s.at += 2
		s.ended(operand)
	default:
		s.at++
		s.ended(operator)
	}
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

// word reads an identifier or a keyword.
func (s *scanner) word() {
	from := s.at
	before := s.last
	s.at = lex.Identifier(s.src, s.at)
	word := span{from, s.at}
	switch string(s.text(word)) {
	case "func":
		s.literal(before)
		return
	case "type", "var", "const":
		if before == start && s.local {
			s.general(string(s.text(word)), from)
			s.names, s.name = s.names[:0], span{}
			return
		}
	case "return", "break", "continue", "fallthrough":
		s.ended(leave)
		s.name = span{}
		return
	case "interface":
		s.ended(operator)
		s.name = span{}
		s.methods()
		return
	case "if", "for", "switch", "select", "case", "go", "defer", "range", "else", "struct", "map", "chan", "goto", "default", "import", "package":
		s.ended(operator)
		s.name = span{}
		return
	}
	if before != comma || len(s.names) == 0 {
		s.names = s.names[:0]
	}
	if before != dot {
		s.names = append(s.names, word)
	}
	if before != dot {
		s.element = before == operand
	}
	if s.name = word; s.element {
		s.name = span{} // of a type: []byte(x) calls nothing
	}
	s.last, s.end = operand, s.at
}

// methods passes over the body of an interface, in which what looks like a call
// is none.
func (s *scanner) methods() {
	if s.braceFollows() {
		calls := s.calls
		s.calls = false
		s.bracket('}')
		s.calls = calls
	}
}

// open reads from a bracket to its end.
func (s *scanner) open(c byte) {
	name := span{}
	if s.last == operand {
		name = s.name
	}
	if c == '(' && name.to > 0 && s.calls && string(s.text(name)) != "_" {
		s.called = append(s.called, call{name, s.parent})
	}
	s.names = s.names[:0]
	s.name = span{}
	plain := c == '(' && s.last != operand
	from := s.at + 1
	s.bracket(closing(c))
	s.names = s.names[:0]
	s.name = span{}
	if plain {
		s.name = s.enclosed(from)
	}
	if c == '[' && name.to > 0 {
		// An instance of a generic function is called by its name.
		s.name = span{name.from, name.to}
		if at := s.at; s.peek() == '(' {
			if s.calls {
				s.called = append(s.called, call{name, s.parent})
			}
			s.name = span{}
			s.at = at
		}
	}
}

// enclosed is the name that is all there is in the brackets that were just
// closed: (f)(x) calls f.
func (s *scanner) enclosed(from int) span {
	const longest = 200
	to := s.at - 1
	if to-from > longest || to <= from {
		return span{}
	}
	for to > from && lex.Class[s.src[to-1]] == lex.Space {
		to--
	}
	name := to
	for name > from && lex.Class[s.src[name-1]]&(lex.Letter|lex.Digit) != 0 {
		name--
	}
	for _, c := range s.src[from:name] {
		if lex.Class[c] == 0 && c != '.' {
			return span{}
		}
	}
	if name == to || lex.Class[s.src[name]] != lex.Letter {
		return span{}
	}
	return span{name, to}
}

// callable is the innermost chunk that is called, of a chunk and those around.
func (s *scanner) callable(n int32) int32 {
	for n >= 0 && (s.found[n].dropped || !s.found[n].Kind.Callable()) {
		n = s.found[n].Parent
	}
	return n
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
		return
	}
	s.bracket(')')
	if body := s.resultType(); body < 0 {
		s.unbind(n)
		return
	}
	parent := s.parent
	if n >= 0 {
		s.found[n].Kind, s.found[n].Body = parse.Lambda, int32(s.at)
		parent = n
	}
	index := len(s.pending) - 1
	s.within(parent, true, func() { s.bracket('}') })
	if n >= 0 {
		s.found[n].End = int32(s.end)
		s.pending[index].literal = n
	}
}

// bind makes a chunk of the name that a literal is bound to.
func (s *scanner) bind(b *binding) int32 {
	if b.values {
		return b.chunks[b.index]
	}
	n := s.add(parse.Chunk{Kind: parse.Lambda}, b.decl, b.names[b.index], false)
	b.chunks = append(b.chunks, n)
	return n
}

// unbind takes that back.
func (s *scanner) unbind(n int32) {
	if n >= 0 {
		s.found[n].dropped = true
	}
}

// resultType passes over the result of a literal, and answers with the position
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

// str reads a string or a character.
func (s *scanner) str() {
	from := s.at
	if s.src[s.at] == '`' {
		for s.at++; s.at < len(s.src) && s.src[s.at] != '`'; s.at++ {
		}
		if s.at++; s.at > len(s.src) {
			s.unsure("the raw string is not closed")
			return
		}
	} else {
		end, ok := lex.Quoted(s.src, from)
		s.at = end
		if !ok {
			s.unsure("the string is not closed")
			return
		}
	}
	s.name = span{}
	s.ended(operand)
}
