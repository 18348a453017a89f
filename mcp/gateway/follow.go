package gateway

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"sync"
	"time"

	"github.com/dougu-go/dougu/internal/wait"
	"github.com/dougu-go/dougu/mcp/protocol"
)

// maxWatched bounds the resources of an upstream that are subscribed to.
const maxWatched = 1024

// follow has the member hear of changes of the upstream's lists, from when it
// returns until stop is called. told is false where the upstream does not tell of
// all of them.
func (m *member) follow(ctx context.Context, l *link) (stop func(), told bool) {
	caps := l.conn.Discovered().Capabilities
	var f protocol.SubscriptionFilter
	told = true
	for _, kind := range []struct {
		there, tells bool
		wanted       *bool
	}{
		{caps.Tools != nil, caps.Tools != nil && caps.Tools.ListChanged, &f.ToolsListChanged},
		{caps.Prompts != nil, caps.Prompts != nil && caps.Prompts.ListChanged, &f.PromptsListChanged},
		{caps.Resources != nil, caps.Resources != nil && caps.Resources.ListChanged, &f.ResourcesListChanged},
	} {
		*kind.wanted = kind.tells
		told = told && kind.there == kind.tells
	}
	if !f.ToolsListChanged && !f.PromptsListChanged && !f.ResourcesListChanged {
		return func() {}, told
	}
	listening, cancel := context.WithCancel(m.life)
	acknowledged := make(chan struct{})
	open := sync.OnceFunc(func() { close(acknowledged) })
	ended := make(chan struct{})
	m.run.Go(func() {
		defer close(ended)
		defer open()
		first := true
		l.keepListening(listening, f, func(n protocol.Notification) {
			switch n.(type) {
			case *protocol.AcknowledgedNotification:
				if !first {
					m.requestReload() // changes between connections are not reported
				}
				first = false
				open()
			case *protocol.ListChangedNotification:
				m.requestReload()
			}
		})
	})
	patience, done := context.WithTimeout(ctx, m.g.opts.ListTimeout)
	defer done()
	select {
	case <-acknowledged:
	case <-patience.Done():
	}
	return func() { cancel(); <-ended }, told
}

// keepListening keeps a subscription open until ctx or the connection ends, or the upstream reports
// that it does not support subscriptions.
func (l *link) keepListening(ctx context.Context, f protocol.SubscriptionFilter, notify func(protocol.Notification)) {
	params, err := json.Marshal(map[string]any{"notifications": f})
	if err != nil {
		return // unreachable: strings always encode
	}
	for delay := minDelay; ; delay = min(2*delay, maxDelay) {
		began := time.Now()
		_, err := l.ask(ctx, "subscriptions/listen", params, func(_ context.Context, n protocol.Notification) error {
			notify(n)
			return nil
		})
		var refused *protocol.Error
		if ctx.Err() != nil || errors.As(err, &refused) {
			return
		}
		if time.Since(began) > maxDelay {
			delay = minDelay
		}
		select {
		case <-l.conn.Done():
			return
		default:
		}
		if wait.Sleep(ctx, delay) != nil {
			return
		}
	}
}

// subscriptions are the clients' subscriptions to resources of one upstream. The gateway subscribes
// once to each resource, until its last client ends.
type subscriptions struct {
	mu     sync.Mutex // guards the following fields
	closed bool
	open   map[string]*watchedResource // by URI
}

// watchedResource is a resource with at least one subscribed client.
type watchedResource struct {
	clients int           // subscribed clients; guarded by subscriptions.mu
	decided chan struct{} // closed when the upstream has accepted or refused the subscription
	granted bool          // accepted; read it only after decided
	stop    context.CancelFunc
}

// acquire adds a client to the subscription of a resource and creates it if necessary. It returns
// nil if there are too many.
func (s *subscriptions) acquire(m *member, uri string) *watchedResource {
	s.mu.Lock()
	defer s.mu.Unlock()
	if w := s.open[uri]; w != nil {
		w.clients++
		return w
	}
	l := m.live.Load()
	if s.closed || len(s.open) >= maxWatched || l == nil {
		return nil
	}
	w := &watchedResource{clients: 1, decided: make(chan struct{})}
	if s.open == nil {
		s.open = make(map[string]*watchedResource)
	}
	s.open[uri] = w
	s.watch(m, l, uri, w)
	return w
}

// watch has a resource watched on a connection. s.mu is held.
func (s *subscriptions) watch(m *member, l *link, uri string, w *watchedResource) {
	if w.stop != nil {
		w.stop()
	}
	ctx, stop := context.WithCancel(m.life)
	w.stop = stop
	decide := sync.OnceFunc(func() { close(w.decided) })
	select {
	case <-w.decided:
		decide = func() {}
	default:
	}
	m.run.Go(func() {
		defer decide()
		l.keepListening(ctx, protocol.SubscriptionFilter{ResourceSubscriptions: []string{uri}}, func(n protocol.Notification) {
			switch n := n.(type) {
			case *protocol.AcknowledgedNotification:
				select {
				case <-w.decided:
				default:
					w.granted = slices.Contains(n.Filter.ResourceSubscriptions, uri)
				}
				decide()
			case *protocol.ResourceUpdatedNotification:
				if n.URI == uri || n.IncludedIn(uri) {
					m.g.hub.ResourceUpdated(n.URI)
				}
			}
		})
	})
}

// release removes a client, and ends the subscription after the last client.
func (s *subscriptions) release(uri string, w *watchedResource) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if w.clients--; w.clients == 0 {
		w.stop()
		if s.open[uri] == w {
			delete(s.open, uri)
		}
	}
}

// resume has everything watched on a new connection, and told as changed, since it
// may have.
func (s *subscriptions) resume(m *member, l *link) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for uri, w := range s.open {
		s.watch(m, l, uri, w)
		m.g.hub.ResourceUpdated(uri)
	}
}

// close ends all.
func (s *subscriptions) close() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.closed = true
	for _, w := range s.open {
		w.stop()
	}
}
