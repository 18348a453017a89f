package python

import (
	"bytes"
	"slices"

	"github.com/dougu-go/dougu/tools/source/outline/internal/lex"
)

// line reads the statements of a logical line. The colon of a head ends it where a
// block follows.
func (s *scanner) line() {
	s.begin()
	start := s.at
	if s.src[start] == '@' {
		s.decorate()
		return
	}
	word := s.word(start)
	switch string(word) {
	case "def":
		s.function(start, start+len(word))
	case "async":
		if def := lex.Spaces(s.src, start+len(word)); string(s.word(def)) == "def" {
			s.function(start, def+len("def"))
		} else {
			s.head()
		}
	case "class":
		s.class(start)
	case "if", "elif", "else", "for", "while", "try", "except", "finally", "with":
		s.head()
	case "match", "case":
		if s.soft(start + len(word)) {
			s.match(start, word[0] == 'c')
		} else {
			s.statements()
		}
	default:
		s.statements()
	}
	if s.decorator != none {
		s.unsure(start, "a decorator without a declaration")
		s.decorator, s.accessor = none, false
	}
}

// begin notes that a statement begins: perhaps the first of a body.
func (s *scanner) begin() {
	if s.bodiless != none {
		s.b.Chunk(s.bodiless).Body = int32(s.at)
		s.bodiless = none
	}
}

// word is the name or keyword at a position.
func (s *scanner) word(at int) []byte {
	if at >= len(s.src) || lex.Class[s.src[at]] != lex.Letter {
		return nil
	}
	return s.src[at:lex.Identifier(s.src, at)]
}

// soft reports whether match or case, which end at a position, may be keywords there:
// names are assigned to, called or have members.
func (s *scanner) soft(at int) bool {
	next := lex.Spaces(s.src, at)
	switch c := s.byteAt(next); c {
	case '=', '.', ':', ',', ';', ')', '+', '/', '%', '&', '|', '^', '@', '<', '>', '!', '\n', '#', '\\', 0:
		return false
	case '(', '[', '{', '"', '\'', '-', '*', '~':
		return true
	default:
		return next > at
	}
}

// head reads that of a block which declares nothing.
func (s *scanner) head() {
	start := s.at
	why := s.tokens(true)
	s.flush(none, 0)
	if why == colon {
		s.suite()
		return
	}
	s.unsure(start, "the head of a block without its colon")
	if why == semicolon && s.nextStatement() {
		s.statements()
	}
}

// match reads the head of a match statement or of one of its cases, or another statement that
// begins with the word. Patterns look like calls.
func (s *scanner) match(start int, pattern bool) {
	why := s.tokens(true)
	if why == colon {
		if guard := bytes.LastIndex(s.src[start:s.end], []byte(" if ")); pattern {
			s.called = slices.DeleteFunc(s.called, func(c call) bool { return guard < 0 || c.at < start+guard })
		} else if len(s.called) > 0 && s.called[0].at == start {
			s.called = s.called[1:]
		}
		s.flush(none, 0)
		s.suite()
		return
	}
	s.assign(start)
	s.flush(none, 0)
	if why == semicolon && s.nextStatement() {
		s.statements()
	}
}

// suite reads the statements after the colon of a head in the same line.
func (s *scanner) suite() {
	if !s.nextStatement() {
		s.expect = true
		return
	}
	s.begin()
	s.statements()
}

// nextStatement goes to the next statement in the line; it is false, and the scan on the
// next line, if there is none.
func (s *scanner) nextStatement() bool {
	for s.at < len(s.src) {
		switch c := s.src[s.at]; {
		case c == '\n':
			s.at++
			return false
		case c == '#':
			s.at = lex.Line(s.src, s.at)
		case c == ';' || lex.Class[c] == lex.Space:
			s.at++
		case c == '\\' && s.joined(s.at) > s.at:
			s.at = s.joined(s.at)
		default:
			return true
		}
	}
	return false
}

// statements reads simple statements to the end of the line.
func (s *scanner) statements() {
	for {
		start := s.at
		switch word := s.word(start); string(word) {
		case "import", "from":
			why := s.tokens(false)
			s.imports(word[0] == 'f', start)
			if why == semicolon && s.nextStatement() {
				continue
			}
			return
		case "type":
			if why, ok := s.typeAlias(start); ok {
				if why == semicolon && s.nextStatement() {
					continue
				}
				return
			}
		}
		why := s.tokens(false)
		s.assign(start)
		s.flush(none, 0)
		if why != semicolon || !s.nextStatement() {
			return
		}
	}
}

// flush adds the calls of the statement that was read: from an offset on they belong to a chunk,
// before it to the enclosing callable chunk.
func (s *scanner) flush(chunk, from int) {
	around := s.currentBlock().callable
	for _, c := range s.called {
		in := around
		if chunk != none && c.at >= from {
			in = chunk
		}
		s.b.Call(lex.Text(s.src[c.at:c.end]), c.at, in)
	}
	s.called = s.called[:0]
}

// lambdas counts the lambdas between two offsets whose colon follows later, outside brackets.
func (s *scanner) lambdas(from, to int) int {
	if !bytes.Contains(s.src[from:to], []byte("lambda")) {
		return 0
	}
	open, _ := s.lambda(from, to)
	return open
}

// lambda walks over an expression, outside of brackets: open counts the lambdas
// whose colon is still to come; body is where that of the first begins, none if
// it has no colon, or if a comma behind it makes it part of a tuple.
func (s *scanner) lambda(from, to int) (open, body int) {
	noted := len(s.called)
	defer func() { s.called = s.called[:noted] }()
	body = none
	for at := from; at < to; {
		switch c := s.src[at]; {
		case c == '"' || c == '\'':
			at = s.quoted(at)
		case c == '(' || c == '[' || c == '{':
			at = s.brackets(at)
		case c == ')':
			return open, body // of the parentheses around
		case c == '#':
			at = lex.Line(s.src, at)
		case c == ':':
			if open > 0 {
				open--
			}
			if at++; open == 0 && body == none {
				body = at
			}
		case c == ',' && open == 0:
			return open, none
		case lex.Class[c] == lex.Letter:
			end := lex.Identifier(s.src, at)
			if string(s.src[at:end]) == "lambda" {
				open++
			}
			at = end
		default:
			at++
		}
	}
	return open, body
}
