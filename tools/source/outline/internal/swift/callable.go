package swift

import (
	"github.com/dougu-go/dougu/tools/source"
	"github.com/dougu-go/dougu/tools/source/outline/internal/engine"
	"github.com/dougu-go/dougu/tools/source/outline/internal/lex"
)

// function reads a function after its func.
func (s *scanner) function(in scope, h head) {
	kind, name := source.Function, s.At
	if in.typed() {
		kind = source.Method
	}
	if s.is(engine.Word) {
		i := s.add(kind, h, name)
		s.At++
		s.callable(i, false)
		return
	}
	if s.At = s.operatorEnd(name); s.At == name || s.Is(name, engine.Assign) || s.Is(name, engine.Arrow) {
		if s.At = name; in != code {
			s.MarkUnsure("a function has no name")
		}
		return
	}
	s.callable(s.addOperator(h, name), true)
}

// operatorEnd is the index after the operator that begins with an index. Type
// parameters are none of it: func ==<T>(…) has the name ==.
func (s *scanner) operatorEnd(i int) int {
	for from := i; ; i++ {
		t := &s.Tokens[i]
		switch t.Kind {
		case engine.Infix, engine.Prefix, engine.Postfix, engine.Assign, engine.Arrow:
		default:
			return i
		}
		if i > from && (t.Has(engine.Spaced) || s.IsByte(i, '<') && s.Is(i+1, engine.Word) && !s.Tokens[i+1].Has(engine.Spaced)) {
			return i
		}
	}
}

// addOperator makes a chunk of the operator from an index to the token at hand.
func (s *scanner) addOperator(h head, name int) int {
	return s.Add(source.Operator, h.first, h.sig, lex.Text(s.Src[s.Tokens[name].Start:s.Tokens[s.At-1].End]), name)
}

// special reads init, deinit and subscript.
func (s *scanner) special(h head, kw int) {
	kind := source.Initializer
	switch s.Tokens[kw].Word {
	case wordDeinit:
		kind = source.Deinitializer
	case wordSubscript:
		kind = source.Subscript
	}
	i := s.add(kind, h, kw)
	if b := s.first(s.At); kind == source.Initializer && (b == '?' || b == '!') {
		s.At++
	}
	s.callable(i, kind == source.Subscript)
}

// callable reads a callable after its name. A bare parameter of subscripts and
// operators has no label.
func (s *scanner) callable(i int, bare bool) {
	s.within(i, func() {
		s.generic()
		kind := s.B.Chunk(i).Kind
		if s.is(engine.LeftParen) {
			labels := s.parameters(bare)
			s.B.Chunk(i).Labels = labels
		} else if kind != source.Deinitializer {
			s.MarkUnsure("there are no parameters")
		}
		if s.At = s.effects(s.At); s.is(engine.Arrow) {
			s.At, _ = s.typeEnd(s.At + 1)
		}
		switch s.At = s.requirements(s.At); {
		case kind == source.Macro && s.is(engine.Assign):
			s.Body(i, s.At)
			s.At++
			s.value()
		case !s.is(engine.LeftBrace) || kind == source.Macro:
		case kind == source.Subscript:
			s.accessors(i)
		default:
			s.Body(i, s.At)
			s.block(code)
		}
	})
}

// parameters reads a list of parameters and returns its labels.
func (s *scanner) parameters(bare bool) string {
	end, after := s.Group(s.At)
	labels := []byte{'('}
	for s.At++; s.At < end; s.At++ {
		labels = s.parameter(labels, bare, end)
	}
	s.At = after
	return lex.Text(append(labels, ')'))
}

// parameter reads one parameter up to its comma and appends its label.
func (s *scanner) parameter(labels []byte, bare bool, end int) []byte {
	for s.At < end && s.is(engine.At) {
		s.attribute(false)
	}
	label := s.At
	for s.is(engine.Word) {
		s.At++
	}
	if s.At > label && s.is(engine.Colon) {
		if s.At == label+1 && bare {
			labels = append(labels, '_')
		} else {
			labels = append(labels, s.Name(label)...)
		}
		labels = append(labels, ':')
		s.At, _ = s.typeEnd(s.At + 1)
	} else {
		s.MarkUnsure("a parameter has no name or no type")
	}
	condition := false
	for s.At < end && !s.is(engine.Comma) {
		s.element(&condition)
	}
	return labels
}

// macro reads the declaration of a macro after its word.
func (s *scanner) macro(h head) {
	i := s.add(source.Macro, h, s.At)
	s.At++
	s.callable(i, false)
}

// operator reads the declaration of an operator after its word.
func (s *scanner) operator(h head) {
	name := s.At
	if s.At = s.operatorEnd(name); s.At == name {
		s.MarkUnsure("an operator has no name")
		return
	}
	i := s.addOperator(h, name)
	if s.is(engine.Colon) {
		for s.At++; s.is(engine.Word); s.At++ {
			if last := s.Tokens[s.At-1].Kind; s.Newline(s.At) && last != engine.Comma && last != engine.Colon {
				break
			}
			if s.Is(s.At+1, engine.Comma) {
				s.At++
			}
		}
	}
	if s.is(engine.LeftBrace) {
		s.Body(i, s.At)
		s.block(code)
	}
	s.Close(i)
}
