package presence

import (
	"context"

	"github.com/dougu-go/dougu/tools/editor/adapter"
)

// Announcer notifies the watchers of an adapter. It uses its own goroutine, so that a watcher's stop function cannot deadlock.
type Announcer struct {
	watchers adapter.Watchers
	news     chan struct{} // holds one when there are some
}

// NewAnnouncer returns an Announcer. It notifies watchers while Run is running.
func NewAnnouncer() *Announcer { return &Announcer{news: make(chan struct{}, 1)} }

// Watch implements adapter.Adapter.
func (a *Announcer) Watch(changed func()) (stop func()) { return a.watchers.Watch(changed) }

// Announce makes Run notify the watchers. It does not block, and repeated calls before the notification are merged.
func (a *Announcer) Announce() {
	select {
	case a.news <- struct{}{}:
	default:
	}
}

// Run notifies watchers until ctx ends.
func (a *Announcer) Run(ctx context.Context) {
	for {
		select {
		case <-ctx.Done():
			return
		case <-a.news:
		}
		a.watchers.Notify()
	}
}
