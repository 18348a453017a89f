package java

import "github.com/dougu-go/dougu/tools/source/outline/internal/lex"

// loud are the bytes that a pass stops at.
var loud = lex.Set("()[]{}\"'/\\@-")

// inside reads the content of the bracket that opens at an offset, with its closing bracket.
func (s *scanner) inside(at int, in scope) {
	if end := s.pass(at, in); end > at {
		s.at = end
		return
	}
	s.at = at + 1
	s.code(closing(s.src[at]), in, none)
}

// closing is the bracket that closes one.
func closing(open byte) byte {
	if open == '(' {
		return ')'
	}
	return open + 2
}

// pass is the end of the bracket that opens at a position, if it can be told that
// nothing is declared in it; else the position. It looks at no text twice.
//
// Most code declares nothing, and that can be told by its brackets alone, with no
// look at its words: the body of a type follows the name of one, or the arguments of
// a constructor, and a lambda that is given a name follows a sign of equality.
func (s *scanner) pass(from int, in scope) int {
	src, most := s.src, maxDepth-s.depth
	if from < s.loud || most < 1 {
		return from
	}
	s.names = s.names[:0]
	s.opened[0] = int32(from)
	depth, remark := 1, 0 // remark is the end of the last comment
	for at := from + 1; ; {
		at = lex.Until(src, at, &loud)
		next := at // if it stays there, the pass fails
		switch c := s.byteAt(at); c {
		case '(', '[', '{':
			if depth == most || c == '{' && !s.statements(at, depth, remark) || c == '(' && s.calls && !s.arguments(at, remark) {
				break
			}
			s.opened[depth] = int32(at)
			depth++
			next = at + 1
		case ')', ']', '}':
			if depth--; closing(src[s.opened[depth]]) != c {
				break
			}
			if next = at + 1; depth == 0 {
				s.noteCalls(in)
				return next
			}
		case '-':
			if s.byteAt(at+1) != '>' || !s.assigned(at, depth, remark) {
				next = at + 1
			}
		case '/':
			if end, ok := comment(src, at); end == at {
				next = at + 1
			} else if ok {
				next, remark = end, end
			}
		case '"', '\'':
			if end, ok := quoted(src, at); ok {
				next = end
			}
		}
		if next == at {
			s.loud = at
			return from
		}
		at = next
	}
}

// statements reports whether the brace at a position is that of a block or of an array.
func (s *scanner) statements(at, depth, remark int) bool {
	before := s.trim(at)
	if before <= remark {
		return false
	}
	switch s.src[before-1] {
	case ';', ':', ',', '=', '{', '}', ']':
		return true
	case '>':
		return s.src[before-2] == '-'
	case ')': // that closed last
		switch string(s.lastWord(int(s.opened[depth]))) {
		case "if", "for", "while", "switch", "catch", "synchronized", "try":
			return true
		}
		return false
	}
	switch string(s.lastWord(before)) {
	case "else", "try", "do", "finally":
		return true
	}
	return false
}

// lastWord is the word before a position in its line, which is therefore none of a
// comment.
func (s *scanner) lastWord(end int) []byte {
	for end > 0 && s.src[end-1] == ' ' {
		end--
	}
	return s.src[s.wordBack(end):end]
}

// arguments notes the name before the parentheses at an offset as a call. It returns false if the
// general scan must read the name.
func (s *scanner) arguments(at, remark int) bool {
	end := s.trim(at)
	if end <= remark {
		return false
	}
	if s.src[end-1] == '>' {
		switch s.src[end-2] {
		case '-':
			return true
		case '<':
			if end = s.trim(end - 2); string(s.lastWord(s.wordBack(end))) != "new" {
				return false
			}
		default:
			return false
		}
	}
	if from := s.wordBack(end); s.letter(from) && from < end && s.callee(from, end) {
		s.names = append(s.names, name{from, end})
	}
	return true
}

// noteCalls adds the calls that the pass has found.
func (s *scanner) noteCalls(in scope) {
	for _, n := range s.names {
		s.b.Call(lex.Text(s.src[n.at:n.end]), n.at, in.callable)
	}
}

// assigned reports whether the lambda whose arrow is at a position may be an initial
// value.
func (s *scanner) assigned(arrow, depth, remark int) bool {
	head := s.trim(arrow)
	switch {
	case head <= remark:
		return true
	case s.src[head-1] == ')': // that closed last
		head = int(s.opened[depth])
	default:
		head = s.wordBack(head)
	}
	head = s.trim(head)
	return s.src[head-1] == '=' || s.src[head-1] == ')'
}
