package kotlin

import "github.com/dougu-go/dougu/tools/source/outline/internal/lex"

// annotation reads an annotation, and answers with what it applies to if it says
// so: "file" in @file:Name.
func (s *scanner) annotation() (target string) {
	s.at++
	end := s.identifier()
	if colon := lex.Spaces(s.src, end); colon < len(s.src) && s.src[colon] == ':' && (colon == end || useSite(s.src[s.at:end])) {
		target = string(s.src[s.at:end])
		s.next(colon + 1)
		end = s.identifier()
	}
	calls := s.calls
	s.calls = false // the arguments of an annotation are constants
	defer func() { s.calls = calls }()
	if s.is('[') {
		s.nested(inBrackets)
		return target
	}
	for end > s.at && end+1 < len(s.src) && s.src[end] == '.' {
		s.at = end + 1
		end = s.identifier()
	}
	at := s.at
	s.at = end
	switch {
	case s.is('<'):
		s.angles()
		if !s.is('(') || s.end != s.at {
			return target
		}
	case !s.is('('):
		s.at = at
		s.next(end)
		return target
	}
	s.nested(inBrackets)
	return target
}

// useSite says that an annotation may name this as what it applies to.
func useSite(target []byte) bool {
	switch string(target) {
	case "file", "field", "property", "get", "set", "receiver", "param", "setparam", "delegate", "all":
		return true
	}
	return false
}

// over is the end of the blanks and comments at a position.
func (s *scanner) over(at int) int {
	for at < len(s.src) {
		switch c := s.src[at]; {
		case lex.Class[c] == lex.Space || c == '\n':
			at++
		case c == '/' && at+1 < len(s.src) && s.src[at+1] == '/':
			at = lex.Line(s.src, at)
		case c == '/' && at+1 < len(s.src) && s.src[at+1] == '*':
			at, _ = lex.NestedBlock(s.src, at)
		default:
			return at
		}
	}
	return at
}

// overAnnotation is the end of the annotation at a position, roughly: strings with
// templates that contain strings are not expected in it.
func (s *scanner) overAnnotation(at int) int {
	at++
	for at < len(s.src) && (lex.Class[s.src[at]]&(lex.Letter|lex.Digit) != 0 || s.src[at] == '.' || s.src[at] == ':') {
		at++
	}
	if at == len(s.src) || s.src[at] != '(' && s.src[at] != '[' {
		return at
	}
	depth := 0
	for at < len(s.src) {
		switch s.src[at] {
		case '(', '[', '{':
			depth++
		case ')', ']', '}':
			if depth--; depth == 0 {
				return at + 1
			}
		case '"', '\'':
			end, ok := lex.Quoted(s.src, at)
			if !ok {
				s.unsure("a string in an annotation is not closed in its line", at)
			}
			at = end
			continue
		}
		at++
	}
	return at
}
