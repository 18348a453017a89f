package python

import (
	"bytes"

	"github.com/dougu-go/dougu/tools/source"
	"github.com/dougu-go/dougu/tools/source/outline/internal/lex"
)

// maxNames bounds how many names one statement gives a value.
const maxNames = 1000

// assign adds the targets of the last statement, an assignment. Names in a module or a class are
// values. A name that is assigned a lambda is a callable chunk in any scope.
func (s *scanner) assign(start int) {
	if len(s.equals) == 0 && s.colon == none {
		return
	}
	around := s.currentBlock()
	local := around.chunk != none && !around.typ
	if local && (len(s.equals) == 0 || !s.maybeLambda()) {
		return
	}
	if s.colon != none {
		s.annotated(start, local)
		return
	}
	var names [][2]int
	value := start
	for _, sign := range s.equals {
		more, ok := s.targets(value, sign)
		if !ok {
			break
		}
		names = append(names, more...)
		value = sign + 1
		if len(names) > maxNames {
			s.unsure(start, "a statement assigns to too many names")
			return
		}
	}
	if value == start {
		return
	}
	body := s.bound(value)
	if local && body == none {
		return
	}
	s.declare(start, names, body)
}

// maybeLambda reports whether the value that is assigned may be a lambda.
func (s *scanner) maybeLambda() bool {
	for _, sign := range s.equals {
		at := s.blanks(sign + 1)
		if c := s.byteAt(at); c == '(' || c == 'l' && string(s.word(at)) == "lambda" {
			return true
		}
	}
	return false
}

// annotated reads a target with its type.
func (s *scanner) annotated(start int, local bool) {
	end := lex.Identifier(s.src, start)
	if end == start || lex.Class[s.src[start]] != lex.Letter || s.blanks(end) != s.colon || keyword(s.src[start:end]) {
		return
	}
	body := none
	if len(s.equals) > 0 {
		body = s.bound(s.equals[0] + 1)
	}
	if !local || body != none {
		s.declare(start, [][2]int{{start, end}}, body)
	}
}

// declare adds the chunks of the names that a statement assigns to; body is that
// of the lambda that it assigns, or none.
func (s *scanner) declare(start int, names [][2]int, body int) {
	around := s.currentBlock()
	chunk := none
	for n, name := range names {
		c := source.Chunk{
			Kind: valueKind(around, s.src[name[0]:name[1]]), Name: string(s.src[name[0]:name[1]]), Decl: int32(name[0]), Ident: int32(name[0]),
			End: int32(s.end), Parent: int32(around.chunk),
		}
		if n == 0 {
			c.Decl = int32(start)
		} else {
			c.Signature = s.signature(start, s.end)
		}
		if body != none {
			c.Kind, c.Body = source.Lambda, int32(body)
		}
		chunk = s.b.Add(c)
	}
	if body != none && chunk != none {
		s.flush(chunk, body)
	}
}

func valueKind(around block, name []byte) source.Kind {
	switch {
	case around.typ:
		return source.Property
	case bytes.Equal(name, bytes.ToUpper(name)) && !bytes.Equal(name, bytes.ToLower(name)):
		return source.Constant
	}
	return source.Variable
}

// targets reads the names in one target of an assignment, or in a tuple of them;
// it is not ok if that is no target.
func (s *scanner) targets(at, end int) (names [][2]int, ok bool) {
	fresh := true // an element begins
	for at < end {
		switch c := s.src[at]; {
		case c == '\n' || lex.Class[c] == lex.Space || c == '\\':
			at++
		case c == '#':
			at = lex.Line(s.src, at)
		case c == ',':
			fresh = true
			at++
		case c == ')' || c == ']':
			fresh = false
			at++
		case fresh && (c == '(' || c == '[' || c == '*'):
			at++
		case !fresh && (c == '(' || c == '['):
			at = s.silent(at)
		case !fresh && c == '.':
			at = lex.Identifier(s.src, s.blanks(at+1))
		case fresh && lex.Class[c] == lex.Letter:
			name := at
			at = lex.Identifier(s.src, at)
			fresh = false
			if keyword(s.src[name:at]) {
				return nil, false
			}
			if next := s.byteAt(s.blanks(at)); next != '.' && next != '[' && next != '(' {
				names = append(names, [2]int{name, at})
			}
		default:
			return nil, false
		}
	}
	return names, true
}

// silent is the end of the bracket at a position, whose calls have been noted.
func (s *scanner) silent(at int) int {
	noted := len(s.called)
	end := s.brackets(at)
	s.called = s.called[:noted]
	return end
}

// bound is where the body of a lambda begins if the value at a position, which
// ends with the statement, is one, perhaps in parentheses; else none.
func (s *scanner) bound(value int) int {
	at := s.blanks(value)
	if string(s.word(at)) == "lambda" {
		_, body := s.lambda(at, s.end)
		return s.first(body)
	}
	if s.byteAt(at) != '(' {
		return none
	}
	inner := at
	for s.byteAt(inner) == '(' {
		inner = s.gap(inner + 1)
	}
	if string(s.word(inner)) != "lambda" || s.silent(at) != s.end {
		return none
	}
	_, body := s.lambda(inner, s.end)
	return s.first(body)
}

// first is where the expression behind a position begins, or none.
func (s *scanner) first(at int) int {
	if at == none {
		return none
	}
	return min(s.gap(at), s.end)
}

// gap is where the token after a position within brackets begins.
func (s *scanner) gap(at int) int {
	for {
		at = s.blanks(at)
		switch s.byteAt(at) {
		case '\n':
			at++
		case '#':
			at = lex.Line(s.src, at)
		default:
			return at
		}
	}
}
