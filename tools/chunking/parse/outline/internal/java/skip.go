package java

import "github.com/dougu-go/dougu/tools/chunking/parse/outline/internal/lex"

// blanks goes to the next token and notes the comments before it.
func (s *scanner) blanks() {
	at := s.at
	for at < len(s.src) {
		c := s.src[at]
		if c == '\n' || lex.Class[c] == lex.Space {
			at++
			continue
		}
		end := at
		if c == '/' {
			end = s.comment(at)
		}
		if end == at {
			break
		}
		s.docs.Comment(s.src, at, end)
		at = end
	}
	s.at = at
}

// gap is where the token after a position begins.
func (s *scanner) gap(at int) int {
	for at < len(s.src) {
		c := s.src[at]
		if c == '\n' || lex.Class[c] == lex.Space {
			at++
			continue
		}
		end := at
		if c == '/' {
			end = s.comment(at)
		}
		if end == at {
			break
		}
		at = end
	}
	return at
}

// comment is the end of the comment at a slash, or the slash if there is none.
func (s *scanner) comment(at int) int {
	switch s.byteAt(at + 1) {
	case '/':
		return lex.Line(s.src, at)
	case '*':
		end, ok := lex.Block(s.src, at)
		if !ok {
			s.unsure(at, "a comment is not closed")
		}
		return end
	}
	return at
}

// quoted is the end of the string, text block or character at a quote.
func (s *scanner) quoted(at int) int {
	if s.src[at] == '"' && s.byteAt(at+1) == '"' && s.byteAt(at+2) == '"' {
		return s.textBlock(at)
	}
	end, ok := lex.Quoted(s.src, at)
	if !ok {
		s.unsure(at, "a string is not closed")
	}
	return min(end, len(s.src))
}

func (s *scanner) textBlock(at int) int {
	for end := at + 3; end < len(s.src); end++ {
		switch s.src[end] {
		case '\\':
			end++
		case '"':
			if s.byteAt(end+1) == '"' && s.byteAt(end+2) == '"' {
				return end + 3
			}
		}
	}
	s.unsure(at, "a text block is not closed")
	return len(s.src)
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

// letter says that a name begins at a position.
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
		if next := s.gap(dot + 1); s.byteAt(dot) == '.' && s.letter(next) {
			at = next
			continue
		}
		return end
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
	sig = s.annotations(at)
	for at = sig; ; at = s.annotations(at) {
		if !s.letter(at) {
			return sig, at
		}
		end := s.word(at)
		switch string(s.src[at:end]) {
		case "public", "protected", "private", "static", "abstract", "final", "native", "synchronized",
			"transient", "volatile", "strictfp", "default", "sealed":
			at = end
		case "non":
			if s.byteAt(end) != '-' || string(s.src[end+1:s.word(end+1)]) != "sealed" {
				return sig, at
			}
			at = s.word(end + 1)
		default:
			return sig, at
		}
	}
}
