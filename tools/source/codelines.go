package source

import (
	"bytes"
	"slices"
)

// codeLine is a line of a text that begins with code: not with a comment, a directive or the middle of a string.
type codeLine struct {
	start, end int32 // of its code; a string that it ends with may reach into later lines
	indent     int32 // in columns
	brackets   int32 // the index of its first bracket
}

// bracket is a bracket outside of comments and strings.
type bracket struct {
	at   int32
	line int32 // the index of its codeLine
	kind byte  // the character
}

// longText is a string or here-document over several lines.
type longText struct {
	start, end int32
	word       string // the word that ends a here-document; "" for strings
}

// codeLines is the layout of a text: which lines hold code, how far they are indented, and where the brackets are.
type codeLines struct {
	src      []byte
	lang     Language
	words    lexicon
	lines    []codeLine
	brackets []bracket
	texts    []longText
	inner    []int32 // words behind other code in their line that may introduce a declaration

	open    int             // templates that are not closed
	slashes int             // before this position no slash begins a regular expression
	missing map[string]bool // words that end no here-document in the rest of the text
}

// lexicon says how a language writes comments and strings.
type lexicon struct {
	slashes    bool // comments are // and /* */
	hash       bool // comments begin with #
	nested     bool // a /* in a comment needs a */ of its own
	directives bool // a line that begins with # is a directive
	triple     bool // """ begins a string over lines
	apostrophe bool // ' begins a string, and not only a character
	multiline  bool // a string in " may go over lines
	raw        bool // ` begins a string over lines
	regexp     bool // / may begin a regular expression
	heredoc    bool // << may begin a string that a word ends
	offside    bool // indentation closes blocks
	tolerant   bool // parsers may be sure of a text whose brackets do not match
}

// lexiconOf is the lexicon of a language; ok is false for languages without one.
func lexiconOf(lang Language) (l lexicon, ok bool) {
	switch lang {
	case Go:
		l = lexicon{slashes: true, raw: true}
	case JavaScript, TypeScript, TSX:
		l = lexicon{slashes: true, raw: true, apostrophe: true, regexp: true}
	case Python:
		l = lexicon{hash: true, triple: true, apostrophe: true, offside: true}
	case Java:
		l = lexicon{slashes: true, triple: true}
	case Kotlin, Scala:
		l = lexicon{slashes: true, triple: true, nested: true}
	case Swift:
		l = lexicon{slashes: true, triple: true, nested: true, directives: true}
	case CSharp:
		l = lexicon{slashes: true, triple: true, directives: true}
	case C, CPP:
		l = lexicon{slashes: true, directives: true, tolerant: true}
	case Rust:
		l = lexicon{slashes: true, nested: true, multiline: true}
	case Ruby:
		l = lexicon{hash: true, apostrophe: true, multiline: true, regexp: true, heredoc: true}
	case PHP:
		l = lexicon{slashes: true, hash: true, apostrophe: true, multiline: true, heredoc: true}
	default:
		return lexicon{}, false
	}
	return l, true
}

// tabWidth is the distance of tab stops. Only differences of indentation within a file count.
const tabWidth = 8

// readCodeLines finds the code of a text. It is false for languages whose comments and strings are not known.
func readCodeLines(src []byte, lang Language) (*codeLines, bool) {
	words, ok := lexiconOf(lang)
	if !ok {
		return nil, false
	}
	c := &codeLines{src: src, lang: lang, words: words}
	c.read()
	return c, true
}

// read goes through the text.
func (c *codeLines) read() {
	at := 0
	if bytes.HasPrefix(c.src, []byte("\ufeff")) {
		at = len("\ufeff")
	}
	begin, indent := true, int32(0) // of a line
	skipped := 0                    // depth of conditionals in a branch that is left out
	var heredocs []string
	for at < len(c.src) {
		b := c.src[at]
		switch {
		case b == '\n':
			at, begin, indent = at+1, true, 0
			for _, word := range heredocs {
				if end := c.endOfHeredoc(at, word); end > at {
					c.texts = append(c.texts, longText{int32(at), int32(end), word})
					at, begin = end, false // the text behind it belongs to the line in which the document began
				}
			}
			heredocs = heredocs[:0]
			continue
		case b == ' ' || b == '\r' || b == '\f' || b == '\v':
			at, indent = at+1, indent+1
			continue
		case b == '\t':
			at, indent = at+1, (indent/tabWidth+1)*tabWidth
			continue
		case begin && c.words.directives && b == '#' || skipped > 0 && begin:
			at = c.directive(at, &skipped)
			continue
		}
		if end := c.comment(at); end > at {
			at = end
			continue
		}
		if begin {
			begin = false
			c.lines = append(c.lines, codeLine{start: int32(at), indent: indent, brackets: int32(len(c.brackets))})
		}
		line := &c.lines[len(c.lines)-1]
		from := at
		switch {
		case b == '(' || b == '[' || b == '{' || b == ')' || b == ']' || b == '}':
			c.brackets = append(c.brackets, bracket{int32(at), int32(len(c.lines) - 1), b})
			at++
		case b == '<' && c.words.heredoc:
			word, end := heredoc(c.src, at, c.lang)
			if at = end; word != "" {
				heredocs = append(heredocs, word)
			}
		case isWordByte(b):
			for at < len(c.src) && isWordByte(c.src[at]) {
				at++
			}
			if at < len(c.src) && (c.src[at] == '"' || c.src[at] == '#') && at-from <= 2 {
				at = c.prefixed(from, at)
			} else if from > int(line.start) && introducesDeclaration(c.src[from:at]) {
				c.inner = append(c.inner, int32(from))
			}
		default:
			at = c.quoted(at, line)
		}
		line.end = int32(at)
		if b != '\\' && at-from > 1 && bytes.IndexByte(c.src[from:at], '\n') >= 0 {
			c.texts = append(c.texts, longText{start: int32(from), end: int32(at)})
		}
	}
}

func isWordByte(b byte) bool {
	return b == '_' || b == '$' || b >= 0x80 || '0' <= b && b <= '9' || 'a' <= b && b <= 'z' || 'A' <= b && b <= 'Z'
}

// endOfLine is the position of the next line feed, or the end.
func endOfLine(src []byte, at int) int {
	if n := bytes.IndexByte(src[at:], '\n'); n >= 0 {
		return at + n
	}
	return len(src)
}

// directive passes over a directive, or over a line in a branch of a conditional that is left out: of branches that
// exclude each other the first counts, as all together may open a bracket twice.
func (c *codeLines) directive(at int, skipped *int) int {
	end := endOfLine(c.src, at)
	word, isDirective := bytes.CutPrefix(c.src[at:end], []byte("#"))
	if !isDirective {
		return end
	}
	word = bytes.TrimLeft(word, " \t")
	switch {
	case bytes.HasPrefix(word, []byte("if")):
		if *skipped > 0 {
			*skipped++
		}
	case bytes.HasPrefix(word, []byte("el")):
		if *skipped == 0 {
			*skipped = 1
		}
	case bytes.HasPrefix(word, []byte("endif")):
		if *skipped > 0 {
			*skipped--
		}
	}
	if c.lang == Swift && !bytes.HasPrefix(word, []byte("if")) && !bytes.HasPrefix(word, []byte("el")) && !bytes.HasPrefix(word, []byte("endif")) {
		if *skipped > 0 {
			return end
		}
		return at + 1 // #selector(…), #"…"#
	}
	for end > at && end < len(c.src) && (c.src[end-1] == '\\' || c.src[end-1] == '\r' && c.src[end-2] == '\\') {
		end = endOfLine(c.src, end+1)
	}
	return end
}

// lineAt is the index of the code line that holds a position, or of the last one before it; -1 if there is none.
func (c *codeLines) lineAt(at int32) int {
	i, exact := slices.BinarySearchFunc(c.lines, at, func(l codeLine, at int32) int { return int(l.start - at) })
	if exact {
		return i
	}
	return i - 1
}

// bracketsOf are the brackets of lines.
func (c *codeLines) bracketsOf(from, to int) []bracket {
	first, last := len(c.brackets), len(c.brackets)
	if from < len(c.lines) {
		first = int(c.lines[from].brackets)
	}
	if to < len(c.lines) {
		last = int(c.lines[to].brackets)
	}
	return c.brackets[first:last]
}

// opening is the bracket that another one closes, or 0.
func opening(closing byte) byte {
	switch closing {
	case ')':
		return '('
	case ']':
		return '['
	case '}':
		return '{'
	}
	return 0
}

// closing is the bracket that closes another one.
func closing(opening byte) byte {
	switch opening {
	case '(':
		return ')'
	case '[':
		return ']'
	}
	return '}'
}

// balanced says that brackets match each other.
func balanced(brackets []bracket) bool {
	var room [64]byte
	open := room[:0]
	for _, b := range brackets {
		want := opening(b.kind)
		switch n := len(open); {
		case want == 0:
			open = append(open, b.kind)
		case n == 0 || open[n-1] != want:
			return false
		default:
			open = open[:n-1]
		}
	}
	return len(open) == 0
}

// word is the word that a line begins with.
func (c *codeLines) word(line int) string {
	l := &c.lines[line]
	at := l.start
	for at < l.end && isWordByte(c.src[at]) {
		at++
	}
	return string(c.src[l.start:at])
}
