package pathset

import "strings"

// Only restricts a walk to some paths and everything below them. nil restricts nothing.
type Only struct {
	paths map[string]bool // relative to the start
	above map[string]bool // directories above the paths
}

// NewOnly restricts a walk from start to paths below it. It returns nil if start itself is one of the paths.
func NewOnly(start string, paths []string) *Only {
	o := &Only{map[string]bool{}, map[string]bool{}}
	for _, path := range paths {
		rel := path
		if start != "." {
			rel = strings.TrimPrefix(strings.TrimPrefix(path, strings.TrimSuffix(start, "/")), "/")
		}
		o.paths[rel] = true
		for at, c := range rel {
			if c == '/' {
				o.above[rel[:at]] = true
			}
		}
	}
	if o.paths[""] || o.paths["."] {
		return nil
	}
	return o
}

// Concerns reports whether an entry, relative to the start, is one of the paths, or above or below one.
func (o *Only) Concerns(rel string, dir bool) bool {
	if o == nil || o.paths[rel] || dir && o.above[rel] {
		return true
	}
	for at := range len(rel) {
		if rel[at] == '/' && o.paths[rel[:at]] {
			return true
		}
	}
	return false
}
