package similar

import "bytes"

// regexp reads a regular expression in one line. It returns false if there is none.
func (l *lexer) regexp() bool {
	class := false
	for i := l.at + 1; i < len(l.src) && l.looks > 0; i++ {
		l.looks--
		switch c := l.src[i]; {
		case c == '\n':
			return false
		case c == '\\':
			i++
		case c == '[':
			class = true
		case c == ']':
			class = false
		case c == '/' && !class:
			start := l.at
			for i++; i < len(l.src) && classes[l.src[i]] == isLetter; i++ {
			}
			l.at = i
			l.add(text, hashOf(l.src[start:i])|1, start)
			return true
		}
	}
	return false
}

// percent reads a Ruby string in percent notation, for example %w[a b].
func (l *lexer) percent(rest []byte) bool {
	i := 1
	if classes[rest[1]] == isLetter {
		i = 2
	}
	open := rest[i]
	end, ok := map[byte]byte{'[': ']', '(': ')', '{': '}', '<': '>', '|': '|', '!': '!', '/': '/'}[open]
	if !ok || i == 2 && bytes.IndexByte([]byte("wWqQiIrsx"), rest[1]) < 0 {
		return false
	}
	level := 0
	for ; i < len(rest) && l.looks > 0; i++ {
		l.looks--
		switch c := rest[i]; {
		case c == '\\':
			i++
		case c == end && (open != end || level > 0):
			if level--; level == 0 {
				start := l.at
				l.at += i + 1
				l.add(text, hashOf(l.src[start:l.at])|1, start)
				return true
			}
		case c == open:
			level++
		}
	}
	return false
}

// heredoc records a text that begins with the next line, as <<~END and <<<END announce.
func (l *lexer) heredoc(rest []byte) bool {
	after, found := bytes.CutPrefix(rest, []byte(l.mark))
	if l.mark == "" || !found || l.pending != nil {
		return false
	}
	name := bytes.TrimLeft(after[:min(len(after), 80)], "~- \"'")
	marked := len(name) < len(after[:min(len(after), 80)])
	n := 0
	for n < len(name) && (classes[name[n]] == isLetter || n > 0 && classes[name[n]] == isDigit) {
		n++
	}
	upper := n > 0 && 'A' <= name[0] && name[0] <= 'Z'
	if n == 0 || l.html && len(after) > 0 && after[0] == ' ' && !upper || l.begin && (after[0] == ' ' || !upper && !marked) {
		return false
	}
	start := l.at
	l.pending = name[:n]
	l.at += len(rest) - len(after) + len(after[:min(len(after), 80)]) - len(name) + n
	if l.at < len(l.src) && (l.src[l.at] == '"' || l.src[l.at] == '\'') {
		l.at++
	}
	l.add(text, hashOf(l.src[start:l.at])|1, start)
	return true
}

// hereText skips the recorded heredoc, up to its name.
func (l *lexer) hereText() {
	end := l.pending
	l.pending = nil
	for at := l.at; at < len(l.src) && l.looks > 0; {
		line := l.src[at:]
		next := len(l.src)
		if i := bytes.IndexByte(line, '\n'); i >= 0 {
			next = at + i + 1
		}
		if after, found := bytes.CutPrefix(bytes.TrimLeft(l.src[at:next], " \t"), end); found && (len(after) == 0 || classes[after[0]] != isLetter) {
			l.at = next - len(after)
			return
		}
		l.looks -= next - at
		at = next
	}
}
