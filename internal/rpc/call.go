package rpc

import (
	"context"
	"errors"
)

// ErrCancelled is the cause of a call's context when its peer cancelled it.
var ErrCancelled = errors.New("the peer cancelled the request")

// Call is one request that a peer has sent.
type Call struct {
	ID     ID
	Method string
	// Params is the raw object or array, nil when absent. It belongs to the
	// call and is never reused.
	Params []byte
	// State is the handler's.
	State any

	conn     *Conn
	ctx      context.Context
	cancel   context.CancelCauseFunc
	batch    *batch
	detached bool
	holding  bool // a concurrency slot; only the goroutine of the call looks

	// Guarded by conn.out.mu.
	silenced bool   // nothing may be sent any more
	progress string // token of the last progress
}

// Batched reports whether the request came in a batch.
func (c *Call) Batched() bool { return c.batch != nil }

// Notify sends a notification that belongs to the call, before its result.
// After cancellation it sends nothing.
func (c *Call) Notify(method string, params []byte) error {
	return c.conn.notify(method, params, func(frame []byte) error { return c.conn.out.send(frame, c) })
}

// NotifyProgress sends a progress notification. When the peer reads too slowly
// it replaces the last one of the same token that has not been sent.
func (c *Call) NotifyProgress(method string, params []byte, token string) error {
	return c.conn.notify(method, params, func(frame []byte) error { return c.conn.out.sendProgress(frame, token, c) })
}

// NotifyLog sends a log notification. When the peer reads too slowly it is
// dropped and counted.
func (c *Call) NotifyLog(method string, params []byte) error {
	return c.conn.notify(method, params, func(frame []byte) error { return c.conn.out.sendLog(frame, c) })
}

// Send sends a request of ours that belongs to the call.
func (c *Call) Send(method string, params []byte) (*Pending, error) {
	return c.conn.Send(method, params)
}

// Pause gives the call's concurrency slot back while it waits for its peer.
// The goroutine that serves the call must Resume before it goes on.
func (c *Call) Pause() {
	if c.holding {
		c.holding = false
		c.conn.sched.release()
	}
}

// Resume takes a slot again, before any request that has not started.
func (c *Call) Resume() {
	if !c.holding && !c.detached {
		c.conn.sched.acquire()
		c.holding = true
	}
}
