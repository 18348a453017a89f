package security

import "os"

// CleanPath is the check of names by itself, for the fuzzer.
func CleanPath(given string) (string, bool, error) { return cleanPath(given) }

// Match compiles patterns and matches one path.
func Match(sources []string, final string) bool {
	ps, faults := compilePatterns(sources)
	return len(faults) == 0 && ps.match(final)
}

// Valid reports whether a pattern compiles.
func Valid(source string) bool {
	_, faults := compilePatterns([]string{source})
	return len(faults) == 0
}

// EscapePattern makes a pattern of a path.
func EscapePattern(final string) string { return escapePattern(final) }

// EditDistance compares two short names.
func EditDistance(a, b string) int { return editDistance(a, b) }

// StillNamed is how a lock file is known to be the one that others will find.
func StillNamed(f *os.File, name string) bool { return stillNamed(f, name) }
