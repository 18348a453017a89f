package gosource

import (
	"github.com/dougu-go/dougu/tools/source"
	"github.com/dougu-go/dougu/tools/source/outline/internal/lex"
)

// values reads the names, the type and the values of variables or constants.
func (s *scanner) values(constant bool, decl int) {
	from := len(s.spans)
	doc, docEnd := s.docs.Before(s.src, decl)
	for s.doubt == nil {
		name := s.identifier()
		if name.from == name.to {
			s.unsure("a variable has no name")
			return
		}
		s.spans = append(s.spans, name)
		s.skip(false)
		if s.peek() != ',' {
			break
		}
		s.at++
		s.skip(true)
	}
	names := s.spans[from:len(s.spans):len(s.spans)]
	kind := source.Variable
	if constant {
		kind = source.Constant
	}
	first := int32(len(s.found))
	at := len(s.numbers)
	for _, name := range names {
		n := s.add(source.Chunk{Kind: kind, Doc: int32(doc), DocEnd: int32(docEnd)}, decl, name, false)
		s.numbers = append(s.numbers, n)
	}
	s.varType()
	if s.peek() == '=' {
		s.at++
		s.last, s.end = define, s.at
		chunks := s.numbers[at:len(s.numbers):len(s.numbers)]
		s.pending = append(s.pending, binding{decl: decl, names: names, chunks: chunks, depth: s.depth + 1, values: true, literal: -1})
		s.within(s.parent, true, s.expression)
	}
	for i := range names {
		s.conclude(first+int32(i), string(s.text(names[i])), kind)
	}
}

// conclude sets the kind of a variable after its value was read.
func (s *scanner) conclude(n int32, name string, kind source.Kind) {
	f := &s.found[n]
	f.End = int32(s.end)
	literal := f.Body > 0 && !f.dropped
	f.dropped = false
	if literal {
		f.Kind = source.Lambda
	} else {
		// The declarations within it belong to the enclosing chunk.
		f.Kind, f.Body = kind, 0
		for i := n + 1; i < int32(len(s.found)); i++ {
			if s.found[i].Parent == n {
				s.found[i].Parent = f.Parent
			}
		}
	}
	if name == "_" || s.local && !literal {
		f.dropped = true
	}
}

// varType passes over the type of variables, up to the "=" or the end of the
// statement.
func (s *scanner) varType() {
	for s.doubt == nil && s.at < len(s.src) {
		at := s.at
		if s.skip(false) {
			if s.last == operand {
				s.at = at
				return
			}
			s.at++
			continue
		}
		switch c := s.peek(); {
		case s.at >= len(s.src), c == '=', c == ';', c == ')', c == '}':
			return
		case c == '(' || c == '[' || c == '{':
			s.bracket(closing(c))
		case lex.Class[c] == lex.Letter:
			if string(s.text(s.identifier())) == "interface" {
				s.methods()
			}
		default:
			s.at++
			s.last, s.end = operator, s.at
		}
	}
}
