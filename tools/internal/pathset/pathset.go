// Package pathset compares the paths of a Root. They are clean and have slashes. They are relative to the first directory of the
// Root, which is ".", or absolute in another directory.
package pathset

import (
	"path"
	"slices"
	"strings"
)

// IsAbs reports whether a path is absolute on some system. Names in a Root have no colon.
func IsAbs(name string) bool {
	return strings.HasPrefix(name, "/") || len(name) > 1 && name[1] == ':'
}

// Within reports whether a path is dir or below it.
func Within(name, dir string) bool {
	if dir == "." {
		return !IsAbs(name)
	}
	rest, ok := strings.CutPrefix(name, strings.TrimSuffix(dir, "/"))
	return ok && (rest == "" || rest[0] == '/')
}

// Outermost removes paths below other paths, and duplicates. The result is sorted.
func Outermost(paths []string) []string {
	all := map[string]bool{}
	for _, name := range paths {
		all[name] = true
	}
	var kept []string
	for name := range all {
		inner := name != "." && !IsAbs(name) && all["."]
		for dir := path.Dir(name); !inner && dir != "." && dir != path.Dir(dir); dir = path.Dir(dir) {
			inner = all[dir]
		}
		if !inner {
			kept = append(kept, name)
		}
	}
	slices.Sort(kept)
	return kept
}

// Intersect returns the paths below dir. If dir is one of the paths or below one, it returns dir, and whole is true.
func Intersect(dir string, paths []string) (below []string, whole bool) {
	for _, name := range paths {
		switch {
		case Within(dir, name):
			return []string{dir}, true
		case Within(name, dir):
			below = append(below, name)
		}
	}
	return below, false
}
