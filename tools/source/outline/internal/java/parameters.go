package java

import (
	"bytes"

	"github.com/dougu-go/dougu/tools/source"
	"github.com/dougu-go/dougu/tools/source/outline/internal/lex"
)

// parameter is a parameter of a method, or a component of a record.
type parameter struct {
	start, typ, typEnd int
	name, nameEnd      int
	end                int  // after the array brackets that follow the name
	variadic           bool // the type ends with "..."
}

// parameter reads the parameter at a position; next is the token behind it.
func (s *scanner) parameter(at int) (p parameter, next int, ok bool) {
	p.start = s.gap(at)
	_, p.typ = s.modifiers(p.start)
	if p.typEnd, ok = s.typ(p.typ); !ok {
		return p, p.typ, false
	}
	at = s.annotations(p.typEnd)
	if s.byteAt(at) == '.' && s.byteAt(at+1) == '.' && s.byteAt(at+2) == '.' {
		p.variadic = true
		at = s.gap(at + 3)
	}
	p.name, p.nameEnd = at, s.word(at)
	if c := s.byteAt(p.nameEnd); c == ',' || c == ')' {
		p.end = p.nameEnd
		return p, p.end, p.nameEnd > p.name && s.letter(p.name)
	}
	p.nameEnd = s.qualified(at) // a receiver may be called Outer.this
	p.end = s.dims(p.nameEnd)
	return p, s.gap(p.end), p.nameEnd > p.name
}

// parameters reads the parameters of a method. Their types are its label.
func (s *scanner) parameters(open int) (labels string, end int) {
	at := s.gap(open + 1)
	if s.byteAt(at) == ')' {
		return "()", at + 1
	}
	from := len(s.labels)
	s.labels = append(s.labels, '(')
	for {
		p, next, ok := s.parameter(at)
		if !ok {
			break
		}
		if !bytes.HasSuffix(s.src[p.name:p.nameEnd], []byte("this")) {
			s.label(p, from)
		}
		switch s.byteAt(next) {
		case ',':
			at = next + 1
			continue
		case ')':
			s.labels = append(s.labels, ')')
			return lex.Text(s.labels[from:]), next + 1
		}
		break
	}
	s.unsure(at, "parameters that are not understood")
	s.labels = append(s.labels, ')')
	return lex.Text(s.labels[from:]), s.balanced(open)
}

// label adds the type of a parameter to the labels that begin at a position.
func (s *scanner) label(p parameter, from int) {
	if len(s.labels) > from+1 {
		s.labels = append(s.labels, ',')
	}
	s.labels = s.compact(s.labels, p.typ, p.typEnd)
	if p.end > p.nameEnd {
		s.labels = s.compact(s.labels, p.nameEnd, p.end)
	}
	if p.variadic {
		s.labels = append(s.labels, "..."...)
	}
}

// compact appends text without comments, annotations and the blanks that it can be
// read without.
func (s *scanner) compact(dst []byte, at, end int) []byte {
	plain := at
	for plain < end && s.src[plain] > ' ' && s.src[plain] != '/' && s.src[plain] != '@' {
		plain++
	}
	if plain == end {
		return append(dst, s.src[at:end]...)
	}
	for at < end {
		c := s.src[at]
		next := s.gap(at)
		if c == '@' {
			next = s.annotation(at)
		}
		if next > at {
			at = next
			if n := len(dst); n > 0 && at < end && s.letter(at) && (lex.Class[dst[n-1]] != 0 || dst[n-1] == '?') {
				dst = append(dst, ' ')
			}
			continue
		}
		dst = append(dst, c)
		at++
	}
	return dst
}

// components reads the components of a record, each of which is a property.
func (s *scanner) components(open int, in scope) (end int) {
	at := s.gap(open + 1)
	if s.byteAt(at) == ')' {
		return at + 1
	}
	for {
		p, next, ok := s.parameter(at)
		if !ok {
			break
		}
		s.close(s.add(source.Property, p.start, p.typ, p.name, p.nameEnd, in), p.end)
		switch s.byteAt(next) {
		case ',':
			at = next + 1
			continue
		case ')':
			return next + 1
		}
		break
	}
	s.unsure(at, "components that are not understood")
	return s.balanced(open)
}
