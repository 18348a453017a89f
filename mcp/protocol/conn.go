package protocol

import (
	"context"
	"encoding/json"
	"time"
)

// Transport opens connections to a server. Package transport implements the transports of the
type Transport interface {
	// Connect opens a connection and negotiates the revision. ctx limits only the connection setup;
	// the connection may use its values.
	Connect(ctx context.Context, host *Host) (Conn, error)
}

// Conn is a connection to a server. Dispatch accepts requests in the form of the latest revision
// and translates them for the server.
type Conn interface {
	Dispatcher
	// Discovered returns the server's description of itself from the connection setup.
	Discovered() *DiscoverResult
	// Revision returns the revision that is spoken on the connection.
	Revision() Revision
	// Close ends the connection and waits for its end.
	Close() error
	// Done returns a channel that is closed when the connection has ended for any reason.
	Done() <-chan struct{}
}

// Ender is implemented by a Conn that knows the cause of its end.
type Ender interface {
	// Err returns the cause of the end, or nil while the connection is open.
	Err() error
}

// Notifier is implemented by a Conn that can send notifications of the client. Only revisions up to
// 2025-11-25 have them.
type Notifier interface {
	// Notify sends n to the server.
	Notify(ctx context.Context, n Notification) error
}

// NotificationHandler is implemented by a Dispatcher that serves one client and needs the
// notifications of its session: notifications/initialized and notifications/roots/list_changed.
// Revisions from 2026-07-28 on have neither. Transports with one client per connection, such as
// stdio, call it; HTTP and WebSocket do not.
type NotificationHandler interface {
	// HandleNotification handles n, a notification without an id. It is called in the order of
	// arrival, before requests that the client has sent later are dispatched, and must not block.
	// Asker of n asks the client, from another goroutine, until ctx ends with the connection.
	HandleNotification(ctx context.Context, n *Request)
}

// Host describes the client side of a connection to a server.
type Host struct {
	Info         Implementation     // Info names the client.
	Capabilities ClientCapabilities // Capabilities are declared to the server.
	// Answer answers a question that the server sends as a request. Only revisions before
	// 2026-07-28 have these requests; later ones return questions as results.
	Answer func(ctx context.Context, question InputRequest) (json.RawMessage, error)
	// Notified receives, in order, the notifications that belong to no request. It may be nil.
	Notified func(Notification)
	// Revision, if set, is the only revision that the connection offers.
	Revision Revision
	// ProbeTimeout limits the time that a server may take to respond to the first request of
	// revision 2026-07-28. After it, the connection assumes an older server, since such a server
	// may ignore unknown requests. Default 5 s, at most three quarters of Timeout; a minute, at most
	// Timeout, if Revision is 2026-07-28. Over HTTP the time limit of an ordinary request applies.
	ProbeTimeout time.Duration
	// Timeout limits the time of the connection setup; if ProbeTimeout is set, the time that a server
	// may take to respond to initialize. Without a positive value there is no limit.
	Timeout time.Duration
}
