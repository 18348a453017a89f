package security

import (
	"io/fs"
	"sync"
)

// linkScope knows the blocked files of a directory that is walked, to recognise them under another name: see tree.collect, of which
// each directory of a walk does its own part, and only once a file with several names is opened in it or below it.
type linkScope struct {
	w     *walker
	dir   string // final path
	above *linkScope

	once  sync.Once
	found identities
}

func (s *linkScope) hold(info fs.FileInfo) bool {
	for ; s != nil; s = s.above {
		s.once.Do(s.collect)
		if s.found.hold(info) {
			return true
		}
	}
	return false
}

func (s *linkScope) collect() {
	blocked := s.w.root.blocked
	if s.above == nil {
		s.found = s.w.tree.collect(blocked, s.dir, maxOtherNames)
		return
	}
	c := collector{tree: s.w.tree, rules: blocked, bases: s.w.bases, budget: maxOtherNames}
	c.list(s.dir, false)
	for len(c.inside) > 0 && c.budget > 0 {
		next := c.inside[0]
		c.inside = c.inside[1:]
		c.list(next.dir, next.all)
	}
	s.found = c.found
}
