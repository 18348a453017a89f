package mcp

import (
	"context"
	"slices"
	"sync"

	"github.com/dougu-go/dougu/mcp/protocol"
)

// Names of the lists that can change.
const (
	listTools     = "tools"
	listPrompts   = "prompts"
	listResources = "resources"
)

const (
	// maxSubscribed limits the resources, and the tasks, of one subscription.
	maxSubscribed = 1024
	// maxPending limits the changes that wait for a slow client. Further updates are reported as a
	// change of the subscribed resource as a whole.
	maxPending = 1024
)

// change is a pending report. One field is set: the changed list, resource or task.
type change struct{ list, uri, task string }

// listener is one open subscription.
type listener struct {
	filter   protocol.SubscriptionFilter // accepted part of the filter
	uris     map[string]struct{}         // resources of the filter
	all      bool                        // reports every resource; see WatchAll
	onChange func()                      // called after each new change; must not block

	session *sessionTools // tools of a session that are reported; nil if there are none

	mu         sync.Mutex
	pending    []change            // changes to report, in order
	pendingSet map[change]struct{} // the elements of pending
}

// newListener returns a listener for the part of the filter want that caps supports. wake is called
// after each new change.
func newListener(want protocol.SubscriptionFilter, caps protocol.ServerCapabilities, wake func()) (*listener, error) {
	l := &listener{onChange: wake}
	l.filter.ToolsListChanged = want.ToolsListChanged && caps.Tools != nil
	l.filter.PromptsListChanged = want.PromptsListChanged && caps.Prompts != nil
	l.filter.ResourcesListChanged = want.ResourcesListChanged && caps.Resources != nil
	if caps.Resources == nil {
		return l, nil
	}
	if len(want.ResourceSubscriptions) > maxSubscribed {
		return nil, protocol.Errorf(protocol.CodeInvalidParams, "Invalid params: a subscription may name %d resources, not %d; open several", maxSubscribed, len(want.ResourceSubscriptions))
	}
	for _, uri := range want.ResourceSubscriptions {
		if len(uri) > maxURI {
			return nil, protocol.Errorf(protocol.CodeInvalidParams, "Invalid params: the URI of a subscription has %d bytes; at most %d are allowed", len(uri), maxURI)
		}
		if _, twice := l.uris[uri]; !twice {
			if l.uris == nil {
				l.uris = make(map[string]struct{}, len(want.ResourceSubscriptions))
			}
			l.uris[uri] = struct{}{}
			l.filter.ResourceSubscriptions = append(l.filter.ResourceSubscriptions, uri)
		}
	}
	return l, nil
}

// recordList records a change of a list if the filter includes it. It never blocks.
func (l *listener) recordList(list string) {
	if list == listTools && l.filter.ToolsListChanged || list == listPrompts && l.filter.PromptsListChanged ||
		list == listResources && l.filter.ResourcesListChanged {
		l.record(change{list: list}, change{list: list})
	}
}

// recordResource records a change of a resource if the filter includes it or a resource that contains it.
// It never blocks.
func (l *listener) recordResource(uri string) {
	if l.all {
		l.record(change{uri: uri}, change{list: listResources})
		return
	}
	if covering, ok := l.subscriptionFor(uri); ok {
		l.record(change{uri: uri}, change{uri: covering})
	}
}

// subscriptionFor returns the subscribed URI that includes uri: the same URI, or a prefix of it that ends at
// a slash.
func (l *listener) subscriptionFor(uri string) (covering string, ok bool) {
	if len(l.uris) == 0 {
		return "", false
	}
	if _, ok := l.uris[uri]; ok {
		return uri, true
	}
	for i := len(uri) - 1; i > 0; i-- {
		if uri[i] != '/' {
			continue
		}
		for _, above := range []string{uri[:i+1], uri[:i]} {
			if _, ok := l.uris[above]; ok {
				return above, true
			}
		}
	}
	return "", false
}

// record records c unless it is pending already. If too many changes are pending, it records coarse
// in its place.
func (l *listener) record(c, coarse change) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if _, noted := l.pendingSet[c]; noted {
		return
	}
	if len(l.pending) >= maxPending {
		if _, noted := l.pendingSet[coarse]; noted {
			return
		}
		c = coarse
	}
	if l.pendingSet == nil {
		l.pendingSet = make(map[change]struct{})
	}
	l.pendingSet[c] = struct{}{}
	l.pending = append(l.pending, c)
	l.onChange()
}

// take returns the pending changes and clears them.
func (l *listener) take() []change {
	l.mu.Lock()
	defer l.mu.Unlock()
	changes := l.pending
	l.pending = nil
	clear(l.pendingSet)
	return changes
}

// ResourceUpdated notifies subscribed clients that a resource has changed. A subscription to
// file:///src includes file:///src/main.go (2026-07-28, basic/patterns/subscriptions). It never
// blocks. Repeated changes are merged until the client has received the notification.
func (s *Server) ResourceUpdated(uri string) {
	if s.isZero() {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	for l := range s.listeners {
		l.recordResource(uri)
	}
}

// listen handles subscriptions/listen until the client cancels it or the server closes (2026-07-28,
// basic/patterns/subscriptions).
func (s *Server) listen(ctx context.Context, req *protocol.Request) (protocol.Result, error) {
	var params struct {
		Notifications *protocol.SubscriptionFilter `json:"notifications"`
	}
	if err := readParams(req.Params, &params); err != nil {
		return nil, err
	}
	if params.Notifications == nil {
		return nil, protocol.Errorf(protocol.CodeInvalidParams, "Invalid params: subscriptions/listen needs the member \"notifications\"")
	}
	if req.Notify == nil {
		return nil, protocol.Errorf(protocol.CodeInternal, "This transport cannot carry subscriptions")
	}
	signal := make(chan struct{}, 1)
	l, err := s.newListener(*params.Notifications, func() {
		select {
		case signal <- struct{}{}:
		default:
		}
	})
	if err != nil {
		return nil, err
	}
	defer s.unregisterListener(l)
	if session := req.Meta.Session(); session != nil {
		s.sessionTools(session).follow(l)
	}
	stop, err := s.addTasks(ctx, req, l, params.Notifications.TaskIDs)
	if err != nil {
		return nil, err
	}
	defer stop()
	filter := l.filter
	filter.ResourceSubscriptions = slices.Clone(filter.ResourceSubscriptions)
	if err := req.Notify(ctx, &protocol.AcknowledgedNotification{Subscription: req.ID, Filter: filter}); err != nil {
		return nil, err
	}
	return s.sendChanges(ctx, req, l, signal)
}

// newListener registers a listener. Changes are recorded from now on, and reported after the
// acknowledgement.
func (s *Server) newListener(want protocol.SubscriptionFilter, wake func()) (*listener, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	l, err := newListener(want, s.registry.Load().caps, wake)
	if err == nil {
		s.listeners[l] = struct{}{}
	}
	return l, err
}

// unregisterListener unregisters a listener.
func (s *Server) unregisterListener(l *listener) {
	if l.session != nil {
		l.session.unfollow(l)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.listeners, l)
}

// sendChanges sends notifications of changes until the subscription ends. At the end it reports the
// pending changes, so that a client that opens another subscription misses none. A transport drops
// notifications of a cancelled request.
func (s *Server) sendChanges(ctx context.Context, req *protocol.Request, l *listener, signal <-chan struct{}) (protocol.Result, error) {
	for {
		cancelled, closed := false, false
		select {
		case <-signal:
		case <-ctx.Done():
			cancelled = true
		case <-s.closed:
			closed = true
		}
		for _, c := range l.take() {
			n := c.notification(req.ID)
			if c.task != "" {
				n = s.opts.Tasks.Notification(ctx, req, c.task)
			}
			if n == nil {
				continue
			}
			if err := req.Notify(ctx, n); err != nil {
				return nil, err
			}
		}
		switch {
		case cancelled:
			return nil, context.Cause(ctx)
		case closed:
			return &protocol.ListenResult{Subscription: req.ID}, nil
		}
	}
}

// notification returns the notification of a changed list or resource.
func (c change) notification(subscription protocol.ID) protocol.Notification {
	if c.list != "" {
		return &protocol.ListChangedNotification{List: c.list, Subscription: subscription}
	}
	return &protocol.ResourceUpdatedNotification{URI: c.uri, Subscription: subscription}
}
