package adapter

import "sync"

// Watchers are those who watch an adapter: what an adapter needs for Watch beside knowing when to Tell. The zero value has none.
type Watchers struct {
	mu  sync.Mutex
	all map[*watcher]struct{}
}

type watcher struct {
	mu      sync.Mutex // held during the call
	stopped bool
	changed func()
}

// Watch is that of Adapter.
func (w *Watchers) Watch(changed func()) (stop func()) {
	one := &watcher{changed: changed}
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.all == nil {
		w.all = make(map[*watcher]struct{})
	}
	w.all[one] = struct{}{}
	return func() {
		w.mu.Lock()
		delete(w.all, one)
		w.mu.Unlock()
		one.mu.Lock()
		defer one.mu.Unlock()
		one.stopped = true
	}
}

// Tell calls all who watch, one after the other. It must be called from no goroutine that they might wait for, nor with a lock
// held that State needs.
func (w *Watchers) Tell() {
	w.mu.Lock()
	all := make([]*watcher, 0, len(w.all))
	for one := range w.all {
		all = append(all, one)
	}
	w.mu.Unlock()
	for _, one := range all {
		one.tell()
	}
}

func (w *watcher) tell() {
	w.mu.Lock()
	defer w.mu.Unlock()
	if !w.stopped {
		w.changed()
	}
}
