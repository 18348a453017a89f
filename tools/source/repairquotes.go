package source

import (
	"bytes"
	"slices"
)

// Limits of the search for a missing quote.
const (
	maxQuoteRepairs = 3       // strings that are taken for code
	maxQuoteStarts  = 40      // strings whose opening quote may be wrong, for each repair
	maxQuoteScan    = 8 << 20 // bytes that are scanned again, altogether
)

// maxLoneQuotes is the maximum number of quotes without a partner that are blanked. More of them are a syntax that is not known here.
const maxLoneQuotes = 3

// repairQuotes finds the quotes to blank: quotes without a partner in their line, and quotes of strings that are code. broken says that
// the text is known to have syntax errors.
func (c *codeLines) repairQuotes(broken bool) {
	c.repairMultilineQuotes(broken)
	if len(c.lone) <= maxLoneQuotes {
		for _, at := range c.lone {
			c.quotes = append(c.quotes, repair{at: at, cause: at})
		}
	}
	slices.SortFunc(c.quotes, func(x, y repair) int { return int(x.at - y.at) })
}

// repairMultilineQuotes handles a text in which a multi-line string has no end or swallows code, because a quote is missing: the text
// after the missing quote has code as strings, and strings as code. It blanks the opening quotes of one string, after which the rest of
// the text looks most like code, and scans the text again. In a text without known errors, only a string without an end is a sign.
func (c *codeLines) repairMultilineQuotes(broken bool) {
	if !c.unclosed && !broken || len(c.src) > maxRepair {
		return
	}
	scanned := 0
	for range maxQuoteRepairs {
		least := c.disorder()
		if least == 0 {
			return
		}
		var best *codeLines
		for _, start := range c.quoteStarts() {
			if scanned += len(c.src); scanned > maxQuoteScan {
				break
			}
			again := c.withoutQuotes(start)
			if n := again.disorder(); n < least {
				least, best = n, again
			}
		}
		if best == nil {
			return
		}
		*c = *best
	}
}

// quoteStarts returns the offsets of the first quotes that begin strings of several lines, and of the quote without an end.
func (c *codeLines) quoteStarts() []int {
	var starts []int
	for _, t := range c.texts {
		if isQuote(c.src[t.start]) && t.word == "" && len(starts) < maxQuoteStarts {
			starts = append(starts, int(t.start))
		}
	}
	if c.unclosed && c.openQuote > 0 {
		starts = append(starts, c.openQuote)
	}
	return starts
}

// withoutQuotes scans the text again, with the quotes at an offset blanked.
func (c *codeLines) withoutQuotes(start int) *codeLines {
	again := &codeLines{src: slices.Clone(c.src), text: c.text, lang: c.lang, words: c.words, quotes: slices.Clone(c.quotes)}
	for at := start; at < len(c.src) && c.src[at] == c.src[start]; at++ {
		again.src[at] = ' '
		again.quotes = append(again.quotes, repair{at: int32(at), cause: int32(at)})
	}
	again.scan()
	return again
}

// disorder estimates how much of a text is code in strings and strings in code: declarations in strings, strings of several lines where
// they are rare, quotes without a partner, and brackets without a partner. It is 0 for most texts without errors.
func (c *codeLines) disorder() int {
	const unclosed, declaration, plain, most = 30, 10, 2, 20
	n := len(c.lone)
	if c.unclosed {
		n += unclosed
	}
	for _, t := range c.texts {
		if c.holdsDeclaration(t) {
			n += declaration
		}
		if b := c.src[t.start]; c.words.multiline && t.word == "" && (b == '"' || b == '\'') {
			n += plain
		}
	}
	return n + min(unmatched(c.brackets), most)
}

// unmatched returns the number of brackets without a partner, in a text whose other brackets match.
func unmatched(brackets []bracket) int {
	var open []byte
	n := 0
	for _, b := range brackets {
		want := opening(b.kind)
		switch {
		case want == 0:
			open = append(open, b.kind)
		case len(open) > 0 && open[len(open)-1] == want:
			open = open[:len(open)-1]
		default:
			n++
		}
	}
	return n + len(open)
}

func isQuote(b byte) bool { return b == '"' || b == '\'' || b == '`' }

// holdsDeclaration reports whether a multi-line string holds a line that begins with the keyword of a declaration and is not indented
// more than the line in which the string begins. Strings with prefixes and here-documents hold none.
func (c *codeLines) holdsDeclaration(text multilineString) bool {
	if !isQuote(c.src[text.start]) {
		return false
	}
	i := c.lineAt(text.start)
	if i < 0 {
		return false
	}
	content := c.src[text.start:text.end]
	_, content, _ = bytes.Cut(content, []byte("\n"))
	for line := range bytes.Lines(content) {
		code := bytes.TrimLeft(line, " \t")
		indent := int32(0)
		for _, b := range line[:len(line)-len(code)] {
			if indent++; b == '\t' {
				indent = (indent-1)/tabWidth*tabWidth + tabWidth
			}
		}
		if c.words.offside && bytes.IndexByte(code, '(') < 0 && !bytes.HasSuffix(bytes.TrimSpace(code), []byte(":")) {
			continue // prose that begins with the word class
		}
		if indent <= c.lines[i].indent && beginsDeclaration(c.lang, code) {
			return true
		}
	}
	return false
}
