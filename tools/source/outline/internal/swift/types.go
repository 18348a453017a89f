package swift

import (
	"github.com/dougu-go/dougu/tools/source/outline/internal/engine"
	"github.com/dougu-go/dougu/tools/source/outline/internal/lex"
)

// typeEnd is the index after the type that begins with an index; ok is false if
// there is none.
func (s *scanner) typeEnd(i int) (end int, ok bool) {
	for {
		switch i = s.specifiers(i); s.Tokens[i].Kind {
		case engine.Word, engine.Value: // a value: <4, Int>
			i++
		case engine.LeftParen, engine.LeftBracket:
			i = s.Skip(i)
		default:
			return i, false
		}
		i = s.typeSuffix(i)
		if s.Is(i, engine.Infix) && s.IsByte(i, '&') {
			i++
			continue
		}
		if s.Is(i-1, engine.RightParen) {
			i = s.effects(i)
		}
		if !s.Is(i, engine.Arrow) {
			return i, true
		}
		i++
	}
}

// types is the index after types with commas between them.
func (s *scanner) types(i int) int {
	for {
		if i, _ = s.typeEnd(i); !s.Is(i, engine.Comma) {
			return i
		}
		i++
	}
}

// specifiers is the index after the words before a type: attributes, some,
// inout ….
func (s *scanner) specifiers(i int) int {
	for {
		switch t := &s.Tokens[i]; {
		case t.Kind == engine.At:
			i = s.attributeEnd(i, false)
		case s.first(i) == '~':
			i++
		case t.Kind == engine.Word && !t.Has(engine.Quoted) && specifier(string(s.Bytes(i))) && s.typeFollows(i+1):
			i++
			if s.IsText(i-1, "nonisolated") && s.Is(i, engine.LeftParen) && s.IsText(i+1, "nonsending") {
				i = s.Skip(i)
			}
		default:
			return i
		}
	}
}

// typeFollows reports whether a type continues in the same line at an index.
func (s *scanner) typeFollows(i int) bool {
	switch s.Tokens[i].Kind {
	case engine.At, engine.LeftParen, engine.LeftBracket, engine.Word:
		return !s.Newline(i)
	}
	return s.first(i) == '~' && !s.Newline(i)
}

func specifier(text string) bool {
	switch text {
	case "some", "any", "inout", "each", "repeat", "borrowing", "consuming", "isolated", "sending", "nonisolated",
		"__owned", "__shared", "_const", "unowned", "weak":
		return true
	}
	return false
}

// typeSuffix is the index after the direct continuation of a type.
func (s *scanner) typeSuffix(i int) int {
	for {
		switch t := &s.Tokens[i]; {
		case t.Has(engine.Newline):
			return i
		case t.Kind == engine.Dot:
			if i++; s.Is(i, engine.Word) {
				i++
			}
		case s.first(i) == '<':
			i = s.angles(i)
		case !t.Has(engine.Spaced) && (s.first(i) == '?' || s.first(i) == '!'):
			if t.End > t.Start+1 && s.Src[t.End-1] == '=' {
				t.Start, t.Kind = t.End-1, engine.Assign // var a: Int?=nil
				return i
			}
			i++
		case s.IsText(i, "..."):
			i++
		default:
			return i
		}
	}
}

// effects is the index after async, throws, throws(E) and rethrows.
func (s *scanner) effects(i int) int {
	for s.isWord(i, wordAsync) || s.isWord(i, wordThrows) {
		if i++; s.isWord(i-1, wordThrows) && s.Is(i, engine.LeftParen) {
			i = s.Skip(i)
		}
	}
	return i
}

// angles is the index after the type parameters or arguments that begin with the <
// with an index.
func (s *scanner) angles(i int) int {
	for start, depth := i, 0; ; {
		switch t := &s.Tokens[i]; {
		case t.Kind == engine.End, t.Kind == engine.LeftBrace, t.Kind == engine.Semicolon, t.Kind.Closes():
			s.Unsure(int(s.Tokens[start].Start), "type arguments are not closed")
			return i
		case s.first(i) == '<':
			depth++
		case s.first(i) == '>':
			if depth--; depth == 0 {
				if i++; s.Is(i, engine.Infix) && s.IsByte(i, '=') && !s.Tokens[i].Has(engine.Spaced) {
					s.Tokens[i].Kind = engine.Assign // var a: [Int]=…
				}
				return i
			}
		}
		i = s.Skip(i)
	}
}

// requirements is the index after a where clause, if there is one.
func (s *scanner) requirements(i int) int {
	if !s.isWord(i, wordWhere) {
		return i
	}
	for {
		end, ok := s.typeEnd(i + 1)
		if i = end; !ok {
			return i
		}
		if s.Is(i, engine.Colon) || s.IsText(i, "==") {
			i, _ = s.typeEnd(i + 1)
		}
		if !s.Is(i, engine.Comma) {
			return i
		}
	}
}

// attributeEnd is the index after the attribute that begins with an index. Among
// statements a blank may stand before its arguments.
func (s *scanner) attributeEnd(i int, blank bool) int {
	if i++; !s.Is(i, engine.Word) || s.Tokens[i].Has(engine.Spaced) {
		return i
	}
	for i++; s.Is(i, engine.Dot) && !s.Tokens[i].Has(engine.Spaced); {
		if i++; s.Is(i, engine.Word) {
			i++
		}
	}
	if s.first(i) == '<' && !s.Tokens[i].Has(engine.Spaced) {
		i = s.angles(i)
	}
	if s.Is(i, engine.LeftParen) && (!s.Tokens[i].Has(engine.Spaced) || blank && !s.Newline(i)) {
		i = s.Skip(i)
	}
	return i
}

// These bound how far typeArguments looks, so that it stays linear.
const (
	maxTypeArguments = 150
	maxArgumentDepth = 12
)

// typeArguments is the index after the type arguments <…> that begin with an index,
// or 0 if that is rather an operator.
func (s *scanner) typeArguments(from int) int {
	depth, brackets := 0, 0
	for i := from; i < from+maxTypeArguments; i++ {
		switch t := &s.Tokens[i]; t.Kind {
		case engine.Word, engine.Dot, engine.Comma, engine.Colon, engine.At, engine.Arrow:
		case engine.Value:
			if lex.Class[s.Src[t.Start]] != lex.Digit {
				return 0
			}
		case engine.LeftParen, engine.LeftBracket:
			brackets++
		case engine.RightParen, engine.RightBracket:
			if brackets--; brackets < 0 {
				return 0
			}
		case engine.Infix, engine.Prefix, engine.Postfix:
			switch s.Src[t.Start] {
			case '<':
				if depth++; depth > maxArgumentDepth {
					return 0
				}
			case '>':
				if depth--; depth == 0 {
					if brackets != 0 || !s.afterArguments(t.End) {
						return 0
					}
					t.Kind = engine.Postfix
					return i + 1
				}
			case '.', '?', '!', '&', '~', '-':
			default:
				return 0
			}
		default:
			return 0
		}
	}
	return 0
}

// afterArguments reports whether the token at a position may follow type arguments.
func (s *scanner) afterArguments(at int32) bool {
	if int(at) == len(s.Src) {
		return true
	}
	switch s.Src[at] {
	case '(', ')', ']', '}', '{', '.', ',', ';', ':', '?', '!', '\n', '\r', ' ', '=', '>':
		return true
	}
	return false
}
