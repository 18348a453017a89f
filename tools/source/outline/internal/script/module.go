package script

import "github.com/dougu-go/dougu/tools/source"

// importDeclaration reads an import, unless it is an expression.
func (s *scanner) importDeclaration() bool {
	if after := s.peek().kind; after == '(' || after == '.' {
		return false
	}
	s.next()
	for {
		switch k := s.tok.kind; {
		case k == str:
			s.imported(s.tok)
			s.next()
			s.importAttributes()
			s.semicolon()
			return true
		case k == '=':
			s.next()
			s.expression(0)
			s.semicolon()
			return true
		case k == '{':
			s.specifiers()
		case k.names(), k == ',', k == '*':
			s.next()
		default:
			s.doubt("an import is not understood")
			return true
		}
	}
}

// specifiers reads the braces of an import or export.
func (s *scanner) specifiers() {
	for s.next(); !s.is('}') && !s.is(end); s.next() {
		if k := s.tok.kind; !k.names() && k != ',' && k != str {
			s.doubt("the braces of an import or export are not understood")
			return
		}
	}
	s.expect('}')
}

// importAttributes reads with { type: "json" }.
func (s *scanner) importAttributes() {
	if s.is(kwWith) || s.is(word) && !s.tok.newline && string(s.src[s.tok.start:s.tok.end]) == "assert" {
		if s.next(); s.is('{') {
			s.object()
		}
	}
}

// export reads a declaration that begins with export.
func (s *scanner) export(h head) {
	switch s.next(); s.tok.kind {
	case '{':
		s.specifiers()
		s.source()
	case '*':
		if s.next(); s.accept(kwAs) {
			s.next()
		}
		s.source()
	case '=':
		s.next()
		s.expression(0)
		s.semicolon()
	case kwAs: // as namespace X
		s.next()
		s.next()
		s.next()
		s.semicolon()
	case kwDefault:
		s.exportDefault(h)
	case kwType:
		if k := s.peek().kind; k == '{' || k == '*' {
			s.export(h)
			return
		}
		s.exported(h)
	default:
		s.exported(h)
	}
}

func (s *scanner) exported(h head) {
	if s.is('@') {
		s.decorators()
		h.sig = s.tok.start
	}
	if s.is(kwExport) || !s.declared(h) {
		s.doubt("export without a declaration")
	}
}

// source reads from "module", if it is there.
func (s *scanner) source() {
	if s.accept(kwFrom) && s.is(str) {
		s.imported(s.tok)
		s.next()
		s.importAttributes()
	}
	s.semicolon()
}

// exportDefault reads the rest of an export from the word default on. A declaration without a name
// is named "default".
func (s *scanner) exportDefault(h head) {
	name := s.tok
	s.next()
	if s.is('@') {
		s.decorators()
		h.sig = s.tok.start
	}
	switch after := s.peek(); {
	case s.is(kwFunction), s.is(kwAsync) && after.kind == kwFunction && !after.newline:
		s.defaultFunction(h, name)
	case s.is(kwClass):
		s.classNamed(h, name)
	case s.is(kwAbstract) && after.kind == kwClass && !after.newline:
		s.next()
		s.classNamed(h, name)
	case s.is(kwInterface) && after.kind.identifies() && !after.newline:
		s.interfaceDeclaration(h)
	default:
		i := s.open(source.Invalid, h, name)
		v := s.expression(0)
		s.bind(i, v, source.Invalid)
		if s.semicolon(); int(i) < len(s.found) {
			s.found[i].end = int32(s.prevEnd)
		}
	}
}

func (s *scanner) defaultFunction(h head, name token) {
	s.accept(kwAsync)
	s.next()
	s.accept('*')
	if s.tok.kind.identifies() {
		name = s.tok
		s.next()
	}
	i := s.open(source.Function, h, name)
	if s.function(i, -1) == 0 {
		s.semicolon()
	}
	s.close(i)
}

// alias reads type A = …
func (s *scanner) alias(h head) bool {
	s.next()
	i := s.open(source.TypeAlias, h, s.tok)
	s.next()
	if s.is('<') {
		s.angles()
	}
	if !s.accept('=') {
		s.doubt("a type alias has no type")
	} else {
		s.typ(declaring)
	}
	s.semicolon()
	s.close(i)
	return true
}

// interfaceDeclaration reads interface A …
func (s *scanner) interfaceDeclaration(h head) {
	s.next()
	i := s.open(source.Interface, h, s.tok)
	s.next()
	if s.is('<') {
		s.angles()
	}
	if s.accept(kwExtends) {
		s.heritage()
	}
	if !s.is('{') {
		s.doubt("an interface has no members")
	} else {
		s.found[i].body = int32(s.tok.start)
		s.members(true)
	}
	s.close(i)
}

// heritage reads the types after extends or implements.
func (s *scanner) heritage() {
	for {
		s.typ(unconditional)
		if !s.accept(',') {
			return
		}
	}
}

// enum reads enum A { … } from the word on.
func (s *scanner) enum(h head) {
	s.next()
	i := s.open(source.Enum, h, s.tok)
	if s.next(); !s.is('{') {
		s.doubt("an enum has no members")
		s.close(i)
		return
	}
	s.found[i].body = int32(s.tok.start)
	s.next()
	for !s.is('}') && !s.is(end) {
		member := s.head()
		name, named := s.memberName()
		if !named {
			break
		}
		c := s.open(source.EnumCase, member, name)
		if s.accept('=') {
			s.expression(0)
		}
		s.close(c)
		if !s.accept(',') && !s.is('}') {
			s.doubt("an enum goes on where it should end")
			break
		}
	}
	s.expect('}')
	s.close(i)
}

// namespace reads namespace A.B { … }, module "name" or global { … } from its
// name on.
func (s *scanner) namespace(h head) {
	name := s.tok
	s.next()
	for s.accept('.') {
		name.end = s.tok.end
		s.next()
	}
	i := s.open(source.Module, h, name)
	if s.is('{') {
		s.found[i].body = int32(s.tok.start)
		top := s.top
		s.top = true
		s.block()
		s.top = top
	} else {
		s.semicolon()
	}
	s.close(i)
}
