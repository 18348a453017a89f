package source

import "bytes"

// findOutdentedDeclaration returns a problem for a line in the body that begins a declaration with
// no more indentation than the chunk, although the body is indented. The closing bracket of the
// chunk is then missing before the line, and a later bracket is one too many.
func (s *span) findOutdentedDeclaration() *Problem {
	c := s.chunk
	if !c.Kind.IsCallable() && !c.Kind.IsType() || c.Body == 0 || s.words.offside {
		return nil
	}
	head := s.lines[s.first].indent
	from := s.lineAt(c.Body) + 1
	if from > s.last {
		return nil
	}
	if s.src[s.lines[from].start] == '{' {
		from++
	}
	local := s.lang != C && s.lang != CPP && s.lang != Java || !c.Kind.IsCallable() // functions may be nested
	if from <= s.last && local && s.lines[from].indent <= head {
		return nil // the body is not indented
	}
	for i := from; i <= s.last; i++ {
		l := &s.lines[i]
		if l.indent > head || l.start >= c.End || s.isOutdentedLabel(i) || !beginsDeclaration(s.lang, s.src[l.start:l.end]) {
			continue
		}
		return s.problem(l.start, "this line may be a declaration of its own: "+s.quote(l.start, l.end))
	}
	return nil
}

// findForeignBody returns a problem for a line of C that begins with a brace between the beginning
// of a function and its name: the function of that brace has lost its name.
func (s *span) findForeignBody() *Problem {
	c := s.chunk
	if s.lang != C && s.lang != CPP || !c.Kind.IsCallable() {
		return nil
	}
	for i := s.first + 1; i < len(s.lines) && s.lines[i].start < c.Ident; i++ {
		if l := &s.lines[i]; s.src[l.start] == '{' && l.indent <= s.lines[s.first].indent {
			return s.problem(l.start, "this brace belongs to something that has no name")
		}
	}
	return nil
}

// findMergedHeredocs returns a problem for a here-document that contains the beginning of another
// one with the same terminator. The terminator of the first is missing then, and one terminator
// ends both.
func (s *span) findMergedHeredocs() *Problem {
	for _, t := range s.texts {
		if t.word == "" || t.end <= s.chunk.Start || t.start >= s.chunk.End {
			continue
		}
		content := s.src[t.start:t.end]
		for at := 0; at < len(content); {
			n := bytes.Index(content[at:], []byte("<<"))
			if n < 0 {
				break
			}
			word, end := heredoc(content, at+n, s.lang)
			if word == t.word {
				return s.problem(t.start, "this here-document may not be closed; another one with the word "+word+" begins in it")
			}
			at = end
		}
	}
	return nil
}

// findSwallowedText returns a problem for a multi-line string that may begin with the closing quote
// of another string. Such a string is not closed, or holds a line that looks like a declaration
// beside the chunk. It is meaningful only in a text with syntax errors.
func (s *span) findSwallowedText() *Problem {
	c := s.chunk
	head := s.lines[s.first].indent
	for _, t := range s.texts {
		if t.end <= c.Start || t.start >= c.End {
			continue
		}
		if int(t.end) == len(s.src) {
			return s.problem(t.start, "this string may not be closed")
		}
		for at := endOfLine(s.src, int(t.start)) + 1; at < int(t.end); at = endOfLine(s.src, at) + 1 {
			line := s.src[at:min(endOfLine(s.src, at), int(t.end))]
			if indentWidth(line) <= head && beginsDeclaration(s.lang, bytes.TrimSpace(line)) {
				return s.problem(t.start, "this string may not be closed; it contains: "+s.quote(int32(at), t.end))
			}
		}
	}
	return nil
}

// findJoinedDeclaration returns a problem for a declaration after other code in the same line.
// Languages without significant indentation allow that, so their texts are examined only if they
// have syntax errors.
func (s *span) findJoinedDeclaration() *Problem {
	for _, at := range s.inner {
		if at <= s.chunk.Ident || at >= s.chunk.End {
			continue
		}
		before := bytes.TrimRight(s.src[:at], " \t")
		if len(before) == 0 || int(at) == len(before) {
			continue
		}
		switch last := before[len(before)-1]; {
		case bytes.IndexByte([]byte(")]}\"'`"), last) >= 0, s.words.offside && last != ':' && last != ';' && !bytes.HasSuffix(before, []byte("async")),
			'0' <= last && last <= '9':
		default:
			continue
		}
		if beginsDeclaration(s.lang, bytes.TrimSpace(s.src[at:endOfLine(s.src, int(at))])) {
			return s.problem(at, "a declaration follows other code in this line: "+s.quote(at, s.chunk.End))
		}
	}
	return nil
}

// findContinuation returns a problem for a statement that follows the expression body of a Kotlin
// or Scala function after an empty line or a comment. The head of the statement's own function is
// missing then. It is meaningful only in a text with syntax errors.
func (s *span) findContinuation() *Problem {
	c := s.chunk
	if s.lang != Kotlin && s.lang != Scala || c.Body == 0 || s.src[c.Body] != '=' {
		return nil
	}
	for i := max(s.first, s.lineAt(c.Body)) + 1; i <= s.last; i++ {
		switch s.word(i) {
		case "if", "for", "while", "return", "val", "var", "when", "try", "match":
		default:
			continue
		}
		gap := s.src[s.lines[i-1].end:s.lines[i].start]
		if l := s.lines[i-1]; bytes.Count(gap, lineFeed) > 1 && s.src[l.end-1] != '=' && balanced(s.bracketsOf(s.first, i)) {
			return s.problem(s.lines[i].start, "this line may not belong to the function: "+s.quote(s.lines[i].start, s.lines[i].end))
		}
	}
	return nil
}

// maxQuote is the maximum length in bytes of source text in the message of a problem.
const maxQuote = 60

// quote returns the first line of a part of the text, for the message of a problem.
func (s *span) quote(start, end int32) string {
	text, _, _ := bytes.Cut(s.src[start:min(end, start+maxQuote)], lineFeed)
	return string(bytes.TrimSpace(bytes.ToValidUTF8(text, nil)))
}

// indentWidth returns the indentation of a line in columns.
func indentWidth(line []byte) (indent int32) {
	for _, b := range line {
		switch b {
		case ' ':
			indent++
		case '\t':
			indent = (indent/tabWidth + 1) * tabWidth
		default:
			return indent
		}
	}
	return indent
}

// introducesDeclaration reports whether a word introduces a function or a class in some language.
func introducesDeclaration(word []byte) bool {
	switch string(word) {
	case "func", "fun", "fn", "def", "function", "class":
		return true
	}
	return false
}

// beginsDeclaration reports whether a line begins a declaration of the kind that occurs at the top
// of a file or in a type.
func beginsDeclaration(lang Language, line []byte) bool {
	words := 0
	for {
		end := 0
		for end < len(line) && isWordByte(line[end]) {
			end++
		}
		word, rest := string(line[:end]), bytes.TrimLeft(line[end:], " \t")
		switch {
		case end == 0:
			return false
		case lang == Rust && word == "pub" && len(rest) > 0 && rest[0] == '(':
			_, rest, _ = bytes.Cut(rest, []byte(")"))
			line = bytes.TrimLeft(rest, " ")
			continue
		case len(rest) > 0 && rest[0] == '(' && words > 0 && isFunctionHead(lang, rest):
			return true
		case isControl(word):
			return false
		case lang == Go && word == "func" && len(rest) > 0 && rest[0] == '(':
			_, rest, _ = bytes.Cut(rest, []byte(") "))
			name := bytes.TrimLeft(rest, wordBytes)
			return len(name) < len(rest) && len(name) > 0 && name[0] == '('
		case len(rest) == len(line)-end || len(rest) == 0:
			return false
		case isDeclarationKeyword(lang, word) && isWordByte(rest[0]):
			return !cFamily(lang) || line[len(line)-1] != ';'
		}
		if cFamily(lang) {
			rest = bytes.TrimLeft(rest, "*& ")
		}
		line = rest
		words++
	}
}

// cFamily reports whether a language writes the result type before the name of a function.
func cFamily(lang Language) bool { return lang == C || lang == CPP || lang == Java || lang == CSharp }

// isFunctionHead reports whether rest, which begins with parameters, may be the remainder of the
// head of a function with a body.
func isFunctionHead(lang Language, rest []byte) bool {
	last := rest[len(rest)-1]
	return cFamily(lang) && (last == '{' || last == '}' || last == ')') && bytes.Count(rest, []byte("(")) >= bytes.Count(rest, []byte(")"))
}

// isControl reports whether a word begins a statement and no declaration.
func isControl(word string) bool {
	switch word {
	case "if", "else", "for", "while", "do", "switch", "case", "default", "return", "goto", "new", "delete", "throw", "catch", "try", "await",
		"yield", "assert", "using", "lock", "foreach", "break", "continue", "sizeof", "typedef", "co_return", "co_await", "co_yield", "synchronized":
		return true
	}
	return false
}

// isDeclarationKeyword reports whether a word introduces a declaration in a language.
func isDeclarationKeyword(lang Language, word string) bool {
	switch word {
	case "class":
		return lang != C && lang != Go
	case "func":
		return lang == Go || lang == Swift
	case "fun":
		return lang == Kotlin
	case "fn", "impl", "mod":
		return lang == Rust
	case "def":
		return lang == Python || lang == Ruby || lang == Scala
	case "function":
		return lang == JavaScript || lang == TypeScript || lang == TSX || lang == PHP
	case "struct":
		return cFamily(lang) || lang == Swift || lang == Rust
	case "enum":
		return lang != Go && lang != Python && lang != Ruby
	case "interface":
		return lang == Java || lang == CSharp || lang == Kotlin || lang == TypeScript || lang == TSX || lang == PHP
	case "trait":
		return lang == Rust || lang == Scala || lang == PHP
	case "protocol", "extension", "actor":
		return lang == Swift
	case "object":
		return lang == Kotlin || lang == Scala
	case "module":
		return lang == Ruby
	case "namespace":
		return lang == CPP || lang == CSharp || lang == TypeScript || lang == TSX
	case "const", "let":
		return lang == JavaScript || lang == TypeScript || lang == TSX
	case "type":
		return lang == Go
	}
	return false
}
