package legacy

import (
	"context"
	"maps"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/dougu-go/dougu/internal/group"
	"github.com/dougu-go/dougu/mcp"
)

// watchable is a Dispatcher whose changes can be followed without a goroutine.
type watchable interface {
	Watch(filter mcp.SubscriptionFilter, changed func()) (w *mcp.Watch, ok bool)
}

// watcher tells a session's peer what changes. Something runs for it only while
// there is something to tell.
type watcher struct {
	session   *Session
	of        watchable
	runs      *group.Group
	send      func(method string, params []byte) error
	scheduled atomic.Bool

	mu    sync.Mutex // held while something is told
	watch *mcp.Watch // nil once stopped
}

// Watch does what Follow does, without a goroutine while nothing changes, until
// stop is called; runs owns what it starts. ok is false where that cannot be
// done and Follow must be used.
func (s *Session) Watch(d mcp.Dispatcher, runs *group.Group, send func(method string, params []byte) error) (stop func(), ok bool) {
	of, ok := d.(watchable)
	if !ok {
		return nil, false
	}
	w := &watcher{session: s, of: of, runs: runs, send: send}
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.watch, ok = w.begin(); !ok {
		return nil, false
	}
	s.resources.update(func() { s.resources.watched = w })
	return w.stop, true
}

// wake has what changed told soon.
func (w *watcher) wake() {
	if w.scheduled.CompareAndSwap(false, true) {
		w.runs.Go(w.tell)
	}
}

func (w *watcher) tell() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.scheduled.Store(false) // what is noted from now on is told by another run
	w.tellAll()
}

func (w *watcher) tellAll() {
	if w.watch == nil {
		return
	}
	rev := w.session.Revision
	for _, n := range w.watch.Take() {
		params := n.AppendParams(nil, rev)
		if w.session.resources.news(n, params) && w.send(n.Method(), params) != nil {
			return // the connection is over
		}
	}
}

// exchange watches what the session is subscribed to now. When it returns,
// nothing is told any more that it is not subscribed to.
func (w *watcher) exchange() {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.watch == nil {
		return
	}
	next, ok := w.begin()
	if !ok {
		return // the server has become another; what is watched stays
	}
	w.tellAll()
	w.watch.Stop()
	w.watch = next
}

func (w *watcher) stop() {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.watch != nil {
		w.watch.Stop()
		w.watch = nil
	}
}

// begin watches what the session is to hear of now.
func (w *watcher) begin() (*mcp.Watch, bool) {
	r := &w.session.resources
	r.mu.Lock()
	filter, peer := r.filter(), r.tasks.peer
	r.mu.Unlock()
	watch, ok := w.of.Watch(filter, w.wake)
	if ok && len(filter.TaskIDs) > 0 {
		listen := &mcp.Request{Method: "subscriptions/listen", Meta: w.session.Fill(mcp.RequestMeta{}), Peer: peer}
		watch.Tasks(context.Background(), listen, filter.TaskIDs)
	}
	return watch, ok
}

// filter is everything that a session is told of; the lock is held.
func (s *subscriptions) filter() mcp.SubscriptionFilter {
	return mcp.SubscriptionFilter{
		ToolsListChanged: true, PromptsListChanged: true, ResourcesListChanged: true,
		ResourceSubscriptions: slices.Sorted(maps.Keys(s.uris)), TaskIDs: slices.Sorted(maps.Keys(s.tasks.told)),
	}
}

func (s *subscriptions) watcher() *watcher {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.watched
}
