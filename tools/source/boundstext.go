package source

import "bytes"

// aside finds a line in the body of a function that begins a declaration and is indented no deeper than the function,
// although the body is: the bracket that closes the function is missing before it, and one behind it is too many.
func (s *span) aside() *Problem {
	c := s.chunk
	if !c.Kind.Callable() && !c.Kind.Type() || c.Body == 0 || s.words.offside {
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
	local := s.lang != C && s.lang != CPP && s.lang != Java || !c.Kind.Callable() // functions may lie in functions
	if from <= s.last && local && s.lines[from].indent <= head {
		return nil // the body is not indented
	}
	for i := from; i <= s.last; i++ {
		l := &s.lines[i]
		if l.indent > head || l.start >= c.End || s.isOutdentedLabel(i) || !declares(s.lang, s.src[l.start:l.end]) {
			continue
		}
		return s.problem(l.start, "this line may be a declaration of its own: "+s.quote(l.start, l.end))
	}
	return nil
}

// otherBody finds a line of C that begins with a brace between the begin of a function and its name: the function that
// the brace belongs to lacks its name.
func (s *span) otherBody() *Problem {
	c := s.chunk
	if s.lang != C && s.lang != CPP || !c.Kind.Callable() {
		return nil
	}
	for i := s.first + 1; i < len(s.lines) && s.lines[i].start < c.Ident; i++ {
		if l := &s.lines[i]; s.src[l.start] == '{' && l.indent <= s.lines[s.first].indent {
			return s.problem(l.start, "this brace belongs to something that has no name")
		}
	}
	return nil
}

// mergedHeredocs finds a here-document that contains the begin of another one that ends with the same word: the word that
// should end the first is missing, and the word of the second ends both.
func (s *span) mergedHeredocs() *Problem {
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

// swallowed finds a string over lines, in a text with syntax errors, whose quote may be that of another string: nothing
// closes it, or it holds a line that looks like a declaration beside the chunk.
func (s *span) swallowed() *Problem {
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
			if columns(line) <= head && declares(s.lang, bytes.TrimSpace(line)) {
				return s.problem(t.start, "this string may not be closed; it contains: "+s.quote(int32(at), t.end))
			}
		}
	}
	return nil
}

// joined finds a declaration that follows the end of other code in the same line. Languages without indentation that
// counts allow that, so only a text of theirs with syntax errors is asked.
func (s *span) joined() *Problem {
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
		if declares(s.lang, bytes.TrimSpace(s.src[at:endOfLine(s.src, int(at))])) {
			return s.problem(at, "a declaration follows other code in this line: "+s.quote(at, s.chunk.End))
		}
	}
	return nil
}

// continued finds a statement, in a text with syntax errors, behind an expression that is the body of a function, with an
// empty line or a comment between them: the head of the function that the statement belongs to is missing.
func (s *span) continued() *Problem {
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

// maxQuote bounds the text of a line in a problem, in bytes.
const maxQuote = 60

// quote is the first line of a part of the text, for the message of a problem.
func (s *span) quote(start, end int32) string {
	text, _, _ := bytes.Cut(s.src[start:min(end, start+maxQuote)], lineFeed)
	return string(bytes.TrimSpace(bytes.ToValidUTF8(text, nil)))
}

// columns is how far a line is indented.
func columns(line []byte) (indent int32) {
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

// introducesDeclaration says that a word introduces a function or a class in some language.
func introducesDeclaration(word []byte) bool {
	switch string(word) {
	case "func", "fun", "fn", "def", "function", "class":
		return true
	}
	return false
}

// declares says that a line begins a declaration as one stands at the top of a file or in a type.
func declares(lang Language, line []byte) bool {
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
		case len(rest) > 0 && rest[0] == '(' && words > 0 && headOfFunction(lang, rest):
			return true
		case isControl(word):
			return false
		case lang == Go && word == "func" && len(rest) > 0 && rest[0] == '(':
			_, rest, _ = bytes.Cut(rest, []byte(") "))
			name := bytes.TrimLeft(rest, wordBytes)
			return len(name) < len(rest) && len(name) > 0 && name[0] == '('
		case len(rest) == len(line)-end || len(rest) == 0:
			return false
		case keyword(lang, word) && isWordByte(rest[0]):
			return !cFamily(lang) || line[len(line)-1] != ';'
		}
		if cFamily(lang) {
			rest = bytes.TrimLeft(rest, "*& ")
		}
		line = rest
		words++
	}
}

// cFamily says that a language writes the type of the result before the name of a function.
func cFamily(lang Language) bool { return lang == C || lang == CPP || lang == Java || lang == CSharp }

// headOfFunction says that the parameters that a text begins with may be those of a function with a body.
func headOfFunction(lang Language, rest []byte) bool {
	last := rest[len(rest)-1]
	return cFamily(lang) && (last == '{' || last == '}' || last == ')') && bytes.Count(rest, []byte("(")) >= bytes.Count(rest, []byte(")"))
}

// isControl says that a word begins a statement, and no declaration.
func isControl(word string) bool {
	switch word {
	case "if", "else", "for", "while", "do", "switch", "case", "default", "return", "goto", "new", "delete", "throw", "catch", "try", "await",
		"yield", "assert", "using", "lock", "foreach", "break", "continue", "sizeof", "typedef", "co_return", "co_await", "co_yield", "synchronized":
		return true
	}
	return false
}

// keyword says that a word introduces a declaration in a language.
func keyword(lang Language, word string) bool {
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
