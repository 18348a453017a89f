package shell

import (
	"bytes"

	"github.com/dougu-go/dougu/tools/source"
	"github.com/dougu-go/dougu/tools/source/outline/internal/lex"
)

// position is the meaning of the next word.
type position uint8

const (
	command  position = iota // the name of a command, a reserved word or an assignment
	argument                 // anything else
	pattern                  // a pattern of case
)

// list reads commands. until is subshell for the commands of a substitution, which the next bracket without a partner ends, or none.
func (s *scanner) list(until compound) {
	base, where, owner := len(s.frames), command, s.owner
	s.owner = -1
	defer func() { s.owner = owner }()
	start := s.at
	for s.at < len(s.src) && !s.cancelled() {
		switch c := s.src[s.at]; c {
		case ' ', '\t', '\r':
			s.at++
		case '\n':
			s.newline()
			if where == argument {
				where = command
			}
			s.owner = -1
		case '\\':
			if s.continued() {
				continue
			}
			where = s.word(where, base)
		case '#':
			s.comment()
		case ';', '&', '|':
			where = s.separator(where, base)
			s.owner = -1
		case '<', '>':
			s.redirection()
		case '(':
			where = s.bracket(where)
		case ')':
			switch {
			case where == pattern:
				where = command
				s.at++
			case until == subshell && !s.within(subshell, base):
				s.end(base)
				s.at++
				return
			default:
				s.at++
				s.close(subshell, base, s.at)
				where = argument
			}
		default:
			where = s.word(where, base)
		}
	}
	if until == subshell {
		s.unsure(start, "a substitution is not closed")
	}
	s.end(base)
}

// end ends the commands that are open from the frame with the index base on.
func (s *scanner) end(base int) {
	if len(s.frames) > base {
		s.unsure(s.frames[len(s.frames)-1].start, "a command is not closed")
		s.unwind(base, s.at)
	}
}

// within reports whether a compound command of a kind is open.
func (s *scanner) within(kind compound, base int) bool {
	for i := len(s.frames) - 1; i >= base; i-- {
		if s.frames[i].kind == kind {
			return true
		}
	}
	return false
}

// top returns the kind of the innermost compound command.
func (s *scanner) top(base int) compound {
	if len(s.frames) > base {
		return s.frames[len(s.frames)-1].kind
	}
	return none
}

// continued skips a backslash with a line feed.
func (s *scanner) continued() bool {
	n := 1
	if s.byteAt(s.at+1) == '\r' {
		n = 2
	}
	if s.byteAt(s.at+n) != '\n' {
		return false
	}
	s.at += n + 1
	return true
}

// comment skips the comment at hand.
func (s *scanner) comment() {
	start := s.at
	s.at = lex.Line(s.src, s.at)
	s.docs.Comment(s.src, start, s.at)
}

// newline skips a line feed, and the here-documents behind it.
func (s *scanner) newline() {
	s.at++
	documents := s.documents
	s.documents = nil
	for _, d := range documents {
		s.document(d)
	}
}

// document skips the body of a here-document. A body without an end is the rest of the text.
func (s *scanner) document(d document) {
	start := s.at
	for s.at < len(s.src) {
		end := lex.Line(s.src, s.at)
		line := bytes.TrimSuffix(s.src[s.at:end], []byte("\r"))
		if d.tabs {
			line = bytes.TrimLeft(line, "\t")
		}
		if string(line) == d.word {
			if s.at = end; d.owner >= 0 {
				s.b.Close(d.owner, s.at)
			}
			return
		}
		s.at = min(end+1, len(s.src))
	}
	s.unsure(start, "a here-document is not closed")
}

// separator reads an operator between commands.
func (s *scanner) separator(where position, base int) position {
	c := s.src[s.at]
	s.at++
	if c == '&' && s.byteAt(s.at) == '>' {
		s.redirection()
		return where
	}
	if c == ';' && s.top(base) == choice && (s.byteAt(s.at) == ';' || s.byteAt(s.at) == '&') {
		for s.byteAt(s.at) == ';' || s.byteAt(s.at) == '&' {
			s.at++
		}
		return pattern
	}
	if where == pattern {
		return pattern
	}
	for s.byteAt(s.at) == c || s.byteAt(s.at) == '&' && c == '|' {
		s.at++
	}
	return command
}

// redirection reads an operator like ">&", and the word behind it.
func (s *scanner) redirection() {
	op := s.at
	for s.at-op < 3 && (s.byteAt(s.at) == '<' || s.byteAt(s.at) == '>') {
		if s.byteAt(s.at+1) == '(' { // a substitution
			if s.at > op {
				break
			}
			s.at += 2
			s.substitution()
			s.rest()
			return
		}
		s.at++
	}
	isDocument := s.at == op+2 && s.src[op] == '<' && s.src[op+1] == '<'
	tabs := isDocument && s.byteAt(s.at) == '-'
	if c := s.byteAt(s.at); tabs || !isDocument && (c == '&' || c == '|') {
		s.at++
	}
	for s.at < len(s.src) && lex.Class[s.src[s.at]] == lex.Space || s.byteAt(s.at) == '\\' && s.byteAt(s.at+1) == '\n' {
		if s.src[s.at] == '\\' {
			s.at++
		}
		s.at++
	}
	if c := s.byteAt(s.at); (c == '<' || c == '>') && s.byteAt(s.at+1) == '(' {
		s.at += 2
		s.substitution()
		return
	}
	from := s.at
	s.rest()
	if isDocument && s.at > from {
		s.documents = append(s.documents, document{unquoted(s.src[from:s.at]), tabs, s.owner})
	}
	if s.owner >= 0 && s.at > from {
		s.b.Close(s.owner, s.at)
	}
}

// unquoted returns a word without quotes and backslashes.
func unquoted(word []byte) string {
	var plain []byte
	for _, c := range word {
		if c != '\'' && c != '"' && c != '\\' {
			plain = append(plain, c)
		}
	}
	return string(plain)
}

// bracket reads "(": a subshell, an arithmetic command, or the beginning of a pattern.
func (s *scanner) bracket(where position) position {
	switch {
	case where == pattern:
		s.at++
		s.blanks(false)
		s.rest()
		return pattern
	case where == command && s.arithmetic():
		return argument
	case where == command:
		s.open(subshell, -1)
		s.at = min(s.at+1, len(s.src))
		return command
	}
	s.unsure(s.at, "a bracket stands where none is allowed")
	s.at++
	s.balanced('(', ')')
	return argument
}

// arithmetic reads a command in double brackets, if one begins here.
func (s *scanner) arithmetic() bool {
	if s.byteAt(s.at) != '(' || s.byteAt(s.at+1) != '(' {
		return false
	}
	depth, at := 0, s.at
	for limit := min(len(s.src), at+maxArithmetic); at < limit; at++ {
		switch s.src[at] {
		case '(':
			depth++
		case ')':
			if depth--; depth == 1 && s.byteAt(at+1) == ')' {
				s.at = at + 2
				return true
			} else if depth == 1 {
				return false // two subshells
			}
		case '\'', '"':
			end, _ := lex.Quoted(s.src, at)
			at = end - 1
		}
	}
	return false
}

// maxArithmetic is the number of bytes in which the end of an arithmetic command is looked for.
const maxArithmetic = 1 << 12

// reserved reads a reserved word that ends at end. ok is false for other words.
func (s *scanner) reserved(word string, end, base int) (next position, ok bool) {
	switch word {
	case "if", "while", "until", "{":
		kind := map[string]compound{"if": conditional, "while": loop, "until": loop, "{": group}[word]
		s.open(kind, -1)
		s.at = max(s.at, end)
	case "for", "select":
		s.open(loop, -1)
		s.at = max(s.at, end)
		return s.loopHead(), true
	case "case":
		s.open(choice, -1)
		s.at = max(s.at, end)
		return s.choiceHead(), true
	case "then", "elif", "else", "do", "!", "time", "coproc":
		s.at = end
	case "fi", "done", "esac", "}":
		kind := map[string]compound{"fi": conditional, "done": loop, "esac": choice, "}": group}[word]
		s.at = end
		s.close(kind, base, end)
		return argument, true
	case "[[":
		s.at = end
		s.test()
		return argument, true
	case "function":
		s.at = end
		return s.function(), true
	default:
		return command, false
	}
	return command, true
}

// loopHead reads the variable of a loop, and the words behind "in".
func (s *scanner) loopHead() position {
	s.blanks(false)
	if s.arithmetic() {
		return command
	}
	s.rest()
	s.blanks(true)
	if !s.isWord("in") {
		return command
	}
	s.at += len("in")
	return argument
}

// choiceHead reads the word of case, and "in".
func (s *scanner) choiceHead() position {
	s.blanks(false)
	s.rest()
	s.blanks(true)
	if !s.isWord("in") {
		s.unsure(s.at, "case has no in")
		return argument
	}
	s.at += len("in")
	return pattern
}

// isWord reports whether the text continues with a word.
func (s *scanner) isWord(word string) bool {
	return bytes.HasPrefix(s.src[s.at:], []byte(word)) && isEnd(s.byteAt(s.at+len(word)))
}

// isEnd reports whether a byte ends a word.
func isEnd(c byte) bool {
	switch c {
	case 0, ' ', '\t', '\r', '\n', ';', '&', '|', '<', '>', '(', ')':
		return true
	}
	return false
}

// blanks skips blanks and continued lines, and with lines, line feeds and comments.
func (s *scanner) blanks(lines bool) {
	for s.at < len(s.src) {
		switch c := s.src[s.at]; {
		case c == ' ' || c == '\t' || c == '\r':
			s.at++
		case c == '\\' && s.continued():
		case c == '\n' && lines:
			s.newline()
		case c == '#' && lines:
			s.comment()
		default:
			return
		}
	}
}

// test reads the command that "[[" begins, up to "]]".
func (s *scanner) test() {
	start := s.at
	for s.at < len(s.src) {
		switch c := s.src[s.at]; {
		case c == '\n':
			s.newline()
		case bytes.HasPrefix(s.src[s.at:], []byte("]]")) && isEnd(s.byteAt(s.at+2)):
			s.at += 2
			return
		case c == '#' && isEnd(s.src[s.at-1]) && s.src[s.at-1] != '(' && s.src[s.at-1] != '|':
			s.comment()
		case isEnd(c):
			s.at++
		default:
			s.piece()
		}
	}
	s.unsure(start, "a test is not closed")
}

// function reads a function behind the word "function", or behind its name and brackets.
func (s *scanner) function() position {
	decl := s.at - len("function")
	s.blanks(false)
	ident := s.at
	for s.at < len(s.src) && !isEnd(s.src[s.at]) {
		s.at++
	}
	if s.at == ident {
		s.unsure(ident, "a function has no name")
		return command
	}
	name := s.at
	s.blanks(false)
	if s.byteAt(s.at) == '(' {
		at := s.at
		s.at++
		s.blanks(false)
		if s.byteAt(s.at) != ')' { // a subshell as the body
			s.at = at
		} else {
			s.at++
		}
	}
	return s.body(decl, ident, name)
}

// body reads the beginning of a function's body. Without a compound command there is no function.
func (s *scanner) body(decl, ident, name int) position {
	c := source.Chunk{Kind: source.Function, Name: lex.Text(s.src[ident:name]), Decl: int32(decl), Ident: int32(ident), Parent: int32(s.callable)}
	start, end := s.docs.Before(s.src, decl)
	s.blanks(true)
	kind, n := none, 1
	switch {
	case s.byteAt(s.at) == '(' && s.byteAt(s.at+1) == '(':
	case s.byteAt(s.at) == '(':
		kind = subshell
	case s.isWord("{"):
		kind = group
	case s.isWord("if"):
		kind, n = conditional, 2
	case s.isWord("while"), s.isWord("until"):
		kind, n = loop, 5
	}
	isOther := kind == none && (s.isWord("for") || s.isWord("select") || s.isWord("case"))
	isTest := s.isWord("[[") || s.byteAt(s.at) == '('
	if kind == none && !isOther && !isTest {
		s.unsure(decl, "a function has no body")
		return command
	}
	if end > 0 {
		c.Doc, c.DocEnd = int32(start), int32(end)
	}
	c.End = int32(len(s.src))
	chunk := s.b.Add(c)
	s.functions = append(s.functions, chunk)
	switch {
	case kind != none:
		s.open(kind, chunk)
		s.at = min(s.at+n, len(s.src))
	case isOther:
		word := s.at
		for !isEnd(s.byteAt(word)) {
			word++
		}
		depth := len(s.frames)
		next, _ := s.reserved(string(s.src[s.at:word]), word, depth)
		if len(s.frames) > depth {
			s.frames[depth].function, s.callable = chunk, chunk
		}
		s.b.Chunk(chunk).Body = int32(word)
		return next
	default:
		s.b.Chunk(chunk).Body = int32(s.at)
		if s.byteAt(s.at) != '[' {
			if !s.arithmetic() {
				s.open(subshell, chunk)
				s.at = min(s.at+1, len(s.src))
				return command
			}
		} else {
			s.at += 2
			s.test()
		}
		s.b.Close(chunk, s.at)
		s.owner = chunk
		return argument
	}
	return command
}
