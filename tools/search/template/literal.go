package template

import (
	"bytes"
	"strconv"
	"unicode/utf8"
)

// maxParts is the number of fixed parts of a literal that are compared.
const maxParts = 32

// part is a fixed part of a template, without spaces at its ends.
type part struct {
	start, end int // within literal.text
	// left and right tell whether a space, or the end of the literal, separates the part from its neighbor.
	left, right bool
}

// literal is a literal as fixed parts. Its memory is reused.
type literal struct {
	text   []byte // normalized as Message.text
	parts  []part
	holes  int
	closed bool // whether the last part has ended
}

// read splits the content of a literal at its placeholders. It stops and returns false at three letters that the message does not
// contain, which spares most literals the rest.
func (l *literal) read(content []byte, m *Message) bool {
	l.text, l.parts, l.holes, l.closed = l.text[:0], l.parts[:0], 0, true
	separated := true
	for i := 0; i < len(content) && len(l.parts) <= maxParts; {
		if n := placeholder(content[i:]); n > 0 {
			l.end(false)
			l.holes++
			separated = false
			i += n
			continue
		}
		c := content[i]
		n := 1
		switch {
		case c == '%' && i+1 < len(content) && content[i+1] == '%':
			n = 2
		case c == '\\' && i+1 < len(content):
			c, n = l.escape(content[i:], &separated)
			if c == 0 {
				i += n
				continue
			}
		}
		i += n
		if c <= ' ' {
			l.space()
			separated = true
			continue
		}
		if 'A' <= c && c <= 'Z' {
			c += 'a' - 'A'
		}
		l.put(separated, c)
		if n := len(l.text); n-l.parts[len(l.parts)-1].start >= 3 && isLetter(c) && isLetter(l.text[n-2]) && isLetter(l.text[n-3]) && !m.hasGram(l.text[n-3], l.text[n-2], c) {
			return false
		}
	}
	l.end(true)
	return len(l.parts) > 0
}

func isLetter(c byte) bool { return 'a' <= c && c <= 'z' }

// put appends bytes to the current part, or begins one.
func (l *literal) put(separated bool, c ...byte) {
	if l.closed {
		l.parts = append(l.parts, part{start: len(l.text), left: separated})
		l.closed = false
	}
	l.text = append(l.text, c...)
}

// space appends a space, unless the part is empty or has one.
func (l *literal) space() {
	if !l.closed && l.text[len(l.text)-1] != ' ' {
		l.text = append(l.text, ' ')
	}
}

// end ends the current part. Parts without letters are dropped.
func (l *literal) end(right bool) {
	if l.closed {
		return
	}
	l.closed = true
	p := &l.parts[len(l.parts)-1]
	p.end, p.right = len(l.text), right
	if l.text[p.end-1] == ' ' {
		p.end--
		p.right = true
	}
	if weigh(l.text[p.start:p.end]) == 0 {
		l.parts = l.parts[:len(l.parts)-1]
	}
}

// escape returns the byte that an escape sequence stands for, and the length of the sequence. The byte is 0 for sequences that it
// has appended itself, or that stand for nothing.
func (l *literal) escape(text []byte, separated *bool) (c byte, n int) {
	switch text[1] {
	case 'n', 'r', 't':
		return ' ', 2
	case 'x', 'u', 'U', 'e', '0':
		r, n := code(text)
		switch {
		case n == 0:
			return 0, 2
		case r == 0x1b:
			return 0, n + colorLength(text[n:])
		case r < ' ':
			return ' ', n
		case r < utf8.RuneSelf:
			return byte(r), n
		}
		l.put(*separated, utf8.AppendRune(nil, r)...)
		return 0, n
	}
	return text[1], 2
}

// code returns the character of a numeric escape sequence, and the length of the sequence; 0 without a valid one.
func code(text []byte) (rune, int) {
	if text[1] == 'e' {
		return 0x1b, 2
	}
	digits, base := 2, 16
	switch text[1] {
	case 'u':
		digits = 4
	case 'U':
		digits = 8
	case '0':
		digits, base = 2, 8
	}
	if len(text) < 2+digits {
		return 0, 0
	}
	v, err := strconv.ParseUint(string(text[2:2+digits]), base, 32)
	if err != nil || v > utf8.MaxRune {
		return 0, 0
	}
	return rune(v), 2 + digits
}

// colorLength returns the length of a color sequence after its escape character: [31m.
func colorLength(text []byte) int {
	if len(text) == 0 || text[0] != '[' {
		return 0
	}
	n := bytes.IndexByte(text[:min(len(text), 16)], 'm')
	return n + 1
}
