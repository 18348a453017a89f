package gateway

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

const (
	maxName   = 128  // of a tool, with its prefix
	maxPrefix = 64   // with the separator
	maxLabel  = 256  // of a prompt, or of another item with a name for display
	maxURI    = 8192 // bytes
)

// isName reports whether s consists of the characters of tool names (2026-07-28, server/tools,
// "Tool Names").
func isName(s string) bool {
	for _, c := range []byte(s) {
		switch {
		case 'a' <= c && c <= 'z', 'A' <= c && c <= 'Z', '0' <= c && c <= '9', c == '_', c == '-', c == '.':
		default:
			return false
		}
	}
	return s != ""
}

// isLabel reports whether s is a name for people: one line of text in which
// nothing is hidden.
func isLabel(s string) bool {
	if s == "" || len(s) > maxLabel || !utf8.ValidString(s) {
		return false
	}
	for _, r := range s {
		if !unicode.IsPrint(r) {
			return false
		}
	}
	return true
}

// isURI reports whether s may be the URI of a resource: printable, without spaces.
func isURI(s string) bool {
	if s == "" || len(s) > maxURI || !utf8.ValidString(s) {
		return false
	}
	for _, r := range s {
		if !unicode.IsGraphic(r) || unicode.IsSpace(r) {
			return false
		}
	}
	return true
}

// printable returns the text without invisible characters, because upstreams are untrusted.
func printable(s string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r == '\n', r == '\t':
			return ' '
		case !unicode.IsPrint(r):
			return -1
		}
		return r
	}, strings.ToValidUTF8(s, ""))
}
