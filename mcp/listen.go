package mcp

import (
	"context"
	"slices"
	"sync"
)

// The lists that can change.
const (
	listTools     = "tools"
	listPrompts   = "prompts"
	listResources = "resources"
)

const (
	// maxSubscribed bounds the resources of one subscription.
	maxSubscribed = 1024
	// maxPending bounds the updates that wait for a slow client: what comes then
	// is told as a change of the resource that was subscribed to, as a whole.
	maxPending = 1024
)

// change is something to tell: that a list has changed, a resource or a task.
type change struct{ list, uri, task string }

// listener is one open subscription.
type listener struct {
	filter SubscriptionFilter
	uris   map[string]struct{} // of the filter
	all    bool                // it is for whatever changes here: see WatchAll
	wake   func()              // told that something is noted; must not block

	mu      sync.Mutex
	pending []change            // not yet reported, in order
	noted   map[change]struct{} // the same
}

// newListener returns a listener for what of a filter the server offers.
func newListener(want SubscriptionFilter, caps ServerCapabilities, wake func()) (*listener, error) {
	l := &listener{wake: wake}
	l.filter.ToolsListChanged = want.ToolsListChanged && caps.Tools != nil
	l.filter.PromptsListChanged = want.PromptsListChanged && caps.Prompts != nil
	l.filter.ResourcesListChanged = want.ResourcesListChanged && caps.Resources != nil
	if caps.Resources == nil {
		return l, nil
	}
	if len(want.ResourceSubscriptions) > maxSubscribed {
		return nil, Errorf(CodeInvalidParams, "Invalid params: a subscription may name %d resources, not %d; open several", maxSubscribed, len(want.ResourceSubscriptions))
	}
	for _, uri := range want.ResourceSubscriptions {
		if len(uri) > maxURI {
			return nil, Errorf(CodeInvalidParams, "Invalid params: the URI of a subscription has %d bytes; at most %d are allowed", len(uri), maxURI)
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

// changed notes that a list has changed; it never blocks.
func (l *listener) changed(list string) {
	if list == listTools && l.filter.ToolsListChanged || list == listPrompts && l.filter.PromptsListChanged ||
		list == listResources && l.filter.ResourcesListChanged {
		l.note(change{list: list}, change{list: list})
	}
}

// updated notes that a resource has changed if the listener is for it, or for
// one that it is a part of; it never blocks.
func (l *listener) updated(uri string) {
	if l.all {
		l.note(change{uri: uri}, change{list: listResources})
		return
	}
	if covering, ok := l.covers(uri); ok {
		l.note(change{uri: uri}, change{uri: covering})
	}
}

// covers finds the subscription that a resource belongs to: to the same URI, or
// to one that it is below of at a slash.
func (l *listener) covers(uri string) (covering string, ok bool) {
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

// note adds a change that is not noted yet, or, when too many are, the coarser
// one that stands for it.
func (l *listener) note(c, coarse change) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if _, noted := l.noted[c]; noted {
		return
	}
	if len(l.pending) >= maxPending {
		if _, noted := l.noted[coarse]; noted {
			return
		}
		c = coarse
	}
	if l.noted == nil {
		l.noted = make(map[change]struct{})
	}
	l.noted[c] = struct{}{}
	l.pending = append(l.pending, c)
	l.wake()
}

// take returns what is noted, and forgets it.
func (l *listener) take() []change {
	l.mu.Lock()
	defer l.mu.Unlock()
	changes := l.pending
	l.pending = nil
	clear(l.noted)
	return changes
}

// ResourceUpdated tells the clients that have subscribed to a resource, or to
// one that it is a part of, that it has changed: a subscription to file:///src
// is for file:///src/main.go too (2026-07-28, basic/patterns/subscriptions). It
// never blocks; what a client has not been told yet it is told once.
func (s *Server) ResourceUpdated(uri string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for l := range s.listeners {
		l.updated(uri)
	}
}

// listen serves subscriptions/listen (2026-07-28, basic/patterns/subscriptions)
// until the client ends it or the server closes.
func (s *Server) listen(ctx context.Context, req *Request) (Result, error) {
	var params struct {
		Notifications *SubscriptionFilter `json:"notifications"`
	}
	if err := readParams(req.Params, &params); err != nil {
		return nil, err
	}
	if params.Notifications == nil {
		return nil, Errorf(CodeInvalidParams, "Invalid params: subscriptions/listen needs the member \"notifications\"")
	}
	if req.Notify == nil {
		return nil, Errorf(CodeInternal, "This transport cannot carry subscriptions")
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
	defer s.forget(l)
	stop, err := s.listenToTasks(ctx, req, l, params.Notifications.TaskIDs)
	if err != nil {
		return nil, err
	}
	defer stop()
	filter := l.filter
	filter.ResourceSubscriptions = slices.Clone(filter.ResourceSubscriptions)
	if err := req.Notify(ctx, &AcknowledgedNotification{Subscription: req.ID, Filter: filter}); err != nil {
		return nil, err
	}
	return s.follow(ctx, req, l, signal)
}

// newListener adds a listener: what changes from here on is noted, and told
// after the acknowledgement.
func (s *Server) newListener(want SubscriptionFilter, wake func()) (*listener, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	l, err := newListener(want, s.reg.Load().caps, wake)
	if err == nil {
		s.listeners[l] = struct{}{}
	}
	return l, err
}

// forget ends a listener.
func (s *Server) forget(l *listener) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.listeners, l)
}

// follow tells what changes until the subscription ends, and then what it has
// not told yet: who ends one to open another must not miss what came between. A
// transport says nothing more of a request that its peer has cancelled.
func (s *Server) follow(ctx context.Context, req *Request, l *listener, signal <-chan struct{}) (Result, error) {
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
				n = s.opts.Tasks.Changed(ctx, req, c.task)
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
			return &ListenResult{Subscription: req.ID}, nil
		}
	}
}

func (c change) notification(subscription ID) Notification {
	if c.list != "" {
		return &ListChangedNotification{List: c.list, Subscription: subscription}
	}
	return &ResourceUpdatedNotification{URI: c.uri, Subscription: subscription}
}

// ListenResult ends a subscription from the server's side.
type ListenResult struct{ Subscription ID }

// AppendJSON implements Result.
func (r *ListenResult) AppendJSON(dst []byte, _ Revision) ([]byte, error) {
	dst = append(dst, `{"resultType":"complete",`...)
	return append(appendSubscription(dst, r.Subscription), '}'), nil
}
