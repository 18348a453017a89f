package script

import "bytes"

// template reads a template literal, or the type that looks like one, from its
// first back-quote on.
func (s *scanner) template(ofTypes bool) {
	if !s.enter() {
		return
	}
	at := s.tok.start + 1
	for {
		n := bytes.IndexAny(s.src[at:], "`\\$")
		if n < 0 {
			s.doubt("a template is not closed")
			s.stop()
			break
		}
		at += n
		switch c := s.src[at]; {
		case c == '`':
			s.tok.end = at + 1
			s.next()
			s.depth--
			return
		case c == '\\':
			at = min(at+2, len(s.src))
		case at+1 < len(s.src) && s.src[at+1] == '{':
			s.tok.end = at + 2
			s.next()
			if ofTypes {
				s.typ(0)
			} else {
				s.expression(comma)
			}
			if !s.is('}') {
				s.doubt("an expression in a template is not closed")
				s.depth--
				return
			}
			at = s.tok.end
		default:
			at++
		}
	}
	s.depth--
}

// regexp reads a regular expression from the slash on that is looked at.
func (s *scanner) regexp() {
	src, at, set := s.src, s.tok.start+1, false
	if src[s.tok.start] != '/' {
		s.doubt("there is no operand")
		s.next()
		return
	}
	for ; at < len(src) && src[at] != '\n' && (set || src[at] != '/'); at++ {
		switch src[at] {
		case '\\':
			at++
		case '[':
			set = true
		case ']':
			set = false
		}
	}
	if at >= len(src) || src[at] != '/' {
		s.doubt("a regular expression is not closed")
		s.next()
		return
	}
	s.tok.end = identifier(src, at+1)
	s.next()
}

// element reads an element of JSX from "<" on, and stops at its last ">".
func (s *scanner) element() {
	if !s.enter() {
		return
	}
	s.next()
	if !s.tag() {
		s.children()
	}
	s.depth--
}

// tag reads the rest of an opening tag up to its ">", and says whether it is a
// closing one as well.
func (s *scanner) tag() (alone bool) {
	for {
		switch k := s.tok.kind; {
		case k == '>':
			return false
		case k == '/':
			if s.next(); !s.is('>') {
				s.doubt("a tag is not closed")
			}
			return true
		case k == '{':
			s.braces()
			s.next()
		case k == '=':
			s.attribute()
		case k == '<':
			s.angles()
		case k.names(), k == '-', k == ':', k == '.', k == number, k == step:
			s.next()
		default:
			s.doubt("a tag is not understood")
			return true
		}
	}
}

// attribute reads the value of an attribute from "=" on. A string there has no
// escapes.
func (s *scanner) attribute() {
	for at := s.tok.end; at < len(s.src); at++ {
		switch c := s.src[at]; {
		case lead[c] == leadSpace || lead[c] == leadFeed:
			continue
		case c == '"' || c == '\'':
			n := bytes.IndexByte(s.src[at+1:], c)
			if n < 0 {
				s.doubt("an attribute is not closed")
				s.stop()
				return
			}
			s.tok.end = at + 1 + n + 1
			s.next()
			return
		}
		break
	}
	switch s.next(); s.tok.kind {
	case '{':
		s.braces()
		s.next()
	case '<':
		s.element()
		s.next()
	default:
		s.doubt("an attribute has no value")
	}
}

// braces reads { expression } and stops at the closing one.
func (s *scanner) braces() {
	s.next()
	if s.accept(ellipsis); !s.is('}') {
		s.expression(comma)
	}
	if !s.is('}') {
		s.doubt("an expression in JSX is not closed")
	}
}

// children reads the text between two tags, and the closing tag up to its ">".
func (s *scanner) children() {
	at := s.tok.end
	for {
		n := bytes.IndexAny(s.src[min(at, len(s.src)):], "{<")
		if n < 0 {
			s.doubt("an element is not closed")
			s.stop()
			return
		}
		at += n
		s.tok.end = at
		switch s.next(); s.tok.kind {
		case '{':
			s.braces()
		case '<':
			if s.ahead() == '/' {
				s.closing()
				return
			}
			s.element()
		}
		if s.is(end) {
			return
		}
		at = s.tok.end
	}
}

// closing reads </name> up to its ">".
func (s *scanner) closing() {
	for s.next(); !s.is('>'); s.next() {
		switch k := s.tok.kind; {
		case k.names(), k == '/', k == '-', k == ':', k == '.', k == number, k == step:
		default:
			s.doubt("a closing tag is not understood")
			return
		}
	}
}
