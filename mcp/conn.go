package mcp

import (
	"context"
	"encoding/json"
	"time"
)

// Transport opens connections to a server. Package transport has those of the
// protocol.
type Transport interface {
	// Connect opens a connection and finds out which revision both sides
	// speak. ctx bounds the opening alone; the connection may use its values.
	Connect(ctx context.Context, host *Host) (Conn, error)
}

// Conn is a connection to a server. Requests that are dispatched on it are of
// the latest revision, whatever the server speaks.
type Conn interface {
	Dispatcher
	// Discovered is what the server said of itself when the connection opened.
	Discovered() *DiscoverResult
	// Revision is the one that is spoken on the wire.
	Revision() Revision
	// Close ends the connection and waits until it has ended.
	Close() error
	// Done is closed when the connection has ended, for whatever reason.
	Done() <-chan struct{}
}

// Ender is a Conn that knows why it has ended.
type Ender interface {
	// Err is why the connection has ended; nil while it has not.
	Err() error
}

// Notifier is a Conn that can send notifications of the client's own. There are
// such in revisions up to 2025-11-25 alone.
type Notifier interface {
	Notify(ctx context.Context, n Notification) error
}

// Host is what a client is to the servers that it connects to.
type Host struct {
	Info         Implementation
	Capabilities ClientCapabilities
	// Answer answers a question of a server. It is called on connections of
	// older revisions; with 2026-07-28 the client itself sees the questions.
	Answer func(ctx context.Context, question InputRequest) (json.RawMessage, error)
	// Notified receives, in order, the notifications that belong to no request.
	// It may be nil.
	Notified func(Notification)
	// Revision, if set, is the only one tried.
	Revision Revision
	// ProbeTimeout is how long a server may take to say that it speaks
	// 2026-07-28 before it is taken for an older one, which may not answer at
	// all. Default 5 s; a minute if Revision is 2026-07-28; and over HTTP, where
	// every server answers, as long as any request may take.
	ProbeTimeout time.Duration
	// Timeout is how long a server may take to answer initialize. No limit
	// unless positive.
	Timeout time.Duration
}
