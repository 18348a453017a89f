package kotlin

import "github.com/dougu-go/dougu/tools/source/outline/internal/engine"

// annotation is the index after the annotation that begins with an index.
func (s *scanner) annotation(i int) int {
	if i++; s.Is(i, engine.Word) && s.Is(i+1, engine.Colon) && (s.Tokens[i+1].Flags == 0 || useSite(s.Bytes(i))) {
		i += 2
	}
	if s.Is(i, engine.LeftBracket) {
		return s.Skip(i)
	}
	if s.Is(i, engine.Word) {
		for i++; s.Is(i, engine.Dot) && s.Is(i+1, engine.Word) && !s.Tokens[i].Has(engine.Spaced); {
			i += 2
		}
	}
	name := i
	if s.IsByte(i, '<') && !s.Tokens[i].Has(engine.Spaced) {
		if i = s.angles(i); !s.Is(i, engine.LeftParen) {
			return i
		}
	}
	if s.Is(i, engine.LeftParen) && !s.Tokens[i].Has(engine.Spaced) {
		return s.Skip(i)
	}
	return name
}

// useSite reports whether an annotation may name this as its target.
func useSite(target []byte) bool {
	switch string(target) {
	case "file", "field", "property", "get", "set", "receiver", "param", "setparam", "delegate", "all":
		return true
	}
	return false
}

// annotations is the index after any annotations.
func (s *scanner) annotations(i int) int {
	for s.Is(i, engine.At) {
		i = s.annotation(i)
	}
	return i
}

// typeEnd is the index after the type that begins with an index, or that index.
func (s *scanner) typeEnd(i int) int {
	for {
		i = s.annotations(i)
		switch {
		case s.Is(i, engine.LeftParen):
			i = s.Skip(i)
		case !s.Is(i, engine.Word):
			return i
		case s.IsText(i, "suspend") && !s.Is(i-1, engine.Dot):
			i++
			continue
		case s.isWord(i, wordContext) && s.Is(i+1, engine.LeftParen):
			i = s.Skip(i + 1)
			continue
		default:
			if i++; s.IsByte(i, '<') {
				i = s.angles(i)
			}
		}
		for s.IsByte(i, '?') {
			i++
		}
		if t := &s.Tokens[i]; t.Kind == engine.Dot && s.Src[t.Start] != ':' || s.IsByte(i, '&') || t.Kind == engine.Arrow && s.Is(i-1, engine.RightParen) {
			i++
			continue
		}
		return i
	}
}

// angles is the index after the type parameters or arguments within < > that
// begin with an index.
func (s *scanner) angles(i int) int {
	for depth := 0; ; {
		switch t := &s.Tokens[i]; {
		case s.IsByte(i, '<'):
			depth++
			i++
		case s.IsByte(i, '>'):
			if i++; depth == 1 {
				return i
			}
			depth--
		case t.Kind == engine.LeftParen || t.Kind == engine.LeftBracket:
			i = s.Skip(i)
		case t.Kind == engine.At:
			i = s.annotation(i)
		case t.Kind == engine.Word, t.Kind == engine.Comma, t.Kind == engine.Dot, t.Kind == engine.Colon, t.Kind == engine.Arrow,
			s.IsByte(i, '?'), s.IsByte(i, '*'), s.IsByte(i, '&'):
			i++
		default:
			s.Unsure(int(t.Start), "type arguments cannot be read")
			return i
		}
	}
}

// typeArguments returns the index after the type arguments that begin with the < at an index. ok is
// false if the < is a comparison. Like the compiler, it prefers type arguments where both are
// possible.
func (s *scanner) typeArguments(from int) (end int, ok bool) {
	i := from
	defer func() { s.budget -= i - from }()
	if s.budget < 0 {
		s.Unsure(int(s.Tokens[i].Start), "there are too many angle brackets")
		return 0, false
	}
	depth, parens, name := 0, 0, false // name: before it there is a name that no other may follow
	for ; ; i++ {
		t := &s.Tokens[i]
		was := name
		name = false
		switch t.Kind {
		case engine.Word:
			if was {
				return 0, false
			}
			if !s.IsText(i, "in") && !s.IsText(i, "out") && !s.IsText(i, "suspend") && !s.IsText(i, "reified") {
				name = !s.Is(i-1, engine.At)
			}
		case engine.LeftParen:
			if was {
				return 0, false
			}
			parens++
		case engine.RightParen:
			if parens--; parens < 0 {
				return 0, false
			}
		case engine.Colon:
			if parens == 0 {
				return 0, false
			}
		case engine.Comma, engine.Dot, engine.Arrow, engine.At:
		case engine.Infix:
			if t.End != t.Start+1 {
				return 0, false
			}
			switch s.Src[t.Start] {
			case '<':
				depth++
			case '>':
				if depth--; depth == 0 {
					return i + 1, parens == 0
				}
			case '?', '*', '&':
			default:
				return 0, false
			}
		default:
			return 0, false
		}
	}
}

// constraints is the index after a where clause, if there is one.
func (s *scanner) constraints(i int) int {
	if !s.isWord(i, wordWhere) {
		return i
	}
	for {
		i = s.annotations(i + 1)
		if s.Is(i, engine.Word) && s.Is(i+1, engine.Colon) {
			i = s.typeEnd(i + 2)
		}
		if !s.Is(i, engine.Comma) {
			return i
		}
	}
}

// supertypes is the index after the types behind the colon of a class, of which
// the first begins with an index.
func (s *scanner) supertypes(i int) int {
	for {
		start := i
		if i = s.typeEnd(i); i == start {
			return i
		}
		switch {
		case s.Is(i, engine.LeftParen):
			i = s.Skip(i)
		case s.isWord(i, wordBy):
			i = s.expression(i+1, true)
		}
		if !s.Is(i, engine.Comma) {
			return i
		}
		i++
	}
}
