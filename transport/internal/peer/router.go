package peer

import (
	"bytes"
	"slices"
	"sync"

	"github.com/dougu-go/dougu/mcp/protocol"
	"github.com/dougu-go/dougu/transport/internal/legacy"
)

// relatedTask is the _meta key of messages that belong to a task.
const relatedTask = "io.modelcontextprotocol/related-task"

// Router passes the notifications of one server to their receivers. A notification
// with the progress token or subscription id of an open request goes to this request.
// Notifications without one go to both the host and the listeners of a legacy session;
// log messages see OpenFor. The zero value is ready.
type Router struct {
	stray  Inbox // notifications without a request
	mu     sync.Mutex
	active map[string]*Inbox // by raw progress token or subscription id
	logs   []*Inbox          // of requests that want log messages, the oldest first
	local  localListeners
}

// Open returns the inbox of a request whose notifications carry key, and the
// function that closes it.
func (r *Router) Open(key string) (box *Inbox, closeBox func()) {
	box = new(Inbox)
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.active == nil {
		r.active = make(map[string]*Inbox)
	}
	r.active[key] = box
	return box, func() {
		r.mu.Lock()
		defer r.mu.Unlock()
		delete(r.active, key)
	}
}

// OpenFor is Open for a request. If the request is sent on behalf of a client
// that wants log messages, it also receives log messages without a request, unless
// an older request of this kind is open. On a connection, log messages do not name
// their request.
func (r *Router) OpenFor(req *protocol.Request, key string) (box *Inbox, closeBox func()) {
	box, done := r.Open(key)
	if !WantsLogs(req) {
		return box, done
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.logs = append(r.logs, box)
	return box, func() {
		done()
		r.mu.Lock()
		defer r.mu.Unlock()
		r.logs = slices.DeleteFunc(r.logs, func(other *Inbox) bool { return other == box })
	}
}

// WantsLogs reports whether log messages are for the sender of a request.
func WantsLogs(req *protocol.Request) bool {
	return req.Meta.ForwardedCapabilities() != nil && req.Meta.LogLevel != ""
}

// Received passes one notification to its receiver. A malformed notification is
// ignored.
func (r *Router) Received(method string, params []byte) {
	n, key, err := legacy.ParseNotification(method, params)
	if err != nil {
		return
	}
	r.mu.Lock()
	box := r.active[key]
	if _, ok := n.(*protocol.LogNotification); ok && box == nil && len(r.logs) > 0 {
		box = r.logs[0]
	}
	r.mu.Unlock()
	switch {
	case box != nil:
		box.Put(n)
	case key == "":
		r.local.put(n)
		r.stray.Put(n)
	case method == "notifications/progress" && bytes.Contains(params, []byte(relatedTask)):
		// The request has become a task, and its token stays valid after the request has ended (2025-11-25,
		// basic/utilities/tasks, "Task Progress Notifications").
		r.stray.Put(&protocol.RawNotification{Name: method, Params: slices.Clone(params)})
	}
}

// Deliver passes notifications without a request to the host until done is
// closed. Then it ends all calls of Listen.
func (r *Router) Deliver(host *protocol.Host, done <-chan struct{}) {
	defer r.local.close()
	for open := true; open; {
		select {
		case <-r.stray.Signal():
		case <-done:
			open = false // notifications before the end are delivered
		}
		for _, n := range r.stray.Take() {
			if host.Notified != nil {
				host.Notified(n)
			}
		}
	}
}
