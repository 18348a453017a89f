package kotlin

import "github.com/dougu-go/dougu/tools/source/outline/internal/lex"

// scope is where tokens stand.
type scope uint8

const (
	inFile     scope = iota // declarations, in scripts statements too
	inType                  // the body of a class: nothing but declarations
	inCode                  // statements
	inBrackets              // expressions within ( ) or [ ]
	inArgument              // inBrackets up to a comma
)

const stray = "something other than a declaration stands in the body of a type"

// nested passes over the brackets that the next token opens, and what they
// contain.
func (s *scanner) nested(where scope) {
	closing := s.brackets(where)
	if s.is(closing) {
		s.next(s.at + 1)
	}
}

// brackets goes to the bracket that closes the one that is the next token, and
// says which.
func (s *scanner) brackets(where scope) (closing byte) {
	switch s.src[s.at] {
	case '(':
		closing = ')'
	case '[':
		closing = ']'
	case '{':
		closing = '}'
	}
	if s.depth == maxDepth {
		s.unsure("brackets are nested too deeply", s.at)
		s.stop()
		return closing
	}
	before, open := s.prefix, s.open
	s.depth++
	s.prefix, s.open = prefix{}, -1
	s.next(s.at + 1)
	s.scope(where, closing)
	s.prefix, s.open = before, open
	s.depth--
	return closing
}

// scope reads tokens up to the bracket that closes them, which it leaves.
func (s *scanner) scope(where scope, closing byte) {
	for s.at < len(s.src) {
		if s.at >= s.look && s.cancelled() {
			return
		}
		c := s.src[s.at]
		if lex.Class[c] == lex.Letter {
			s.identified(where)
			continue
		}
		switch c {
		case '@':
			s.begin()
			if s.annotation() == "file" {
				s.prefix = prefix{}
			} else if s.is('(') && !s.newline {
				s.nested(inBrackets)
			}
			continue
		case ';':
			s.next(s.at + 1)
			s.prefix, s.open = prefix{}, -1
			continue
		case '}', ')', ']':
			if c == closing {
				return
			}
			s.unsure("the brackets do not match", s.at)
			if c == '}' && closing != 0 {
				return
			}
			s.next(s.at + 1)
			continue
		}
		if where == inArgument && c == ',' {
			return
		}
		s.token(where, c)
	}
	if closing != 0 {
		s.unsure("a bracket is not closed", len(s.src))
	}
}

// token reads a token that is no identifier and closes nothing.
func (s *scanner) token(where scope, c byte) {
	if where == inType {
		s.unsure(stray, s.at)
	}
	s.prefix, s.open = prefix{}, -1
	switch {
	case c == '{':
		s.nested(inCode)
	case c == '(' || c == '[':
		s.nested(inBrackets)
	case c == '"':
		s.quoted(1)
	case c == '\'':
		s.char()
	case c == '`':
		s.plainName(max(s.identifier(), s.at+1))
	case lex.Class[c] == lex.Digit:
		s.next(lex.Identifier(s.src, s.at))
	case c == ':' && s.peek(1) == ':':
		s.reference()
	case where == inArgument && c == '<':
		// The comma within type arguments does not end an argument.
		if end, ok := s.typeArguments(s.at); ok {
			s.next(end)
			return
		}
		s.next(s.at + 1)
	default:
		s.next(s.at + 1)
	}
}

// cancelled looks at the context and gives up if it has ended.
func (s *scanner) cancelled() bool {
	s.look = s.at + interval
	if s.ctx.Err() == nil {
		return false
	}
	s.stop()
	return true
}

// identified reads the identifier that is the next token, and the declaration that
// it introduces.
func (s *scanner) identified(where scope) {
	end := lex.Identifier(s.src, s.at)
	if end < len(s.src) && s.src[end] == '@' || s.src[s.at] == '$' {
		s.prefix, s.open = prefix{}, -1
		s.labelled(end)
		return
	}
	w := wordOf(s.src[s.at:end])
	if w&modifier != 0 {
		if where < inBrackets && s.modifies(where, end) {
			s.modify(w, end)
			return
		}
	} else if w != name && w < wordIf && s.declaration(where, w, end) {
		return
	}
	if where == inType {
		s.unsure(stray, s.at)
	}
	s.prefix, s.open = prefix{}, -1
	if w == name || w < wordIf || w >= modifier {
		s.plainName(end)
		return
	}
	s.next(end)
}

// modifies says that the modifier that is the next token may be one, and is not
// just a name.
func (s *scanner) modifies(where scope, end int) bool {
	if where == inType || s.prefix.on || s.open >= 0 {
		return true
	}
	if end < len(s.src) && (s.src[end] == '.' || s.src[end] == '(') {
		return false
	}
	return s.fresh()
}

// fresh says that a statement may begin with the next token: at the beginning of a
// line, unless an operator at the end of an earlier one asks for more, or after a
// bracket, a semicolon or an arrow.
func (s *scanner) fresh() bool {
	if s.end == 0 {
		return true
	}
	last, before := s.src[s.end-1], byte(0)
	if s.end > 1 {
		before = s.src[s.end-2]
	}
	switch last {
	case '{', '}', ';':
		return true
	case '>':
		return s.newline || before == '-'
	case '+', '-', '!':
		return s.newline && before == last
	case '.', ':', '=', '/', '%', '&', '|', '<', ',', '(', '[', '@':
		return false
	}
	return s.newline
}

// modify reads a modifier.
func (s *scanner) modify(w word, end int) {
	s.begin()
	if s.prefix.sig < 0 {
		s.prefix.sig = s.at
	}
	s.prefix.modifiers |= w
	s.next(end)
}

// declaration reads the declaration that a word introduces; it answers false, and
// has read nothing, if the word does not introduce one here.
func (s *scanner) declaration(where scope, w word, end int) bool {
	switch w {
	case wordFun:
		s.function(where)
	case wordObject:
		s.object(where)
	case wordVal:
		switch where {
		case inFile, inType:
			s.property(where)
		case inCode:
			s.local()
		default:
			return false
		}
	case wordClass, wordInterface:
		if where >= inBrackets {
			return false
		}
		s.class(s.take(), w, end)
	case wordTypealias:
		if where >= inBrackets {
			return false
		}
		s.alias()
	case wordPackage, wordImport:
		return where == inFile && s.fresh() && s.header(w, end)
	default:
		return where <= inType && s.member(where, w, end)
	}
	return true
}

// member is declaration for the words that are names everywhere but in a type or
// at the top level.
func (s *scanner) member(where scope, w word, end int) bool {
	switch w {
	case wordConstructor:
		if where != inType || !s.followed(end, '(') {
			return false
		}
		s.constructor()
	case wordInit:
		if where != inType || !s.followed(end, '{') {
			return false
		}
		s.prefix, s.open = prefix{}, -1
		s.next(end)
		s.nested(inCode)
	case wordAccessor, wordField:
		return s.open >= 0 && s.accessor(w, end)
	case wordContext:
		if !s.followed(end, '(') || where == inFile && !s.fresh() {
			return false
		}
		s.begin()
		if s.prefix.sig < 0 {
			s.prefix.sig = s.at
		}
		s.next(end)
		s.nested(inBrackets)
	default:
		return false
	}
	return true
}

// followed says that a byte is the next after a position, but for blanks and
// comments.
func (s *scanner) followed(end int, c byte) bool {
	at := s.over(end)
	return at < len(s.src) && s.src[at] == c
}
