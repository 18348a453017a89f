// Package slashpath joins and compares clean paths with slashes, at less cost than package path.
package slashpath

import "strings"

// Join returns dir and name joined with a slash, like path.Join. Both must be clean; dir may be "." or empty.
func Join(dir, name string) string {
	if dir == "." || dir == "" {
		return name
	}
	return strings.TrimSuffix(dir, "/") + "/" + name
}

// IsBelow reports whether p is dir or a path below it. Both paths must be clean.
func IsBelow(p, dir string) bool {
	rest, ok := strings.CutPrefix(p, dir)
	return ok && (rest == "" || rest[0] == '/')
}
