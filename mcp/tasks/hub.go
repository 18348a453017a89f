package tasks

import (
	"sync"

	"github.com/dougu-go/dougu/mcp"
)

// hub distributes changes of the store to the followers of a task. It watches the store only while
// there are followers.
type hub struct {
	store Store

	mu         sync.Mutex
	followers  map[string]map[int64]func(Record) // by task, then by number
	lastNumber int64                             // number of the last follower
	stop       func()                            // stops watching; nil without followers
	closed     bool
}

// errClosed is the error of requests to a closed runner.
var errClosed error = &mcp.ToolError{Code: "UNAVAILABLE", Message: "the server is being stopped", Next: "call again"}

// follow calls changed after each change of a task, until stop is called. changed must not block.
func (h *hub) follow(id string, changed func(Record)) (stop func(), err error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.closed {
		return nil, errClosed
	}
	if h.stop == nil {
		if h.stop, err = h.store.Watch(h.changed); err != nil {
			return nil, err
		}
	}
	if h.followers == nil {
		h.followers = make(map[string]map[int64]func(Record))
	}
	if h.followers[id] == nil {
		h.followers[id] = make(map[int64]func(Record))
	}
	h.lastNumber++
	number := h.lastNumber
	h.followers[id][number] = changed
	return sync.OnceFunc(func() { h.unfollow(id, number) }), nil
}

// unfollow removes a follower. The last one stops watching the store.
func (h *hub) unfollow(id string, number int64) {
	h.mu.Lock()
	delete(h.followers[id], number)
	if len(h.followers[id]) == 0 {
		delete(h.followers, id)
	}
	stop := func() {}
	if len(h.followers) == 0 && h.stop != nil {
		stop, h.stop = h.stop, nil
	}
	h.mu.Unlock()
	stop()
}

// changed passes a record from Store.Watch to its followers.
func (h *hub) changed(record Record) {
	h.mu.Lock()
	var all []func(Record)
	for _, f := range h.followers[record.ID] {
		all = append(all, f)
	}
	h.mu.Unlock()
	for _, f := range all {
		f(record)
	}
}

// close stops watching. Later calls of follow return errClosed.
func (h *hub) close() {
	h.mu.Lock()
	h.closed = true
	stop := h.stop
	h.stop = nil
	h.mu.Unlock()
	if stop != nil {
		stop()
	}
}
