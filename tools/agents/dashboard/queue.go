package dashboard

import (
	"encoding/json"
	"sync"

	"github.com/dougu-go/dougu/tools/agents/record"
)

// queue holds the unsent messages of a page. A newer update of an agent replaces an unsent one,
// unless the agent's end is between them. A full queue rejects events; the page then needs a
// snapshot.
type queue struct {
	wake chan struct{} // has one element while the queue is not empty

	mu            sync.Mutex
	waiting       []message
	updateIndexes map[string]int // index of an agent's unsent update
	idle          chan struct{}  // closed when the queue is drained; nil without a waiting caller
}

// message is an encoded message or an event.
type message struct {
	encoded json.RawMessage
	event   record.Event
}

// MarshalJSON implements json.Marshaler.
func (m message) MarshalJSON() ([]byte, error) {
	if m.encoded != nil {
		return m.encoded, nil
	}
	return json.Marshal(m.event)
}

func newQueue() *queue {
	return &queue{wake: make(chan struct{}, 1), updateIndexes: make(map[string]int)}
}

// send adds a reply or a snapshot, even to a full queue.
func (q *queue) send(encoded json.RawMessage) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.add(message{encoded: encoded})
}

// push adds an event. It returns false if the queue is full.
func (q *queue) push(e record.Event) bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	switch e.Type {
	case record.AgentStatusUpdate:
		if i, ok := q.updateIndexes[e.AgentID]; ok {
			q.waiting[i].event = e
			return true
		}
		q.updateIndexes[e.AgentID] = len(q.waiting)
	case record.AgentCompleted, record.AgentResultReported:
		delete(q.updateIndexes, e.AgentID)
	}
	if len(q.waiting) >= maxPending {
		return false
	}
	q.add(message{event: e})
	return true
}

func (q *queue) add(m message) {
	q.waiting = append(q.waiting, m)
	select {
	case q.wake <- struct{}{}:
	default:
	}
}

// take removes and returns all messages in order.
func (q *queue) take() []message {
	q.mu.Lock()
	defer q.mu.Unlock()
	taken := q.waiting
	q.waiting = nil
	clear(q.updateIndexes)
	if q.idle != nil {
		close(q.idle)
		q.idle = nil
	}
	return taken
}

// isFull reports whether the queue has more messages than events can fill.
func (q *queue) isFull() bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	return len(q.waiting) > maxPending
}

// drained returns a channel that is closed when the current messages are taken.
func (q *queue) drained() <-chan struct{} {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.idle == nil {
		q.idle = make(chan struct{})
		if len(q.waiting) == 0 {
			done := q.idle
			q.idle = nil
			close(done)
			return done
		}
	}
	return q.idle
}
