package dashboard

import (
	"encoding/json"
	"sync"

	"github.com/dougu-go/dougu/tools/agents/record"
)

// queue holds what a page has not been told yet. Of the updates of one agent it keeps the newest alone, unless its end lies between
// them. What would be too much is refused: then the page needs a new snapshot.
type queue struct {
	wake chan struct{} // has one element while there is something

	mu            sync.Mutex
	waiting       []message
	updateIndexes map[string]int // where the update of an agent waits
	idle          chan struct{}  // closed when everything was taken; nil if nobody waits for that
}

// message is something for a page: one that was encoded, or an event.
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

// send adds an answer or a snapshot, however much waits.
func (q *queue) send(encoded json.RawMessage) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.add(message{encoded: encoded})
}

// push adds an event, or answers false if too much waits.
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

// take answers everything that waits, in order.
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

// isFull says that more waits than a page that reads ever lets wait.
func (q *queue) isFull() bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	return len(q.waiting) > maxPending
}

// drained is closed once everything that waits now was taken.
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
