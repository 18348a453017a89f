package mcp

// Watch is a subscription that nothing runs for while there is nothing to tell:
// how a transport follows what changes for the sessions of older revisions, of
// which there may be many.
type Watch struct {
	server *Server
	l      *listener
}

// Watch begins to note what filter is for. changed is called whenever there is
// something to Take; it must neither block nor call the server. ok is false when
// the server has middleware, which must see subscriptions/listen, or when it
// refuses the filter: then there is that request alone.
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

// Take returns what has changed since the last time, in order.
func (w *Watch) Take() []Notification {
	changes := w.l.take()
	notifications := make([]Notification, len(changes))
	for i, c := range changes {
		notifications[i] = c.notification("")
	}
	return notifications
}

// Stop ends the watch. What was noted before can still be taken.
func (w *Watch) Stop() { w.server.forget(w.l) }
