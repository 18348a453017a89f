package kotlin

import (
	"github.com/dougu-go/dougu/tools/source"
	"github.com/dougu-go/dougu/tools/source/outline/internal/engine"
	"github.com/dougu-go/dougu/tools/source/outline/internal/lex"
)

// declared is the name of a function or property and its receiver.
type declared struct {
	name      int    // its index, -1 if there is none
	receiver  string // the receiver type without type arguments; "" if it is not a named one
	extension bool
}

// declared reads a receiver type, if there is one, and the name after it, from an
// index on. An anonymous function has no name, nor has a destructuring declaration.
func (s *scanner) declared(i int) (d declared, end int) {
	var text []byte
	for {
		i = s.annotations(i)
		switch {
		case s.Is(i, engine.LeftParen):
			i = s.Skip(i)
			d.name, text = -1, nil
		case !s.Is(i, engine.Word):
			d.name = -1
			return d, i
		default:
			d.name = i
			text = append(text, s.Name(i)...)
			if i++; s.IsByte(i, '<') {
				i = s.angles(i)
			}
		}
		for s.IsByte(i, '?') {
			i++
		}
		if !s.Is(i, engine.Dot) {
			return d, i
		}
		d.extension, d.receiver = true, string(text)
		text = append(text, '.')
		i++
	}
}

// function reads the declaration that the word fun introduces. Of an anonymous function that is
// all up to the type of its result: the rest is code like any other.
func (s *scanner) function(where scope) {
	p := s.take()
	if s.At++; s.isWord(s.At, wordInterface) {
		s.class(p, wordInterface)
		return
	}
	if s.IsByte(s.At, '<') {
		s.At = s.angles(s.At)
	}
	start := s.At
	d, end := s.declared(start)
	if d.name < 0 || !s.Is(end, engine.LeftParen) {
		if where == inType {
			s.Unsure(int(s.Tokens[end].Start), "a function has no name")
		}
		if s.At = start; s.is(engine.LeftParen) {
			s.group(inBrackets)
		}
		if s.At = max(s.At, end); s.is(engine.Colon) && s.Is(s.At-1, engine.RightParen) {
			s.At = s.typeEnd(s.At + 1)
		}
		return
	}
	kind := source.Function
	switch {
	case p.has(wordOperator):
		kind = source.Operator
	case where == inType, d.extension && s.Parent < 0:
		kind = source.Method
	}
	f := s.add(kind, p, d.name)
	if d.extension && s.Parent < 0 {
		s.B.Chunk(f).Container = d.receiver
	}
	s.At = end
	s.callable(f)
}

// callable reads a function, constructor or accessor from its parameters to its end.
func (s *scanner) callable(f int) {
	before := s.Within(f, true)
	labels := s.parameters(false)
	s.B.Chunk(f).Labels = labels
	switch {
	case !s.is(engine.Colon):
	case s.B.Chunk(f).Kind == source.Initializer: // the constructor that is called before
		if s.At++; s.is(engine.Word) {
			s.At++
		}
		if s.is(engine.LeftParen) {
			s.group(inBrackets)
		}
	default:
		s.At = s.typeEnd(s.At + 1)
	}
	s.At = s.constraints(s.At)
	s.body(f)
	s.Close(f)
	s.Context = before
}

// body reads the body of a chunk, if there is one.
func (s *scanner) body(chunk int) {
	at := s.At
	switch {
	case s.is(engine.LeftBrace):
		s.group(inCode)
	case s.is(engine.Assign) && s.B.Chunk(chunk).Kind != source.Initializer:
		s.value()
	default:
		return
	}
	s.Body(chunk, at)
}

// value reads the expression behind the token at hand.
func (s *scanner) value() {
	s.At++
	s.within(s.expression(s.At, false), inBrackets)
}

// constructor reads a secondary constructor.
func (s *scanner) constructor() {
	c := s.add(source.Initializer, s.take(), s.At)
	s.At++
	s.callable(c)
}

// initializer reads an init block.
func (s *scanner) initializer() {
	c := s.add(source.Initializer, s.take(), s.At)
	s.At++
	before := s.Within(c, true)
	s.body(c)
	s.Close(c)
	s.Context = before
}

// parameters reads a list of parameters and returns their types. The parameters of a primary
// constructor may declare properties.
func (s *scanner) parameters(primary bool) string {
	end, after := s.Group(s.At)
	labels := []byte{'('}
	for s.At++; s.At < end; {
		if typ, typEnd := s.parameter(primary, end); typ < typEnd {
			if len(labels) > 1 {
				labels = append(labels, ',')
			}
			labels = s.AppendPlain(labels, typ, typEnd)
		}
		if s.At < end && !s.is(engine.Comma) {
			s.MarkUnsure("the parameters cannot be read")
			break
		}
		s.At++
	}
	s.At = after
	return lex.Text(append(labels, ')'))
}

// parameter reads a parameter and returns where its type is.
func (s *scanner) parameter(primary bool, end int) (typ, typEnd int) {
	first, sig, property, name := s.At, -1, false, -1
	for s.At < end && name < 0 {
		if s.is(engine.At) {
			s.At = s.annotation(s.At)
			continue
		}
		if !s.is(engine.Word) {
			break
		}
		if sig < 0 {
			sig = s.At
		}
		switch s.Tokens[s.At+1].Kind {
		case engine.Colon, engine.RightParen, engine.Comma, engine.Assign:
			name = s.At
		}
		property = property || primary && name < 0 && s.isWord(s.At, wordVal)
		s.At++
	}
	if name >= 0 && s.is(engine.Colon) {
		typ = s.annotations(s.At + 1)
		typEnd = s.typeEnd(typ)
		s.At = typEnd
	}
	if name < 0 || s.is(engine.Assign) {
		s.within(s.argument(s.At, end), inBrackets)
	}
	if property && name >= 0 {
		s.Close(s.Add(source.Property, first, sig, s.Name(name), name))
	}
	return typ, typEnd
}

// argument is the index of the comma behind an expression within brackets that
// end with an index, or that index.
func (s *scanner) argument(i, end int) int {
	for i < end && !s.Is(i, engine.Comma) {
		if s.IsByte(i, '<') { // the comma within type arguments does not end an argument
			if after, ok := s.typeArguments(i); ok {
				i = after
				continue
			}
		}
		i = s.Skip(i)
	}
	return min(i, end)
}
