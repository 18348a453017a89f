package mcp

// ListChanged tells the clients that listen that a list has changed, "tools",
// "prompts" or "resources", though nothing that is registered has: for middleware
// that makes its own lists. It never blocks.
func (s *Server) ListChanged(list string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for l := range s.listeners {
		l.changed(list)
	}
}
