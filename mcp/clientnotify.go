package mcp

import (
	"context"
	"errors"
	"math/rand/v2"
	"runtime/debug"
	"slices"
	"sync"
	"time"
)

const (
	// maxMail is how many notifications wait for the functions of the options
	// that receive them, and maxMailBytes how much log they hold.
	maxMail      = 4096
	maxMailBytes = 4 << 20
)

// A subscription that a server ends is opened again after this long, and at most
// this long.
const (
	minBackoff = time.Second
	maxBackoff = time.Minute
)

// mailbox holds notifications until the functions that receive them have time.
// A list or resource that has changed is in it once.
type mailbox struct {
	once   sync.Once
	signal chan struct{}
	mu     sync.Mutex
	notes  []Notification
	bytes  int
}

// full receives whenever there is something to take.
func (b *mailbox) full() chan struct{} {
	b.once.Do(func() { b.signal = make(chan struct{}, 1) })
	return b.signal
}

// put adds a notification and never blocks. What there is no room for is log,
// and lost.
func (b *mailbox) put(n Notification) {
	full := b.full()
	b.mu.Lock()
	defer b.mu.Unlock()
	if log, ok := n.(*LogNotification); ok {
		if len(b.notes) >= maxMail || b.bytes+len(log.Data) > maxMailBytes {
			return
		}
		b.bytes += len(log.Data)
	} else if slices.ContainsFunc(b.notes, func(other Notification) bool { return sameChange(n, other) }) {
		return
	}
	if b.notes = append(b.notes, n); len(b.notes) > 2*maxMail {
		b.notes = slices.Delete(b.notes, 0, 1)
	}
	select {
	case full <- struct{}{}:
	default:
	}
}

func (b *mailbox) take() []Notification {
	b.mu.Lock()
	defer b.mu.Unlock()
	notes := b.notes
	b.notes, b.bytes = nil, 0
	return notes
}

// sameChange reports whether two notifications tell the same.
func sameChange(a, b Notification) bool {
	switch a := a.(type) {
	case *ListChangedNotification:
		b, ok := b.(*ListChangedNotification)
		return ok && a.List == b.List
	case *ResourceUpdatedNotification:
		b, ok := b.(*ResourceUpdatedNotification)
		return ok && a.URI == b.URI
	}
	return false
}

// notified takes a notification that belongs to no request of the user's. It
// never blocks.
func (c *Client) notified(n Notification) {
	c.outdate(n)
	switch n.(type) {
	case *LogNotification:
		if c.opts.OnLog != nil {
			c.mail.put(n)
		}
	case *ListChangedNotification:
		if c.opts.OnListChanged != nil {
			c.mail.put(n)
		}
	case *ResourceUpdatedNotification:
		if c.opts.OnResourceUpdated != nil {
			c.mail.put(n)
		}
	}
}

// outdate forgets what a notification makes stale.
func (c *Client) outdate(n Notification) {
	switch n := n.(type) {
	case *ListChangedNotification:
		c.cache.dropList(n.List)
		if n.List == listTools {
			c.schemas.forget()
		}
	case *ResourceUpdatedNotification:
		c.cache.dropResource(n.URI)
	}
}

// deliver calls the functions of the options that receive notifications.
func (c *Client) deliver() {
	for {
		select {
		case <-c.mail.full():
		case <-c.life.Done():
			return
		}
		for _, n := range c.mail.take() {
			c.guard(func() { c.tell(n) })
		}
	}
}

func (c *Client) tell(n Notification) {
	switch n := n.(type) {
	case *LogNotification:
		c.opts.OnLog(*n)
	case *ListChangedNotification:
		c.opts.OnListChanged(n.List)
	case *ResourceUpdatedNotification:
		c.opts.OnResourceUpdated(n.URI)
	}
}

// guard calls a function of the user's; when it panics, what calls it goes on.
func (c *Client) guard(f func()) {
	defer func() {
		if v := recover(); v != nil {
			c.opts.Log.Error("panic in a function that receives notifications", "panic", v, "stack", string(debug.Stack()))
		}
	}()
	f()
}

// followLists keeps a subscription to all list changes that the server offers,
// for as long as the client is connected. It returns when the server has
// acknowledged it, so that no change is missed from then on, but does not wait
// for ever.
func (c *Client) followLists(ctx context.Context) {
	caps := c.conn.Discovered().Capabilities
	filter := SubscriptionFilter{
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
		c.keepListening(filter, open)
	})
	timer := time.NewTimer(ackGrace)
	defer timer.Stop()
	select {
	case <-acknowledged:
	case <-timer.C:
	case <-ctx.Done():
	}
}

// keepListening opens a subscription again and again. Each time but the first
// the lists may have changed while nobody was listening.
func (c *Client) keepListening(filter SubscriptionFilter, acknowledged func()) {
	again := false
	for wait := minBackoff; ; wait = min(2*wait, maxBackoff) {
		began := time.Now()
		err := c.listen(c.life, filter, func(n Notification) {
			ack, ok := n.(*AcknowledgedNotification)
			switch {
			case !ok:
				c.notified(n)
			case again:
				c.mayHaveChanged(ack.Filter)
			default:
				again = true
				acknowledged()
			}
		})
		acknowledged()
		var refused *Error
		if errors.As(err, &refused) && refused.Code == CodeMethodNotFound {
			return // it will never be there
		}
		if time.Since(began) > maxBackoff {
			wait = minBackoff
		}
		timer := time.NewTimer(wait/2 + rand.N(wait/2))
		select {
		case <-timer.C:
		case <-c.life.Done():
		case <-c.conn.Done():
		}
		timer.Stop()
		select {
		case <-c.life.Done():
			return
		case <-c.conn.Done():
			return
		default:
		}
	}
}

// mayHaveChanged reports all lists of a filter as changed.
func (c *Client) mayHaveChanged(filter SubscriptionFilter) {
	for list, wanted := range map[string]bool{listTools: filter.ToolsListChanged, "prompts": filter.PromptsListChanged, "resources": filter.ResourcesListChanged} {
		if wanted {
			c.notified(&ListChangedNotification{List: list})
		}
	}
}
