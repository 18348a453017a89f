package swift

import (
	"bytes"
	"strings"

	"github.com/dougu-go/dougu/tools/source"
	"github.com/dougu-go/dougu/tools/source/outline/internal/engine"
)

// variables reads the declarations that one let or var introduces. Local ones are
// noted only if they are closures.
func (s *scanner) variables(in scope, h head, word uint8) {
	for s.variable(in, h, word) && s.is(engine.Comma) {
		s.At++
		h = head{s.At, s.At}
	}
}

// variable reads one of them. It is false if the rest is left to be read as
// statements.
func (s *scanner) variable(in scope, h head, word uint8) bool {
	var room [4]int
	names, ok := s.names(room[:0])
	if !ok {
		if in != code {
			s.MarkUnsure("a variable has no name")
		}
		return false
	}
	if s.is(engine.Colon) {
		s.At, _ = s.typeEnd(s.At + 1)
	}
	equals, chunk := -1, -1
	if s.is(engine.Assign) {
		equals = s.At
		s.At++
	}
	var chunks []int
	closure := equals >= 0 && len(names) == 1 && s.closure()
	switch {
	case closure:
		chunk = s.add(source.Lambda, h, names[0])
		s.Body(chunk, s.At)
		s.within(chunk, func() { s.block(code) })
		chunks = append(chunks, chunk)
	case in == code && equals >= 0:
		return false
	case in != code:
		chunks = s.values(names, h, valueKind(in, word))
		if len(chunks) > 0 {
			chunk = chunks[0]
		}
	}
	if equals >= 0 && !closure {
		end := s.expression(s.At)
		if s.is(engine.LeftBrace) && len(chunks) == 1 { // a closure that is called at once
			s.within(chunk, func() { s.block(code) })
		}
		s.elements(end)
	}
	if s.is(engine.LeftBrace) && (equals < 0 || s.accessorsFollow(s.At)) {
		if chunk < 0 {
			s.accessors(chunk)
		} else {
			s.within(chunk, func() { s.accessors(chunk) })
		}
	}
	for _, i := range chunks {
		if s.Close(i); equals >= 0 {
			s.shorten(s.B.Chunk(i), int(s.Tokens[equals].Start))
		}
	}
	return true
}

// values makes the chunks of the names of one pattern. The first has the
// documentation.
func (s *scanner) values(names []int, h head, kind source.Kind) (chunks []int) {
	for n, name := range names {
		i := s.add(kind, h, name)
		if c := s.B.Chunk(i); n > 0 {
			c.Doc, c.DocEnd = 0, 0
		}
		chunks = append(chunks, i)
	}
	return chunks
}

// shorten leaves a value out of the signature that is code or has several lines.
func (s *scanner) shorten(c *source.Chunk, equals int) {
	end := int(c.End)
	if c.Body > 0 {
		end = max(equals, int(c.Body))
	}
	if c.Kind != source.Lambda && bytes.IndexByte(s.Src[equals:end], '\n') < 0 {
		return
	}
	if text := string(s.Src[c.Sig:equals]); len(text) <= source.MaxSignature {
		c.Signature = strings.Join(strings.Fields(text), " ")
	}
}

// closure reports whether a value is a closure, and neither called at once nor an
// operand of something.
func (s *scanner) closure() bool {
	if !s.is(engine.LeftBrace) {
		return false
	}
	i := s.Skip(s.At)
	if s.Newline(i) && !s.goesOn(i) {
		return true
	}
	switch k := s.Tokens[i].Kind; k {
	case engine.End, engine.Comma, engine.Semicolon:
		return true
	case engine.LeftBrace:
		return s.accessorsFollow(i)
	default:
		return k.Closes()
	}
}

// names reads the pattern of a variable: a name or a tuple of them.
func (s *scanner) names(names []int) ([]int, bool) {
	switch s.Tok().Kind {
	case engine.Word:
		if !s.IsText(s.At, "_") {
			names = append(names, s.At)
		}
		s.At++
		return names, true
	case engine.LeftParen:
		end := s.Skip(s.At)
		for ; s.At < end; s.At++ {
			switch s.Tok().Kind {
			case engine.Word:
				if !s.Is(s.At+1, engine.Colon) && !s.IsText(s.At, "_") {
					names = append(names, s.At)
				}
			case engine.Comma, engine.Colon, engine.LeftParen, engine.RightParen:
			default:
				return nil, false
			}
		}
		return names, true
	}
	return nil, false
}

func valueKind(in scope, word uint8) source.Kind {
	switch {
	case in != file:
		return source.Property
	case word == wordLet:
		return source.Constant
	}
	return source.Variable
}

// accessors reads the braces of a computed or observed property or of a subscript,
// whose chunk has this number unless it is negative.
func (s *scanner) accessors(i int) {
	body := s.At
	if !s.accessorsFollow(body) {
		if i >= 0 {
			s.Body(i, body)
		}
		s.block(code)
		return
	}
	end, after := s.Group(body)
	bodies := false
	for s.At++; s.At < end; {
		if !s.accessor(&bodies) {
			s.MarkUnsure("this is no accessor")
			s.statements(end, code)
		}
	}
	if bodies && i >= 0 {
		s.Body(i, body)
	}
	s.At = after
}

// accessor reads one accessor, which is a chunk if it has a body.
func (s *scanner) accessor(bodies *bool) bool {
	h := none
	for s.is(engine.At) {
		s.begin(&h)
		s.attribute(false)
	}
	s.modified(&h)
	name := s.accessorWord(s.At)
	if s.At = name; !s.isAccessor(name) {
		return false
	}
	if s.At++; s.is(engine.LeftParen) {
		s.bracket()
	}
	s.At = s.effects(s.At)
	for s.IsText(s.At, "initializes") || s.IsText(s.At, "accesses") {
		if s.At++; s.is(engine.LeftParen) {
			s.bracket()
		}
	}
	if s.is(engine.LeftBrace) {
		*bodies = true
		i := s.add(source.Accessor, h, name)
		s.Body(i, s.At)
		s.within(i, func() { s.block(code) })
	}
	return true
}

// accessorWord is the index after the modifiers of an accessor.
func (s *scanner) accessorWord(i int) int {
	for s.isWord(i, wordModifier) || s.IsText(i, "yielding") {
		i++
	}
	return i
}

// accessorsFollow reports whether the brace with an index begins a list of
// accessors, not a closure or the body of a getter.
func (s *scanner) accessorsFollow(i int) bool {
	i++
	for s.Is(i, engine.At) {
		i = s.attributeEnd(i, false)
	}
	if i = s.accessorWord(i); !s.isAccessor(i) {
		return false
	}
	next := &s.Tokens[i+1]
	switch next.Kind {
	case engine.LeftBrace, engine.RightBrace, engine.At:
		return true
	case engine.LeftParen:
		return takesName(string(s.Bytes(i))) && s.Is(i+2, engine.Word) && s.Is(i+3, engine.RightParen) && s.Is(i+4, engine.LeftBrace)
	}
	return next.Word == wordAsync || next.Word == wordThrows || next.Word == wordModifier || s.isAccessor(i+1)
}

// isAccessor reports whether a token names an accessor. There are experiments with
// more names, read and modify, which belong to functions rather.
func (s *scanner) isAccessor(i int) bool {
	if !s.Is(i, engine.Word) {
		return false
	}
	switch text := string(s.Bytes(i)); text {
	case "get", "_read", "_modify", "unsafeAddress", "unsafeMutableAddress", "borrow", "mutate":
		return true
	default:
		return takesName(text)
	}
}

// takesName reports whether an accessor may have a name in parentheses.
func takesName(text string) bool {
	switch text {
	case "set", "willSet", "didSet", "init":
		return true
	}
	return false
}
