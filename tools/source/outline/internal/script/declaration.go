package script

import "github.com/dougu-go/dougu/tools/source"

// declaration reads a declaration with its decorators and modifiers. It returns false, and reads
// nothing, if the current token begins no declaration.
func (s *scanner) declaration() bool {
	h := s.head()
	if s.is('@') {
		s.decorators()
		h.sig = s.tok.start
	}
	return s.declared(h)
}

// declared reads a declaration that begins with h, from the word on that is
// looked at.
func (s *scanner) declared(h head) bool {
	switch s.tok.kind {
	case kwVar, kwConst, kwLet, kwUsing, kwAwait:
		if s.is(kwConst) && s.peek().kind == kwEnum {
			s.next()
			s.enum(h)
			return true
		}
		if !s.declares() {
			return false
		}
		s.accept(kwAwait)
		s.variables(h, 0)
		return true
	case kwFunction:
		s.functionDeclaration(h)
	case kwAsync:
		if after := s.peek(); after.kind != kwFunction || after.newline {
			return false
		}
		s.next()
		s.functionDeclaration(h)
	case kwClass:
		s.class(h)
	case kwAbstract:
		if after := s.peek(); after.kind != kwClass || after.newline {
			return false
		}
		s.next()
		s.class(h)
	case kwEnum:
		s.enum(h)
	case kwImport:
		return s.importDeclaration()
	case kwExport:
		s.export(h)
	case kwDeclare:
		if after := s.peek(); after.newline || !after.kind.names() || after.kind == kwIn || after.kind == kwInstanceof {
			return false
		}
		if !s.enter() {
			return true
		}
		if s.next(); !s.declared(h) {
			s.doubt("declare without a declaration")
		}
		s.depth--
	default:
		return s.typeDeclaration(h)
	}
	return true
}

// typeDeclaration is declared for words that are names elsewhere.
func (s *scanner) typeDeclaration(h head) bool {
	after := s.peek()
	if after.newline {
		return false
	}
	switch {
	case s.is(kwType) && after.kind.identifies():
		return s.alias(h)
	case s.is(kwInterface) && after.kind.identifies():
		s.interfaceDeclaration(h)
	case s.is(kwModule) && after.kind == str, (s.is(kwNamespace) || s.is(kwModule)) && after.kind.identifies():
		s.next()
		s.namespace(h)
	case s.is(kwGlobal) && after.kind == '{':
		s.namespace(h)
	default:
		return false
	}
	return true
}

// functionDeclaration reads function … or a signature of it.
func (s *scanner) functionDeclaration(h head) {
	s.next()
	s.accept('*')
	name := s.tok
	if s.tok.kind.identifies() {
		s.next()
	} else {
		s.doubt("a function has no name")
		name.end = name.start
	}
	i := s.open(source.Function, h, name)
	if s.function(i, -1) == 0 {
		s.semicolon()
	}
	s.close(i)
}

// variables reads declarations of variables from let, const, var or using on.
func (s *scanner) variables(h head, in exprContext) {
	kind := source.Variable
	if s.is(kwConst) {
		kind = source.Constant
	}
	for n := 0; ; n++ {
		if s.next(); n > 0 {
			h = s.head()
		}
		first := len(s.found)
		s.declarator(h, kind, in)
		if s.is(',') {
			continue
		}
		if in&noIn != 0 {
			return
		}
		s.semicolon()
		for ; first < len(s.found) && s.found[first].decl == int32(h.decl); first++ {
			if s.found[first].parent == s.parent {
				s.found[first].end = int32(s.prevEnd)
			}
		}
		return
	}
}

// declarator reads one variable or pattern with its value.
func (s *scanner) declarator(h head, kind source.Kind, in exprContext) {
	first, i := len(s.found), int32(-1)
	if s.tok.kind.identifies() {
		i = s.open(source.Invalid, h, s.tok)
		s.next()
	} else {
		s.pattern(s.top, h)
	}
	last := len(s.found)
	s.accept('!')
	s.returns()
	v := otherValue
	if s.accept('=') {
		v = s.expression(in)
	}
	if !s.top {
		kind = source.Invalid
	}
	if i >= 0 {
		s.bind(i, v.function(), kind)
		return
	}
	for ; first < last; first++ {
		if f := &s.found[first]; f.decl == int32(h.decl) && f.kind == source.Variable {
			f.kind, f.end = kind, int32(s.prevEnd)
		}
	}
}

// assignment reads the value of an assignment statement from "=" on. The target is name, or a
// member .name after the text of owner.
func (s *scanner) assignment(h head, owner, name token, dots int) {
	i := s.open(source.Invalid, h, name)
	s.next()
	v := s.expression(0)
	if dots > 0 {
		s.owned(i, owner)
	}
	own, kept := found{}, v.own >= 0 && string(s.src[h.decl:name.end]) == "module.exports"
	if kept {
		own = s.found[v.own]
	}
	s.bind(i, v, source.Invalid)
	isKept := int(i) < len(s.found) // otherwise the next declaration has its index
	for s.is(',') {
		s.next()
		s.expression(0)
	}
	if isKept {
		f := &s.found[i]
		if kept {
			f.ident, f.identEnd = own.ident, own.identEnd
		}
		if f.end = int32(s.prevEnd); s.is(';') {
			f.end = int32(s.tok.end)
		}
	}
}

// owned sets the container of a function that is assigned to a property of owner: X for
// X.prototype.f and X.f, none for exports, module and this.
func (s *scanner) owned(i int32, owner token) {
	const prototype = ".prototype"
	text := s.src[owner.start:owner.end]
	if n := len(text) - len(prototype); n > 0 && string(text[n:]) == prototype {
		text = text[:n]
	}
	switch string(text) {
	case "exports", "module", "module.exports", "this", "self", "window", "globalThis":
		return
	}
	for _, c := range text {
		if lead[c] == leadSpace || lead[c] == leadFeed || c == '/' {
			return
		}
	}
	s.found[i].owner, s.found[i].ownerEnd = int32(owner.start), int32(owner.start+len(text))
}
