package clike

import (
	"bytes"

	"github.com/dougu-go/dougu/tools/source"
	"github.com/dougu-go/dougu/tools/source/outline/internal/lex"
)

// cond is an open conditional of the preprocessor, with the state of the scanner at its beginning.
type cond struct {
	depth, braces, head int
	dirty               bool // it began within brackets
}

// directive reads the directive at an offset and returns its end. within
// reports that it lies in brackets that are read as one token.
func (s *scanner) directive(at int, within bool) int {
	src := s.src
	from := lex.Spaces(src, at+1)
	end := lex.Identifier(src, from)
	directive := string(src[from:end])
	if s.lookAhead {
		return s.passing(directive, end)
	}
	switch directive {
	case "define":
		return s.define(at, end)
	case "include", "import", "include_next":
		line := s.line(end)
		s.include(end, line)
		return line
	case "if", "ifdef", "ifndef":
		line := s.logical(end)
		s.conds = append(s.conds, cond{depth: len(s.stack), braces: s.top().braces, head: len(s.head), dirty: within})
		if len(s.conds) > 1000 {
			s.unsure(at, "the conditionals lie too deep in each other")
			return len(src)
		}
		if len(src[from:end]) == 2 && isAlwaysFalse(src[end:line]) {
			return s.pass(line, false)
		}
		return line
	case "else", "elif", "elifdef", "elifndef":
		line := s.logical(end)
		if n := len(s.conds); n > 0 && !s.isBalanced(&s.conds[n-1], within) {
			return s.pass(line, true)
		}
		return line
	case "endif":
		s.endif()
		return s.logical(end)
	case "error", "warning", "pragma", "line", "ident":
		return s.line(end)
	}
	return s.logical(end)
}

// passing is directive where a text is only looked at, and will be read again.
func (s *scanner) passing(directive string, end int) int {
	line := s.logical(end)
	switch directive {
	case "if", "ifdef", "ifndef":
		s.conditionals++
		if directive == "if" && isAlwaysFalse(s.src[end:line]) {
			return s.pass(line, false)
		}
	case "else", "elif", "elifdef", "elifndef":
		return s.pass(line, true)
	case "endif":
		s.endif()
	case "error", "warning", "pragma":
		return s.line(end)
	}
	return line
}

// endif ends the innermost conditional.
func (s *scanner) endif() {
	if s.lookAhead {
		s.conditionals--
	} else if n := len(s.conds); n > 0 {
		s.conds = s.conds[:n-1]
	}
}

// isBalanced reports whether the branch that ends here left everything as it found it, so
// that the next one can be read as well.
func (s *scanner) isBalanced(c *cond, within bool) bool {
	if c.dirty || within || c.depth != len(s.stack) || c.braces != s.top().braces {
		return false
	}
	if s.top().kind.isCode() {
		return true
	}
	if len(s.head) > 0 && s.head[0].kind == curly {
		return false
	}
	return c.head == 0 && (len(s.head) == 0 || s.finished())
}

// finished reports whether the head needs no more to be whole: a macro's call, which
// has no semicolon.
func (s *scanner) finished() bool {
	n := len(s.head)
	if n == 2 && s.head[0].kind == word && s.head[1].kind == group || n == 1 && s.capitals(s.head[0]) {
		s.reset()
		return true
	}
	return s.top().kind == inEnum
}

// isAlwaysFalse reports whether a condition is false for all to see.
func isAlwaysFalse(condition []byte) bool {
	condition = bytes.TrimSpace(condition)
	return bytes.HasPrefix(condition, []byte("0")) && (len(condition) == 1 || lex.Class[condition[1]]&(lex.Letter|lex.Digit) == 0 && !bytes.ContainsAny(condition, "|?=<>!")) ||
		string(condition) == "false"
}

// pass goes over the branches from a position: to the end of the conditional if
// all, else to the next branch.
func (s *scanner) pass(at int, all bool) int {
	src := s.src
	for depth := 0; at < len(src); {
		at = s.blanks(at)
		if at >= len(src) {
			break
		}
		if src[at] != '#' {
			at = s.logical(at)
			continue
		}
		from := lex.Spaces(src, at+1)
		end := lex.Identifier(src, from)
		switch string(src[from:end]) {
		case "if", "ifdef", "ifndef":
			depth++
		case "else", "elif", "elifdef", "elifndef":
			if depth == 0 && !all {
				return s.logical(end)
			}
		case "endif":
			if depth == 0 {
				s.endif()
				return s.logical(end)
			}
			depth--
		case "error", "warning", "pragma":
			at = s.line(end)
			continue
		}
		at = s.logical(end)
	}
	return len(src)
}

// line returns the end of a line, including the lines joined to it by backslashes.
func (s *scanner) line(at int) int {
	end := lex.Line(s.src, at)
	for end < len(s.src) && continued(s.src, end) {
		end = lex.Line(s.src, end+1)
	}
	return end
}

// logical is line where comments may hold line feeds. Quotes end with their line
// at the latest.
func (s *scanner) logical(at int) int {
	src := s.src
	for at < len(src) {
		switch src[at] {
		case '\n':
			if !continued(src, at) {
				return at
			}
		case '"', '\'':
			if end, ok := lex.Quoted(src, at); ok {
				at = end
				continue
			}
		case '/':
			if at+1 < len(src) && src[at+1] == '/' {
				return s.line(at)
			}
			if at+1 < len(src) && src[at+1] == '*' {
				at, _ = lex.Block(src, at)
				continue
			}
		}
		at++
	}
	return at
}

// define notes the macro that the directive at a position defines.
func (s *scanner) define(at, after int) int {
	end := s.logical(after)
	from := lex.Spaces(s.src, after)
	to := lex.Identifier(s.src, from)
	if from == to {
		return end
	}
	last := end
	for last > to && (lex.Class[s.src[last-1]] == lex.Space || s.src[last-1] == '\n') {
		last--
	}
	doc, docEnd := s.docs.Before(s.src, at)
	s.add(source.Chunk{
		Kind: source.Macro, Name: s.text(from, to), Doc: int32(doc), DocEnd: int32(docEnd),
		Decl: int32(at), Ident: int32(from), Body: s.macroBody(to, last), End: int32(last), Parent: -1,
	})
	return end
}

// macroBody is where the replacement begins, or 0.
func (s *scanner) macroBody(at, end int) int32 {
	if at < end && s.src[at] == '(' {
		n := bytes.IndexByte(s.src[at:end], ')')
		if n < 0 {
			return 0
		}
		at += n + 1
	}
	for at < end && (lex.Class[s.src[at]] == lex.Space || s.src[at] == '\n' || s.src[at] == '\\') {
		at++
	}
	if at >= end {
		return 0
	}
	return int32(at)
}

// include adds the import of an include directive.
func (s *scanner) include(at, end int) {
	from := lex.Spaces(s.src, at)
	if from >= end || s.src[from] != '"' && s.src[from] != '<' {
		return
	}
	closing := byte('"')
	if s.src[from] == '<' {
		closing = '>'
	}
	if n := bytes.IndexByte(s.src[from+1:end], closing); n > 0 {
		s.build.Import(s.text(from+1, from+1+n), from)
	}
}
