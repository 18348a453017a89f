package clike

import (
	"github.com/dougu-go/dougu/tools/source/outline/internal/lex"
)

// wordAt is the word with an index in the head, or nothing.
func (s *scanner) wordAt(i int) string {
	if i < 0 || i >= len(s.head) || s.head[i].kind != word {
		return ""
	}
	return string(s.src[s.head[i].start:s.head[i].end])
}

// has is the index of a word in the head, or -1.
func (s *scanner) has(w string) int {
	for i := range s.head {
		if s.wordAt(i) == w {
			return i
		}
	}
	return -1
}

// opening classifies a bracket that opens after a head.
func (s *scanner) opening() {
	at, n := s.at, len(s.head)
	switch {
	case n == 0:
		s.open(scope{kind: inCode, chunk: -1, open: at})
	case s.init && s.initializes():
		s.braces()
	case s.namespace():
	case s.head[n-1].kind == text && (s.wordAt(n-2) == "extern" || s.wordAt(n-2) == "export"):
		s.open(scope{kind: inBlock, chunk: -1, open: at})
	case s.openType():
	default:
		if name, params, ok := s.function(); ok && !s.macroCall(name, params) {
			s.openFunction(name, params)
			return
		}
		switch {
		case n == 1 && s.capitals(s.head[0]):
			s.open(scope{kind: inBlock, chunk: -1, open: at})
		case s.cpp && (s.head[n-1].kind == word || s.head[n-1].kind == square) && n > 1 && !s.control():
			s.initialValue()
		default:
			s.open(scope{kind: inCode, chunk: -1, open: at})
		}
	}
}

// control reports whether the head is that of a statement, which has no place here.
func (s *scanner) control() bool {
	switch s.wordAt(0) {
	case "if", "for", "while", "switch", "do", "else", "return", "case", "default":
		return true
	}
	return false
}

// initializes reports whether a bracket in a constructor's initialisers is that of one
// of them.
func (s *scanner) initializes() bool {
	k := s.head[len(s.head)-1].kind
	return k == word && !trailing(s.wordAt(len(s.head)-1)) || k == angle
}

// maxLists bounds the lists of initial values in a head, and with them how often
// it is looked through.
const maxLists = 64

func (s *scanner) braces() {
	s.bracket(curly)
	if s.lists++; s.lists > maxLists && !s.init {
		s.reset()
	}
}

// initialValue passes over the initial value of a variable in braces. Braces with a
// declaration behind them are a body that was not recognised.
func (s *scanner) initialValue() {
	at := s.at
	s.braces()
	if next := s.gap(s.at); next < len(s.src) && (lex.Class[s.src[next]] == lex.Letter || s.src[next] == '}' || s.src[next] == '~') {
		s.unsure(at, "the braces are no initial value")
	}
}

func (s *scanner) open(sc scope) {
	s.at++
	if sc.kind.isCode() {
		s.stmt = s.at
	}
	s.push(sc)
}

// closing is the bracket that ends a scope.
func (s *scanner) closing() {
	at := s.at
	switch top := s.top(); {
	case top.kind == inLocal:
		s.pop(at)
		return // the bracket is that of the code around
	case len(s.stack) == 1:
		s.unsure(at, "a bracket closes nothing")
		s.reset()
		s.at++
		return
	case top.kind == inEnum:
		s.enumerator(at)
	}
	s.at++
	s.pop(at + 1)
}

// colonMark reads a colon in a head: that of a label, of base classes, of a
// constructor's initialisers or of a bit field.
func (s *scanner) colonMark() {
	at, n := s.at, len(s.head)
	if n == 0 {
		s.at++
		return
	}
	switch s.wordAt(n - 1) {
	case "public", "private", "protected", "signals", "Q_SIGNALS", "slots", "Q_SLOTS":
		s.reset()
		s.at++
		return
	}
	if n == 1 && s.top().kind != inEnum && s.cpp {
		s.reset()
		s.at++
		return
	}
	if !s.colon && s.typeWord() < 0 {
		if _, _, ok := s.function(); ok {
			s.init = true
		}
	}
	s.colon = true
	s.put(mark, at, at+1)
}

// equals skips an initial value. A comma or the end of the declaration follows in the head.
func (s *scanner) equals() {
	at := s.at
	if at+1 < len(s.src) && s.src[at+1] == '=' {
		s.put(mark, at, at+1)
		s.at++
		return
	}
	s.put(mark, at, at+1)
	next := s.gap(s.at)
	if s.cpp && next < len(s.src) && s.src[next] == '[' && len(s.head) > 1 && s.head[len(s.head)-2].kind == word && s.top().kind != inEnum {
		name := s.head[len(s.head)-2]
		if s.openLambda(s.first, name.start, name.end, next) {
			return
		}
	}
	s.value()
}

// value skips an expression up to a comma, a semicolon or a closing bracket of the surrounding
// text.
func (s *scanner) value() {
	src := s.src
	for s.at < len(src) {
		at := s.at
		switch src[at] {
		case ',', ';', '}', ')':
			if src[at] == ')' {
				s.at++
				continue
			}
			return
		case '(', '[', '{':
			end, ok := s.pair(at)
			if !ok && end >= len(src) {
				s.unsure(at, "the bracket is not closed")
			}
			s.at = end
			continue
		case '<':
			if s.cpp && at > 0 && lex.Class[src[at-1]]&(lex.Letter|lex.Digit) != 0 {
				if end, ok := s.angles(at); ok {
					s.at = end
					continue
				}
			}
		case '"', '\'':
			s.at = s.quoted(at)
			continue
		case '/':
			if end := s.comment(at); end > at {
				s.at = end
				continue
			}
		case '#':
			if s.firstInLine(at) {
				s.at = s.directive(at, false)
				continue
			}
		}
		s.at++
	}
}

// semicolon ends a declaration.
func (s *scanner) semicolon() {
	end := s.at + 1
	if !s.cpp && s.oldStyle() {
		s.put(mark, s.at, end)
		return
	}
	if len(s.head) > 0 {
		s.declared(end)
	}
	s.reset()
	s.at = end
	if s.top().kind == inLocal {
		s.pop(end)
	}
}

// oldStyle reports whether the semicolon is that of the parameters' declarations
// between the names of a function's parameters and its body.
func (s *scanner) oldStyle() bool {
	_, params, ok := s.function()
	if !ok || params+2 >= len(s.head) || !s.onlyNames(s.head[params]) || trailing(s.wordAt(params+1)) && s.wordAt(params+1) != "const" {
		return false
	}
	if s.at < s.noParams {
		return false
	}
	old, end := s.oldStyleFrom(s.at + 1)
	if !old {
		s.noParams = end
	}
	return old
}

// maxOldStyle bounds the declarations of the parameters of one function.
const maxOldStyle = 4000

// oldStyleFrom says that declarations without initial values stand between a
// position and the bracket of a body, or where something else does.
func (s *scanner) oldStyleFrom(at int) (old bool, end int) {
	last := byte(';')
	for limit := min(at+maxOldStyle, len(s.src)); at < limit; {
		at = s.gap(at)
		if at >= len(s.src) {
			break
		}
		switch c := s.src[at]; {
		case c == '{':
			return last == ';', at
		case lex.Class[c]&(lex.Letter|lex.Digit) != 0:
			at, last = lex.Identifier(s.src, at), c
		case c == '*' || c == ',' || c == '[' || c == ']' || c == '(' || c == ')' || c == ';':
			at, last = at+1, c
		default:
			return false, at
		}
	}
	return false, at
}

// onlyNames reports whether the brackets hold names with commas between them and
// nothing else.
func (s *scanner) onlyNames(t token) bool {
	want := true
	for at := s.gap(t.start + 1); at < t.end-1; at = s.gap(at) {
		if (lex.Class[s.src[at]] == lex.Letter) != want {
			return false
		}
		if want {
			at = lex.Identifier(s.src, at)
		} else if s.src[at] == ',' {
			at++
		} else {
			return false
		}
		want = !want
	}
	return !want
}
