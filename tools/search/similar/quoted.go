package similar

import "bytes"

// quoted reads a literal at a quotation mark. start is the offset of its prefix.
func (l *lexer) quoted(start int) {
	c := l.src[l.at]
	rest := l.src[l.at:]
	kind := inLine
	switch c {
	case '\'':
		kind = l.single
	case '`':
		kind = l.back
	default:
		if l.html || l.begin {
			kind = manyLine
		}
	}
	switch {
	case l.triple && len(rest) > 2 && rest[1] == c && rest[2] == c && c != '`':
		l.tripled(start)
	case kind == noQuote, start == l.at && c == '\'' && l.apostrophe():
		l.at++
	case kind == lifetime && !closesAsCharacter(rest):
		l.at++
		l.add(byteOperators|'\'', 0, start)
	case kind == naming:
		l.named(start)
	case kind == rawLine:
		l.at++
		l.skipTo([]byte{c})
		l.add(text, hashOf(l.src[start:l.at])|1, start)
	case !l.string(c, kind == manyLine):
		l.at++ // an apostrophe in text that is not code
	default:
		l.add(text, hashOf(l.src[start:l.at])|1, start)
	}
}

// apostrophe reports whether the mark directly follows a name, as in prose.
func (l *lexer) apostrophe() bool {
	return l.previous() == identifier && l.tokens[len(l.tokens)-1].end == int32(l.at)
}

// closesAsCharacter reports whether a quotation mark begins a character such as 'a', and
// not a lifetime such as 'a.
func closesAsCharacter(rest []byte) bool {
	if len(rest) < 3 {
		return false
	}
	if rest[1] == '\\' {
		return true
	}
	end := bytes.IndexByte(rest[1:min(len(rest), 8)], '\'')
	return end == 1 || end > 1 && rest[1] >= 128
}

// named reads an identifier in quotation marks.
func (l *lexer) named(start int) {
	end := bytes.IndexByte(l.src[l.at+1:min(len(l.src), l.at+200)], l.src[l.at])
	if end < 0 {
		l.at++
		return
	}
	name := l.src[l.at+1 : l.at+1+end]
	l.at += end + 2
	l.add(identifier, hashOf(name)|1, start)
}

// string moves behind a string in quotation marks. If the closing mark is missing, or not
// in the same line although it must be, it returns false and does not move.
func (l *lexer) string(mark byte, lines bool) bool {
	end := l.stringEnd(l.at, mark, lines, 0)
	if end < 0 {
		return false
	}
	l.at = end
	return true
}

// insertions is the maximum depth of strings in code in strings.
const insertions = 4

// stringEnd returns the offset behind the string that begins at an offset, or -1.
func (l *lexer) stringEnd(at int, mark byte, lines bool, depth int) int {
	for i := at + 1; i < len(l.src) && l.looks > 0; i++ {
		l.looks--
		switch c := l.src[i]; {
		case c == mark:
			return i + 1
		case l.insert != "" && mark != '\'' && c == l.insert[0] && i+1 < len(l.src) && l.src[i+1] == l.insert[1] && depth < insertions:
			if end := l.insertionEnd(i+1, lines, depth+1); end > 0 {
				i = end - 1
			} else if c == '\\' {
				i++
			}
		case c == '\\':
			i++
		case c == '\n' && !lines:
			return -1
		}
	}
	return -1
}

// insertionEnd returns the offset behind the code in a string that begins with the bracket
// at an offset, or -1.
func (l *lexer) insertionEnd(at int, lines bool, depth int) int {
	open, level := l.src[at], 0
	end := byte('}')
	if open == '(' {
		end = ')'
	}
	for i := at; i < len(l.src) && l.looks > 0; i++ {
		l.looks--
		switch c := l.src[i]; {
		case c == open:
			level++
		case c == end:
			if level--; level == 0 {
				return i + 1
			}
		case c == '"', c == '\'', c == '`' && l.back == manyLine:
			if inner := l.stringEnd(i, c, c == '`' || lines, depth); inner > 0 {
				i = inner - 1
			}
		case c == '\n' && !lines:
			return -1
		}
	}
	return -1
}

// tripled reads a string between three quotation marks, unless it is a comment.
func (l *lexer) tripled(start int) {
	document := l.doc && l.statement(start)
	mark := l.src[l.at : l.at+3]
	l.at += 3
	for {
		i := bytes.Index(l.src[l.at:], mark)
		if i < 0 {
			l.at = len(l.src)
			break
		}
		l.at += i + 3
		if l.src[l.at-4] != '\\' || !l.prefixed {
			break
		}
		l.at -= 2
	}
	if !document {
		l.add(text, hashOf(l.src[start:l.at])|1, start)
	}
}

// statement reports whether a separate statement begins at the start of a line.
func (l *lexer) statement(start int) bool {
	for i := start - 1; i >= 0 && l.src[i] != '\n'; i-- {
		if l.src[i] != ' ' && l.src[i] != '\t' && l.src[i] != '\r' {
			return false
		}
	}
	switch code := l.previous(); code {
	case 0, identifier, number, text, byteOperators | ':', byteOperators | ')', byteOperators | ']', byteOperators | '}':
		return true
	default:
		return code >= firstWord
	}
}

// prefixedText reads a string with a prefix of letters.
func (l *lexer) prefixedText(start int) {
	if l.raw == '(' && l.src[l.at-1] == 'R' && l.src[l.at] == '"' {
		head := l.src[l.at+1 : min(len(l.src), l.at+20)]
		if open := bytes.IndexByte(head, '('); open >= 0 {
			end := append(append([]byte{')'}, head[:open]...), '"')
			l.at += open + 2
			l.skipTo(end)
			l.add(text, hashOf(l.src[start:l.at])|1, start)
			return
		}
	}
	l.quoted(start)
}

// rawOpening reports whether #, ##, … precede a quotation mark.
func rawOpening(rest []byte) bool {
	i := 0
	for i < len(rest) && rest[i] == '#' {
		i++
	}
	return 0 < i && i < 9 && i < len(rest) && rest[i] == '"'
}

// fenced reads a string between #" and "#.
func (l *lexer) fenced(start int) {
	fence := 0
	for l.src[l.at] == '#' {
		fence++
		l.at++
	}
	l.at++
	l.skipTo(append([]byte{'"'}, bytes.Repeat([]byte{'#'}, fence)...))
	l.add(text, hashOf(l.src[start:l.at])|1, start)
}

// verbatim reads a string of C# with the prefix @ or $.
func (l *lexer) verbatim() {
	start := l.at
	plain := false
	for l.src[l.at] != '"' {
		plain = plain || l.src[l.at] == '@'
		l.at++
	}
	if !plain {
		l.quoted(start)
		return
	}
	for l.at++; l.at < len(l.src); l.at++ {
		if l.src[l.at] != '"' {
			continue
		}
		if l.at+1 == len(l.src) || l.src[l.at+1] != '"' {
			l.at++
			break
		}
		l.at++
	}
	l.add(text, hashOf(l.src[start:l.at])|1, start)
}
