package peer

import (
	"slices"
	"sync"

	"github.com/dougu-go/dougu/mcp/protocol"
)

// The limits of an Inbox whose receiver is slow.
const (
	maxInbox      = 4096     // notifications
	maxInboxBytes = 16 << 20 // bytes of the queued messages
)

// Inbox is an ordered queue of notifications between the reader of a connection
// and a receiver, so that the reader never waits. A notification equal to a
// waiting one is left out. The zero value is ready.
type Inbox struct {
	once   sync.Once
	signal chan struct{}
	mu     sync.Mutex
	notes  []protocol.Notification
	bytes  int
}

// Signal receives whenever there is something to take.
func (b *Inbox) Signal() <-chan struct{} { return b.ready() }

func (b *Inbox) ready() chan struct{} {
	b.once.Do(func() { b.signal = make(chan struct{}, 1) })
	return b.signal
}

// Put adds a notification. When the receiver is too slow the oldest are lost.
func (b *Inbox) Put(n protocol.Notification) {
	ready := b.ready()
	b.mu.Lock()
	defer b.mu.Unlock()
	if isChange(n) && slices.ContainsFunc(b.notes, func(other protocol.Notification) bool { return sameChange(n, other) }) {
		return
	}
	b.notes = append(b.notes, n)
	b.bytes += weight(n)
	drop := 0
	for len(b.notes)-drop > maxInbox || b.bytes > maxInboxBytes && drop < len(b.notes)-1 {
		b.bytes -= weight(b.notes[drop])
		drop++
	}
	b.notes = slices.Delete(b.notes, 0, drop)
	select {
	case ready <- struct{}{}:
	default:
	}
}

// Take removes and returns all waiting notifications.
func (b *Inbox) Take() []protocol.Notification {
	b.mu.Lock()
	defer b.mu.Unlock()
	notes := b.notes
	b.notes, b.bytes = nil, 0
	return notes
}

// weight is about how many bytes a notification holds.
func weight(n protocol.Notification) int {
	switch n := n.(type) {
	case *protocol.LogNotification:
		return len(n.Logger) + len(n.Data)
	case *protocol.ProgressNotification:
		return len(n.Message)
	case *protocol.ResourceUpdatedNotification:
		return len(n.URI)
	case *protocol.ListChangedNotification:
		return len(n.List)
	case *protocol.RawNotification:
		return len(n.Name) + len(n.Params)
	case *protocol.AcknowledgedNotification:
		total := 0
		for _, uri := range n.Filter.ResourceSubscriptions {
			total += len(uri)
		}
		return total
	}
	return 0
}

// isChange reports whether a notification says that something has changed, so that one is as good as several.
func isChange(n protocol.Notification) bool {
	switch n.(type) {
	case *protocol.ListChangedNotification, *protocol.ResourceUpdatedNotification:
		return true
	}
	return false
}

// sameChange reports whether two notifications tell the same receiver the same.
func sameChange(a, b protocol.Notification) bool {
	switch a := a.(type) {
	case *protocol.ListChangedNotification:
		b, ok := b.(*protocol.ListChangedNotification)
		return ok && *a == *b
	case *protocol.ResourceUpdatedNotification:
		b, ok := b.(*protocol.ResourceUpdatedNotification)
		return ok && *a == *b
	}
	return false
}
