// Package unsaved keeps an index of files up to date with the unsaved texts of editors, of which no notification of a changed file
// tells.
//
// A Tracker remembers the texts that an index has. Before a query, Tracker.Update compares them with the present texts of the Root
// and has the changed files indexed again, also the files whose text was saved or discarded since. A file that was not indexed is
// tried again before the next query.
package unsaved

import (
	"context"
	"slices"
	"sync"
	"time"

	"github.com/dougu-go/dougu/security"
)

// Tracker remembers the unsaved texts in an index. The zero value has none. Its methods are safe for concurrent use.
type Tracker struct {
	mu    sync.Mutex
	known map[string]text // by path
}

// text identifies an unsaved text.
type text struct {
	size int64
	time time.Time
}

// Update calls index with the sorted paths of the files whose unsaved text has changed since the last call. It does not call it if
// there are none. One call runs at a time. After an error of index the same paths are passed again.
func (t *Tracker) Update(ctx context.Context, root *security.Root, index func(paths []string) error) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	files, err := root.UnsavedFiles(ctx)
	if err != nil || len(files) == 0 && len(t.known) == 0 {
		return err
	}
	now := make(map[string]text, len(files))
	var changed []string
	for _, f := range files {
		now[f.Path] = text{f.Size, f.ModTime}
		if t.known[f.Path] != now[f.Path] {
			changed = append(changed, f.Path)
		}
	}
	for path := range t.known {
		if _, ok := now[path]; !ok {
			changed = append(changed, path)
		}
	}
	if len(changed) == 0 {
		return nil
	}
	slices.Sort(changed)
	if err := index(changed); err != nil {
		return err
	}
	t.known = now
	return nil
}
