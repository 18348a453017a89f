package mcp

// ListChanged notifies subscribed clients that a list has changed: "tools", "prompts" or
// "resources". Middleware that computes its own lists calls it; changes by Replace are reported
// without it. It never blocks.
func (s *Server) ListChanged(list string) {
	if s.isZero() {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	for l := range s.listeners {
		l.recordList(list)
	}
}
