package clike

import (
	"bytes"
	"strings"

	"github.com/dougu-go/dougu/tools/source"
	"github.com/dougu-go/dougu/tools/source/internal/cparams"
	"github.com/dougu-go/dougu/tools/source/outline/internal/lex"
)

// function finds the name and the parameters of the function that the head
// declares; they are indexes in the head.
func (s *scanner) function() (name, params int, ok bool) {
	end := len(s.head)
	for i := range s.head {
		if s.is(s.head[i], ':') || s.is(s.head[i], '=') {
			end = i
			break
		}
	}
	base := 0
	for i := 0; i < end; i++ {
		if s.head[i].kind != group {
			continue
		}
		n, p, found := s.candidate(i, end)
		if !found {
			continue
		}
		if ok && !s.isLaterFunction(base, name, params, n, p) {
			break
		}
		if ok && !s.typed(base, name) {
			base = params + 1
		}
		name, params, ok = n, p, true
	}
	return name, params, ok
}

// candidate reads the brackets with index i as parameters.
func (s *scanner) candidate(i, end int) (name, params int, ok bool) {
	if i == 0 {
		return 0, 0, false
	}
	before := s.head[i-1]
	if c := s.src[s.gap(s.head[i].start+1)]; c == '"' || lex.Class[c] == lex.Digit {
		return 0, 0, false // values
	}
	if i+1 < end && s.head[i+1].kind == group && s.holdsOneName(s.head[i]) && (before.kind == word && !notNamed(s.wordAt(i-1)) || s.is(before, '*')) {
		return i, i + 1, true // int (name)(int x)
	}
	switch before.kind {
	case naming:
		return i - 1, i, true
	case attribute: // of the name before it
		if i > 1 && (s.head[i-2].kind == naming || s.head[i-2].kind == word && !notNamed(s.wordAt(i-2)) && !builtin(s.wordAt(i-2)) && !s.pointer(s.head[i])) {
			return i - 2, i, true
		}
	case word:
		w := s.wordAt(i - 1)
		named := !s.cpp && cppKeyword(w)
		if notNamed(w) && !named {
			return 0, 0, false
		}
		if builtin(w) && !named {
			if s.returnsPointer(s.head[i]) {
				return i, i, true
			}
			return 0, 0, false
		}
		if i+1 < end && s.head[i+1].kind == group && s.pointer(s.head[i]) {
			return 0, 0, false // type (*name)(int x)
		}
		return i - 1, i, true
	case angle:
		if i > 1 && (s.head[i-2].kind == word && s.wordAt(i-2) != "template" || s.head[i-2].kind == naming) {
			return i - 2, i, true
		}
	case mark:
		if s.is(before, '*') && s.returnsPointer(s.head[i]) {
			return i, i, true
		}
	}
	return 0, 0, false
}

// isLaterFunction reports whether the candidate with the later brackets is the function, and
// the earlier a macro before it.
func (s *scanner) isLaterFunction(base, name, params, laterName, laterParams int) bool {
	if s.head[name].kind != word || s.head[laterName].kind == group && laterName == params {
		return false
	}
	if s.head[laterName].kind == word && trailing(s.wordAt(laterName)) {
		return false
	}
	words, types := 0, 0
	for i := params + 1; i < laterName; i++ {
		switch t := s.head[i]; {
		case t.kind == word && trailing(s.wordAt(i)) && s.wordAt(i) != "const":
			return false
		case t.kind == word:
			words++
			if builtin(s.wordAt(i)) && s.wordAt(i) != "const" {
				types++
			}
		case s.is(t, '>') || t.kind == text:
			return false // a trailing return type
		}
	}
	bare := !s.typed(base, name)
	shout, laterShout := s.capitals(s.head[name]), s.capitals(s.head[laterName])
	switch {
	case types > 0, bare && shout && s.lineFeed(params) && !laterShout, bare && shout && s.lineFeed(params) && laterName == params+1 && s.hasMoreThanBody(laterParams):
		return true
	case bare && words > 0 && !laterShout:
		return shout || words > 0 && !s.inClass(name)
	case shout && !laterShout:
		return true
	}
	return false
}

// inClass reports whether a name is that of the type around, as a constructor's is.
func (s *scanner) inClass(name int) bool {
	top := s.top()
	return top.kind == inType && top.name != "" && s.wordAt(name) == top.name
}

// macroCall reports whether a head in the form of a function is a macro with a block of code: it
// has no type, and its brackets hold values.
func (s *scanner) macroCall(name, params int) bool {
	return s.head[name].kind == word && !s.typed(0, name) && !s.inClass(name) && s.qualified(name) == name &&
		bytes.IndexByte(s.src[s.head[params].start:s.head[params].end], '"') >= 0
}

// hasMoreThanBody reports whether brackets are followed by more than a body.
func (s *scanner) hasMoreThanBody(params int) bool { return params+1 < len(s.head) }

// typed reports whether a word of a type stands between an index and a name. Qualifiers of a
// declaration do not count.
func (s *scanner) typed(from, name int) bool {
	for i := s.qualified(name) - 1; i >= from; i-- {
		switch t := s.head[i]; {
		case t.kind == word && !storage(s.wordAt(i)) && s.wordAt(i) != "template", t.kind == curly:
			return true
		}
	}
	return false
}

// qualified is where the name with its qualifiers begins: A::B<C>::~name.
func (s *scanner) qualified(name int) int {
	i := name
	if i > 0 && s.is(s.head[i-1], '~') {
		i--
	}
	for i > 0 && s.head[i-1].kind == colons {
		i--
		if i > 0 && s.head[i-1].kind == angle && i > 1 && s.head[i-2].kind == word {
			i -= 2
		} else if i > 0 && s.head[i-1].kind == word && !builtin(s.wordAt(i-1)) {
			i--
		} else {
			break
		}
	}
	return i
}

// holdsOneName reports whether the brackets hold one name alone.
func (s *scanner) holdsOneName(t token) bool {
	at := s.gap(t.start + 1)
	end := lex.Identifier(s.src, at)
	return end > at && lex.Class[s.src[at]] == lex.Letter && s.gap(end) == t.end-1
}

// pointer reports whether the brackets hold the declarator of a pointer.
func (s *scanner) pointer(t token) bool {
	at := s.gap(t.start + 1)
	for at < t.end && lex.Class[s.src[at]] == lex.Letter { // a calling convention, a class
		at = s.gap(lex.Identifier(s.src, at))
		if at+1 < t.end && s.src[at] == ':' && s.src[at+1] == ':' {
			at = s.gap(at + 2)
		}
	}
	return at < t.end && (s.src[at] == '*' || s.src[at] == '^' || s.src[at] == '&')
}

// returnsPointer reports whether the brackets hold a declarator of a function that
// answers with a pointer to one: (*name(int x)).
func (s *scanner) returnsPointer(t token) bool {
	from, to := s.inner(t)
	return from > 0 && s.pointer(t) && to < t.end && s.src[s.gap(to)] == '('
}

// inner is the name in a declarator in brackets; 0, 0 if there is none.
func (s *scanner) inner(t token) (from, to int) {
	stars := 0
	for at := t.start + 1; at < t.end-1; at = s.gap(at) {
		c := s.src[at]
		switch {
		case lex.Class[c] == lex.Letter:
			from, to = at, lex.Identifier(s.src, at)
			at = to
			next := s.gap(at)
			if stars > 0 && next < t.end && (s.src[next] == '(' || s.src[next] == ')' || s.src[next] == '[') {
				return from, to
			}
		case c == '*' || c == '^' || c == '&' || c == '(':
			stars++
			at++
		case c == ':' || c == ' ' || c == '\n':
			at++
		default:
			return from, to
		}
	}
	return from, to
}

// openFunction opens the body of a function.
func (s *scanner) openFunction(name, params int) {
	c := s.callableChunk(name, params)
	c.Body = int32(s.at)
	first := int(c.Decl)
	s.open(scope{
		kind: inFunction, chunk: s.add(c), open: s.at, first: first,
		try:    s.cpp && s.has("try") > params,
		column: first == 0 || s.src[first-1] == '\n',
	})
}

// callableChunk is the chunk of the function whose name and parameters have
// these indexes.
func (s *scanner) callableChunk(name, params int) source.Chunk {
	c := source.Chunk{Kind: source.Function, Parent: s.parent()}
	t := s.head[name]
	from, to := t.start, t.end
	list := s.head[params]
	if t.kind == group {
		from, to = s.inner(t)
		if name == params {
			if at := s.gap(to); at < t.end && s.src[at] == '(' {
				end, _ := s.peekPair(at)
				list = token{group, at, end}
			}
		}
	}
	c.Name, c.Ident = s.text(from, to), int32(from)
	if t.kind == naming {
		c.Kind = source.Operator
		c.Name = spaced(c.Name)
	}
	start := s.qualified(name)
	if name > 0 && s.is(s.head[name-1], '~') {
		c.Kind, c.Ident = source.Deinitializer, int32(s.head[name-1].start)
		c.Name = "~" + c.Name
	}
	c.Container = s.qualifier(start, name)
	switch owner := s.owner(start, name); {
	case c.Kind != source.Function:
	case owner != "" && owner == c.Name || s.inClass(name):
		c.Kind = source.Initializer
	case owner != "":
		c.Kind = source.Method
	}
	if s.cpp {
		c.Labels = cparams.Labels(s.src[list.start:list.end])
	}
	s.begin(&c, s.start(name))
	return c
}

// spaced is a name with single blanks.
func spaced(name string) string {
	out := make([]byte, 0, len(name))
	for i := 0; i < len(name); i++ {
		if lex.Class[name[i]] == lex.Space || name[i] == '\n' {
			if n := len(out); n > 0 && out[n-1] != ' ' {
				out = append(out, ' ')
			}
			continue
		}
		out = append(out, name[i])
	}
	return string(out)
}

// start is the index in the head of where the declaration of a name begins: after macros
// that were called before it, and a type's body.
func (s *scanner) start(name int) int {
	from := 0
	if len(s.head) > 0 && s.head[0].kind == curly {
		from = 1
	}
	for {
		next := s.afterMacro(from, name)
		if next == from || next > name {
			return min(from, name)
		}
		from = next
	}
}

// afterMacro returns the index after a macro that has lines of its own, or the index. A macro
// with arguments that gives the declaration its type, as in "API(int)" above a name, belongs
// to the declaration, and so does a macro that names an attribute of it.
func (s *scanner) afterMacro(from, name int) int {
	switch w := s.wordAt(from); {
	case w == "", notNamed(w), namesAttribute(w):
	case s.top().kind == inType && isClassMacro(w) && s.lineFeed(from):
		return from + 1
	case from+2 <= name && s.head[from+1].kind == group && s.lineFeed(from+1) && !s.hasLower(s.head[from]) && s.hasType(from+2, name):
		return from + 2
	}
	return from
}

// hasType reports whether the head from an index on declares a name without a macro before it: it
// has a type, or the name is that of a constructor, a destructor or an operator.
func (s *scanner) hasType(from, name int) bool {
	start := s.qualified(name)
	return s.head[name].kind != word || s.typed(from, name) || s.inClass(name) || name > from && s.is(s.head[name-1], '~') ||
		start < name && s.owner(start, name) == s.wordAt(name)
}

// isClassMacro reports whether a macro without arguments declares members of the class around it.
func isClassMacro(w string) bool {
	switch w {
	case "Q_OBJECT", "Q_GADGET", "Q_NAMESPACE":
		return true
	}
	return false
}

// namesAttribute reports whether the name of a macro is that of an attribute.
func namesAttribute(w string) bool {
	for _, part := range []string{"ATTR", "DEPRECATED", "NODISCARD", "NONNULL", "NOINLINE", "EXPORT", "PRINTF", "ALIGN"} {
		if strings.Contains(w, part) {
			return true
		}
	}
	return false
}

// lineFeed reports whether the token with this index ends its line.
func (s *scanner) lineFeed(i int) bool {
	if i+1 >= len(s.head) {
		return false
	}
	for _, c := range s.src[s.head[i].end:s.head[i+1].start] {
		if c == '\n' {
			return true
		}
	}
	return false
}

// qualifier is the dotted path that a name is qualified with.
func (s *scanner) qualifier(start, name int) string {
	path := ""
	for i := start; i < name; i++ {
		if t := s.head[i]; t.kind == word {
			if path != "" {
				path += "."
			}
			path += s.text(t.start, t.end)
		}
	}
	return path
}

// owner is the last part of a qualified name before the name itself.
func (s *scanner) owner(start, name int) string {
	for i := name - 1; i >= start; i-- {
		if s.head[i].kind == word {
			return s.wordAt(i)
		}
	}
	return ""
}

// begin sets the beginning of a declaration, of its signature and of its documentation.
func (s *scanner) begin(c *source.Chunk, from int) {
	c.Decl = int32(s.head[from].start)
	sig := from
	for sig < len(s.head) && (s.head[sig].kind == attribute || s.wordAt(sig) == "__attribute__" || s.wordAt(sig) == "__declspec" || sig > from && s.head[sig].kind == group && sig == from+1) {
		sig++
	}
	if sig > from && sig < len(s.head) && s.head[sig].start <= int(c.Ident) {
		c.Sig = int32(s.head[sig].start)
	}
	doc, docEnd := s.docs.Before(s.src, int(c.Decl))
	c.Doc, c.DocEnd = int32(doc), int32(docEnd)
}
