package python

import "github.com/dougu-go/dougu/tools/source/outline/internal/lex"

// stop is the kind of token that ended a statement.
type stop uint8

const (
	lineEnd stop = iota
	semicolon
	colon
)

// The bytes that mean nothing outside of brackets and within them, where names
// are of no interest and where they are.
var (
	outer, outerNames = dull("\n#;\\\"'()[]{}=:")
	inner, innerNames = dull("#\"'()[]{}")
)

func dull(marks string) (plain, names [256]bool) {
	for c := range plain {
		plain[c] = true
	}
	for _, c := range marks {
		plain[c] = false
	}
	names = plain
	for c := range names {
		if lex.Class[c] == lex.Letter {
			names[c] = false
		}
	}
	return plain, names
}

// tokens reads to the end of a statement or, if it is the head of a block, of the
// colon behind it. It notes s.end, and where the statement assigns.
func (s *scanner) tokens(head bool) stop {
	src, start, at := s.src, s.at, s.at
	s.equals, s.colon = s.equals[:0], none
	for {
		for at < len(src) && s.outer[src[at]] {
			at++
		}
		if at >= len(src) {
			return s.ended(start, at, at, lineEnd)
		}
		switch c := src[at]; c {
		case '\n':
			return s.ended(start, at, at+1, lineEnd)
		case '#':
			return s.ended(start, at, lex.Line(src, at), lineEnd)
		case ';':
			return s.ended(start, at, at+1, semicolon)
		case '\\':
			if at = max(s.joined(at), at+1); src[at-1] == '\\' {
				s.unsure(at, "a backslash outside of strings")
			}
		case '"', '\'':
			at = s.quoted(at)
		case '(', '[', '{':
			at = s.brackets(at)
		case ')', ']', '}':
			s.unsure(at, "a bracket closes that was not opened")
			at++
		case '=':
			at = s.equal(at)
		case ':':
			if head && s.byteAt(at+1) == '=' {
				at += 2
				continue
			}
			if head && s.lambdas(start, at) == 0 {
				s.at, s.end = at+1, at+1
				return colon
			}
			if s.colon == none && len(s.equals) == 0 {
				s.colon = at
			}
			at++
		default:
			at = s.name(at, s.blanks)
		}
	}
}

// ended ends a statement whose text ends at a position.
func (s *scanner) ended(start, at, next int, why stop) stop {
	s.at = next
	for at > start {
		switch c := s.src[at-1]; {
		case lex.Class[c] == lex.Space || c == '\n':
			at--
			continue
		case c == '\\' && at < len(s.src) && s.src[at] <= ' ':
			at--
			continue
		}
		break
	}
	s.end = max(at, s.end)
	return why
}

// joined is the line behind a backslash at the end of a line, or the backslash.
func (s *scanner) joined(at int) int {
	switch {
	case s.byteAt(at+1) == '\n':
		return at + 2
	case s.byteAt(at+1) == '\r' && s.byteAt(at+2) == '\n':
		return at + 3
	}
	return at
}

// equal notes an assignment operator and skips comparison operators.
func (s *scanner) equal(at int) int {
	if s.byteAt(at+1) == '=' {
		return at + 2
	}
	if at > 0 {
		switch s.src[at-1] {
		case '!', '<', '>', '+', '-', '*', '/', '%', '&', '|', '^', '@', ':':
			return at + 1
		}
	}
	s.equals = append(s.equals, at)
	return at + 1
}

// brackets is the end of the bracket that opens at a position.
func (s *scanner) brackets(at int) int {
	src, from, depth := s.src, at, 0
	for {
		for at < len(src) && s.inner[src[at]] {
			at++
		}
		if at >= len(src) {
			s.unsure(from, "a bracket is not closed")
			return len(src)
		}
		switch c := src[at]; c {
		case '(', '[', '{':
			if depth == maxDepth {
				s.unsure(at, "brackets are nested too deep")
				return len(src)
			}
			s.stack[depth] = c
			depth++
			at++
		case ')', ']', '}':
			depth--
			if open := s.stack[depth]; c != open+1 && c != open+2 {
				s.unsure(at, "the brackets do not match")
			}
			at++
			if depth == 0 {
				return at
			}
		case '"', '\'':
			at = s.quoted(at)
		case '#':
			at = lex.Line(src, at)
		default:
			at = s.name(at, s.gap)
		}
	}
}

// name returns the end of the name at an offset, and notes a call of it. skip returns the end of
// the text allowed between the name and its arguments.
func (s *scanner) name(at int, skip func(at int) int) int {
	end := lex.Identifier(s.src, at)
	if s.byteAt(skip(end)) == '(' && !keyword(s.src[at:end]) {
		s.called = append(s.called, call{at, end})
	}
	return end
}

func keyword(word []byte) bool {
	switch string(word) {
	case "and", "as", "assert", "await", "del", "elif", "else", "except", "finally", "for", "from", "if", "import", "in", "is",
		"lambda", "not", "or", "raise", "return", "while", "with", "yield":
		return true
	}
	return false
}
