// Package slashpath joins and compares clean paths with slashes, at less cost than package path.
package slashpath

import "strings"

// Join is path.Join for clean paths.
func Join(dir, name string) string {
	if dir == "." || dir == "" {
		return name
	}
	return strings.TrimSuffix(dir, "/") + "/" + name
}

// IsBelow reports whether a path is a directory or lies below it.
func IsBelow(p, dir string) bool {
	rest, ok := strings.CutPrefix(p, dir)
	return ok && (rest == "" || rest[0] == '/')
}
