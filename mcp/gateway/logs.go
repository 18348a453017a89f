package gateway

import (
	"context"
	"encoding/json"
	"sync"
	"sync/atomic"

	"github.com/dougu-go/dougu/mcp"
)

// logs decides about the log messages of a shared connection. A message does not
// say which call it belongs to: it goes to the call that has been under way for
// longest among those that want any, and only as long as one principal alone has
// used the connection.
type logs struct {
	offered bool // the upstream has the capability
	first   atomic.Pointer[string]
	mixed   atomic.Bool // several principals have used the connection

	mu    sync.Mutex
	level mcp.LogLevel // that an upstream of an older revision was asked for
}

// wanted is the level from which on the sender of a request gets messages, or
// empty.
func (l *link) wanted(ctx context.Context, req *mcp.Request) mcp.LogLevel {
	s := &l.logs
	if !s.offered {
		return ""
	}
	if first := s.first.Load(); first == nil {
		principal := req.Peer.Principal
		s.first.CompareAndSwap(nil, &principal)
	}
	if *s.first.Load() != req.Peer.Principal && !s.mixed.Load() {
		s.mixed.Store(true)
	}
	if req.Meta.LogLevel == "" || req.Notify == nil || s.mixed.Load() {
		return ""
	}
	if !l.modern {
		l.lower(ctx, req.Meta.LogLevel)
	}
	return req.Meta.LogLevel
}

// lower asks an upstream of an older revision for messages of a level, unless it
// sends them already.
func (l *link) lower(ctx context.Context, level mcp.LogLevel) {
	s := &l.logs
	s.mu.Lock()
	enough := s.level.Includes(level)
	if !enough {
		s.level = level
	}
	s.mu.Unlock()
	if enough {
		return
	}
	if params, err := json.Marshal(map[string]any{"level": level}); err == nil {
		_, _ = l.ask(ctx, "logging/setLevel", params, nil) // without it there are fewer messages
	}
}
