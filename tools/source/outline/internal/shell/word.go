package shell

import (
	"bytes"
	"strings"

	"github.com/dougu-go/dougu/tools/source"
	"github.com/dougu-go/dougu/tools/source/outline/internal/lex"
)

// word reads a word and returns the meaning of the next one.
func (s *scanner) word(where position, base int) position {
	start := s.at
	if where == pattern {
		if s.isWord("esac") {
			s.at += len("esac")
			s.close(choice, base, s.at)
			return argument
		}
		s.rest()
		return pattern
	}
	if where == command {
		end := s.plain()
		if next, ok := s.reserved(string(s.src[start:end]), end, base); ok {
			return next
		}
		if end > start && isName(s.src[start:end]) {
			if next, ok := s.named(start, end); ok {
				return next
			}
		}
	}
	s.rest()
	if s.at == start { // no byte may stop the scan
		s.at++
	}
	text := s.src[start:s.at]
	switch {
	case where == command && isDeclaring(text):
		s.declaring(start)
		return argument
	case where == command:
		if equal := assigned(text); equal > 0 {
			s.variable(start, start, start+equal, source.Variable)
			return command
		}
		if c := s.byteAt(s.at); (c == '<' || c == '>') && len(bytes.Trim(text, "0123456789")) == 0 {
			return command // the number of a file
		}
		s.called(start)
	}
	if s.at < len(s.src) && s.src[s.at] == '(' && where == argument {
		if s.src[s.at-1] == '=' {
			s.array()
		}
	}
	return argument
}

// plain returns the end of the word at hand, up to a quote or an expansion.
func (s *scanner) plain() int {
	at := s.at
	for at < len(s.src) && !isEnd(s.src[at]) && strings.IndexByte("'\"$`\\", s.src[at]) < 0 {
		at++
	}
	if !isEnd(s.byteAt(at)) {
		return s.at
	}
	return at
}

// isName reports whether a word may be the name of a function.
func isName(word []byte) bool { return bytes.IndexByte(word, '=') < 0 && word[0] != '#' }

// named reads a function whose name is the word up to end, if brackets follow it.
func (s *scanner) named(start, end int) (position, bool) {
	at := lex.Spaces(s.src, end)
	if s.byteAt(at) != '(' {
		return command, false
	}
	if at = lex.Spaces(s.src, at+1); s.byteAt(at) != ')' {
		return command, false
	}
	s.at = at + 1
	return s.body(start, start, end), true
}

// called adds a call of the command whose name begins at start, and the import of a file that is sourced.
func (s *scanner) called(start int) {
	name := s.src[start:s.at]
	if len(name) == 0 || bytes.ContainsAny(name, "'\"$`\\*?[{}~=") {
		return
	}
	if string(name) == "." || string(name) == "source" {
		at := lex.Spaces(s.src, s.at)
		end := at
		for !isEnd(s.byteAt(end)) {
			end++
		}
		if path := bytes.Trim(s.src[at:end], `"'`); len(path) > 0 && !bytes.ContainsAny(path, "$`\"'\\") {
			s.b.Import(lex.Text(path), at)
		}
	}
	if s.calls {
		s.b.Call(lex.Text(name), start, s.callable)
	}
}

// isDeclaring reports whether a command declares variables.
func isDeclaring(word []byte) bool {
	switch string(word) {
	case "readonly", "export", "declare", "typeset", "local":
		return true
	}
	return false
}

// declaring reads the first assignment among the arguments of a command that declares variables.
func (s *scanner) declaring(start int) {
	kind := source.Variable
	if string(s.src[start:s.at]) == "readonly" {
		kind = source.Constant
	}
	for {
		s.blanks(false)
		from := s.at
		if isEnd(s.byteAt(from)) || s.src[from] == '#' {
			return
		}
		s.rest()
		if equal := assigned(s.src[from:s.at]); equal > 0 {
			s.variable(start, from, from+equal, kind)
			return
		}
		if s.src[from] != '-' {
			return
		}
	}
}

// assigned returns the length of the name that a word assigns, or 0.
func assigned(word []byte) int {
	n := 0
	for n < len(word) && word[n] != '$' && lex.Class[word[n]]&(lex.Letter|lex.Digit) != 0 {
		n++
	}
	rest := word[n:]
	if n == 0 || lex.Class[word[0]]&lex.Digit != 0 {
		return 0
	}
	if len(rest) > 0 && rest[0] == '[' {
		if end := bytes.IndexByte(rest, ']'); end > 0 {
			rest = rest[end+1:]
		}
	}
	if bytes.HasPrefix(rest, []byte("=")) || bytes.HasPrefix(rest, []byte("+=")) {
		return n
	}
	return 0
}

// variable adds an assignment outside of functions and compound commands, and reads the list that it may assign. An assignment before
// a command is no declaration.
func (s *scanner) variable(decl, ident, end int, kind source.Kind) {
	if s.byteAt(s.at) == '(' && s.src[s.at-1] == '=' {
		s.array()
	}
	if len(s.frames) > 0 || s.nested > 0 || s.src[end] != '=' {
		return
	}
	if next := lex.Spaces(s.src, s.at); kind == source.Variable && decl == ident {
		if c := s.byteAt(next); !isEnd(c) && c != '#' && assigned(s.src[next:min(len(s.src), next+100)]) == 0 && !(c == '\\' && s.byteAt(next+1) == '\n') {
			return
		}
	}
	c := source.Chunk{Kind: kind, Name: lex.Text(s.src[ident:end]), Decl: int32(decl), Ident: int32(ident), End: int32(s.at), Parent: -1}
	if from, to := s.docs.Before(s.src, decl); to > 0 {
		c.Doc, c.DocEnd = int32(from), int32(to)
	}
	s.b.Add(c)
}

// array reads the list in brackets of an assignment.
func (s *scanner) array() {
	start := s.at
	s.at++
	for s.at < len(s.src) {
		switch c := s.src[s.at]; {
		case c == ')':
			s.at++
			return
		case c == '\n':
			s.newline()
		case c == '#' && isEnd(s.src[s.at-1]):
			s.comment()
		case c == '<' && s.byteAt(s.at+1) == '(':
			s.at += 2
			s.substitution()
		case isEnd(c):
			s.at++
		default:
			s.rest()
			if s.byteAt(s.at) == '(' && s.src[s.at-1] == '=' {
				s.at++
				s.balanced('(', ')')
			}
		}
	}
	s.unsure(start, "a list is not closed")
}

// rest reads the rest of the word at hand.
func (s *scanner) rest() {
	for s.at < len(s.src) {
		c := s.src[s.at]
		if c == '(' && s.at > 0 && strings.IndexByte("?*+@!", s.src[s.at-1]) >= 0 {
			s.at++
			s.balanced('(', ')')
			continue
		}
		if isEnd(c) {
			return
		}
		s.piece()
	}
}

// piece reads a quoted string, an expansion or one byte of a word.
func (s *scanner) piece() {
	switch c := s.src[s.at]; {
	case c == '\\':
		if s.at++; s.byteAt(s.at) == '\r' && s.byteAt(s.at+1) == '\n' {
			s.at++
		}
		s.at = min(s.at+1, len(s.src))
	case c == '\'':
		s.single()
	case c == '"':
		s.double()
	case c == '`':
		s.backquoted()
	case c == '$':
		s.expansion(false)
	default:
		s.at++
	}
}

// single reads a string in single quotes.
func (s *scanner) single() {
	n := bytes.IndexByte(s.src[s.at+1:], '\'')
	if n < 0 {
		s.unsure(s.at, "a string is not closed")
		s.stop()
		return
	}
	s.at += n + 2
}

// double reads a string in double quotes.
func (s *scanner) double() {
	start := s.at
	for s.at++; s.at < len(s.src); {
		switch s.src[s.at] {
		case '"':
			s.at++
			return
		case '\\':
			s.at = min(s.at+2, len(s.src))
		case '`':
			s.backquoted()
		case '$':
			s.expansion(true)
		default:
			s.at++
		}
	}
	s.unsure(start, "a string is not closed")
}

// backquoted reads a substitution in back-quotes.
func (s *scanner) backquoted() {
	start := s.at
	for s.at++; s.at < len(s.src); s.at++ {
		switch s.src[s.at] {
		case '`':
			s.at++
			return
		case '\\':
			s.at++
		}
	}
	s.stop()
	s.unsure(start, "a substitution is not closed")
}

// expansion reads what a dollar sign begins.
func (s *scanner) expansion(quoted bool) {
	s.at++
	switch c := s.byteAt(s.at); {
	case c == '(' && s.byteAt(s.at+1) == '(' && s.arithmetic():
	case c == '(':
		s.at++
		s.substitution()
	case c == '{':
		s.at++
		s.parameter(quoted)
	case c == '[':
		s.at++
		s.balanced('[', ']')
	case c == '\'' && !quoted:
		s.escaped()
	case c == '$' || c == '#' || c == '!' || c == '?' || c == '*' || c == '@':
		s.at++
	}
}

// escaped reads a string in single quotes with escapes.
func (s *scanner) escaped() {
	start := s.at
	for s.at++; s.at < len(s.src); s.at++ {
		switch s.src[s.at] {
		case '\'':
			s.at++
			return
		case '\\':
			s.at++
		}
	}
	s.stop()
	s.unsure(start, "a string is not closed")
}

// substitution reads the commands up to the bracket that closes them.
func (s *scanner) substitution() {
	if s.nested++; s.nested > maxDepth/2 {
		s.unsure(s.at, "commands are nested too deeply")
		s.stop()
	} else {
		s.list(subshell)
	}
	s.nested--
}

// parameter reads the rest of an expansion in braces. Single quotes quote nothing in it if it stands in double quotes.
func (s *scanner) parameter(quoted bool) {
	start := s.at
	if s.nested++; s.nested > maxDepth/2 {
		s.unsure(s.at, "expansions are nested too deeply")
		s.stop()
	}
	defer func() { s.nested-- }()
	for s.at < len(s.src) {
		switch c := s.src[s.at]; {
		case c == '}':
			s.at++
			return
		case c == '\'' && quoted:
			s.at++
		case c == '#' && s.at == start:
			s.at++
		default:
			s.piece()
		}
	}
	s.unsure(start, "an expansion is not closed")
}

// balanced reads text up to the bracket that closes one that was read.
func (s *scanner) balanced(open, closing byte) {
	start, depth := s.at, 1
	if s.nested++; s.nested > maxDepth/2 {
		s.unsure(s.at, "brackets are nested too deeply")
		s.stop()
	}
	defer func() { s.nested-- }()
	for s.at < len(s.src) {
		switch c := s.src[s.at]; c {
		case open:
			depth++
			s.at++
		case closing:
			s.at++
			if depth--; depth == 0 {
				return
			}
		default:
			s.piece()
		}
	}
	s.unsure(start, "a bracket is not closed")
}
