package java

import (
	"github.com/dougu-go/dougu/tools/source"
	"github.com/dougu-go/dougu/tools/source/outline/internal/lex"
)

// clause reads a package or import declaration, or that of a module; it is false
// if something else follows.
func (s *scanner) clause() bool {
	start := s.at
	at := s.annotations(start)
	switch string(s.src[at:s.word(at)]) {
	case "package":
		s.packageClause(start, at)
	case "import":
		s.importClause(at)
	case "open", "module":
		return s.module(start, at)
	default:
		return false
	}
	return true
}

func (s *scanner) packageClause(start, at int) {
	name := s.gap(s.word(at))
	end := s.qualified(name)
	s.at = end
	if end == name {
		s.unsure(at, "a package without a name")
		return
	}
	i := s.add(source.Module, start, at, name, end, scope{none, none})
	s.semicolon()
	s.close(i, s.at)
}

func (s *scanner) importClause(at int) {
	name := s.gap(s.word(at))
	if end := s.plainImport(name); end > name {
		s.b.Import(lex.Text(s.src[name:end]), at)
		s.at = end + 1
		return
	}
	if end := s.word(name); string(s.src[name:end]) == "static" {
		name = s.gap(end)
	}
	end := s.qualified(name)
	if dot := s.gap(end); s.byteAt(dot) == '.' {
		if star := s.gap(dot + 1); s.byteAt(star) == '*' {
			end = star + 1
		}
	}
	s.at = max(end, s.word(at))
	if end > name {
		s.b.Import(lex.Text(s.compact(nil, name, end)), at)
	}
	s.semicolon()
}

// plainImport is where the semicolon is behind a name with dots and nothing else,
// as most imports have; 0 if there is more.
func (s *scanner) plainImport(at int) int {
	end := at
	for end < len(s.src) && (lex.Class[s.src[end]]&(lex.Letter|lex.Digit) != 0 || s.src[end] == '.') {
		end++
	}
	if s.byteAt(end) != ';' || s.src[end-1] == '.' {
		return 0
	}
	return end
}

// semicolon reads the end of a clause.
func (s *scanner) semicolon() {
	at := s.gap(s.at)
	if s.byteAt(at) != ';' {
		s.unsure(at, "a clause without its semicolon")
		return
	}
	s.at = at + 1
}

// module reads the declaration of a module.
func (s *scanner) module(start, at int) bool {
	word := at
	if end := s.word(word); string(s.src[word:end]) == "open" {
		word = s.gap(end)
	}
	if string(s.src[word:s.word(word)]) != "module" {
		return false
	}
	name := s.gap(s.word(word))
	end := s.qualified(name)
	open := s.gap(end)
	if end == name || s.byteAt(open) != '{' {
		return false
	}
	i := s.add(source.Module, start, at, name, end, scope{none, none})
	s.b.Chunk(i).Body = int32(open)
	s.at = open + 1
	s.directives()
	s.close(i, s.at)
	return true
}

// directives reads the body of a module.
func (s *scanner) directives() {
	for {
		s.blanks()
		switch c := s.byteAt(s.at); {
		case c == '}':
			s.at++
			return
		case s.letter(s.at) && string(s.src[s.at:s.word(s.at)]) == "requires":
			s.requires()
		case c == ';':
			s.at++
		case c == ',' || c == '.' || s.letter(s.at):
			s.at = max(s.word(s.at), s.at+1)
		default:
			s.unsure(s.at, "a directive that is not understood")
			s.code('}', scope{none, none}, none)
			return
		}
	}
}

// requires notes the module that another one needs.
func (s *scanner) requires() {
	at := s.at
	name := s.gap(s.word(at))
	for {
		end := s.word(name)
		next := s.gap(end)
		if word := string(s.src[name:end]); word != "static" && word != "transitive" || !s.letter(next) {
			break
		}
		name = next
	}
	if end := s.qualified(name); end > name {
		s.b.Import(lex.Text(s.src[name:end]), at)
		name = end
	}
	s.at = max(name, s.word(at))
	s.semicolon()
}
