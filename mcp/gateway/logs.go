package gateway

import (
	"context"
	"encoding/json"
	"sync"
	"sync/atomic"

	"github.com/dougu-go/dougu/mcp/protocol"
)

// logs selects the receiver of log messages on a shared connection. A message does not name its
// call. It is sent to the oldest running call that wants messages, and only while a single
// principal has used the connection.
type logs struct {
	offered bool // the upstream has the capability
	first   atomic.Pointer[string]
	mixed   atomic.Bool // several principals have used the connection

	mu    sync.Mutex
	level protocol.LogLevel // that an upstream of an older revision was asked for
}

// wantedLogLevel returns the minimum level of log messages for the sender of a request, or an empty
// level.
func (l *link) wantedLogLevel(ctx context.Context, req *protocol.Request) protocol.LogLevel {
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
		l.lowerLogLevel(ctx, req.Meta.LogLevel)
	}
	return req.Meta.LogLevel
}

// lowerLogLevel requests messages of a level from an upstream of an older revision, unless it sends
// them already.
func (l *link) lowerLogLevel(ctx context.Context, level protocol.LogLevel) {
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
