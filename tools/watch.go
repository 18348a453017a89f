package tools

import (
	"github.com/hashicorp/go-multierror"
)

// Watcher is a Set whose Features change while it is installed, for example when an editor starts. The Installation then calls
// Features again and notifies clients. The type must be comparable, for example a pointer.
type Watcher interface {
	Set
	// Watch calls changed whenever Features may answer something else, until stop
	// is called. changed does not wait for anything.
	Watch(changed func()) (stop func())
}

// watch begins to watch the sets that are not watched yet, and answers which.
func (in *Installation) watch(sets []Set) (started []Set) {
	for _, set := range sets {
		watcher, ok := set.(Watcher)
		if !ok {
			continue
		}
		in.mu.Lock()
		_, known := in.watched[watcher]
		in.mu.Unlock()
		if known {
			continue
		}
		stop := watcher.Watch(in.changed)
		in.mu.Lock()
		if in.watched == nil {
			in.watched = make(map[Watcher]func())
		}
		in.watched[watcher] = stop
		in.mu.Unlock()
		started = append(started, set)
	}
	return started
}

func (in *Installation) unwatch(set Set) {
	watcher, ok := set.(Watcher)
	if !ok {
		return
	}
	in.mu.Lock()
	stop := in.watched[watcher]
	delete(in.watched, watcher)
	in.mu.Unlock()
	if stop != nil {
		stop()
	}
}

// changed has the tools installed anew, soon and once for several changes.
func (in *Installation) changed() {
	in.mu.Lock()
	defer in.mu.Unlock()
	in.outdated = true
	in.refreshIfOutdated()
}

// refreshIfOutdated is called with mu held. Changes before the first installation are processed after it.
func (in *Installation) refreshIfOutdated() {
	if in.outdated && !in.refreshes && in.current != nil {
		in.refreshes = true
		in.work.Go(in.refresh)
	}
}

// refresh installs the present features and repeats that until they no longer change.
func (in *Installation) refresh() {
	for in.refreshOnce() {
	}
}

func (in *Installation) refreshOnce() (again bool) {
	in.updating.Lock()
	defer in.updating.Unlock()
	in.mu.Lock()
	current := in.current
	in.refreshes = in.outdated && current != nil
	again = in.refreshes
	in.mu.Unlock()
	if !again {
		return false
	}
	if err := in.exchange(current.profile, current.sets); err != nil {
		in.mu.Lock()
		defer in.mu.Unlock()
		in.failed = multierror.Append(in.failed, err)
	}
	return true
}
