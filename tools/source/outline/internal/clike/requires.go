package clike

import "github.com/dougu-go/dougu/tools/source/outline/internal/lex"

// afterTemplate reports whether the head ends with the parameters of a template.
func (s *scanner) afterTemplate() bool {
	n := len(s.head)
	return n > 0 && (s.head[n-1].kind == angle && s.wordAt(n-2) == "template" || s.is(s.head[n-1], '>'))
}

// afterParameters reports whether the head holds brackets behind a name.
func (s *scanner) afterParameters() bool {
	for i := 1; i < len(s.head); i++ {
		if s.head[i].kind == group {
			return true
		}
	}
	return false
}

// requires reads a requires-clause whose first word ends at a position as one
// token, so that neither its brackets nor the braces of a requires-expression in it are
// taken for a body. It returns false if the text is not a clause.
func (s *scanner) requires(at, end int) bool {
	template := s.afterTemplate()
	if !template && !s.afterParameters() {
		return false // a name, as before C++20
	}
	clauseEnd, ok := s.constraint(end, true)
	if !ok || !template && !s.endsHead(clauseEnd) {
		s.unsure(at, "the requires-clause is not understood")
		return false
	}
	s.put(clause, at, clauseEnd)
	return true
}

// constraint is the end of the operands with && and || between them at a
// position. With calls, an operand may be a call.
func (s *scanner) constraint(at int, calls bool) (end int, ok bool) {
	for {
		end, ok = s.operand(s.gap(at), calls)
		if !ok {
			return end, false
		}
		at = s.gap(end)
		next := lex.Identifier(s.src, at)
		switch w := s.text(at, next); {
		case w == "and" || w == "or":
			at = next
		case w != "":
			return end, true
		case at+1 < len(s.src) && (s.src[at] == '&' || s.src[at] == '|') && s.src[at+1] == s.src[at]:
			at += 2
		default:
			return end, s.mayFollow(at)
		}
	}
}

// endsHead reports whether the word behind a position, if there is one, belongs to
// the function before it, and does not begin the next declaration.
func (s *scanner) endsHead(at int) bool {
	at = s.gap(at)
	end := lex.Identifier(s.src, at)
	w := s.text(at, end)
	return w == "" || trailing(w) || w == "pre" || w == "post" || s.capitals(token{word, at, end})
}

// mayFollow reports whether a clause can end before the byte at a position: one
// that continues an expression cannot follow.
func (s *scanner) mayFollow(at int) bool {
	if at >= len(s.src) {
		return false
	}
	switch s.src[at] {
	case '=':
		return at+1 < len(s.src) && s.src[at+1] != '='
	case '{', '}', ';', ':', ',', '(', ')', '[', '#', '~', '-', '\\':
		return true
	}
	return false
}

// operand is the end of the operand at a position: an expression in brackets, a
// requires-expression, a constant or the name of a concept.
func (s *scanner) operand(at int, calls bool) (end int, ok bool) {
	for at < len(s.src) && s.src[at] == '!' {
		at = s.gap(at + 1)
	}
	switch {
	case at >= len(s.src):
		return at, false
	case s.src[at] == '(':
		return s.peekPair(at)
	}
	end = lex.Identifier(s.src, at)
	switch s.text(at, end) {
	case "requires":
		at = s.gap(end)
		if at < len(s.src) && s.src[at] == '(' {
			if end, ok = s.peekPair(at); !ok {
				return end, false
			}
			at = s.gap(end)
		}
		if at >= len(s.src) || s.src[at] != '{' {
			return at, false
		}
		return s.peekPair(at)
	case "true", "false":
		return end, true
	}
	if lex.Class[s.src[at]] == lex.Digit {
		return s.number(at), true
	}
	if end, ok = s.conceptName(at); !ok {
		return end, false
	}
	if next := s.gap(end); calls && next < len(s.src) && s.src[next] == '(' {
		return s.peekPair(next)
	}
	return end, true
}

// conceptName is the end of the qualified name with its template arguments at a
// position.
func (s *scanner) conceptName(at int) (end int, ok bool) {
	for {
		if s.colonsAt(at) {
			at = s.gap(at + 2)
		}
		end = lex.Identifier(s.src, at)
		if s.text(at, end) == "template" {
			at = s.gap(end)
			end = lex.Identifier(s.src, at)
		}
		if end == at || lex.Class[s.src[at]] != lex.Letter || builtin(s.text(at, end)) || typeWord(s.text(at, end)) {
			return at, false
		}
		next := s.gap(end)
		if next < len(s.src) && s.src[next] == '<' {
			if end, ok = s.angles(next); !ok {
				return end, false
			}
			next = s.gap(end)
		}
		if !s.colonsAt(next) {
			return end, true
		}
		at = next
	}
}

func (s *scanner) colonsAt(at int) bool {
	return at+1 < len(s.src) && s.src[at] == ':' && s.src[at+1] == ':'
}
