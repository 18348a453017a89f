package gosource

import (
	"github.com/dougu-go/dougu/tools/source/outline/internal/lex"
)

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

// keep copies spans, until the end of the scan.
func (s *scanner) keep(names []span) []span {
	from := len(s.spans)
	s.spans = append(s.spans, names...)
	return s.spans[from:len(s.spans):len(s.spans)]
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
			s.pending = append(s.pending, binding{decl: s.names[0].from, names: s.keep(s.names), depth: s.depth, literal: -1})
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

// methods skips the body of an interface, whose method signatures look like calls.
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
		s.name = s.enclosedName(from)
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

// enclosedName is the name that is all there is in the brackets that were just
// closed: (f)(x) calls f.
func (s *scanner) enclosedName(from int) span {
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

// callable returns the innermost callable chunk among chunk n and its parents, or -1.
func (s *scanner) callable(n int32) int32 {
	for n >= 0 && (s.found[n].dropped || !s.found[n].Kind.IsCallable()) {
		n = s.found[n].Parent
	}
	return n
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
