package java

import (
	"github.com/dougu-go/dougu/tools/source"
	"github.com/dougu-go/dougu/tools/source/outline/internal/lex"
)

// frame is a bracket, or the initial value of a field, whose code is being read.
type frame struct {
	close      byte // the byte that ends it: a closing bracket, or the semicolon of a field
	in, outer  scope
	stmt       int // where the statement begins; none if it declares nothing
	value      int // where the initial value of a field begins, else none
	field      int // the chunk of that field, else none
	lambda     int // the chunk of the lambda that is being read, else none
	open, shut int // the parentheses that closed last
}

// code reads up to and with a closing bracket. With a semicolon for it, it reads
// the initial value of a field, up to the semicolon or to the comma before the
// next name.
func (s *scanner) code(close byte, in scope, field int) {
	if s.deeper() {
		s.frame(close, in, field)
	}
	s.depth--
}

// frame is code, below the depth at which it gives up.
func (s *scanner) frame(close byte, in scope, field int) {
	f := frame{close: close, in: in, outer: in, stmt: s.at, value: none, field: field, lambda: none}
	if field != none {
		f.value = s.gap(s.at)
	}
	for at := s.at; ; {
		if at = lex.Until(s.src, at, &words); at >= len(s.src) {
			s.at = at
			s.unsure(at, "a bracket is not closed")
			s.endLambda(&f, at)
			return
		}
		var done bool
		switch class := lex.Class[s.src[at]]; {
		case class == lex.Letter:
			at = s.keyword(&f, at)
		case class == lex.Digit:
			at = s.word(at)
		default:
			if at, done = s.mark(&f, at); done {
				return
			}
		}
	}
}

// words are the bytes that end the search for the next token of code: beginnings of words and
// numbers, and bytes with a meaning everywhere.
var words = func() (words [256]bool) {
	for c := range words {
		words[c] = lex.Class[c]&(lex.Letter|lex.Digit) != 0
	}
	for _, c := range "\"'/()[]{};:,-<\\@" {
		words[c] = true
	}
	return words
}()

// mark reads a token that is no word. done reports the end of the frame; the scan then continues at
// s.at.
func (s *scanner) mark(f *frame, at int) (next int, done bool) {
	switch c := s.src[at]; c {
	case '"', '\'':
		return s.quoted(at), false
	case '/':
		end := s.comment(at)
		if end == at {
			return at + 1, false
		}
		s.docs.Comment(s.src, at, end)
		return end, false
	case '(', '[', '{':
		return s.bracket(f, at), false
	case ')', ']', '}':
		return s.leave(f, at)
	case ';':
		if f.close == ';' {
			s.endLambda(f, at)
			s.at = at
			return at, true
		}
		end := at
		if f.close == '}' { // in the head of a loop it belongs to the head
			end = at + 1
		}
		s.endLambda(f, end)
		f.stmt = at + 1
	case ':':
		if s.byteAt(at+1) == ':' {
			return at + 2, false
		}
		f.stmt = at + 1 // of a case, or of a label
	case ',':
		if (f.lambda != none || f.close == ';') && s.declarator(at+1) {
			s.endLambda(f, at)
			if f.close == ';' {
				s.at = at
				return at, true
			}
		}
	case '-':
		if s.byteAt(at+1) == '>' {
			s.arrow(f, at)
			return at + 2, false
		}
	case '<': // the arguments of a generic method
		if at > 0 && (s.src[at-1] == '.' || s.src[at-1] == ':') {
			if end, ok := s.angle(at); ok {
				return end, false
			}
		}
	case '@':
		return max(s.annotation(at), at+1), false
	case '\\':
		s.unsure(at, "an escape outside of strings")
	}
	return at + 1, false
}

// bracket reads the content of the bracket that opens at an offset.
func (s *scanner) bracket(f *frame, at int) int {
	s.inside(at, f.in)
	switch s.src[at] {
	case '(':
		f.open, f.shut = at, s.at-1
	case '{':
		f.stmt = s.at
		s.cancelled()
	}
	return s.at
}

// leave ends the frame if its bracket closes at a position.
func (s *scanner) leave(f *frame, at int) (next int, done bool) {
	c := s.src[at]
	if c == f.close {
		s.endLambda(f, at)
		s.at = at + 1
		return s.at, true
	}
	s.unsure(at, "the brackets do not match")
	if c != '}' {
		return at + 1, false
	}
	s.endLambda(f, at)
	s.at = at // it closes a frame around this one
	return at, true
}

// declarator reports whether a name that is being declared follows.
func (s *scanner) declarator(at int) bool {
	at = s.gap(at)
	if !s.letter(at) {
		return false
	}
	switch s.byteAt(s.gap(s.word(at))) {
	case '=', ',', ';', '[':
		return true
	}
	return false
}

// keyword reads a name, or a keyword and the declaration that it begins.
func (s *scanner) keyword(f *frame, at int) int {
	end := s.word(at)
	switch end - at {
	case 3:
		if string(s.src[at:end]) == "new" {
			return s.created(f, end)
		}
	case 4, 5, 6, 9:
		if kind, name := s.typeHead(at); kind != source.Invalid && s.src[at-1] != '.' {
			return s.localType(f, kind, at, name)
		}
	}
	if s.calls {
		s.called(f, at, end)
	}
	return end
}

// localType reads the declaration of a type among statements.
func (s *scanner) localType(f *frame, kind source.Kind, at, name int) int {
	start, sig := at, at
	if f.stmt != none {
		if first, end := s.modifiers(f.stmt); end == at {
			start, sig = s.gap(f.stmt), first
		}
	}
	s.typeDecl(kind, start, sig, name, f.in)
	f.stmt = s.at
	return s.at
}

// created reads the text after the word new: a type, arguments, and perhaps the body of an
// anonymous class.
func (s *scanner) created(f *frame, at int) int {
	at = s.gap(at)
	if s.byteAt(at) == '<' {
		if next, ok := s.angle(at); ok {
			at = next
		}
	}
	last, lastEnd, end, ok := s.class(at)
	if !ok {
		return at
	}
	open := s.gap(end)
	if s.byteAt(open) != '(' {
		return end
	}
	if s.calls {
		s.b.Call(lex.Text(s.src[last:lastEnd]), last, f.in.callable)
	}
	s.inside(open, f.in)
	if body := s.gap(s.at); s.byteAt(body) == '{' {
		s.at = body + 1
		s.members(f.in)
	}
	return s.at
}

// called notes a call if parentheses follow the name.
func (s *scanner) called(f *frame, at, end int) {
	open := end
	for open < len(s.src) && (s.src[open] == ' ' || s.src[open] == '\n' || s.src[open] == '\t' || s.src[open] == '\r') {
		open++
	}
	if s.byteAt(open) != '(' {
		return
	}
	if s.callee(at, end) {
		s.b.Call(lex.Text(s.src[at:end]), at, f.in.callable)
	}
}

// callee reports whether a word before parentheses is the name of a called method.
func (s *scanner) callee(at, end int) bool {
	switch string(s.src[at:end]) {
	case "if", "for", "while", "switch", "catch", "synchronized", "return", "throw", "try", "case", "assert", "do", "else",
		"instanceof", "this", "super", "new":
		return false
	case "yield":
		if s.src[at-1] != '.' {
			return false
		}
	}
	switch string(s.lastWord(at)) {
	case "case", "instanceof": // the pattern of a record
		return false
	}
	return true
}
