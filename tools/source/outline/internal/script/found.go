package script

import (
	"bytes"

	"github.com/dougu-go/dougu/tools/source"
	"github.com/dougu-go/dougu/tools/source/outline/internal/lex"
)

// found is a declaration. It is added at its beginning. Its kind is Invalid until its end shows
// whether it is a chunk.
type found struct {
	kind            source.Kind
	doc, docEnd     int32
	decl, sig       int32
	ident, identEnd int32
	body, end       int32
	parent          int32
	// owner and ownerEnd delimit the text of the container's name, if the parent is not the
	// container.
	owner, ownerEnd int32
}

// head is the beginning of a declaration: the tokens before its name.
type head struct {
	decl, sig int
	docs      lex.Docs
}

// head returns the head of a declaration that begins at the current token.
func (s *scanner) head() head {
	h := head{decl: s.tok.start, sig: s.tok.start}
	if s.commented >= s.prevEnd {
		h.docs = s.docs
	}
	return h
}

// open adds a declaration with the given name and makes it the parent of the following
// declarations.
func (s *scanner) open(kind source.Kind, h head, name token) int32 {
	doc, docEnd := h.docs.Before(s.src, h.decl)
	s.found = append(s.found, found{
		kind: kind, doc: int32(doc), docEnd: int32(docEnd), decl: int32(h.decl), sig: int32(h.sig),
		ident: int32(name.start), identEnd: int32(name.end), parent: s.parent,
	})
	s.parent = int32(len(s.found) - 1)
	return s.parent
}

// close ends a declaration with the token before the one that is looked at.
func (s *scanner) close(i int32) {
	f := &s.found[i]
	f.end = int32(s.prevEnd)
	s.parent = f.parent
}

// bind ends the declaration of a name with a value, which may make it a function
// or a class; otherwise it is of the other kind, or nothing if that is Invalid.
func (s *scanner) bind(i int32, v value, other source.Kind) {
	f := &s.found[i]
	switch v.kind {
	case isFunction:
		f.kind, f.body = source.Lambda, int32(v.body)
	case isClass:
		f.kind, f.body = source.Class, int32(v.body)
	default:
		f.kind = other
	}
	if v.kind != isOther && v.own > i {
		s.found[v.own].kind = source.Invalid
	}
	s.close(i)
	if f.kind == source.Invalid && int(i) == len(s.found)-1 && s.callsBefore(i) {
		s.found = s.found[:i]
	}
}

// callsBefore reports whether no call names a declaration.
func (s *scanner) callsBefore(i int32) bool {
	return len(s.calls) == 0 || s.calls[len(s.calls)-1].in < i
}

// file passes the declarations to a Builder and returns its File.
func (s *scanner) file(lang source.Language) *source.File {
	b := source.NewBuilder(s.src, lang)
	b.Grow(len(s.found))
	s.number = append(s.number, make([]int32, len(s.found))...) // in the File, or of the nearest around
	s.within = append(s.within, make([]int32, len(s.found))...)
	number, callable := s.number, s.within
	for i := range s.found {
		f := &s.found[i]
		parent, within := int32(-1), int32(-1)
		if f.parent >= 0 {
			parent, within = number[f.parent], callable[f.parent]
		}
		if f.kind == source.Invalid || f.ident == f.identEnd {
			number[i], callable[i] = parent, within
			continue
		}
		number[i] = int32(b.Add(s.chunk(f, parent)))
		if callable[i] = within; f.kind.IsCallable() {
			callable[i] = number[i]
		}
	}
	for _, c := range s.imports {
		b.Import(lex.Text(s.src[c.start:c.end]), int(c.start))
	}
	for _, c := range s.calls {
		in := -1
		if c.in >= 0 {
			in = int(callable[c.in])
		}
		b.Call(lex.Text(s.src[c.start:c.end]), int(c.start), in)
	}
	return b.File("outline")
}

func (s *scanner) chunk(f *found, parent int32) source.Chunk {
	last := f.end
	if last == 0 {
		last = int32(len(s.src))
	}
	return source.Chunk{
		Kind: f.kind, Name: s.named(f), Container: lex.Text(s.src[f.owner:f.ownerEnd]),
		Doc: f.doc, DocEnd: f.docEnd, Decl: f.decl, Sig: f.sig, Ident: f.ident,
		Body: f.body, End: last, Parent: parent,
	}
}

// named is the name of a declaration: that of a string literal without quotes, a
// computed one in brackets and in one line.
func (s *scanner) named(f *found) string {
	name := s.src[f.ident:f.identEnd]
	switch name[0] {
	case '"', '\'':
		if len(name) > 2 {
			name = name[1 : len(name)-1]
		}
	case '[':
		name = bytes.Join(bytes.Fields(name), []byte(" "))
	}
	return lex.Text(name)
}
