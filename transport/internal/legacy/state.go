package legacy

import (
	"context"
	"maps"
	"slices"

	"github.com/dougu-go/dougu/mcp"
	"github.com/dougu-go/dougu/mcp/protocol"
)

// State is the serializable state of a session. Another process can continue the
// session with it.
type State struct {
	Revision     protocol.Revision           `json:"revision"`
	Client       mcp.Implementation          `json:"client"`
	Capabilities protocol.ClientCapabilities `json:"capabilities"`
	Level        protocol.LogLevel           `json:"level"`
	Resources    []string                    `json:"resources,omitempty"` // that it has subscribed to
}

// State returns a copy of the current state.
func (s *Session) State() State {
	s.mu.Lock()
	level := s.level
	s.mu.Unlock()
	s.resources.mu.Lock()
	defer s.resources.mu.Unlock()
	return State{
		Revision: s.Revision, Client: s.meta.Client, Capabilities: s.meta.Capabilities,
		Level: level, Resources: slices.Sorted(maps.Keys(s.resources.uris)),
	}
}

// Restore opens a session that was opened elsewhere.
func Restore(state State) *Session {
	s := &Session{
		Revision: state.Revision,
		meta:     protocol.SessionMeta{Client: state.Client, Capabilities: state.Capabilities},
	}
	s.Adopt(state)
	return s
}

// Adopt applies a state of the session that another server has changed.
func (s *Session) Adopt(state State) {
	s.mu.Lock()
	s.level = state.Level
	s.mu.Unlock()
	r := &s.resources
	r.mu.Lock()
	defer r.mu.Unlock()
	same := len(r.uris) == len(state.Resources)
	uris := make(map[string]struct{}, len(state.Resources))
	for _, uri := range state.Resources {
		_, there := r.uris[uri]
		same = same && there
		uris[uri] = struct{}{}
	}
	if same {
		return
	}
	r.uris = uris
	r.generation++
	r.wake()
}

// Settled waits until the follower uses the current subscriptions, or until ctx
// ends. Without a follower it returns at once.
func (s *Session) Settled(ctx context.Context) error { return s.resources.settled(ctx) }

// Listening waits until the subscription of a started follower is acknowledged,
// or until ctx ends.
func (s *Session) Listening(ctx context.Context) error {
	r := &s.resources
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.waitUntil(ctx, func() bool { return r.listening })
}
