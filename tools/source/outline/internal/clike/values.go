package clike

import (
	"slices"

	"github.com/dougu-go/dougu/tools/source"
	"github.com/dougu-go/dougu/tools/source/outline/internal/lex"
)

// declared adds the declarations of a head that ends with a semicolon before an offset.
func (s *scanner) declared(end int) {
	i := 0
	if u := s.has("using"); u >= 0 && u < 5 {
		s.using(u, end)
		return
	}
	for i < len(s.head) && (s.head[i].kind == attribute || s.head[i].kind == angle || s.head[i].kind == clause || s.wordAt(i) == "template" || s.wordAt(i) == "export") {
		i++
	}
	w := s.wordAt(i)
	switch {
	case w == "concept":
		s.concept(i, end)
		return
	case w == "namespace" || w == "static_assert" || w == "_Static_assert" || w == "asm" || w == "__asm__" || w == "return" || w == "goto":
		return
	case s.bodyType != nil && s.bodyType.typedef && s.head[0].kind == curly || s.typedefAt(i) >= 0:
		s.typedefs(end)
		return
	}
	if s.forward(i) {
		return
	}
	if name, params, ok := s.function(); ok && s.prototype(name, params) {
		if s.inCode() {
			return
		}
		c := s.callableChunk(name, params)
		c.End = int32(end)
		s.add(c)
		return
	}
	if !s.inCode() && w != "friend" {
		s.variables(end)
	}
}

// typedefAt is the index of the word typedef or -1.
func (s *scanner) typedefAt(from int) int {
	for i := from; i < len(s.head); i++ {
		if s.wordAt(i) == "typedef" {
			return i
		}
	}
	return -1
}

// forward reports whether the head is that of a type without a body.
func (s *scanner) forward(i int) bool {
	if s.wordAt(i) == "friend" {
		return s.cpp && typeWord(s.wordAt(i+1))
	}
	if s.wordAt(i) == "extern" && s.wordAt(i+1) == "template" {
		i += 2
	}
	if !typeWord(s.wordAt(i)) {
		return false
	}
	words := 0
	for j := i + 1; j < len(s.head); j++ {
		switch t := s.head[j]; {
		case s.is(t, ':'):
			return words < 2
		case t.kind == word && !typeWord(s.wordAt(j)) && (j == 0 || s.head[j-1].kind != colons):
			words++
		case t.kind == word || t.kind == colons || t.kind == attribute || t.kind == angle:
		case t.kind == group && notNamed(s.wordAt(j-1)):
			words--
		default:
			return false
		}
	}
	return words < 2 || words == 2 && s.wordAt(i+2) != "" && s.capitals(s.head[i+1]) && s.cpp
}

// prototype reports whether the head, which has the shape of a function without a
// body, is not that of a variable or a macro.
func (s *scanner) prototype(name, params int) bool {
	if s.head[name].kind == naming {
		return true
	}
	if s.head[0].kind == curly && name == 1 {
		return false
	}
	start := s.qualified(name)
	if !s.typed(0, name) {
		if s.deductionGuide(name, params) {
			return true
		}
		return s.inClass(name) || start < name && s.owner(start, name) == s.wordAt(name) || start < name && s.is(s.head[name-1], '~') || s.is(s.head[max(0, name-1)], '~')
	}
	return s.parameters(s.head[params])
}

// deductionGuide reports whether the head is Name(parameters) -> Name<arguments>.
func (s *scanner) deductionGuide(name, params int) bool {
	return s.cpp && params+3 < len(s.head) && s.is(s.head[params+1], '-') && s.is(s.head[params+2], '>') && s.wordAt(params+3) == s.wordAt(name)
}

// parameters reports whether brackets hold declarations rather than values.
func (s *scanner) parameters(t token) bool {
	if !s.cpp {
		return true
	}
	at := s.gap(t.start + 1)
	switch c := s.src[at]; {
	case c == ')':
		return true
	case lex.Class[c] == lex.Digit, c == '"', c == '\'', c == '-', c == '!', c == '&', c == '*', c == '{':
		return false
	}
	end := lex.Identifier(s.src, at)
	switch s.text(at, end) {
	case "true", "false", "nullptr", "NULL", "this", "new", "sizeof", "static_cast", "reinterpret_cast":
		return false
	}
	return true
}

// using notes a type alias.
func (s *scanner) using(i, end int) {
	eq := -1
	for j := i + 1; j < len(s.head) && eq < 0; j++ {
		if s.is(s.head[j], '=') {
			eq = j
		}
	}
	if eq < 0 || s.head[i+1].kind != word {
		return
	}
	t := s.head[i+1]
	c := source.Chunk{Kind: source.TypeAlias, Name: s.text(t.start, t.end), Ident: int32(t.start), End: int32(end), Parent: s.parent()}
	s.begin(&c, 0)
	s.add(c)
}

// concept notes a concept.
func (s *scanner) concept(i, end int) {
	if i+1 >= len(s.head) || s.head[i+1].kind != word {
		return
	}
	t := s.head[i+1]
	c := source.Chunk{Kind: source.Interface, Name: s.text(t.start, t.end), Ident: int32(t.start), End: int32(end), Parent: s.parent()}
	s.begin(&c, 0)
	s.add(c)
}

// typedefs notes the names that a typedef declares.
func (s *scanner) typedefs(end int) {
	body := s.bodyType
	if s.head[0].kind != curly {
		body = nil
	}
	for n, d := range s.declarators() {
		from, to := s.declarator(d[0], d[1])
		if from == 0 && to == 0 {
			continue
		}
		if n == 0 && body != nil && body.nameless {
			c := &s.chunks[body.chunk].Chunk
			c.Name, c.Ident, c.End = s.text(from, to), int32(from), int32(end)
			c.Signature = "typedef " + keyword(c.Kind) + " " + c.Name
			continue
		}
		c := source.Chunk{Kind: source.TypeAlias, Name: s.text(from, to), Ident: int32(from), End: int32(end), Parent: s.parent()}
		s.setStart(&c, n, d[0])
		s.add(c)
	}
}

func keyword(k source.Kind) string {
	if k == source.Enum {
		return "enum"
	}
	return "struct"
}

// variables notes the names of variables, or of a type's members.
func (s *scanner) variables(end int) {
	kind := source.Variable
	if s.top().kind == inType {
		kind = source.Property
	}
	if s.control() || len(s.head) == 1 && s.head[0].kind != curly {
		return
	}
	list := s.declarators()
	for n, d := range list {
		from, to := s.declarator(d[0], d[1])
		if from == 0 && to == 0 || n == 0 && d[0]+1 >= d[1] && s.head[0].kind != curly || n == 0 && !s.plausible(d) {
			return
		}
		c := source.Chunk{Kind: kind, Name: s.text(from, to), Ident: int32(from), End: int32(end), Parent: s.parent(), Container: s.owning(from, d)}
		switch {
		case n+1 < len(list):
			c.End = int32(s.head[d[1]].start)
		case n > 0:
			c.End--
		}
		s.setStart(&c, n, d[0])
		s.add(c)
	}
}

// owning is the dotted path that the name of a variable at a position is
// qualified with, within a range of indexes.
func (s *scanner) owning(from int, d [2]int) string {
	for i := d[0] + 1; i < d[1]; i++ {
		if s.head[i].start == from {
			return s.qualifier(s.qualified(i), i)
		}
	}
	return ""
}

// plausible reports whether a variable's declaration has a type.
func (s *scanner) plausible(d [2]int) bool {
	if s.head[0].kind == curly {
		return true
	}
	for _, t := range s.head[d[0]:d[1]] {
		switch {
		case s.is(t, '='):
			return s.typedName(d)
		case s.is(t, '-'), s.is(t, '.'), s.is(t, '+'), s.is(t, '!'), s.is(t, '|'), s.is(t, '?'):
			return false // an expression
		}
	}
	return s.typedName(d)
}

// typedName reports whether the range of indexes begins with a type before a name.
func (s *scanner) typedName(d [2]int) bool {
	t := s.head[d[0]]
	return (t.kind == word || t.kind == attribute || t.kind == colons) && !(d[1]-d[0] == 2 && s.head[d[0]+1].kind == group) && s.head[d[0]].end < s.head[d[1]-1].end
}

// setStart sets where one of several names' declarations begins.
func (s *scanner) setStart(c *source.Chunk, n, from int) {
	switch {
	case n > 0:
		c.Decl = int32(s.head[from].start)
	case s.head[0].kind == curly:
		c.Decl = int32(s.first)
		c.Doc, c.DocEnd = 0, 0
		c.Signature = "" // the type's body is not for one line
		c.Sig = c.Decl
	default:
		name := slices.IndexFunc(s.head, func(t token) bool { return t.kind == word && t.start == int(c.Ident) })
		s.begin(c, s.start(max(name, 0)))
	}
}

// declarators splits the head at its commas; they are ranges of indexes.
func (s *scanner) declarators() [][2]int {
	var list [][2]int
	from := 0
	for i := range s.head {
		if s.is(s.head[i], ',') {
			list = append(list, [2]int{from, i})
			from = i + 1
		}
	}
	return append(list, [2]int{from, len(s.head)})
}

// declarator finds the declared name between two indexes of the head; 0, 0 if
// there is none.
func (s *scanner) declarator(from, to int) (start, end int) {
	for i := from; i < to; i++ {
		if t := s.head[i]; s.is(t, '=') || s.is(t, ':') || t.kind == curly && i > 0 {
			to = i
		}
	}
	for i := from; i < to; i++ {
		if s.head[i].kind == group && (i+1 < to && (s.head[i+1].kind == group || s.head[i+1].kind == square) || i == from || i+1 == to) && (s.pointer(s.head[i]) || i > from && i+1 < to && s.head[i+1].kind == group && s.holdsOneName(s.head[i])) && (i == from || !notNamed(s.wordAt(i-1))) {
			return s.inner(s.head[i])
		}
	}
	for to > from {
		switch t := s.head[to-1]; {
		case t.kind == group && to-2 >= from && notNamed(s.wordAt(to-2)):
			to -= 2
			continue
		case t.kind == square || t.kind == group || t.kind == attribute:
			to--
			continue
		case t.kind == word && (qualifier(s.wordAt(to-1)) || builtin(s.wordAt(to-1))):
			return 0, 0
		case t.kind == word && s.capitals(t) && to-2 > from && (s.head[to-2].kind == square || s.head[to-2].kind == word && !builtin(s.wordAt(to-2)) && !s.capitals(s.head[to-2]) && to-3 >= from && s.head[to-3].kind != colons && s.head[0].kind != curly):
			to-- // a macro after the name
			continue
		case t.kind == word:
			return t.start, t.end
		}
		return 0, 0
	}
	return 0, 0
}
