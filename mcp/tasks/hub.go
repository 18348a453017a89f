package tasks

import (
	"sync"

	"github.com/dougu-go/dougu/mcp"
)

// hub hands what the store says has changed to those who follow a task. The store
// is watched only while somebody does.
type hub struct {
	store Store

	mu        sync.Mutex
	followers map[string]map[int64]func(Record) // by task
	last      int64
	stop      func() // watching; nil while nobody follows
	closed    bool
}

// errClosed is what is asked of a runner that is closed.
var errClosed error = &mcp.ToolError{Code: "UNAVAILABLE", Message: "the server is being stopped", Next: "call again"}

// follow calls changed with a task whenever that has changed, until stop is
// called. changed must not block.
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
	h.last++
	number := h.last
	h.followers[id][number] = changed
	return sync.OnceFunc(func() { h.unfollow(id, number) }), nil
}

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

// changed implements what Store.Watch calls.
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
