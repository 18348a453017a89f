package similar

import "bytes"

// comment skips a comment that begins with c, followed by rest. It returns false if there
// is no comment.
func (l *lexer) comment(c byte, rest []byte) bool {
	second := byte(0)
	if len(rest) > 1 {
		second = rest[1]
	}
	switch {
	case c == '/' && second == '/' && l.slash:
		l.line()
	case c == '/' && second == '*' && l.slash:
		l.block()
	case c == '#' && l.hash && l.hashComment(second):
		l.line()
	case c == '-' && second == '-' && l.dash && (len(rest) == 2 || rest[2] == ' ' || rest[2] == '\n') && l.lineBegins():
		l.line()
	case c == '=' && l.begin && bytes.HasPrefix(rest, []byte("=begin")) && (l.at == 0 || l.src[l.at-1] == '\n'):
		l.skipTo([]byte("\n=end"))
	default:
		return false
	}
	return true
}

// hashComment reports whether # begins a comment, and not an attribute of PHP or, in an
// unknown language, a directive.
func (l *lexer) hashComment(second byte) bool {
	switch {
	case l.html:
		return second != '['
	case l.dash:
		return second == ' ' || second == '!' || second == '#'
	}
	return true
}

// lineBegins reports whether only white space precedes in the line.
func (l *lexer) lineBegins() bool {
	for i := l.at - 1; i >= 0; i-- {
		switch l.src[i] {
		case ' ', '\t':
		case '\n', '\r':
			return true
		default:
			return false
		}
	}
	return true
}

// line skips the rest of the line; in PHP only up to ?>.
func (l *lexer) line() {
	end := bytes.IndexByte(l.src[l.at:], '\n')
	if end < 0 {
		end = len(l.src) - l.at
	}
	if l.html {
		if close := bytes.Index(l.src[l.at:l.at+end], []byte("?>")); close >= 0 {
			end = close
		}
	}
	l.at += end
}

// block skips a comment between delimiters.
func (l *lexer) block() {
	if !l.nested {
		l.at += 2
		l.skipTo([]byte("*/"))
		return
	}
	depth := 0
	for l.at+1 < len(l.src) {
		switch {
		case l.src[l.at] == '/' && l.src[l.at+1] == '*':
			depth++
			l.at += 2
		case l.src[l.at] == '*' && l.src[l.at+1] == '/':
			l.at += 2
			if depth--; depth == 0 {
				return
			}
		default:
			l.at++
		}
	}
	l.at = len(l.src)
}

// skipTo moves behind the next occurrence of end, or to the end of the text.
func (l *lexer) skipTo(end []byte) {
	if i := bytes.Index(l.src[l.at:], end); i >= 0 {
		l.at += i + len(end)
		return
	}
	l.at = len(l.src)
}

// markup skips from an offset to the code after the next <?.
func (l *lexer) markup(from int) {
	l.at = min(from, len(l.src))
	l.skipTo([]byte("<?"))
	rest := l.src[l.at:]
	if bytes.HasPrefix(rest, []byte("php")) {
		l.at += 3
	} else if bytes.HasPrefix(rest, []byte("=")) {
		l.at++
	}
}
