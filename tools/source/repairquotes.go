package source

import (
	"bytes"
	"slices"
)

// maxQuoteRepairs is the maximum number of strings that are taken for code.
const maxQuoteRepairs = 3

// maxLoneQuotes is the maximum number of quotes without a partner that are blanked. More of them are a syntax that is not known here.
const maxLoneQuotes = 3

// repairQuotes finds the quotes to blank: those without a partner in their line, and those of strings that hold declarations.
func (c *codeLines) repairQuotes() {
	c.repairMultilineQuotes()
	if len(c.lone) <= maxLoneQuotes {
		for _, at := range c.lone {
			c.quotes = append(c.quotes, repair{at: at, cause: at})
		}
	}
	slices.SortFunc(c.quotes, func(x, y repair) int { return int(x.at - y.at) })
}

// repairMultilineQuotes handles a text with a multi-line string without an end, because a quote is missing: the text after the missing quote has
// code as strings, and strings as code. It blanks the opening quotes of the first string that holds a declaration, and scans the text
// again.
func (c *codeLines) repairMultilineQuotes() {
	if !c.unclosed || len(c.src) > maxRepair {
		return
	}
	for range maxQuoteRepairs {
		i := slices.IndexFunc(c.texts, c.holdsDeclaration)
		if i < 0 || !c.unclosed {
			return
		}
		start := int(c.texts[i].start)
		again := &codeLines{src: slices.Clone(c.src), lang: c.lang, words: c.words, quotes: c.quotes}
		for at := start; at < len(c.src) && c.src[at] == c.src[start]; at++ {
			again.src[at] = ' '
			again.quotes = append(again.quotes, repair{at: int32(at), cause: int32(at)})
		}
		again.scan()
		*c = *again
	}
}

// holdsDeclaration reports whether a multi-line string holds a line that begins with the keyword of a declaration and is not indented
// more than the line in which the string begins. Strings with prefixes and here-documents hold none.
func (c *codeLines) holdsDeclaration(text multilineString) bool {
	if b := c.src[text.start]; b != '"' && b != '\'' && b != '`' {
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
