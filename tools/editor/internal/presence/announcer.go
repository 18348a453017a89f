package presence

import (
	"context"

	"github.com/dougu-go/dougu/tools/editor/adapter"
)

// Announcer tells those who watch an adapter that its state may be another, from a goroutine that none of them might wait for.
type Announcer struct {
	watchers adapter.Watchers
	news     chan struct{} // holds one when there are some
}

// NewAnnouncer makes an Announcer, which tells while its Run runs.
func NewAnnouncer() *Announcer { return &Announcer{news: make(chan struct{}, 1)} }

// Watch is that of adapter.Adapter.
func (a *Announcer) Watch(changed func()) (stop func()) { return a.watchers.Watch(changed) }

// Announce has Run tell. It does not wait, and what is announced several times meanwhile is told once.
func (a *Announcer) Announce() {
	select {
	case a.news <- struct{}{}:
	default:
	}
}

// Run tells until ctx ends.
func (a *Announcer) Run(ctx context.Context) {
	for {
		select {
		case <-ctx.Done():
			return
		case <-a.news:
		}
		a.watchers.Tell()
	}
}
