package format

import (
	"regexp/syntax"
	"strings"
)

// isUUID checks RFC 4122 without a version.
func isUUID(s string) bool {
	if len(s) != len("01234567-0123-0123-0123-0123456789ab") {
		return false
	}
	for i := range len(s) {
		c := s[i]
		if i == 8 || i == 13 || i == 18 || i == 23 {
			if c != '-' {
				return false
			}
		} else if !('0' <= c && c <= '9' || 'a' <= c && c <= 'f' || 'A' <= c && c <= 'F') {
			return false
		}
	}
	return true
}

// isPointer checks a JSON pointer (RFC 6901).
func isPointer(s string) bool {
	if s != "" && s[0] != '/' {
		return false
	}
	for {
		_, after, found := strings.Cut(s, "~")
		if !found {
			return true
		}
		if after == "" || after[0] != '0' && after[0] != '1' {
			return false
		}
		s = after
	}
}

// isRelativePointer checks a relative JSON pointer: a number of levels and a JSON pointer or #.
func isRelativePointer(s string) bool {
	rest := strings.TrimLeft(s, "0123456789")
	levels := s[:len(s)-len(rest)]
	if levels == "" || levels[0] == '0' && levels != "0" {
		return false
	}
	return rest == "#" || isPointer(rest)
}

// isRegex checks the syntax of package regexp. The length is limited, because parsing may need a
// multiple of it.
func isRegex(s string) bool {
	const longest = 4096
	if len(s) > longest {
		return false
	}
	_, err := syntax.Parse(s, syntax.Perl)
	return err == nil
}
