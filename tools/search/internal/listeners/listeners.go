// Package listeners calls functions after changes of an index, as plugin.Documents.Changed promises.
package listeners

import (
	"maps"
	"sync"
)

// maxPaths is the maximum number of changed paths that are passed to functions.
const maxPaths = 1000

// Listeners are functions that learn of changed paths. The zero value has none. Its methods may be called concurrently.
type Listeners struct {
	mu   sync.Mutex
	last int
	all  map[int]func([]string)
}

// Add adds a function until stop is called.
func (l *Listeners) Add(f func(paths []string)) (stop func()) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.all == nil {
		l.all = make(map[int]func([]string))
	}
	l.last++
	id := l.last
	l.all[id] = f
	return func() {
		l.mu.Lock()
		defer l.mu.Unlock()
		delete(l.all, id)
	}
}

// Notify calls the functions with changed paths; nil if there are more than 1,000. Without a path it calls none.
func (l *Listeners) Notify(paths []string) {
	if len(paths) == 0 {
		return
	}
	if len(paths) > maxPaths {
		paths = nil
	}
	l.mu.Lock()
	all := maps.Clone(l.all)
	l.mu.Unlock()
	for _, f := range all {
		f(paths)
	}
}
