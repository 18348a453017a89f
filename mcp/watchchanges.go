package mcp

import (
	"context"
	"sync"

	"github.com/dougu-go/dougu/mcp/protocol"
)

// watch implements protocol.Watch.
type watch struct {
	server   *Server
	listener *listener

	mu     sync.Mutex
	listen *protocol.Request // request for which tasks are followed
	leave  func()            // stops following tasks
}

// Watch starts to record the changes that filter selects. It calls changed after each change;
// changed must neither block nor call the server. Take returns the changes. ok is false if the
// server has middleware, which must see subscriptions/listen, or if it rejects the filter; then use
// that request. TaskIDs of the filter are ignored; see protocol.Watch.
func (s *Server) Watch(filter protocol.SubscriptionFilter, changed func()) (w protocol.Watch, ok bool) {
	if s.isZero() {
		return nil, false
	}
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
	return &watch{server: s, listener: l}, true
}

// Tasks implements protocol.Watch.
func (w *watch) Tasks(ctx context.Context, listen *protocol.Request, ids []string) {
	runner := w.server.opts.Tasks
	if runner == nil || len(ids) == 0 {
		return
	}
	w.mu.Lock()
	w.listen = listen
	w.mu.Unlock()
	if _, leave, err := runner.Follow(ctx, listen, ids, nil, w.listener.recordTask); err == nil {
		w.mu.Lock()
		defer w.mu.Unlock()
		w.leave = leave
	}
}

// Session implements protocol.Watch.
func (w *watch) Session(session *protocol.SessionMeta) {
	w.server.sessionTools(session).follow(w.listener)
}

// WatchAll starts to record every change of this server, with or without subscriptions, except changes
// of the tools of one session: lists that Replace has changed, and resources of ResourceUpdated. It is
// for programs that forward changes to other instances of the same server. Changes that arrive by
// ForwardChange are not recorded. changed is as in Watch. After 1024 changes that were not taken, further resources are recorded as a change
// of their list.
func (s *Server) WatchAll(changed func()) protocol.Watch {
	l := &listener{all: true, onChange: changed}
	l.filter = protocol.SubscriptionFilter{ToolsListChanged: true, PromptsListChanged: true, ResourcesListChanged: true}
	if s.isZero() {
		return &watch{server: new(Server), listener: l}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.listeners[l] = struct{}{}
	return &watch{server: s, listener: l}
}

// ForwardChange notifies the subscribed clients of this server of a change at another instance of the
// same server. n is a *protocol.ListChangedNotification or a *protocol.ResourceUpdatedNotification; others are
// ignored. It never blocks.
func (s *Server) ForwardChange(n protocol.Notification) {
	if s.isZero() {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	for l := range s.listeners {
		if l.all {
			continue
		}
		switch n := n.(type) {
		case *protocol.ListChangedNotification:
			l.recordList(n.List)
		case *protocol.ResourceUpdatedNotification:
			l.recordResource(n.URI)
		}
	}
}

// Take implements protocol.Watch.
func (w *watch) Take() []protocol.Notification {
	w.mu.Lock()
	listen := w.listen
	w.mu.Unlock()
	var notifications []protocol.Notification
	for _, c := range w.listener.take() {
		n := c.notification("")
		if c.task != "" {
			n = w.server.opts.Tasks.Notification(context.Background(), listen, c.task)
		}
		if n != nil {
			notifications = append(notifications, n)
		}
	}
	return notifications
}

// Stop implements protocol.Watch.
func (w *watch) Stop() {
	w.server.unregisterListener(w.listener)
	w.mu.Lock()
	leave := w.leave
	w.mu.Unlock()
	if leave != nil {
		leave()
	}
}
