package fs

import (
	"strings"

	"github.com/bmatcuk/doublestar/v4"
)

const (
	maxPattern      = 256 // bytes
	maxAlternatives = 64
)

// compilePattern makes a function of a glob that tells whether an entry is wanted, by its name and its path.
func compilePattern(pattern string) (func(name, path string) bool, error) {
	if pattern == "" {
		return func(string, string) bool { return true }, nil
	}
	glob := strings.TrimPrefix(pattern, "./")
	switch {
	case len(pattern) > maxPattern:
		return nil, invalid("use a shorter pattern", "the pattern has %d bytes; at most %d are taken", len(pattern), maxPattern)
	case !doublestar.ValidatePattern(glob):
		return nil, invalid("write it with *, ?, [a-z], {a,b} and **, such as *.go or src/**/*.ts", "the pattern %s is malformed", quote(pattern))
	case alternatives(glob) > maxAlternatives:
		return nil, invalid("list with several simpler patterns", "the pattern %s has braces for more than %d alternatives", quote(pattern), maxAlternatives)
	case strings.Contains(glob, "/"):
		return func(_, path string) bool { return doublestar.MatchUnvalidated(glob, path) }, nil
	}
	return func(name, _ string) bool { return doublestar.MatchUnvalidated(glob, name) }, nil
}

// alternatives is an upper bound of the plain patterns that the braces of a glob stand for. Matching tries one by one.
func alternatives(glob string) int {
	total := 1
	for i, c := range []byte(glob) {
		if c != '{' {
			continue
		}
		here, depth := 1, 0
	group:
		for _, c := range []byte(glob[i:]) {
			switch c {
			case '{':
				depth++
			case '}':
				if depth--; depth == 0 {
					break group
				}
			case ',':
				if depth == 1 {
					here++
				}
			}
		}
		if total *= here; total > maxAlternatives {
			return total
		}
	}
	return total
}
