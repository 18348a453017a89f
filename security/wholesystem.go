package security

import (
	"path/filepath"
	"slices"

	"github.com/dougu-go/dougu/security/internal/pattern"
)

// containsApart is contains without the directories that are a whole file system, outside of which there is nothing.
func (r *Root) containsApart(abs string) bool {
	part := &Root{trees: slices.DeleteFunc(slices.Clone(r.trees), (*tree).whole)}
	return part.contains(abs)
}

// whole reports whether a tree is a whole file system.
func (t *tree) whole() bool { return filepath.Dir(t.RealName()) == t.RealName() }

// hide keeps tools from a directory that lies in one of theirs.
func (r *Root) hide(dir string) bool {
	for _, t := range r.trees {
		for _, name := range []string{dir, resolveExisting(dir)} {
			rel, ok := t.Rel(name)
			if !ok {
				continue
			}
			list, malformed := pattern.Compile([]string{"/" + pattern.Escape(rel)})
			if malformed != nil {
				return false
			}
			r.blocked = append(r.blocked, list...)
		}
	}
	return true
}
