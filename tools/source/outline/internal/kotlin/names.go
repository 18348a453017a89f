package kotlin

import (
	"github.com/dougu-go/dougu/tools/source"
	"github.com/dougu-go/dougu/tools/source/outline/internal/lex"
)

// labelled reads what begins with an identifier that ends with @, as in
// return@label, or with dollar signs: $$"…".
func (s *scanner) labelled(end int) {
	if s.src[s.at] == '$' {
		if end < len(s.src) && s.src[end] == '"' {
			dollars := end - s.at
			s.at = end
			s.quoted(dollars)
			return
		}
		s.plainName(end)
		return
	}
	switch wordOf(s.src[s.at:end]) {
	case wordReturn, wordBreak, wordThis:
		s.at = end + 1
		end = max(s.identifier(), end+1)
		s.next(end)
	default:
		s.next(end + 1)
	}
}

// plainName reads an identifier that means nothing to the scanner, unless calls
// are asked for.
func (s *scanner) plainName(end int) {
	start := s.at
	s.next(end)
	if !s.calls || s.newline || s.at == len(s.src) {
		return
	}
	switch s.src[s.at] {
	case '(', '{':
		s.call(start, end)
	case '<':
		if after, ok := s.typeArguments(s.at); ok && (s.followed(after, '(') || s.followed(after, '{')) {
			s.call(start, end)
		}
	}
}

// reference reads :: and what follows it, which may be the word class.
func (s *scanner) reference() {
	s.next(s.at + 2)
	s.next(max(s.identifier(), s.at))
}

// header reads a package clause or an import.
func (s *scanner) header(w word, end int) bool {
	at := s.at
	start := lex.Spaces(s.src, end)
	if start == len(s.src) || lex.Class[s.src[start]] != lex.Letter && s.src[start] != '`' {
		return false
	}
	p := s.take()
	s.at = start
	path := make([]byte, 0, 64)
	for {
		end = s.identifier()
		if end == s.at {
			break
		}
		path = append(path, unquoted(s.src[s.at:end])...)
		s.next(end)
		if !s.is('.') || s.newline {
			break
		}
		path = append(path, '.')
		s.next(s.at + 1)
		if s.is('*') {
			path = append(path, '*')
			s.next(s.at + 1)
			break
		}
	}
	if len(path) == 0 {
		s.unsure("a name is not closed", s.at)
		s.next(s.at + 1)
		return true
	}
	if w == wordPackage {
		s.b.Close(s.add(source.Module, p, string(path), start), s.end)
		return true
	}
	s.b.Import(string(path), at)
	if !s.newline && s.isWord("as") {
		s.next(s.at + 2)
		s.next(s.identifier())
	}
	return true
}
