package peer

import (
	"sync"

	"github.com/dougu-go/dougu/mcp"
)

// maxInbox bounds what a slow receiver can pile up.
const maxInbox = 4096

// Inbox holds notifications in order until their receiver takes them, so that
// who reads from the network never waits for it. The zero value is ready.
type Inbox struct {
	once   sync.Once
	signal chan struct{}
	mu     sync.Mutex
	notes  []mcp.Notification
}

// Signal receives whenever there is something to take.
func (b *Inbox) Signal() <-chan struct{} {
	b.once.Do(func() { b.signal = make(chan struct{}, 1) })
	return b.signal
}

// Put adds a notification. When the receiver is too slow the oldest is lost.
func (b *Inbox) Put(n mcp.Notification) {
	b.Signal()
	b.mu.Lock()
	if len(b.notes) == maxInbox {
		b.notes = append(b.notes[:0], b.notes[1:]...)
	}
	b.notes = append(b.notes, n)
	b.mu.Unlock()
	select {
	case b.signal <- struct{}{}:
	default:
	}
}

// Take returns what has come since the last time.
func (b *Inbox) Take() []mcp.Notification {
	b.mu.Lock()
	defer b.mu.Unlock()
	notes := b.notes
	b.notes = nil
	return notes
}
