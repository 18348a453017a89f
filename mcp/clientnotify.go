package mcp

import (
	"context"
	"errors"
	"math/rand/v2"
	"runtime/debug"
	"slices"
	"sync"
	"time"

	"github.com/dougu-go/dougu/mcp/protocol"
)

const (
	// maxQueuedNotifications limits the notifications that wait for delivery. maxQueuedLogBytes limits the size of the
	// log messages among them, in bytes.
	maxQueuedNotifications = 4096
	maxQueuedLogBytes      = 4 << 20
)

// minBackoff and maxBackoff limit the delay before the client reopens a subscription that the
// server has ended.
const (
	minBackoff = time.Second
	maxBackoff = time.Minute
)

// notificationQueue is the queue of notifications for the functions of the options. It holds at most one
// notification for each changed list or resource. The zero value is ready for use.
type notificationQueue struct {
	once   sync.Once               // creates signal
	signal chan struct{}           // see full
	mu     sync.Mutex              // guards notes and bytes
	notes  []protocol.Notification // in order of arrival
	bytes  int                     // size of the log messages in notes
}

// ready returns the channel that receives a value after put.
func (b *notificationQueue) ready() chan struct{} {
	b.once.Do(func() { b.signal = make(chan struct{}, 1) })
	return b.signal
}

// put adds a notification and never blocks. It drops log messages when the queue is full, and
// duplicates of a waiting change. Of too many changes it drops the oldest.
func (b *notificationQueue) put(n protocol.Notification) {
	full := b.ready()
	b.mu.Lock()
	defer b.mu.Unlock()
	if log, ok := n.(*protocol.LogNotification); ok {
		if len(b.notes) >= maxQueuedNotifications || b.bytes+len(log.Data) > maxQueuedLogBytes {
			return
		}
		b.bytes += len(log.Data)
	} else if slices.ContainsFunc(b.notes, func(other protocol.Notification) bool { return sameChange(n, other) }) {
		return
	}
	if b.notes = append(b.notes, n); len(b.notes) > 2*maxQueuedNotifications {
		b.notes = slices.Delete(b.notes, 0, 1)
	}
	select {
	case full <- struct{}{}:
	default:
	}
}

// take returns all waiting notifications and empties the queue.
func (b *notificationQueue) take() []protocol.Notification {
	b.mu.Lock()
	defer b.mu.Unlock()
	notes := b.notes
	b.notes, b.bytes = nil, 0
	return notes
}

// sameChange reports whether two notifications report the same change.
func sameChange(a, b protocol.Notification) bool {
	switch a := a.(type) {
	case *protocol.ListChangedNotification:
		b, ok := b.(*protocol.ListChangedNotification)
		return ok && a.List == b.List
	case *protocol.ResourceUpdatedNotification:
		b, ok := b.(*protocol.ResourceUpdatedNotification)
		return ok && a.URI == b.URI
	}
	return false
}

// handleNotification handles a notification that belongs to no request. It never blocks.
func (c *Client) handleNotification(n protocol.Notification) {
	c.invalidateCache(n)
	switch n.(type) {
	case *protocol.LogNotification:
		if c.opts.OnLog != nil {
			c.notifications.put(n)
		}
	case *protocol.ListChangedNotification:
		if c.opts.OnListChanged != nil {
			c.notifications.put(n)
		}
	case *protocol.ResourceUpdatedNotification:
		if c.opts.OnResourceUpdated != nil {
			c.notifications.put(n)
		}
	}
}

// invalidateCache removes cached results that a notification makes stale.
func (c *Client) invalidateCache(n protocol.Notification) {
	switch n := n.(type) {
	case *protocol.ListChangedNotification:
		c.cache.dropList(n.List)
		if n.List == listTools {
			c.schemas.clear()
		}
	case *protocol.ResourceUpdatedNotification:
		c.cache.dropResource(n.URI)
	}
}

// deliver calls the functions of the options for each notification, until the client is closed.
func (c *Client) deliver() {
	for {
		select {
		case <-c.notifications.ready():
		case <-c.ctx.Done():
			return
		}
		for _, n := range c.notifications.take() {
			c.callProtected(func() { c.callHandler(n) })
		}
	}
}

// callHandler passes n to its function in the options.
func (c *Client) callHandler(n protocol.Notification) {
	switch n := n.(type) {
	case *protocol.LogNotification:
		c.opts.OnLog(*n)
	case *protocol.ListChangedNotification:
		c.opts.OnListChanged(n.List)
	case *protocol.ResourceUpdatedNotification:
		c.opts.OnResourceUpdated(n.URI)
	}
}

// callProtected calls f and logs its panic.
func (c *Client) callProtected(f func()) {
	defer func() {
		if v := recover(); v != nil {
			c.opts.Log.Error("panic in a function that receives notifications", "panic", v, "stack", string(debug.Stack()))
		}
	}()
	f()
}

// subscribeToLists maintains a subscription to all list changes that the server offers, until the client
// is closed. It returns when the server has acknowledged the subscription, or after ackTimeout. From
// the acknowledgement on, no change is missed.
func (c *Client) subscribeToLists(ctx context.Context) {
	caps := c.conn.Discovered().Capabilities
	filter := protocol.SubscriptionFilter{
		ToolsListChanged:     caps.Tools != nil && caps.Tools.ListChanged,
		PromptsListChanged:   caps.Prompts != nil && caps.Prompts.ListChanged,
		ResourcesListChanged: caps.Resources != nil && caps.Resources.ListChanged,
	}
	if !filter.ToolsListChanged && !filter.PromptsListChanged && !filter.ResourcesListChanged {
		return
	}
	acknowledged := make(chan struct{})
	open := sync.OnceFunc(func() { close(acknowledged) })
	c.background(func() {
		defer open()
		c.maintainSubscription(filter, open)
	})
	timer := time.NewTimer(ackTimeout)
	defer timer.Stop()
	select {
	case <-acknowledged:
	case <-timer.C:
	case <-ctx.Done():
	}
}

// maintainSubscription opens a subscription, and opens it again whenever it ends. It calls acknowledged
// after the first acknowledgement. After each later one it reports all lists as changed, since
// changes may have been missed.
func (c *Client) maintainSubscription(filter protocol.SubscriptionFilter, acknowledged func()) {
	again := false
	for wait := minBackoff; ; wait = min(2*wait, maxBackoff) {
		began := time.Now()
		err := c.listen(c.ctx, filter, func(n protocol.Notification) {
			ack, ok := n.(*protocol.AcknowledgedNotification)
			switch {
			case !ok:
				c.handleNotification(n)
			case again:
				c.reportAllChanged(ack.Filter)
			default:
				again = true
				acknowledged()
			}
		})
		acknowledged()
		var refused *protocol.Error
		if errors.As(err, &refused) && refused.Code == protocol.CodeMethodNotFound {
			return // the server does not support subscriptions
		}
		if time.Since(began) > maxBackoff {
			wait = minBackoff
		}
		timer := time.NewTimer(wait/2 + rand.N(wait/2))
		select {
		case <-timer.C:
		case <-c.ctx.Done():
		case <-c.conn.Done():
		}
		timer.Stop()
		select {
		case <-c.ctx.Done():
			return
		case <-c.conn.Done():
			return
		default:
		}
	}
}

// reportAllChanged reports all lists of a filter as changed.
func (c *Client) reportAllChanged(filter protocol.SubscriptionFilter) {
	for list, wanted := range map[string]bool{listTools: filter.ToolsListChanged, "prompts": filter.PromptsListChanged, "resources": filter.ResourcesListChanged} {
		if wanted {
			c.handleNotification(&protocol.ListChangedNotification{List: list})
		}
	}
}
