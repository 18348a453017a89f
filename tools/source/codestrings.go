package source

import "bytes"

// comment returns the end of the comment at an offset, or the offset if no comment begins there.
func (c *codeLines) comment(at int) int {
	rest := c.src[at:]
	switch {
	case c.words.hash && rest[0] == '#' && !(c.lang == PHP && bytes.HasPrefix(rest, []byte("#["))):
		return endOfLine(c.src, at)
	case c.lang == Ruby && bytes.HasPrefix(rest, []byte("=begin")) && (at == 0 || c.src[at-1] == '\n'):
		if n := bytes.Index(rest, []byte("\n=end")); n >= 0 {
			return endOfLine(c.src, at+n+1)
		}
		return len(c.src)
	case !c.words.slashes || rest[0] != '/' || len(rest) < 2:
		return at
	case rest[1] == '/':
		return endOfLine(c.src, at)
	case rest[1] == '*':
		return at + commentLen(rest, c.words.nested)
	}
	return at
}

// prefixed returns the end of a string with a prefix, such as R"x(…)x" or r#"…"#. from is the
// offset of the prefix, at the offset after it. It returns at if there is no such string.
func (c *codeLines) prefixed(from, at int) int {
	prefix := c.src[from:at]
	switch {
	case c.lang == CPP && c.src[at] == '"' && prefix[len(prefix)-1] == 'R':
		open := bytes.IndexByte(c.src[at:min(len(c.src), at+20)], '(')
		if open < 0 {
			return at
		}
		return after(c.src, at, ")"+string(c.src[at+1:at+open])+"\"")
	case c.lang == Rust && prefix[len(prefix)-1] == 'r':
		hashes := at
		for hashes < len(c.src) && c.src[hashes] == '#' {
			hashes++
		}
		if hashes < len(c.src) && c.src[hashes] == '"' {
			return after(c.src, hashes+1, "\""+string(c.src[at:hashes]))
		}
	}
	return at
}

// after returns the offset after the next occurrence of text, or the length of src.
func after(src []byte, at int, text string) int {
	if n := bytes.Index(src[at:], []byte(text)); n >= 0 {
		return at + n + len(text)
	}
	return len(src)
}

// quoted returns the end of the string, the regular expression or the single character at an
// offset.
func (c *codeLines) quoted(at int, line *codeLine) int {
	rest := c.src[at:]
	switch b := rest[0]; {
	case c.words.triple && (bytes.HasPrefix(rest, []byte(`"""`)) || (c.lang == Python || c.lang == "dart") && bytes.HasPrefix(rest, []byte(`'''`))):
		return c.endOfMultiline(endOfTriple(c.src, at+3, string(rest[:3])), at+3, rest[:3])
	case c.lang == CSharp && b == '@' && len(rest) > 1 && rest[1] == '"', c.lang == CSharp && b == '@' && bytes.HasPrefix(rest, []byte(`@$"`)):
		return endOfVerbatim(c.src, at+bytes.IndexByte(rest, '"')+1)
	case c.lang == Swift && b == '#':
		hashes := len(rest) - len(bytes.TrimLeft(rest, "#"))
		if hashes < len(rest) && rest[hashes] == '"' {
			return after(c.src, at+hashes+1, "\""+string(rest[:hashes]))
		}
	case b == '"' || b == '\'' && c.words.apostrophe:
		return c.endOfString(at)
	case b == '\'':
		return endOfCharacter(c.src, at)
	case b == '`' && c.words.raw && c.lang == Go:
		return c.endOfMultiline(after(c.src, at+1, "`"), at+1, rest[:1])
	case b == '`' && c.words.raw:
		return c.template(at)
	case b == '/' && c.words.regexp && at >= c.slashes && c.beginsRegexp(at, line):
		return c.endOfRegexp(at)
	case b == '\\':
		return min(at+2, len(c.src))
	}
	return at + 1
}

// endOfTriple returns the end of a string in triple quotes, given the offset of its content.
func endOfTriple(src []byte, at int, quotes string) int {
	for at < len(src) {
		switch {
		case src[at] == '\\':
			at += 2
		case bytes.HasPrefix(src[at:], []byte(quotes)):
			at += len(quotes)
			for at < len(src) && src[at] == quotes[0] {
				at++ // the content may end with quotes
			}
			return at
		default:
			at++
		}
	}
	return len(src)
}

// endOfVerbatim returns the end of a verbatim string of C#, in which "" stands for a quote.
func endOfVerbatim(src []byte, at int) int {
	for at < len(src) {
		if src[at] == '"' {
			if at+1 >= len(src) || src[at+1] != '"' {
				return at + 1
			}
			at++
		}
		at++
	}
	return len(src)
}

// endOfString returns the end of a string. In a language without multi-line strings, a quote
// without a partner in its line is a single character.
func (c *codeLines) endOfString(at int) int {
	quote := c.src[at]
	for i := at + 1; i < len(c.src); i++ {
		switch c.src[i] {
		case '\\':
			i++
		case quote:
			return i + 1
		case '\n':
			if !c.words.multiline {
				if quote == '"' || c.lang == Python || !c.isApostrophe(at) {
					c.lone = append(c.lone, int32(at))
				}
				return at + 1
			}
		}
	}
	c.noteUnclosed(at)
	return at + 1
}

// isApostrophe reports whether a quote stands between two letters, as in the text of JSX elements.
func (c *codeLines) isApostrophe(at int) bool {
	return at > 0 && isWordByte(c.src[at-1]) && at+1 < len(c.src) && isWordByte(c.src[at+1])
}

// noteUnclosed notes a string without an end, which may contain line feeds.
func (c *codeLines) noteUnclosed(at int) {
	if !c.unclosed {
		c.unclosed, c.openQuote = true, at
	}
}

// endOfMultiline returns end, the end of a string whose content begins at an offset, and notes a string without the closing quotes.
func (c *codeLines) endOfMultiline(end, content int, quotes []byte) int {
	if end == len(c.src) && (end < content+len(quotes) || !bytes.HasSuffix(c.src, quotes)) {
		c.noteUnclosed(content - len(quotes))
	}
	return end
}

// endOfCharacter returns the end of a character literal such as 'a' or '\n'. An apostrophe of a
// lifetime or a digit separator is a single character.
func endOfCharacter(src []byte, at int) int {
	if at > 0 && isWordByte(src[at-1]) && src[at-1] != 'L' && src[at-1] != 'u' && src[at-1] != 'U' && src[at-1] != 'b' {
		return at + 1 // 1'000
	}
	rest := src[at+1 : min(len(src), at+16)]
	if len(rest) > 1 && rest[0] == '\\' {
		if n := bytes.IndexByte(rest[2:], '\''); n >= 0 && !bytes.Contains(rest[:n+2], []byte("\n")) {
			return at + 1 + 2 + n + 1
		}
		return at + 1
	}
	for n := 1; n <= 4 && n < len(rest); n++ { // of UTF-8
		if rest[n] == '\'' && (n == 1 || rest[0] >= 0x80) {
			return at + 1 + n + 1
		}
	}
	return at + 1
}

// maxOpenTemplates is the number of unclosed templates after which the nested code in templates is
// ignored. It bounds the time for a damaged text.
const maxOpenTemplates = 5

// template returns the end of a template string. If the code in it is damaged, the next backtick is
// taken for the end.
func (c *codeLines) template(at int) int {
	if c.open < maxOpenTemplates {
		if end, ok := endOfTemplate(c.src, at, 0); ok {
			return end
		}
		c.open++
	}
	return c.endOfMultiline(after(c.src, at+1, "`"), at+1, c.src[at:at+1])
}

// endOfTemplate returns the end of a template string with the code in it. Nested templates are
// limited in depth. ok is false if the end is missing.
func endOfTemplate(src []byte, at, depth int) (end int, ok bool) {
	const mostDepth = 20
	braces := 0
	for i := at + 1; i < len(src); i++ {
		switch b := src[i]; {
		case b == '\\':
			i++
		case b == '`' && braces == 0:
			return i + 1, true
		case b == '`' && depth < mostDepth:
			if end, ok = endOfTemplate(src, i, depth+1); !ok {
				return len(src), false
			}
			i = end - 1
		case b == '$' && braces == 0 && i+1 < len(src) && src[i+1] == '{':
			braces = 1
			i++
		case b == '{' && braces > 0:
			braces++
		case b == '}' && braces > 0:
			braces--
		}
	}
	return len(src), false
}

// beginsRegexp reports whether a slash begins a regular expression: the code before it in the line
// cannot be the left operand of a division.
func (c *codeLines) beginsRegexp(at int, line *codeLine) bool {
	i := at - 1
	for i >= int(line.start) && (c.src[i] == ' ' || c.src[i] == '\t') {
		i--
	}
	if i < int(line.start) {
		return true
	}
	if !isWordByte(c.src[i]) {
		return c.src[i] != ')' && c.src[i] != ']' && c.src[i] != '}' && c.src[i] != '"' && c.src[i] != '\'' && c.src[i] != '<'
	}
	from := i
	for from > int(line.start) && isWordByte(c.src[from-1]) {
		from--
	}
	switch string(c.src[from : i+1]) {
	case "return", "typeof", "case", "in", "of", "when", "if", "unless", "and", "or", "not", "while":
		return true
	}
	return c.lang == Ruby && c.src[at-1] == ' ' && at+1 < len(c.src) && c.src[at+1] != ' '
}

// maxRegexp is the maximum length of a regular expression in bytes.
const maxRegexp = 2000

// endOfRegexp returns the end of a regular expression. If its line holds no end, the slash is a
// single character and the remainder of the line is not examined again.
func (c *codeLines) endOfRegexp(at int) int {
	class := false
	i := at + 1
	for ; i < min(len(c.src), at+maxRegexp) && c.src[i] != '\n'; i++ {
		switch c.src[i] {
		case '\\':
			i++
		case '[':
			class = true
		case ']':
			class = false
		case '/':
			if !class {
				return i + 1
			}
		}
	}
	c.slashes = i
	return at + 1
}

// heredoc parses the beginning of a here-document. It returns the terminator, or "" if there is
// none, and the offset after it.
func heredoc(src []byte, at int, lang Language) (word string, end int) {
	sign := "<<"
	if lang == PHP {
		sign = "<<<"
	}
	rest, ok := bytes.CutPrefix(src[at:min(len(src), at+100)], []byte(sign))
	if !ok {
		return "", at + 1
	}
	from := len(sign)
	if lang == Ruby && len(rest) > 0 && (rest[0] == '~' || rest[0] == '-') {
		rest, from = rest[1:], from+1
	} else if lang == PHP {
		trimmed := bytes.TrimLeft(rest, " \t")
		rest, from = trimmed, from+len(rest)-len(trimmed)
	}
	if len(rest) > 0 && (rest[0] == '\'' || rest[0] == '"' || rest[0] == '`') {
		rest, from = rest[1:], from+1
	}
	n := 0
	for n < len(rest) && isWordByte(rest[n]) {
		n++
	}
	if n == 0 || lang == Ruby && !(rest[0] == '_' || 'A' <= rest[0] && rest[0] <= 'Z') {
		return "", at + len(sign)
	}
	end = at + from + n
	if end < len(src) && (src[end] == '\'' || src[end] == '"' || src[end] == '`') {
		end++
	}
	return string(rest[:n]), end
}

// endOfHeredoc returns the offset after the terminator of a here-document; the remainder of that
// line is code. It returns at, the beginning of the document, if the terminator is missing.
func (c *codeLines) endOfHeredoc(at int, word string) int {
	if c.missing[word] {
		return at
	}
	for line := at; line < len(c.src); line = endOfLine(c.src, line) + 1 {
		text := line
		for text < len(c.src) && (c.src[text] == ' ' || c.src[text] == '\t') {
			text++
		}
		if bytes.HasPrefix(c.src[text:], []byte(word)) {
			if end := text + len(word); end >= len(c.src) || !isWordByte(c.src[end]) {
				return end
			}
		}
	}
	if c.missing == nil {
		c.missing = make(map[string]bool)
	}
	c.missing[word] = true
	return at
}
