package language

import "bytes"

// kind is the kind of a token.
type kind uint8

const (
	eof      kind = iota // the end of the source text
	word                 // a name or a keyword
	literal              // a string
	unclosed             // a string or comment without an end
	sign                 // any other character
)

// token is a part of a text.
type token struct {
	kind       kind
	start, end int
}

// scanner splits a text into tokens. It omits white space and comments.
type scanner struct {
	src []byte
	at  int
}

func (s *scanner) text(t token) string { return string(s.src[t.start:t.end]) }

// peek returns the next token and stays before it.
func (s *scanner) peek() token {
	at := s.at
	defer func() { s.at = at }()
	return s.next()
}

// next returns the next token and moves behind it.
func (s *scanner) next() token {
	for s.at < len(s.src) {
		start := s.at
		rest := s.src[start:]
		switch c := rest[0]; {
		case bytes.HasPrefix(rest, []byte("--")):
			s.at += 2
			switch closing := s.longBracket(); {
			case closing == "":
				s.skip("\n")
			case !s.skip(closing):
				return token{unclosed, start, s.at}
			}
		case c == ' ' || c == '\t' || c == '\r' || c == '\n' || c == '\f' || c == '\v' || c >= 0x80:
			s.at++
		case isLetter(c):
			for s.at < len(s.src) && (isLetter(s.src[s.at]) || '0' <= s.src[s.at] && s.src[s.at] <= '9') {
				s.at++
			}
			return token{word, start, s.at}
		case c == '"' || c == '\'':
			return s.quoted(c)
		default:
			if closing := s.longBracket(); closing != "" {
				if !s.skip(closing) {
					return token{unclosed, start, s.at}
				}
				return token{literal, start, s.at}
			}
			s.at++
			return token{sign, start, s.at}
		}
	}
	return token{eof, len(s.src), len(s.src)}
}

func isLetter(c byte) bool { return c == '_' || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' }

// skip moves behind the next occurrence of a text. Without one, it moves to the end of the source text and returns false.
func (s *scanner) skip(to string) bool {
	n := bytes.Index(s.src[s.at:], []byte(to))
	if n < 0 {
		s.at = len(s.src)
		return false
	}
	s.at += n + len(to)
	return true
}

// longBracket returns the end of the long bracket that begins here: "]==]" for "[==[". It returns "" if none begins here.
func (s *scanner) longBracket() string {
	rest, found := bytes.CutPrefix(s.src[s.at:], []byte("["))
	level := len(rest) - len(bytes.TrimLeft(rest, "="))
	if !found || level == len(rest) || rest[level] != '[' {
		return ""
	}
	return "]" + string(rest[:level]) + "]"
}

// quoted reads a string in quotes.
func (s *scanner) quoted(quote byte) token {
	start := s.at
	for s.at++; s.at < len(s.src); s.at++ {
		switch s.src[s.at] {
		case '\\':
			s.at++
		case quote:
			s.at++
			return token{literal, start, s.at}
		case '\n':
			return token{unclosed, start, s.at}
		}
	}
	s.at = len(s.src)
	return token{unclosed, start, s.at}
}
