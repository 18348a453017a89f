package adapter

import "sync"

// Watchers implements Watch of an Adapter. The adapter calls Tell after each change of its state. The zero value is ready to
// use.
type Watchers struct {
	mu  sync.Mutex
	all map[*watcher]struct{}
}

type watcher struct {
	mu      sync.Mutex // held during the call
	stopped bool
	changed func()
}

// Watch implements Adapter.Watch.
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

// Notify calls all watchers in sequence. The caller must not hold a lock that State needs. A watcher's stop function must not
// wait for the calling goroutine.
func (w *Watchers) Notify() {
	w.mu.Lock()
	all := make([]*watcher, 0, len(w.all))
	for one := range w.all {
		all = append(all, one)
	}
	w.mu.Unlock()
	for _, one := range all {
		one.notify()
	}
}

func (w *watcher) notify() {
	w.mu.Lock()
	defer w.mu.Unlock()
	if !w.stopped {
		w.changed()
	}
}
