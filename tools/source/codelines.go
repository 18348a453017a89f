package source

import (
	"bytes"
	"slices"
)

// codeLine is a line that begins with code, not with a comment, a directive or the middle of a
// string.
type codeLine struct {
	start, end int32 // of the code, in bytes; a string at the end may extend into later lines
	indent     int32 // in columns, with tab stops of tabWidth
	brackets   int32 // the index of its first bracket
}

// bracket is a bracket outside comments and strings.
type bracket struct {
	at   int32 // the offset
	line int32 // the index of its codeLine
	kind byte  // the character
}

// multilineString is a multi-line string or a here-document.
type multilineString struct {
	start, end int32
	word       string // the terminator of a here-document; "" for strings
}

// codeLines is the layout of a text: its lines with code, their indentation, and the brackets.
type codeLines struct {
	src      []byte // with blanks for the quotes that are repaired
	text     []byte // as it is
	lang     Language
	words    lexicon
	lines    []codeLine
	brackets []bracket
	texts    []multilineString
	inner    []int32 // offsets of declaration keywords after other code in a line

	quotes []repair // blanked quotes of strings that hold declarations, and of lines with an odd number of quotes
	lone   []int32  // quotes without a partner in their line

	unclosed  bool            // a string that may contain line feeds has no end
	openQuote int             // the offset of the first of these strings
	open      int             // the number of templates without an end
	slashes   int             // no regular expression begins before this offset
	missing   map[string]bool // terminators that do not occur in the rest of the text
}

// lexicon describes the comments, strings and layout of a language.
type lexicon struct {
	slashes    bool // comments are // and /* */
	hash       bool // comments begin with #
	nested     bool // a /* in a comment needs a */ of its own
	directives bool // a line that begins with # is a directive
	triple     bool // """ begins a multi-line string
	apostrophe bool // ' begins a string of any length, not a character alone
	multiline  bool // a string in " may contain line feeds
	raw        bool // ` begins a multi-line string
	regexp     bool // / may begin a regular expression
	heredoc    bool // << may begin a string that a terminator ends
	offside    bool // indentation closes blocks
	tolerant   bool // parsers accept texts whose brackets do not match
}

// lexiconOf returns the lexicon of a language; ok is false for other languages.
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
	case "dart":
		l = lexicon{slashes: true, triple: true, nested: true, apostrophe: true}
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

// tabWidth is the distance of tab stops in columns. Only the differences of indentation within a
// file matter.
const tabWidth = 8

// readCodeLines scans a text for its code. broken says that the text is known to have syntax errors. readCodeLines returns false for a
// language without a lexicon.
func readCodeLines(src []byte, lang Language, broken bool) (*codeLines, bool) {
	words, ok := lexiconOf(lang)
	if !ok {
		return nil, false
	}
	c := &codeLines{src: src, text: src, lang: lang, words: words}
	c.scan()
	c.repairQuotes(broken)
	return c, true
}

// scan fills lines, brackets, texts and inner.
func (c *codeLines) scan() {
	at := 0
	if bytes.HasPrefix(c.src, []byte("\ufeff")) {
		at = len("\ufeff")
	}
	begin, indent := true, int32(0) // of a line
	skipped := 0                    // depth of conditionals in an omitted branch
	var heredocs []string
	for at < len(c.src) {
		b := c.src[at]
		switch {
		case b == '\n':
			at, begin, indent = at+1, true, 0
			for _, word := range heredocs {
				if end := c.endOfHeredoc(at, word); end > at {
					c.texts = append(c.texts, multilineString{int32(at), int32(end), word})
					at, begin = end, false // the rest of the line belongs to the line that began the document
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
			c.texts = append(c.texts, multilineString{start: int32(from), end: int32(at)})
		}
	}
}

// isWordByte reports whether a byte can be part of an identifier.
func isWordByte(b byte) bool {
	return b == '_' || b == '$' || b >= 0x80 || '0' <= b && b <= '9' || 'a' <= b && b <= 'z' || 'A' <= b && b <= 'Z'
}

// endOfLine returns the offset of the next line feed, or the length of the text.
func endOfLine(src []byte, at int) int {
	if n := bytes.IndexByte(src[at:], '\n'); n >= 0 {
		return at + n
	}
	return len(src)
}

// directive returns the end of a directive, or of a line in an omitted branch of a conditional. Of
// branches that exclude each other only the first counts, because together they may open the same
// bracket twice.
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

// lineAt returns the index of the code line that holds an offset, or of the last code line before
// it; -1 if there is none.
func (c *codeLines) lineAt(at int32) int {
	i, exact := slices.BinarySearchFunc(c.lines, at, func(l codeLine, at int32) int { return int(l.start - at) })
	if exact {
		return i
	}
	return i - 1
}

// bracketsOf returns the brackets of the code lines from to to-1.
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

// opening returns the opening bracket of a closing one, or 0 for other bytes.
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

// closing returns the closing bracket of an opening one.
func closing(opening byte) byte {
	switch opening {
	case '(':
		return ')'
	case '[':
		return ']'
	}
	return '}'
}

// balanced reports whether brackets match each other.
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

// word returns the first word of a code line, or "".
func (c *codeLines) word(line int) string {
	l := &c.lines[line]
	at := l.start
	for at < l.end && isWordByte(c.src[at]) {
		at++
	}
	return string(c.src[l.start:at])
}
