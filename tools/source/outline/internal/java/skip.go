package java

import "github.com/dougu-go/dougu/tools/source/outline/internal/lex"

// blanks goes to the next token and notes the comments before it.
func (s *scanner) blanks() { s.at = s.skip(s.at, &s.docs) }

// gap is where the token after a position begins.
func (s *scanner) gap(at int) int {
	if at < len(s.src) && !apart[s.src[at]] {
		return at // as most often
	}
	return s.skip(at, nil)
}

// apart are the bytes between tokens: blanks and the beginning of comments.
var apart = lex.Set(" \n\t\r\f\v/")

// skip is the end of the blanks and comments at a position. The comments are noted
// in docs, unless that is nil.
func (s *scanner) skip(at int, docs *lex.Docs) int {
	src := s.src
	for {
		for at < len(src) && apart[src[at]] && src[at] != '/' {
			at++
		}
		if at >= len(src) || src[at] != '/' {
			return at
		}
		end := s.comment(at)
		if end == at {
			return at
		}
		if docs != nil {
			docs.Comment(src, at, end)
		}
		at = end
	}
}

// comment is the end of the comment at a slash, or the slash if there is none.
func (s *scanner) comment(at int) int {
	end, ok := comment(s.src, at)
	if !ok {
		s.unsure(at, "a comment is not closed")
	}
	return end
}

func comment(src []byte, at int) (end int, ok bool) {
	if at+1 < len(src) {
		switch src[at+1] {
		case '/':
			return lex.Line(src, at), true
		case '*':
			return lex.Block(src, at)
		}
	}
	return at, true
}

// quoted is the end of the string, text block or character at a quote.
func (s *scanner) quoted(at int) int {
	end, ok := quoted(s.src, at)
	switch {
	case ok:
	case textBlock(s.src, at):
		s.unsure(at, "a text block is not closed")
	default:
		s.unsure(at, "a string is not closed")
	}
	return end
}

func quoted(src []byte, at int) (end int, ok bool) {
	if textBlock(src, at) {
		for at += 3; at < len(src); at++ {
			switch {
			case src[at] == '\\':
				at++
			case textBlock(src, at):
				return at + 3, true
			}
		}
		return len(src), false
	}
	return lex.Quoted(src, at)
}

// textBlock reports whether a text block begins, or ends, at a position.
func textBlock(src []byte, at int) bool {
	return at+2 < len(src) && src[at] == '"' && src[at+1] == '"' && src[at+2] == '"'
}

// balanced is the end of the bracket that opens at a position.
func (s *scanner) balanced(at int) int {
	depth, from := 0, at
	for at < len(s.src) {
		switch s.src[at] {
		case '"', '\'':
			at = s.quoted(at)
			continue
		case '/':
			at = max(s.comment(at), at+1)
			continue
		case '(', '[', '{':
			depth++
		case ')', ']', '}':
			if depth--; depth == 0 {
				return at + 1
			}
		}
		at++
	}
	s.unsure(from, "a bracket is not closed")
	return len(s.src)
}

// letter reports whether a name begins at a position.
func (s *scanner) letter(at int) bool {
	return at < len(s.src) && lex.Class[s.src[at]] == lex.Letter
}

// word is the end of the name or keyword at a position.
func (s *scanner) word(at int) int { return lex.Identifier(s.src, at) }

// qualified is the end of a name with dots.
func (s *scanner) qualified(at int) int {
	for s.letter(at) {
		end := s.word(at)
		dot := s.gap(end)
		if s.byteAt(dot) != '.' {
			return end
		}
		next := s.gap(dot + 1)
		if !s.letter(next) {
			return end
		}
		at = next
	}
	return at
}

// annotation is the end of the annotation at an @; it is the position itself if
// that begins the declaration of an annotation type.
func (s *scanner) annotation(at int) int {
	name := s.gap(at + 1)
	end := s.qualified(name)
	if string(s.src[name:end]) == "interface" {
		return at
	}
	if open := s.gap(end); s.byteAt(open) == '(' {
		return s.balanced(open)
	}
	return max(end, at+1)
}

// annotations is where the first token behind annotations begins.
func (s *scanner) annotations(at int) int {
	if s.spaced(at) {
		return at + 1
	}
	at = s.gap(at)
	for s.byteAt(at) == '@' {
		end := s.annotation(at)
		if end == at {
			return at
		}
		at = s.gap(end)
	}
	return at
}

// modifiers reads annotations and modifiers, in any order. sig is the first that
// is no annotation, end the token behind all.
func (s *scanner) modifiers(at int) (sig, end int) {
	if at < len(s.src) && lex.Class[s.src[at]] == lex.Letter && s.src[at] <= 'Z' {
		return at, at // as most parameters, whose types begin with a capital
	}
	sig = s.annotations(at)
	for at = sig; ; at = s.annotations(at) {
		end := s.modifier(at)
		if end == at {
			return sig, at
		}
		at = end
	}
}

// modifier is the end of the modifier at a position, which is that position if
// there is none.
func (s *scanner) modifier(at int) int {
	switch s.byteAt(at) {
	case 'p', 's', 'a', 'f', 'n', 't', 'v', 'd':
	default:
		return at
	}
	end := s.word(at)
	switch string(s.src[at:end]) {
	case "public", "protected", "private", "static", "abstract", "final", "native", "synchronized",
		"transient", "volatile", "strictfp", "default", "sealed":
		return end
	case "non":
		if sealed := s.word(end + 1); s.byteAt(end) == '-' && string(s.src[end+1:sealed]) == "sealed" {
			return sealed
		}
	}
	return at
}
