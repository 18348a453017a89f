package clike

import (
	"github.com/dougu-go/dougu/tools/source"
	"github.com/dougu-go/dougu/tools/source/internal/cparams"
	"github.com/dougu-go/dougu/tools/source/outline/internal/lex"
)

// stops are the bytes that mean something in the body of a function.
var stops = func() (stops [256]bool) {
	for _, c := range []byte("{}\"'/#;[") {
		stops[c] = true
	}
	return stops
}()

// stopsCalls are the bytes at which a search for calls must stop.
var stopsCalls = func() [256]bool {
	with := stops
	with['('] = true
	return with
}()

// body reads code until the scope changes.
func (s *scanner) body() {
	src, at, table := s.src, s.at, &stops
	if s.calls {
		table = &stopsCalls
	}
	limit := min(len(src), at+1<<20)
	for at < limit {
		if !table[src[at]] {
			at++
			continue
		}
		switch src[at] {
		case '{':
			if s.localType() {
				return
			}
			s.top().braces++
			s.stmt = at + 1
		case '}':
			if s.ends(at) {
				s.at = at + 1
				s.pop(at + 1)
				return
			}
			s.stmt = at + 1
		case ';':
			if s.localAlias() {
				return
			}
			s.stmt = at + 1
		case '"', '\'':
			at = s.quoted(at)
			continue
		case '/':
			if end := s.comment(at); end > at {
				at = end
				continue
			}
		case '#':
			if s.firstInLine(at) {
				at = s.directive(at, false)
				s.stmt = at
				continue
			}
		case '[':
			if s.cpp && s.lambda(at) {
				return
			}
		case '(':
			s.call(at)
		}
		at++
	}
	s.at = max(at, limit)
}

// ends reports whether the bracket at a position closes the scope, and counts it if
// not.
func (s *scanner) ends(at int) bool {
	top := s.top()
	if s.columns && top.column {
		switch begin := lex.Class[s.src[at-1]] == lex.Space && s.firstInLine(at); {
		case s.src[at-1] == '\n':
			return true
		case begin && top.braces == 0:
			return false
		}
	}
	if top.braces == 0 {
		return true
	}
	top.braces--
	return false
}

// localType turns to the declaration of a type within a function, when a bracket
// is met in a statement that begins like one.
func (s *scanner) localType() bool {
	start := s.gap(s.stmt)
	s.stmt = start
	for at, words := start, 0; words < 4; words++ {
		end := lex.Identifier(s.src, at)
		switch w := s.text(at, end); {
		case typeWord(w) || w == "typedef":
			return s.local(start)
		case !qualifier(w):
			return false
		}
		at = s.gap(end)
	}
	return false
}

// local turns to a declaration within a function.
func (s *scanner) local(at int) bool {
	s.at = at
	s.push(scope{kind: inLocal, chunk: -1, open: at})
	return s.top().kind == inLocal
}

// localAlias turns to the declaration of another name for a type, when the
// semicolon is met of a statement that begins like one.
func (s *scanner) localAlias() bool {
	for {
		at := s.blanks(s.stmt)
		s.stmt = at
		if c := s.src[at]; c != 'u' && c != 't' && c != '/' && c != 'c' && c != 'd' {
			return false
		}
		at = s.gap(at)
		switch string(s.src[at:lex.Identifier(s.src, at)]) {
		case "using", "typedef":
			return s.local(at)
		case "case", "default":
			if !s.pastLabel(at) {
				return false
			}
		default:
			return false
		}
	}
}

// pastLabel lets the statement begin after the label at a position; false if
// there is none before the next semicolon.
func (s *scanner) pastLabel(at int) bool {
	for ; at+1 < len(s.src) && s.src[at] != ';'; at++ {
		if s.src[at] == ':' && s.src[at+1] != ':' && s.src[at-1] != ':' {
			s.stmt = at + 1
			return true
		}
	}
	return false
}

// lambda opens the scope of a lambda that is bound to a name, if its captures
// begin at a position.
func (s *scanner) lambda(at int) bool {
	src := s.src
	eq := s.before(at)
	if eq <= 0 || src[eq] != '=' {
		return false
	}
	to := s.before(eq) + 1
	from := to
	for from > s.stmt && lex.Class[src[from-1]]&(lex.Letter|lex.Digit) != 0 {
		from--
	}
	if from == to || lex.Class[src[from]] != lex.Letter {
		return false
	}
	start := s.gap(s.stmt)
	s.stmt = start
	if start > from || from-start > 1000 {
		return false
	}
	for _, c := range src[start:from] {
		if c == '(' || c == '=' || c == '[' || c == '#' {
			return false
		}
	}
	return s.openLambda(start, from, to, at)
}

// before is the position of the last byte ahead of a position that is no white
// space.
func (s *scanner) before(at int) int {
	for at--; at >= 0 && (lex.Class[s.src[at]] == lex.Space || s.src[at] == '\n'); at-- {
	}
	return at
}

func (s *scanner) openLambda(start, from, to, at int) bool {
	src := s.src
	parameters := 0
	for at < len(src) {
		switch src[at] {
		case '[', '(':
			end, ok := s.peekPair(at)
			if !ok {
				return false
			}
			if src[at] == '(' && parameters == 0 {
				parameters = at
			}
			at = end
			continue
		case '<':
			end, ok := s.angles(at)
			if !ok {
				return false
			}
			at = end
			continue
		case 'r':
			if end := lex.Identifier(src, at); string(src[at:end]) == "requires" && lex.Class[src[at-1]]&(lex.Letter|lex.Digit) == 0 {
				clauseEnd, ok := s.constraint(end, parameters > 0)
				if !ok {
					s.unsure(at, "the requires-clause is not understood")
					return false
				}
				at = clauseEnd
				continue
			}
		case '{':
			doc, docEnd := s.docs.Before(src, start)
			c := source.Chunk{
				Kind: source.Lambda, Name: s.text(from, to), Doc: int32(doc), DocEnd: int32(docEnd),
				Decl: int32(start), Ident: int32(from), Body: int32(at), Parent: s.parent(),
			}
			if parameters > 0 {
				end, _ := s.peekPair(parameters)
				c.Labels = cparams.Labels(src[parameters:end])
			}
			s.at = at + 1
			s.push(scope{kind: inLambda, chunk: s.add(c), open: at, first: start})
			s.stmt = at + 1
			return true
		case '/':
			if end := s.comment(at); end > at {
				at = end
				continue
			}
		case ';', '}', ')', '=', '#', '"':
			return false
		}
		at++
	}
	return false
}

// closeLambda ends a lambda with its statement. One that is called where it
// stands is no declaration.
func (s *scanner) closeLambda(i, end int) {
	next := s.gap(end)
	switch {
	case next < len(s.src) && s.src[next] == '(':
		s.chunks[i].dropped = true
	case next < len(s.src) && s.src[next] == ';':
		s.chunks[i].End = int32(next + 1)
	}
}

// call notes the call whose bracket is at a position.
func (s *scanner) call(at int) {
	to := s.before(at) + 1
	if to > 0 && s.src[to-1] == '>' {
		to = s.beforeAngles(to)
	}
	from := to
	for from > 0 && lex.Class[s.src[from-1]]&(lex.Letter|lex.Digit) != 0 {
		from--
	}
	if from == to || lex.Class[s.src[from]] != lex.Letter || statement(s.src[from:to]) {
		return
	}
	if last := s.before(from); last >= 0 && last > s.stmt {
		// Two words in a row declare a variable.
		if lex.Class[s.src[last]]&(lex.Letter|lex.Digit) != 0 {
			begin := last
			for begin > 0 && lex.Class[s.src[begin-1]]&(lex.Letter|lex.Digit) != 0 {
				begin--
			}
			if !statement(s.src[begin : last+1]) {
				return
			}
		}
	}
	s.found = append(s.found, call{s.text(from, to), from, s.callable()})
}

// beforeAngles is the place before the template arguments that end at a
// position.
func (s *scanner) beforeAngles(at int) int {
	depth := 0
	for i := at - 1; i >= max(0, at-200); i-- {
		switch s.src[i] {
		case '>':
			depth++
		case '<':
			if depth--; depth == 0 {
				return i
			}
		case ';', '{', '}', '(':
			return at
		}
	}
	return at
}
