package legacy

import (
	"context"
	"maps"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/dougu-go/dougu/internal/group"
	"github.com/dougu-go/dougu/mcp/protocol"
)

// watchable is a Dispatcher whose changes can be followed without a goroutine.
type watchable interface {
	Watch(filter protocol.SubscriptionFilter, changed func()) (w protocol.Watch, ok bool)
}

// watcher reports changes to the peer of a session. It has a goroutine only
// while it sends notifications.
type watcher struct {
	session   *Session
	of        watchable
	runs      *group.Group
	send      func(method string, params []byte) error
	scheduled atomic.Bool

	mu    sync.Mutex     // held while notifications are sent
	watch protocol.Watch // nil once stopped
}

// Watch reports changes as Follow does, but without a goroutine between changes,
// until stop is called. runs owns its goroutines. ok is false if the Dispatcher
// does not support Watch; then use Follow.
func (s *Session) Watch(d protocol.Dispatcher, runs *group.Group, send func(method string, params []byte) error) (stop func(), ok bool) {
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

// wake schedules the report of changes.
func (w *watcher) wake() {
	if w.scheduled.CompareAndSwap(false, true) {
		w.runs.Go(w.notify)
	}
}

func (w *watcher) notify() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.scheduled.Store(false) // later changes schedule another run
	w.notifyAll()
}

func (w *watcher) notifyAll() {
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

// exchange replaces the watch by one of the current subscriptions. After it
// returns, no change outside these subscriptions is reported.
func (w *watcher) exchange() {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.watch == nil {
		return
	}
	next, ok := w.begin()
	if !ok {
		return // the server has been replaced; the watched resources stay
	}
	w.notifyAll()
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

// begin starts a watch of the current subscriptions.
func (w *watcher) begin() (protocol.Watch, bool) {
	r := &w.session.resources
	r.mu.Lock()
	filter, peer := r.filter(), r.tasks.peer
	r.mu.Unlock()
	watch, ok := w.of.Watch(filter, w.wake)
	if ok {
		watch.Session(&w.session.meta)
	}
	if ok && len(filter.TaskIDs) > 0 {
		listen := &protocol.Request{Method: "subscriptions/listen", Meta: w.session.Fill(protocol.RequestMeta{}), Peer: peer}
		watch.Tasks(context.Background(), listen, filter.TaskIDs)
	}
	return watch, ok
}

// filter returns the subscription filter of the session: all lists, the
// subscribed resources and the running tasks. The lock is held.
func (s *subscriptions) filter() protocol.SubscriptionFilter {
	return protocol.SubscriptionFilter{
		ToolsListChanged: true, PromptsListChanged: true, ResourcesListChanged: true,
		ResourceSubscriptions: slices.Sorted(maps.Keys(s.uris)), TaskIDs: slices.Sorted(maps.Keys(s.tasks.told)),
	}
}

func (s *subscriptions) watcher() *watcher {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.watched
}
