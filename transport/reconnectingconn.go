package transport

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/dougu-go/dougu/internal/group"
	"github.com/dougu-go/dougu/internal/rpc"
	"github.com/dougu-go/dougu/mcp/protocol"
	"github.com/dougu-go/dougu/transport/internal/peer"
)

// restoreTimeout limits the time to set the log level of a new session.
const restoreTimeout = 10 * time.Second

// reconnectingConn is the protocol.Conn of Reconnecting. It passes requests to its
// current connection, which keepOpen replaces after it has broken. Its methods
// may be called concurrently.
type reconnectingConn struct {
	transport protocol.Transport
	policy    Reconnect
	host      protocol.Host   // pins the revision of the first connection
	lifeCtx   context.Context // ends with Close
	stop      context.CancelFunc
	group     group.Group // one goroutine: keepOpen
	done      chan struct{}
	failure   error // the result of Close; read after done

	mu      sync.Mutex
	conn    protocol.Conn     // the current connection; nil while there is none
	last    protocol.Conn     // the latest connection, open or broken
	end     error             // the reason for the final end; nil before
	changed chan struct{}     // closed and replaced when conn or end changes
	level   *protocol.Request // the last logging/setLevel that succeeded
}

// replace makes conn the current connection. With nil, requests wait for the next one.
func (c *reconnectingConn) replace(conn protocol.Conn) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.conn = conn
	if conn != nil {
		c.last = conn
	}
	close(c.changed)
	c.changed = make(chan struct{})
}

// finish ends the connection finally. Waiting and later requests fail with why.
func (c *reconnectingConn) finish(why error) {
	c.mu.Lock()
	c.conn, c.end = nil, why
	close(c.changed)
	c.mu.Unlock()
	c.stop()
	close(c.done)
}

// awaitConn returns the current connection if it is not broken, otherwise the
// next one. It waits until ctx ends.
func (c *reconnectingConn) awaitConn(ctx context.Context, broken protocol.Conn) (protocol.Conn, error) {
	for {
		c.mu.Lock()
		conn, end, changed := c.conn, c.end, c.changed
		c.mu.Unlock()
		switch {
		case end != nil:
			return nil, end
		case conn != nil && conn != broken:
			return conn, nil
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		}
	}
}

// restore sets the log level of the previous session in a new one. It then
// reports to the host that every list may have changed.
func (c *reconnectingConn) restore(conn protocol.Conn) {
	if conn.Revision().Modern() {
		return // there is no session
	}
	c.mu.Lock()
	level := c.level
	c.mu.Unlock()
	if level != nil {
		ctx, cancel := context.WithTimeout(c.lifeCtx, restoreTimeout)
		defer cancel()
		_, _ = conn.Dispatch(ctx, level) // keepOpen notices a connection that breaks again
	}
	if c.host.Notified != nil {
		for _, list := range changeableLists(conn.Discovered().Capabilities) {
			c.host.Notified(&protocol.ListChangedNotification{List: list})
		}
	}
}

// changeableLists returns the names of the lists whose changes the server reports.
func changeableLists(caps protocol.ServerCapabilities) []string {
	var lists []string
	if caps.Tools != nil && caps.Tools.ListChanged {
		lists = append(lists, "tools")
	}
	if caps.Prompts != nil && caps.Prompts.ListChanged {
		lists = append(lists, "prompts")
	}
	if caps.Resources != nil && caps.Resources.ListChanged {
		lists = append(lists, "resources")
	}
	return lists
}

// Dispatch implements protocol.Dispatcher.
func (c *reconnectingConn) Dispatch(ctx context.Context, req *protocol.Request) (protocol.Result, error) {
	if req.Method == "subscriptions/listen" {
		return c.listen(ctx, req)
	}
	var broken protocol.Conn
	for again := false; ; {
		conn, err := c.awaitConn(ctx, broken)
		if err != nil {
			return nil, err
		}
		result, err := conn.Dispatch(ctx, req)
		switch {
		case err == nil:
			c.recordLogLevel(req)
			return result, nil
		case !isConnLost(ctx, conn, err):
			return nil, err
		case errors.Is(err, rpc.ErrNotSent):
		case again || !peer.IsIdempotent(req.Method) && req.Method != "logging/setLevel":
			return nil, fmt.Errorf("%w: %w", ErrRequestLost, err)
		default:
			again = true
		}
		broken = conn
	}
}

// isConnLost reports whether a request failed because its connection broke.
func isConnLost(ctx context.Context, conn protocol.Conn, err error) bool {
	var answered *protocol.Error
	if ctx.Err() != nil || errors.As(err, &answered) {
		return false
	}
	select {
	case <-conn.Done():
		return true
	default:
		return errors.Is(err, rpc.ErrClosed)
	}
}

// recordLogLevel keeps a successful logging/setLevel for restore. Other
// requests are ignored.
func (c *reconnectingConn) recordLogLevel(req *protocol.Request) {
	if req.Method != "logging/setLevel" {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.level = &protocol.Request{Method: req.Method, Params: req.Params}
}

// listen serves a subscription. After a reconnection it subscribes again and
// reports every subscribed list and resource as changed.
func (c *reconnectingConn) listen(ctx context.Context, req *protocol.Request) (protocol.Result, error) {
	if req.Notify == nil {
		return nil, protocol.Errorf(protocol.CodeInvalidParams, "A subscription needs a Notify function")
	}
	open := false
	own := *req
	own.Notify = func(ctx context.Context, n protocol.Notification) error {
		ack, ok := n.(*protocol.AcknowledgedNotification)
		if !ok || !open {
			open = open || ok
			return req.Notify(ctx, n)
		}
		return reportChanged(ctx, ack, req.Notify)
	}
	var broken protocol.Conn
	for {
		conn, err := c.awaitConn(ctx, broken)
		if err != nil {
			return nil, err
		}
		result, err := conn.Dispatch(ctx, &own)
		if err == nil || !isConnLost(ctx, conn, err) {
			return result, err
		}
		broken = conn
	}
}

// reportChanged notifies a change of each list and each resource in the filter
// of an acknowledged subscription.
func reportChanged(ctx context.Context, ack *protocol.AcknowledgedNotification, notify func(context.Context, protocol.Notification) error) error {
	f := ack.Filter
	for _, l := range []struct {
		name   string
		wanted bool
	}{{"tools", f.ToolsListChanged}, {"prompts", f.PromptsListChanged}, {"resources", f.ResourcesListChanged}} {
		if !l.wanted {
			continue
		}
		if err := notify(ctx, &protocol.ListChangedNotification{List: l.name, Subscription: ack.Subscription}); err != nil {
			return err
		}
	}
	for _, uri := range f.ResourceSubscriptions {
		if err := notify(ctx, &protocol.ResourceUpdatedNotification{URI: uri, Subscription: ack.Subscription}); err != nil {
			return err
		}
	}
	return nil
}

// Notify implements protocol.Notifier.
func (c *reconnectingConn) Notify(ctx context.Context, n protocol.Notification) error {
	conn, err := c.awaitConn(ctx, nil)
	if err != nil {
		return err
	}
	notifier, ok := conn.(protocol.Notifier)
	if !ok {
		return errors.New("the transport cannot send notifications")
	}
	return notifier.Notify(ctx, n)
}

// Discovered implements protocol.Conn.
func (c *reconnectingConn) Discovered() *protocol.DiscoverResult { return c.latest().Discovered() }

// Revision implements protocol.Conn.
func (c *reconnectingConn) Revision() protocol.Revision { return c.latest().Revision() }

func (c *reconnectingConn) latest() protocol.Conn {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.last
}

// Done implements protocol.Conn.
func (c *reconnectingConn) Done() <-chan struct{} { return c.done }

// Close implements protocol.Conn.
func (c *reconnectingConn) Close() error {
	c.stop()
	c.group.Wait()
	return c.failure
}
