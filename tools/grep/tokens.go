package grep

import (
	"iter"
	"strings"
	"unicode/utf8"
)

// tokens iterates over the parts of a pattern, which may be invalid, with their offsets: escapes with their backslash,
// characters outside of classes, and group heads such as (?P<. Text in \Q…\E and in classes is skipped.
func tokens(pattern string) iter.Seq2[int, string] {
	return func(yield func(int, string) bool) {
		for at := 0; at < len(pattern); {
			rest := pattern[at:]
			size, skip := tokenSize(rest)
			if !skip && !yield(at, rest[:size]) {
				return
			}
			at += size
		}
	}
}

// closeQuote appends the \E that an open \Q lacks, so that other text can follow.
func closeQuote(pattern string) string {
	for rest := pattern; rest != ""; {
		if strings.HasPrefix(rest, `\Q`) && !strings.Contains(rest, `\E`) {
			return pattern + `\E`
		}
		size, _ := tokenSize(rest)
		rest = rest[size:]
	}
	return pattern
}

// groupHeads are the group heads of package regexp and other engines, longer ones first.
var groupHeads = []string{"(?<=", "(?<!", "(?P<", "(?P=", "(?P>", "(?=", "(?!", "(?>", "(?#", "(?|", "(?<", "(?'", "(?(", "(?R", "(?&", "(?"}

func tokenSize(rest string) (size int, skip bool) {
	switch {
	case strings.HasPrefix(rest, `\Q`):
		if n := strings.Index(rest, `\E`); n >= 0 {
			return n + 2, true
		}
		return len(rest), true
	case rest[0] == '\\':
		_, n := utf8.DecodeRuneInString(rest[1:])
		return 1 + n, false
	case rest[0] == '[':
		return classSize(rest), true
	}
	for _, head := range groupHeads {
		if strings.HasPrefix(rest, head) {
			return len(head), false
		}
	}
	_, n := utf8.DecodeRuneInString(rest)
	return n, false
}

// classSize returns the length of a class, or of the rest if it is not closed.
func classSize(s string) int {
	i := 1
	if strings.HasPrefix(s[i:], "^") {
		i++
	}
	for first := true; i < len(s); first = false {
		switch {
		case s[i] == ']' && !first:
			return i + 1
		case strings.HasPrefix(s[i:], "[:") && strings.Contains(s[i:], ":]"):
			i += strings.Index(s[i:], ":]") + 2
		case s[i] == '\\' && i+1 < len(s):
			i += 2
		default:
			i++
		}
	}
	return len(s)
}

// unbalanced returns the offset of the first unmatched parenthesis, or -1.
func unbalanced(pattern string) int {
	var open []int
	for at, token := range tokens(pattern) {
		switch {
		case token[0] == '(':
			open = append(open, at)
		case token == ")" && len(open) == 0:
			return at
		case token == ")":
			open = open[:len(open)-1]
		}
	}
	if len(open) > 0 {
		return open[len(open)-1]
	}
	return -1
}
