package mcp

import (
	"context"
	"sync"
)

// Watch is a subscription that nothing runs for while there is nothing to tell:
// how a transport follows what changes for the sessions of older revisions, of
// which there may be many.
type Watch struct {
	server *Server
	l      *listener

	mu     sync.Mutex
	listen *Request // on whose behalf tasks are followed
	leave  func()   // ends that
}

// Watch begins to note what filter is for. changed is called whenever there is
// something to Take; it must neither block nor call the server. ok is false when
// the server has middleware, which must see subscriptions/listen, or when it
// refuses the filter: then there is that request alone. Tasks of the filter are
// ignored, see Watch.Tasks.
func (s *Server) Watch(filter SubscriptionFilter, changed func()) (w *Watch, ok bool) {
	s.mu.Lock()
	wrapped := len(s.middleware) > 0 || s.err != nil
	s.mu.Unlock()
	if wrapped {
		return nil, false
	}
	l, err := s.newListener(filter, changed)
	if err != nil {
		return nil, false
	}
	return &Watch{server: s, l: l}, true
}

// Tasks adds tasks to what is noted, those of the ids that belong to the sender of
// listen. It may be called once.
func (w *Watch) Tasks(ctx context.Context, listen *Request, ids []string) {
	runner := w.server.opts.Tasks
	if runner == nil || len(ids) == 0 {
		return
	}
	w.mu.Lock()
	w.listen = listen
	w.mu.Unlock()
	if _, leave, err := runner.Follow(ctx, listen, ids, nil, w.l.taskChanged); err == nil {
		w.mu.Lock()
		defer w.mu.Unlock()
		w.leave = leave
	}
}

// WatchAll begins to note every change that happens here, whether anybody has
// subscribed to it or not: a list that Replace has changed, a resource that
// ResourceUpdated was called for. It serves who tells other instances of the same
// server; what they tell, see Changed, is not noted. changed is as in Watch. What
// is not taken in time, more than 1024 resources, is noted as a change of their
// list.
func (s *Server) WatchAll(changed func()) *Watch {
	l := &listener{all: true, wake: changed}
	l.filter = SubscriptionFilter{ToolsListChanged: true, PromptsListChanged: true, ResourcesListChanged: true}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.listeners[l] = struct{}{}
	return &Watch{server: s, l: l}
}

// Changed tells the clients that listen here what has changed at another
// instance of the same server: a ListChangedNotification or a
// ResourceUpdatedNotification; others are ignored. It never blocks.
func (s *Server) Changed(n Notification) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for l := range s.listeners {
		if l.all {
			continue
		}
		switch n := n.(type) {
		case *ListChangedNotification:
			l.changed(n.List)
		case *ResourceUpdatedNotification:
			l.updated(n.URI)
		}
	}
}

// Take returns what has changed since the last time, in order.
func (w *Watch) Take() []Notification {
	w.mu.Lock()
	listen := w.listen
	w.mu.Unlock()
	var notifications []Notification
	for _, c := range w.l.take() {
		n := c.notification("")
		if c.task != "" {
			n = w.server.opts.Tasks.Changed(context.Background(), listen, c.task)
		}
		if n != nil {
			notifications = append(notifications, n)
		}
	}
	return notifications
}

// Stop ends the watch. What was noted before can still be taken.
func (w *Watch) Stop() {
	w.server.forget(w.l)
	w.mu.Lock()
	leave := w.leave
	w.mu.Unlock()
	if leave != nil {
		leave()
	}
}
