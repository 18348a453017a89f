package security

import (
	"io/fs"
	"sync"

	"github.com/dougu-go/dougu/security/internal/hardlink"
)

// linkScope knows the blocked files of a directory that is walked, to recognise them under another name: see tree.collect, of which
// each directory of a walk does its own part, and only once a file with several names is opened in it or below it.
type linkScope struct {
	w     *walker
	dir   string // final path
	above *linkScope

	once  sync.Once
	found hardlink.Identities
}

func (s *linkScope) hold(info fs.FileInfo) bool {
	for ; s != nil; s = s.above {
		s.once.Do(s.collect)
		if s.found.Hold(info) {
			return true
		}
	}
	return false
}

func (s *linkScope) collect() {
	blocked := s.w.root.blocked
	if s.above == nil {
		s.found = s.w.tree.links.Find(blocked, s.dir)
		return
	}
	s.found = s.w.tree.links.FindIn(blocked, s.w.bases, s.dir)
}
