package grep

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// hasUpper reports whether a pattern names an upper-case letter. Classes of upper-case letters count; letters of escapes such
// as \S, flags and group names do not.
func hasUpper(pattern string, literal bool) bool {
	if literal {
		return strings.ContainsFunc(pattern, unicode.IsUpper)
	}
	if strings.Contains(pattern, "[:upper:]") || strings.Contains(pattern, `\p{Lu}`) {
		return true
	}
	for rest := pattern; rest != ""; {
		switch {
		case strings.HasPrefix(rest, `\Q`):
			quoted, behind, _ := strings.Cut(rest[2:], `\E`)
			if strings.ContainsFunc(quoted, unicode.IsUpper) {
				return true
			}
			rest = behind
		case rest[0] == '\\':
			rest = skipEscape(rest)
		case strings.HasPrefix(rest, "(?"):
			rest = skipGroupHead(rest)
		default:
			r, size := utf8.DecodeRuneInString(rest)
			if unicode.IsUpper(r) {
				return true
			}
			rest = rest[size:]
		}
	}
	return false
}

// skipEscape removes an escape other than \Q from the beginning of s.
func skipEscape(s string) string {
	if len(s) < 2 {
		return ""
	}
	if !strings.ContainsRune("pPx", rune(s[1])) {
		_, size := utf8.DecodeRuneInString(s[1:])
		return s[1+size:]
	}
	if len(s) > 2 && s[2] == '{' {
		_, behind, _ := strings.Cut(s, "}")
		return behind
	}
	if s[1] == 'x' { // two hexadecimal digits
		return s[min(4, len(s)):]
	}
	return s[min(3, len(s)):]
}

// skipGroupHead removes a group head that begins with (?: flags or a name.
func skipGroupHead(s string) string {
	end := strings.IndexAny(s, ":)>")
	if end < 0 {
		return ""
	}
	return s[end+1:]
}
