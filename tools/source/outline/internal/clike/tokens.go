package clike

import (
	"bytes"

	"github.com/dougu-go/dougu/tools/source/outline/internal/lex"
)

// tokenKind is the kind of a token.
type tokenKind uint8

const (
	word   tokenKind = iota // an identifier or keyword
	naming                  // operator and its symbol or type, as one name
	mark                    // a byte of punctuation
	colons                  // ::
	number
	text
	group     // ( … )
	square    // [ … ]
	attribute // [[ … ]]
	angle     // < … >
	curly     // { … }
	clause    // requires …
)

// token is a part of a declaration's head. Brackets with their content are one token.
type token struct {
	kind       tokenKind
	start, end int
}

// is reports whether a token is this byte of punctuation.
func (s *scanner) is(t token, c byte) bool { return t.kind == mark && s.src[t.start] == c }

// maxHead is the maximum number of tokens of a declaration before its body or its end. A longer
// head is a row of macros, not a declaration.
const maxHead = 1024

func (s *scanner) put(kind tokenKind, start, end int) {
	if len(s.head) >= maxHead {
		s.reset()
	}
	if len(s.head) == 0 {
		s.first = start
	}
	s.head = append(s.head, token{kind, start, end})
	s.at = end
}

// declarations reads where declarations stand, until the scope changes to one
// that holds code.
func (s *scanner) declarations() {
	begin := s.at
	for s.at < len(s.src) && s.at-begin < 1<<20 {
		at := s.at
		c := s.src[at]
		class := lex.Class[c]
		switch {
		case class == lex.Space || c == '\n':
			s.at++
		case class == lex.Letter:
			s.word()
		case class == lex.Digit:
			s.put(number, at, s.number(at))
		default:
			depth := len(s.stack)
			s.punctuation(c)
			if len(s.stack) != depth && s.top().kind.isCode() {
				return
			}
		}
	}
}

func (s *scanner) punctuation(c byte) {
	at := s.at
	switch c {
	case '/':
		if end := s.comment(at); end > at {
			s.docs.Comment(s.src, at, end)
			s.at = end
			return
		}
		s.put(mark, at, at+1)
	case '#':
		s.hash()
	case '"', '\'':
		s.put(text, at, s.literal(at))
	case '\\':
		s.at++
	case '(':
		s.bracket(group)
	case '[':
		if at+1 < len(s.src) && s.src[at+1] == '[' {
			s.bracket(attribute)
		} else {
			s.bracket(square)
		}
	case '<':
		s.readLess()
	case '{':
		s.opening()
	case '}':
		s.closing()
	case ';':
		s.semicolon()
	case ':':
		if at+1 < len(s.src) && s.src[at+1] == ':' {
			s.put(colons, at, at+2)
		} else {
			s.colonMark()
		}
	case '=':
		s.equals()
	case ',':
		if s.top().kind == inEnum {
			s.enumerator(at)
			s.at++
		} else {
			s.put(mark, at, at+1)
		}
	default:
		s.put(mark, at, at+1)
	}
}

// hash reads a directive, if the sign is first in its line.
func (s *scanner) hash() {
	if s.firstInLine(s.at) {
		s.at = s.directive(s.at, false)
	} else {
		s.at++
	}
}

func (s *scanner) firstInLine(at int) bool {
	for at--; at >= 0 && lex.Class[s.src[at]] == lex.Space; at-- {
	}
	return at < 0 || s.src[at] == '\n' || s.src[at] == '/' && at > 0 && s.src[at-1] == '*'
}

// bracket reads a pair of brackets as one token.
func (s *scanner) bracket(kind tokenKind) {
	at := s.at
	end, ok := s.pair(at)
	if !ok && end >= len(s.src) {
		s.unsure(at, "the bracket is not closed")
	}
	s.put(kind, at, end)
}

// word reads an identifier.
func (s *scanner) word() {
	at := s.at
	end := lex.Identifier(s.src, at)
	if end < len(s.src) && (s.src[end] == '"' || s.src[end] == '\'') && end-at <= 3 && prefixes(s.src[at:end]) {
		s.put(text, at, s.quoted(end))
		return
	}
	if s.cpp && end-at == 8 && string(s.src[at:end]) == "operator" {
		s.put(naming, at, s.operator(end))
		return
	}
	if s.cpp && end-at == 8 && string(s.src[at:end]) == "requires" && s.requires(at, end) {
		return
	}
	if n := len(s.head); 0 < n && n <= 2 && s.isMacroAlone(at) {
		s.reset()
	}
	s.put(word, at, end)
}

// isMacroAlone reports whether the head is a macro by itself: in capitals, with an empty line after it.
func (s *scanner) isMacroAlone(at int) bool {
	last := s.head[len(s.head)-1]
	return s.head[0].kind == word && (len(s.head) == 1 || last.kind == group) && s.capitals(s.head[0]) &&
		bytes.Count(s.src[last.end:at], []byte("\n")) > 1 && len(bytes.TrimSpace(s.src[last.end:at])) == 0
}

// capitals reports whether a word is spelled as macros are.
func (s *scanner) capitals(t token) bool {
	return t.kind == word && t.end-t.start > 1 && !s.hasLower(t)
}

// hasLower reports whether a word has a lower-case letter.
func (s *scanner) hasLower(t token) bool {
	for _, c := range s.src[t.start:t.end] {
		if 'a' <= c && c <= 'z' {
			return true
		}
	}
	return false
}

// prefixes reports whether a word before a quote belongs to the literal.
func prefixes(w []byte) bool {
	switch string(w) {
	case "L", "u", "U", "u8", "R", "LR", "uR", "UR", "u8R":
		return true
	}
	return false
}

// operator is the end of the name that begins with the word operator.
func (s *scanner) operator(at int) int {
	src := s.src
	start := at
	for at < len(src) && (lex.Class[src[at]] == lex.Space || src[at] == '\n') {
		at++
	}
	if at >= len(src) {
		return start
	}
	switch c := src[at]; {
	case c == '(' || c == '[':
		if end := s.blanks(at + 1); end < len(src) && (src[end] == ')' || src[end] == ']') {
			return end + 1
		}
		return start
	case c == '"':
		end, _ := lex.Quoted(src, at)
		return lex.Identifier(src, s.blanks(end))
	case lex.Class[c] != lex.Letter && c != ':':
		for at < len(src) && bytes.IndexByte([]byte("+-*/%^&|~!=<>,"), src[at]) >= 0 {
			at++
		}
		return at
	}
	end := at
	for at < len(src) && src[at] != '(' && src[at] != ';' && src[at] != '{' && src[at] != '}' {
		switch {
		case src[at] == '<':
			at, _ = s.angles(at)
			end = at
			continue
		case lex.Class[src[at]] != lex.Space && src[at] != '\n':
			end = at + 1
		}
		at++
	}
	return end
}

// blanks is the end of the white space at a position.
func (s *scanner) blanks(at int) int {
	for at < len(s.src) && (lex.Class[s.src[at]] == lex.Space || s.src[at] == '\n') {
		at++
	}
	return at
}

// gap is the end of the white space and comments at a position.
func (s *scanner) gap(at int) int {
	for {
		at = s.blanks(at)
		end := s.comment(at)
		if end == at {
			return at
		}
		at = end
	}
}

// readLess reads < as a bracket where it is one.
func (s *scanner) readLess() {
	at := s.at
	if n := len(s.head); s.cpp && n > 0 && s.head[n-1].kind == word || n > 0 && s.head[n-1].kind == naming {
		if end, ok := s.angles(at); ok {
			s.put(angle, at, end)
			return
		}
	}
	s.put(mark, at, at+1)
}
