package search

import (
	"maps"
	"slices"
	"sync"
)

// subscribers hear of resources that have changed. The zero value has none.
type subscribers struct {
	mu      sync.Mutex
	next    int
	all     map[int]func(uri string)
	walking bool // through all files
	again   bool
}

// Updated has f called with the URI of every resource of the set that has changed, until stop is: mcp.Server.ResourceUpdated is what
// tells clients of it. f must not block.
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

func (w *subscribers) tell(uri string) {
	w.mu.Lock()
	all := slices.Collect(maps.Values(w.all))
	w.mu.Unlock()
	for _, f := range all {
		f(uri)
	}
}

// begin tells whether a walk is to be started; if one runs, it begins anew.
func (w *subscribers) begin() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.again = len(w.all) > 0
	if !w.again || w.walking {
		return false
	}
	w.walking = true
	return true
}

// goOn tells whether to walk once more.
func (w *subscribers) goOn() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.walking, w.again = w.again, false
	return w.walking
}

// maxNamed is how many changed files are told at once.
const maxNamed = 256

// changed tells that files of a plugin have changed, nil for any.
func (s *Search) changed(d *documents, paths []string) {
	if d.meant != nil {
		d.meant.Changed()
	}
	s.subscribed.tell(statusURI)
	if paths != nil && len(paths) <= maxNamed {
		for _, path := range paths {
			s.subscribed.tell(documentURI(path))
		}
		return
	}
	// Nobody here knows which ones clients have subscribed to.
	if s.subscribed.begin() {
		s.work.Go(func() {
			for s.subscribed.goOn() {
				s.tellAll()
			}
		})
	}
}

// tellAll tells that every file may have changed.
func (s *Search) tellAll() {
	for _, d := range s.documents {
		for known, err := range d.Index().Files(s.life) {
			if err != nil {
				return
			}
			s.subscribed.tell(documentURI(known.Path))
		}
	}
}
