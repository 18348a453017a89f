package repomap

import (
	"bytes"

	"github.com/dougu-go/dougu/tools/source"
)

// counter counts the uses of declared names in the code of one text after the other. It
// ignores comments and strings, whose common words would dominate. A few rules for each
// language family recognize comments and strings. Where a rule is wrong, the error usually
// ends at the end of the line.
type counter struct {
	*vocabulary
	counts    map[useKey]int32
	generated bool // the text states that a program wrote it

	chunks []source.Chunk
	owners []int32 // innermost visible declaration around each chunk, by chunk
	next   int     // first chunk that begins after the current offset
	open   []int32 // chunks around the current offset, outermost first
	folded []byte  // buffer of qualifier

	src   []byte
	at    int
	class *[256]class
	// nested reports that comments nest in the language. brackets counts the open braces in
	// each "${" of the enclosing templates.
	nested   bool
	brackets []int
}

// useKey identifies the uses of a name in a declaration that are alike.
type useKey struct {
	name, qualifier, owner int32
	how                    usage
}

// newCounter returns a counter without counts for the names of a vocabulary.
func newCounter(v *vocabulary) *counter {
	return &counter{vocabulary: v, counts: make(map[useKey]int32)}
}

// begin prepares the counting of a text with the chunks.
func (c *counter) begin(src []byte, chunks []source.Chunk, is *[256]class) {
	clear(c.counts)
	c.src, c.at, c.class, c.brackets = src, 0, is, c.brackets[:0]
	c.generated = generated(src)
	c.chunks, c.next, c.open, c.owners = chunks, 0, c.open[:0], c.owners[:0]
	for n := range chunks {
		owner := int32(n)
		if !isVisible(chunks, n) {
			owner = noChunk
			if parent := chunks[n].Parent; parent >= 0 && int(parent) < n {
				owner = c.owners[parent]
			}
		}
		c.owners = append(c.owners, owner)
	}
}

// around moves to an offset. It returns the visible declaration around the offset, and
// whether a declared name begins there.
func (c *counter) around(at int) (owner int32, declared bool) {
	for c.next < len(c.chunks) && int(c.chunks[c.next].Decl) <= at {
		c.open = append(c.open, int32(c.next))
		c.next++
	}
	for len(c.open) > 0 && int(c.chunks[c.open[len(c.open)-1]].End) <= at {
		c.open = c.open[:len(c.open)-1]
	}
	owner = noChunk
	for i := len(c.open) - 1; i >= 0; i-- {
		n := c.open[i]
		declared = declared || int(c.chunks[n].Ident) == at
		if owner == noChunk && int(c.chunks[n].End) > at {
			owner = c.owners[n]
		}
	}
	return owner, declared
}

// Limits of the length of counted names, in bytes. Shorter names are ambiguous, and longer
// words are not names.
const (
	minName = 2
	maxName = 100
)

// class is the kind of token that a byte may begin.
type class uint8

const (
	other    class = iota
	letter         // also "_", "$" and every byte above ASCII
	digit          // part of a name or of a number
	slash          // "//" or "/*"
	hash           // comment to the end of the line
	quote          // "…" on one line, or """…"""
	tick           // 'c', or a lifetime or symbol
	raw            // `…`
	template       // `…${code}…`
	bracket        // brace inside the code of a template
)

// classes returns the classes of the bytes in a language.
func classes(lang source.Language) (is [256]class) {
	for c := range is {
		switch {
		case c == '_' || c == '$' || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || c >= 0x80:
			is[c] = letter
		case '0' <= c && c <= '9':
			is[c] = digit
		}
	}
	is['/'], is['"'], is['\''] = slash, quote, tick
	switch lang {
	case source.Go:
		is['`'] = raw
	case source.TypeScript, source.TSX, source.JavaScript:
		is['\''], is['`'], is['{'], is['}'] = quote, template, bracket, bracket
	case source.Python, source.Ruby:
		is['\''], is['#'], is['/'] = quote, hash, other
	case source.PHP:
		is['\''], is['#'] = quote, hash
	}
	return is
}

// countCode counts the names of an added language, outside of its comments and strings. It replaces the earlier counts.
func (c *counter) countCode(src []byte, chunks []source.Chunk, syntax source.Syntax) {
	is := classes("")
	is['/'], is['"'], is['\''] = other, other, other
	c.begin(src, chunks, &is)
	names := func(end int) {
		for c.src = src[:end]; c.at < end; {
			switch is[src[c.at]] {
			case letter:
				c.name()
			case digit:
				c.number()
			default:
				c.at++
			}
		}
	}
	for span := range syntax.Spans(src) {
		names(span.Start)
		c.at = span.End
	}
	names(len(src))
	c.src = nil
}

// count counts the names in a text. It replaces the earlier counts.
func (c *counter) count(src []byte, chunks []source.Chunk, lang source.Language) {
	is := classes(lang)
	c.begin(src, chunks, &is)
	c.nested = lang == source.Swift || lang == source.Kotlin || lang == source.Rust || lang == source.Scala
	for c.at < len(src) {
		switch is[src[c.at]] {
		case other:
			c.at++
		case letter:
			c.name()
		case digit:
			c.number()
		default:
			c.skip(is[src[c.at]])
		}
	}
	c.src = nil
}

// name counts the name at the current offset.
func (c *counter) name() {
	start := c.at
	for c.at < len(c.src) && c.class[c.src[c.at]]-letter <= digit-letter {
		c.at++
	}
	text := c.src[start:c.at]
	if len(text) < minName || len(text) > maxName {
		return
	}
	name, ok := c.names[string(text)]
	if !ok {
		return
	}
	owner, declared := c.around(start)
	if declared {
		return
	}
	key := useKey{name: name, owner: owner}
	if c.at < len(c.src) && c.src[c.at] == '(' {
		key.how |= called
	}
	if end := c.memberOf(start); end >= 0 {
		key.how |= member
		key.qualifier = c.qualifier(end)
	}
	c.counts[key]++
}

// memberOf returns the offset of the sign, such as a dot, before a name that is used as a
// member; otherwise -1.
func (c *counter) memberOf(start int) int {
	end := start - 1
	switch {
	case end < 1:
		return -1
	case c.src[end] == '.':
	case c.src[end] == '>' && c.src[end-1] == '-', c.src[end] == ':' && c.src[end-1] == ':':
		end--
	default:
		return -1
	}
	if c.src[end-1] == '?' || c.src[end-1] == '!' {
		end--
	}
	return end
}

// qualifier returns the number of the qualifier that ends at an offset, or noQualifier.
func (c *counter) qualifier(end int) int32 {
	start := end
	for start > 0 && c.class[c.src[start-1]]-letter <= digit-letter {
		start--
	}
	text := c.src[start:end]
	switch {
	case len(text) == 0 || len(text) > maxName:
		return noQualifier
	case len(text) <= 2 || string(text) == "self" || string(text) == "this":
		return ownQualifier
	}
	c.folded = appendFolded(c.folded[:0], text)
	return c.qualifiers[string(c.folded)]
}

// number skips a number with its letters and digit separators.
func (c *counter) number() {
	for c.at < len(c.src) && (c.class[c.src[c.at]]-letter <= digit-letter || c.class[c.src[c.at]] == tick && c.numeral(c.at+1)) {
		c.at++
	}
}

// numeral reports whether a digit is at an offset.
func (c *counter) numeral(at int) bool { return at < len(c.src) && c.class[c.src[at]] == digit }

// skip skips a comment, a string or another token that is not a name.
func (c *counter) skip(what class) {
	rest := c.src[c.at+1:]
	switch what {
	case slash:
		switch {
		case len(rest) > 0 && rest[0] == '/':
			c.to(bytes.IndexByte(rest, '\n'), 1)
		case len(rest) > 0 && rest[0] == '*':
			c.comment()
		default:
			c.at++
		}
	case hash:
		c.to(bytes.IndexByte(rest, '\n'), 1)
	case quote:
		c.quoted(c.src[c.at])
	case tick:
		c.character(rest)
	case raw:
		c.to(bytes.IndexByte(rest, '`'), 1)
	case template:
		c.at++
		c.text()
	case bracket:
		c.bracket()
	}
}

// to moves behind a match. found is its offset from the byte after the current one, and
// length its length; a negative found moves to the end.
func (c *counter) to(found, length int) {
	if found < 0 {
		c.at = len(c.src)
	} else {
		c.at += 1 + found + length
	}
}

// comment skips a comment in /* */.
func (c *counter) comment() {
	depth := 0
	for at := c.at; ; {
		found := bytes.IndexByte(c.src[at:], '*')
		if found < 0 {
			c.at = len(c.src)
			return
		}
		at += found
		switch {
		case at > 0 && c.src[at-1] == '/' && (depth == 0 || c.nested):
			depth++
			at++
		case at+1 < len(c.src) && c.src[at+1] == '/':
			at += 2
			if depth--; depth <= 0 {
				c.at = at
				return
			}
		default:
			at++
		}
	}
}

// quoted skips a string: after three quotes up to the next three, otherwise at most to the
// end of the line.
func (c *counter) quoted(by byte) {
	rest := c.src[c.at+1:]
	if len(rest) > 1 && rest[0] == by && rest[1] == by {
		c.at += 2
		c.to(bytes.Index(rest[2:], []byte{by, by, by}), 3)
		return
	}
	for i := 0; i < len(rest); i++ {
		switch rest[i] {
		case '\\':
			i++
		case by, '\n':
			c.at += 1 + i + 1
			return
		}
	}
	c.at = len(c.src)
}

// character skips a character literal. Any other use of the quote is a lifetime, a symbol
// or an apostrophe; then only the quote is skipped.
func (c *counter) character(rest []byte) {
	const longest = 12 // '\u{10ffff}'
	rest = rest[:min(len(rest), longest)]
	end := -1
	if len(rest) > 1 && rest[0] == '\\' {
		end = bytes.IndexByte(rest[2:], '\'') + 2
		if end == 1 {
			end = -1
		}
	} else if len(rest) > 1 {
		if end = bytes.IndexByte(rest[1:], '\'') + 1; end == 0 || end > 1 && rest[0] < 0x80 {
			end = -1
		}
	}
	c.at += 1 + end + 1
}

// text skips the text of a template, to its end or to "${".
func (c *counter) text() {
	for ; c.at < len(c.src); c.at++ {
		switch c.src[c.at] {
		case '\\':
			c.at++
		case '`':
			c.at++
			return
		case '$':
			if c.at+1 < len(c.src) && c.src[c.at+1] == '{' {
				c.at += 2
				c.brackets = append(c.brackets, 0)
				return
			}
		}
	}
	c.at = min(c.at, len(c.src))
}

// bracket counts a brace in the code of a template. The brace that closes "${" continues
// the text of the template.
func (c *counter) bracket() {
	opens := c.src[c.at] == '{'
	c.at++
	last := len(c.brackets) - 1
	switch {
	case last < 0:
	case opens:
		c.brackets[last]++
	case c.brackets[last] > 0:
		c.brackets[last]--
	default:
		c.brackets = c.brackets[:last]
		c.text()
	}
}

// generated reports whether a text states that a program wrote it, or has lines that are
// too long to be written by hand.
func generated(src []byte) bool {
	const beginning, ending, longLine = 2 << 10, 200, 1 << 10
	if bytes.Contains(src[max(len(src)-ending, 0):], []byte("//# sourceMappingURL=")) {
		return true
	}
	head := src[:min(len(src), beginning)]
	for _, mark := range []string{"Code generated", "@generated", "DO NOT EDIT", "Do not edit", "do not modify", "auto-generated", "autogenerated", "Automatically generated"} {
		if bytes.Contains(head, []byte(mark)) {
			return true
		}
	}
	return len(src) > 4*longLine && len(src)/(1+bytes.Count(src, []byte("\n"))) > longLine/4
}
