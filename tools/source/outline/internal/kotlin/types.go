package kotlin

import "github.com/dougu-go/dougu/tools/source/outline/internal/lex"

// typeRef reads a type and answers with where it begins, after its annotations.
func (s *scanner) typeRef() (start int) {
	for s.is('@') {
		s.annotation()
	}
	start = s.at
	for s.at < len(s.src) {
		switch {
		case s.is('@'):
			s.annotation()
			continue
		case s.is('('):
			calls := s.calls
			s.calls = false
			s.nested(inBrackets)
			s.calls = calls
		default:
			end := s.identifier()
			if end == s.at {
				return start
			}
			w := string(s.src[s.at:end])
			if w == "suspend" && s.src[max(s.end, 1)-1] != '.' || w == "context" && s.followed(end, '(') {
				s.next(end)
				if w == "context" {
					s.nested(inBrackets)
				}
				continue
			}
			s.next(end)
			if s.is('<') && s.peek(1) != '=' {
				s.angles()
			}
		}
		for s.is('?') && s.peek(1) != ':' {
			s.next(s.at + 1)
		}
		switch {
		case s.is('.') && s.peek(1) != '.':
			s.next(s.at + 1)
		case s.is('-') && s.peek(1) == '>' && s.src[s.end-1] == ')':
			s.next(s.at + 2)
		case s.is('&') && s.peek(1) != '&':
			s.next(s.at + 1)
		default:
			return start
		}
	}
	return start
}

// angles reads type parameters or arguments within < >.
func (s *scanner) angles() {
	depth := 0
	calls := s.calls
	s.calls = false
	defer func() { s.calls = calls }()
	for s.at < len(s.src) {
		switch c := s.src[s.at]; {
		case c == '<':
			depth++
			s.next(s.at + 1)
		case c == '>':
			s.next(s.at + 1)
			if depth--; depth == 0 {
				return
			}
		case c == '-' && s.peek(1) == '>':
			s.next(s.at + 2)
		case c == '(' || c == '[':
			s.nested(inBrackets)
		case c == '@':
			s.annotation()
		case c == ',' || c == '.' || c == ':' || c == '?' || c == '*' || c == '&':
			s.next(s.at + 1)
		default:
			end := s.identifier()
			if end == s.at {
				s.unsure("type arguments cannot be read", s.at)
				return
			}
			s.next(end)
		}
	}
	s.unsure("type arguments are not closed", s.at)
}

// label writes the type src[start:end] to text, without blanks but those between
// two words.
func (s *scanner) label(start, end int) {
	word, gap := false, false
	for ; start < end; start++ {
		c := s.src[start]
		if lex.Class[c] == lex.Space || c == '\n' {
			gap = true
			continue
		}
		now := lex.Class[c]&(lex.Letter|lex.Digit) != 0
		if gap && word && now {
			s.text = append(s.text, ' ')
		}
		s.text = append(s.text, c)
		word, gap = now, false
	}
}

// lastName is the last name of the type src[start:end], without what follows it.
func (s *scanner) lastName(start, end int) (from, to int) {
	from = start
	for at := start; at < end; at++ {
		switch s.src[at] {
		case '.':
			from = at + 1
		case '<', ' ', '\n', '(':
			return from, at
		}
	}
	return from, end
}
