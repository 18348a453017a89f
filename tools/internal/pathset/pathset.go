// Package pathset compares paths as a Root names them: clean, with slashes,
// relative to its first directory, which is ".", or absolute in another one.
package pathset

import (
	"path"
	"slices"
	"strings"
)

// IsAbs says that a path is absolute on some system: no name in a Root has a colon.
func IsAbs(name string) bool {
	return strings.HasPrefix(name, "/") || len(name) > 1 && name[1] == ':'
}

// Within says that a path is a directory's own or lies below it.
func Within(name, dir string) bool {
	if dir == "." {
		return !IsAbs(name)
	}
	rest, ok := strings.CutPrefix(name, strings.TrimSuffix(dir, "/"))
	return ok && (rest == "" || rest[0] == '/')
}

// Outermost leaves out the paths that lie below another one. What is left is
// sorted.
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

// Touching are the paths below a directory, or the directory and whole if all of it
// is concerned.
func Touching(dir string, paths []string) (below []string, whole bool) {
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
