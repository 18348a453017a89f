package presence

import (
	"context"
	"maps"
	"slices"
	"sync"
)

// maxChanges is the maximum number of pending files.
const maxChanges = 1000

// Changes are files on the disk that have changed and are not reported to editors yet.
type Changes struct {
	mu    sync.Mutex
	paths map[string]bool
	some  chan struct{} // holds one when there are
}

// NewChanges returns empty Changes.
func NewChanges() *Changes {
	return &Changes{paths: map[string]bool{}, some: make(chan struct{}, 1)}
}

// Add records files without blocking. More than a thousand pending files are dropped.
func (c *Changes) Add(paths []string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, path := range paths {
		if len(c.paths) < maxChanges {
			c.paths[path] = true
		}
	}
	select {
	case c.some <- struct{}{}:
	default:
	}
}

// Run passes pending files to tell, in batches sorted by path, until ctx ends.
func (c *Changes) Run(ctx context.Context, tell func(paths []string)) {
	for {
		select {
		case <-ctx.Done():
			return
		case <-c.some:
		}
		c.mu.Lock()
		paths := slices.Sorted(maps.Keys(c.paths))
		clear(c.paths)
		c.mu.Unlock()
		tell(paths)
	}
}
