package filesystem

import "maps"

// maxNamed is how many changed files are named to those who listen.
const maxNamed = 1000

// listeners want to know of changes. The zero value is ready to use.
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

// tell tells of changed files.
func (f *Filesystem) tell(paths []string) {
	if len(paths) > maxNamed {
		paths = nil
	}
	f.mu.Lock()
	all := maps.Clone(f.listeners.all)
	f.mu.Unlock()
	for _, tell := range all {
		tell(paths)
	}
}
