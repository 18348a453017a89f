package transport

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/dougu-go/dougu/internal/group"
	"github.com/dougu-go/dougu/internal/rpc"
	"github.com/dougu-go/dougu/mcp"
	"github.com/dougu-go/dougu/transport/internal/peer"
)

// restoreTimeout bounds how long a new session takes to become as the old.
const restoreTimeout = 10 * time.Second

// lasting is a connection made of one after the other.
type lasting struct {
	transport mcp.Transport
	policy    Reconnect
	host      mcp.Host // with the revision that was agreed on
	life      context.Context
	stop      context.CancelFunc
	group     group.Group // one goroutine: keepOpen
	done      chan struct{}
	failure   error // for Close; read after done

	mu      sync.Mutex
	conn    mcp.Conn      // nil while there is none
	last    mcp.Conn      // that was open
	end     error         // why there will be none any more
	changed chan struct{} // closed when conn or end has changed
	level   *mcp.Request  // the last logging/setLevel that succeeded
}

// replace makes conn the one that requests use; nil lets them wait.
func (c *lasting) replace(conn mcp.Conn) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.conn = conn
	if conn != nil {
		c.last = conn
	}
	close(c.changed)
	c.changed = make(chan struct{})
}

// finish ends the connection for good.
func (c *lasting) finish(why error) {
	c.mu.Lock()
	c.conn, c.end = nil, why
	close(c.changed)
	c.mu.Unlock()
	c.stop()
	close(c.done)
}

// await returns the connection that is open, or waits for one after dead.
func (c *lasting) await(ctx context.Context, dead mcp.Conn) (mcp.Conn, error) {
	for {
		c.mu.Lock()
		conn, end, changed := c.conn, c.end, c.changed
		c.mu.Unlock()
		switch {
		case end != nil:
			return nil, end
		case conn != nil && conn != dead:
			return conn, nil
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		}
	}
}

// restore makes the session of a new connection as that of the old was, and
// tells the host what it may have missed.
func (c *lasting) restore(conn mcp.Conn) {
	if conn.Revision().Modern() {
		return // nothing is remembered by a server
	}
	c.mu.Lock()
	level := c.level
	c.mu.Unlock()
	if level != nil {
		ctx, cancel := context.WithTimeout(c.life, restoreTimeout)
		defer cancel()
		_, _ = conn.Dispatch(ctx, level) // a connection that is broken again tells by itself
	}
	if c.host.Notified != nil {
		for _, list := range changing(conn.Discovered().Capabilities) {
			c.host.Notified(&mcp.ListChangedNotification{List: list})
		}
	}
}

// changing are the lists whose changes a server tells.
func changing(caps mcp.ServerCapabilities) []string {
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

// Dispatch implements mcp.Dispatcher.
func (c *lasting) Dispatch(ctx context.Context, req *mcp.Request) (mcp.Result, error) {
	if req.Method == "subscriptions/listen" {
		return c.listen(ctx, req)
	}
	var dead mcp.Conn
	for again := false; ; {
		conn, err := c.await(ctx, dead)
		if err != nil {
			return nil, err
		}
		result, err := conn.Dispatch(ctx, req)
		switch {
		case err == nil:
			c.note(req)
			return result, nil
		case !isLost(ctx, conn, err):
			return nil, err
		case errors.Is(err, rpc.ErrNotSent):
		case again || !peer.OnlyReads(req.Method) && req.Method != "logging/setLevel":
			return nil, fmt.Errorf("%w: %w", ErrRequestLost, err)
		default:
			again = true
		}
		dead = conn
	}
}

// isLost reports whether a request has failed because its connection has.
func isLost(ctx context.Context, conn mcp.Conn, err error) bool {
	var answered *mcp.Error
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

// note remembers what a session of an older revision is told once.
func (c *lasting) note(req *mcp.Request) {
	if req.Method != "logging/setLevel" {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.level = &mcp.Request{Method: req.Method, Params: req.Params}
}

// listen serves a subscription on one connection after the other.
func (c *lasting) listen(ctx context.Context, req *mcp.Request) (mcp.Result, error) {
	if req.Notify == nil {
		return nil, mcp.Errorf(mcp.CodeInvalidParams, "A subscription needs somebody to notify")
	}
	open := false
	own := *req
	own.Notify = func(ctx context.Context, n mcp.Notification) error {
		ack, ok := n.(*mcp.AcknowledgedNotification)
		if !ok || !open {
			open = open || ok
			return req.Notify(ctx, n)
		}
		return missed(ctx, ack, req.Notify)
	}
	var dead mcp.Conn
	for {
		conn, err := c.await(ctx, dead)
		if err != nil {
			return nil, err
		}
		result, err := conn.Dispatch(ctx, &own)
		if err == nil || !isLost(ctx, conn, err) {
			return result, err
		}
		dead = conn
	}
}

// missed reports as changed what a subscription is for that has been opened
// again.
func missed(ctx context.Context, ack *mcp.AcknowledgedNotification, notify func(context.Context, mcp.Notification) error) error {
	f := ack.Filter
	for _, l := range []struct {
		name   string
		wanted bool
	}{{"tools", f.ToolsListChanged}, {"prompts", f.PromptsListChanged}, {"resources", f.ResourcesListChanged}} {
		if !l.wanted {
			continue
		}
		if err := notify(ctx, &mcp.ListChangedNotification{List: l.name, Subscription: ack.Subscription}); err != nil {
			return err
		}
	}
	for _, uri := range f.ResourceSubscriptions {
		if err := notify(ctx, &mcp.ResourceUpdatedNotification{URI: uri, Subscription: ack.Subscription}); err != nil {
			return err
		}
	}
	return nil
}

// Notify implements mcp.Notifier.
func (c *lasting) Notify(ctx context.Context, n mcp.Notification) error {
	conn, err := c.await(ctx, nil)
	if err != nil {
		return err
	}
	notifier, ok := conn.(mcp.Notifier)
	if !ok {
		return errors.New("the transport cannot send notifications")
	}
	return notifier.Notify(ctx, n)
}

// Discovered implements mcp.Conn.
func (c *lasting) Discovered() *mcp.DiscoverResult { return c.latest().Discovered() }

// Revision implements mcp.Conn.
func (c *lasting) Revision() mcp.Revision { return c.latest().Revision() }

func (c *lasting) latest() mcp.Conn {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.last
}

// Done implements mcp.Conn.
func (c *lasting) Done() <-chan struct{} { return c.done }

// Close implements mcp.Conn.
func (c *lasting) Close() error {
	c.stop()
	c.group.Wait()
	return c.failure
}
