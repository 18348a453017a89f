package search

import (
	"maps"
	"slices"
	"sync"
)

// subscribers are the functions registered with Updated. The zero value has none. It is safe for concurrent use.
type subscribers struct {
	mu        sync.Mutex
	next      int
	all       map[int]func(uri string)
	walking   bool // whether a goroutine notifies about all documents
	walkAgain bool // whether it must repeat that
}

// Updated registers f, which is called with the URI of each changed resource until stop is called. Pass
// mcp.Server.ResourceUpdated to notify clients. f must not block.
func (s *Search) Updated(f func(uri string)) (stop func()) {
	w := &s.subscribed
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.all == nil {
		w.all = make(map[int]func(string))
	}
	id := w.next
	w.next++
	w.all[id] = f
	return func() {
		w.mu.Lock()
		defer w.mu.Unlock()
		delete(w.all, id)
	}
}

// notify calls all registered functions.
func (w *subscribers) notify(uri string) {
	w.mu.Lock()
	all := slices.Collect(maps.Values(w.all))
	w.mu.Unlock()
	for _, f := range all {
		f(uri)
	}
}

// requestWalk requests a notification about all documents. It reports whether the caller must start the goroutine for it; a
// running goroutine repeats its walk.
func (w *subscribers) requestWalk() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.walkAgain = len(w.all) > 0
	if !w.walkAgain || w.walking {
		return false
	}
	w.walking = true
	return true
}

// nextWalk reports whether the goroutine must walk once more.
func (w *subscribers) nextWalk() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.walking, w.walkAgain = w.walkAgain, false
	return w.walking
}

// maxChangedPaths is the maximum number of changed files that are notified individually.
const maxChangedPaths = 256

// changed notifies subscribers of changes in a plugin. nil paths mean that any file may have changed.
func (s *Search) changed(d *documents, paths []string) {
	if d.corpus != nil {
		d.corpus.Changed()
	}
	s.subscribed.notify(statusURI)
	if paths != nil && len(paths) <= maxChangedPaths {
		for _, path := range paths {
			s.subscribed.notify(documentURI(path))
		}
		return
	}
	// The subscribed URIs are not available here, so every document is reported.
	if s.subscribed.requestWalk() {
		s.work.Go(func() {
			for s.subscribed.nextWalk() {
				s.notifyAllDocuments()
			}
		})
	}
}

// notifyAllDocuments notifies subscribers about every indexed file.
func (s *Search) notifyAllDocuments() {
	for _, d := range s.documents {
		for known, err := range d.Index().Files(s.life) {
			if err != nil {
				return
			}
			s.subscribed.notify(documentURI(known.Path))
		}
	}
}
