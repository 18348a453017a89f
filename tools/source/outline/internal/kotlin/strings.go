package kotlin

import "github.com/dougu-go/dougu/tools/source/outline/internal/lex"

// quoted reads a string. Its templates begin with so many dollar signs.
func (s *scanner) quoted(dollars int) {
	at := s.at + 1
	raw := s.peek(1) == '"' && s.peek(2) == '"'
	if raw {
		at += 2
	}
	start := s.at
	for at < len(s.src) {
		switch s.src[at] {
		case '"':
			n := 1
			for raw && at+n < len(s.src) && s.src[at+n] == '"' {
				n++
			}
			at += n
			if !raw || n >= 3 {
				s.next(at)
				return
			}
		case '\\':
			at++
			if !raw {
				at++
			}
		case '\n':
			if !raw {
				s.unsure("a string is not closed", start)
				s.next(at)
				return
			}
			at++
		case '$':
			n := 1
			for at+n < len(s.src) && s.src[at+n] == '$' {
				n++
			}
			at += n
			if n >= dollars && at < len(s.src) && s.src[at] == '{' {
				s.at = at
				s.brackets(inCode)
				at = min(s.at+1, len(s.src))
			}
		default:
			at++
		}
	}
	s.unsure("a string is not closed", start)
	s.stop()
}

// char reads a character.
func (s *scanner) char() {
	end, ok := lex.Quoted(s.src, s.at)
	if !ok {
		s.unsure("a character is not closed", s.at)
	}
	s.next(max(end, s.at+1))
}
