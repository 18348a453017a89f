package clike

import (
	"github.com/dougu-go/dougu/tools/source"
	"github.com/dougu-go/dougu/tools/source/outline/internal/lex"
)

// namespace opens a namespace, if the head is that of one.
func (s *scanner) namespace() bool {
	i := s.has("namespace")
	if i < 0 || !s.cpp {
		return false
	}
	from, to := -1, -1
	for j := i + 1; j < len(s.head); j++ {
		switch t := s.head[j]; t.kind {
		case word:
			if from >= 0 && s.head[j-1].kind != colons {
				continue // a macro after the name
			}
			if w := s.wordAt(j); notNamed(w) || w == "inline" && from < 0 {
				continue
			}
			if from < 0 {
				from = j
			}
			to = j
		case colons, attribute, group:
		default:
			return false
		}
	}
	sc := scope{kind: inBlock, chunk: -1, open: s.at}
	if from >= 0 {
		first := i
		for first > 0 && s.wordAt(first-1) == "inline" {
			first--
		}
		c := source.Chunk{Kind: source.Module, Body: int32(s.at), Parent: s.parent()}
		last := s.head[to]
		c.Name, c.Ident, c.Container = s.text(last.start, last.end), int32(last.start), s.qualifier(from, to)
		s.begin(&c, first)
		sc.kind, sc.chunk = inNamespace, s.add(c)
	}
	s.open(sc)
	return true
}

// typeWord returns the index of the word that introduces a type with a body, or -1 if the type is
// only the result of a function.
func (s *scanner) typeWord() int {
	for i := range s.head {
		if s.head[i].kind != word || !typeWord(s.wordAt(i)) || i > 0 && s.wordAt(i-1) == "friend" {
			continue
		}
		if !s.cpp && s.wordAt(i) == "class" || i > 1 && s.is(s.head[i-1], '>') && s.is(s.head[i-2], '-') {
			continue // a name in C, a trailing return type
		}
		if s.typeHead(i) {
			return i
		}
		return -1
	}
	return -1
}

// typeHead reports whether the tokens after a word like class, up to the end of the head, are a
// name, macros and base classes.
func (s *scanner) typeHead(i int) bool {
	words := 0
	for j := i + 1; j < len(s.head); j++ {
		switch t := s.head[j]; {
		case s.is(t, ':'):
			return true
		case t.kind == word:
			words++
		case t.kind == group:
			if words > 1 && s.head[j-1].kind == word && !notNamed(s.wordAt(j-1)) && s.wordAt(j-2) != "class" && !s.namesFollow(j) {
				return false
			}
		case t.kind == angle || t.kind == colons || t.kind == attribute || t.kind == text:
		default:
			return false
		}
	}
	return true
}

// namesFollow reports whether a word that can be a type's name comes after an index.
func (s *scanner) namesFollow(j int) bool {
	for j++; j < len(s.head); j++ {
		if s.head[j].kind == word && !trailing(s.wordAt(j)) && !s.capitals(s.head[j]) {
			return true
		}
	}
	return false
}

// openType opens the body of a type, if the head is that of one.
func (s *scanner) openType() bool {
	i := s.typeWord()
	if i < 0 {
		return false
	}
	kind := map[string]source.Kind{"class": source.Class, "struct": source.Struct, "union": source.Struct, "enum": source.Enum}[s.wordAt(i)]
	sc := scope{kind: inType, chunk: -1, open: s.at, first: s.first, typedef: s.has("typedef") >= 0 && s.has("typedef") < i}
	if kind == source.Enum {
		sc.kind = inEnum
	}
	c := source.Chunk{Kind: kind, Body: int32(s.at), Parent: s.parent()}
	name := s.typeName(i)
	if name < 0 {
		if sc.typedef {
			sc.nameless = true
			c.Ident, c.Body = int32(s.at), 0
			s.begin(&c, s.has("typedef"))
			sc.chunk = s.add(c)
		}
		s.open(sc)
		return true
	}
	t := s.head[name]
	c.Name, c.Ident = s.text(t.start, t.end), int32(t.start)
	sc.name = c.Name
	first := name
	for first > i+1 && (s.head[first-1].kind == colons || s.head[first-1].kind == word && s.head[first].kind == colons) {
		first--
	}
	c.Container = s.qualifier(first, name)
	from := i
	for from > 0 && (s.head[from-1].kind == angle || s.head[from-1].kind == attribute || s.head[from-1].kind == clause || s.wordAt(from-1) == "template") {
		from--
	}
	s.begin(&c, from)
	if doc, docEnd := s.docs.Before(s.src, s.first); c.DocEnd == 0 && docEnd > 0 && s.head[0].kind != curly {
		c.Doc, c.DocEnd = int32(doc), int32(docEnd)
	}
	sc.chunk = s.add(c)
	s.open(sc)
	return true
}

// typeName is the index of the name of the type that the word with an index
// introduces, or -1.
func (s *scanner) typeName(i int) int {
	name := -1
	for j := i + 1; j < len(s.head); j++ {
		t := s.head[j]
		switch {
		case s.is(t, ':'):
			return name
		case t.kind == angle && name >= 0:
			if j+1 < len(s.head) && s.head[j+1].kind == colons {
				continue
			}
			return name
		case t.kind != word:
		case j+1 < len(s.head) && s.head[j+1].kind == group:
			// a macro with arguments
		default:
			switch w := s.wordAt(j); {
			case w == "class" || w == "struct" || (w == "final" || w == "sealed" || w == "abstract") && name >= 0 || notNamed(w):
			case name >= 0 && s.capitals(t) && !s.capitals(s.head[name]) && s.head[j-1].kind != colons:
				// a macro after the name
			default:
				name = j
			}
		}
	}
	return name
}

// enumerator notes the case that the head holds; it ends before a position.
func (s *scanner) enumerator(end int) {
	defer s.reset()
	if len(s.head) == 0 || s.head[0].kind != word {
		return
	}
	t := s.head[0]
	if len(s.head) > 1 && s.head[1].kind == group {
		// A macro that makes a case of its first argument.
		from := s.gap(s.head[1].start + 1)
		t = token{word, from, lex.Identifier(s.src, from)}
		if lex.Class[s.src[from]] != lex.Letter {
			return
		}
	}
	c := source.Chunk{Kind: source.EnumCase, Name: s.text(t.start, t.end), Ident: int32(t.start), Parent: s.parent()}
	for end > t.end && (s.src[end-1] == ' ' || s.src[end-1] == '\n' || s.src[end-1] == '\t' || s.src[end-1] == '\r') {
		end--
	}
	if last := s.head[len(s.head)-1]; !s.is(last, '=') {
		end = last.end
	}
	s.begin(&c, 0)
	c.End = int32(end)
	s.add(c)
}
