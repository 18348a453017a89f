package java

import (
	"github.com/dougu-go/dougu/tools/source"
	"github.com/dougu-go/dougu/tools/source/outline/internal/lex"
)

// maxCast bounds how far back the type of a cast before a lambda may begin.
const maxCast = 400

// arrow looks at whether the lambda whose arrow is at a position is the initial
// value of a field or of a local variable.
func (s *scanner) arrow(f *frame, at int) {
	if f.lambda != none {
		return
	}
	head, ok := s.lambdaHead(f, at)
	if !ok {
		return
	}
	if f.value != none {
		if head == f.value {
			s.bind(f, f.field, at)
		}
		return
	}
	equals := s.trim(head) - 1
	if equals < f.stmt || f.stmt == none || s.src[equals] != '=' {
		return
	}
	if i, ok := s.variable(f, equals); ok {
		s.bind(f, i, at)
	} else {
		f.stmt = none
	}
}

// lambdaHead is where the parameters of a lambda begin, or the casts before them.
func (s *scanner) lambdaHead(f *frame, arrow int) (head int, ok bool) {
	end := s.trim(arrow)
	switch {
	case end > 0 && s.src[end-1] == ')':
		if end-1 != f.shut {
			return 0, false
		}
		head = f.open
	default:
		if head = s.wordBack(end); head == end {
			return 0, false
		}
	}
	for {
		end := s.trim(head)
		if end == 0 || s.src[end-1] != ')' {
			return head, true
		}
		depth, at := 0, end-1
		for ; at >= 0 && end-at < maxCast; at-- {
			if s.src[at] == ')' {
				depth++
			} else if s.src[at] == '(' {
				if depth--; depth == 0 {
					break
				}
			}
		}
		if depth != 0 {
			return 0, false
		}
		head = at
	}
}

// wordBack is the beginning of the name that ends at a position.
func (s *scanner) wordBack(end int) int {
	at := end
	for at > 0 && lex.Class[s.src[at-1]]&(lex.Letter|lex.Digit) != 0 {
		at--
	}
	return at
}

// variable adds a chunk for the local variable whose initial value follows the
// sign at a position, if there is one.
func (s *scanner) variable(f *frame, equals int) (chunk int, ok bool) {
	nameEnd := s.trim(equals)
	name := s.wordBack(nameEnd)
	if name == nameEnd || name <= f.stmt {
		return none, false
	}
	sig, at := s.modifiers(f.stmt)
	switch string(s.src[at:s.word(at)]) {
	case "return", "throw", "case", "else", "new", "yield", "assert", "do":
		return none, false
	}
	end, ok := s.typ(at)
	if !ok {
		return none, false
	}
	start := s.gap(f.stmt)
	first := s.gap(end)
	if first != name {
		if !s.letter(first) || s.src[s.trim(name)-1] != ',' {
			return none, false
		}
		start, sig = name, name
	}
	return s.add(source.Lambda, start, sig, name, nameEnd, f.in), true
}

// bind says that a chunk is the lambda whose arrow is at a position.
func (s *scanner) bind(f *frame, chunk, arrow int) {
	c := s.b.Chunk(chunk)
	c.Kind, c.Body = source.Lambda, int32(arrow)
	if body := s.gap(arrow + 2); s.byteAt(body) == '{' {
		c.Body = int32(body)
	}
	f.in = scope{chunk, chunk}
	if f.value == none {
		f.lambda = chunk
	}
}

// endLambda ends the lambda that is being read, if there is one.
func (s *scanner) endLambda(f *frame, end int) {
	if f.lambda != none {
		s.close(f.lambda, end)
		f.lambda, f.in = none, f.outer
	}
}
