package search

import (
	"context"
	"sync"
	"time"

	"github.com/dougu-go/dougu/tools/search/plugin"
)

// renewTime bounds how long a file is refreshed.
const renewTime = time.Minute

// renewing are files that were seen to differ from what is indexed. The zero value has none.
type renewing struct {
	mu    sync.Mutex
	paths map[string]bool
}

// begin notes files; it answers those that are not being refreshed.
func (r *renewing) begin(paths []string) (fresh []string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.paths == nil {
		r.paths = make(map[string]bool)
	}
	for _, p := range paths {
		if !r.paths[p] {
			r.paths[p] = true
			fresh = append(fresh, p)
		}
	}
	return fresh
}

func (r *renewing) end(paths []string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, p := range paths {
		delete(r.paths, p)
	}
}

// renew has files indexed anew, behind the answer in which they were seen to have changed: where changes are not watched nobody else
// would.
func (s *Search) renew(paths []string) {
	fresh := s.renewing.begin(paths)
	if len(fresh) == 0 || s.life.Err() != nil {
		s.renewing.end(fresh)
		return
	}
	s.work.Go(func() {
		defer s.renewing.end(fresh)
		ctx, cancel := context.WithTimeout(s.life, renewTime)
		defer cancel()
		for _, d := range s.documents {
			for _, path := range fresh {
				if _, err := d.Refresh(ctx, plugin.RefreshOptions{Path: path}); err != nil && ctx.Err() == nil {
					s.log.Debug("a changed file was not indexed anew", "plugin", d.name, "path", path, "error", err)
				}
			}
		}
	})
}
