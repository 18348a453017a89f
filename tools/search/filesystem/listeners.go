package filesystem

import "maps"

// maxChangedPaths is the maximum number of changed files that are passed to listeners.
const maxChangedPaths = 1000

// listeners are the functions registered with Changed. The zero value is ready to use.
type listeners struct {
	last int
	all  map[int]func([]string)
}

// Changed implements plugin.Documents.
func (f *Filesystem) Changed(tell func(paths []string)) (stop func()) {
	f.mu.Lock()
	defer f.mu.Unlock()
	l := &f.listeners
	if l.all == nil {
		l.all = map[int]func([]string){}
	}
	l.last++
	id := l.last
	l.all[id] = tell
	return func() {
		f.mu.Lock()
		defer f.mu.Unlock()
		delete(l.all, id)
	}
}

// notify calls the listeners with changed paths; nil if there are too many.
func (f *Filesystem) notify(paths []string) {
	if len(paths) > maxChangedPaths {
		paths = nil
	}
	f.mu.Lock()
	all := maps.Clone(f.listeners.all)
	f.mu.Unlock()
	for _, tell := range all {
		tell(paths)
	}
}
