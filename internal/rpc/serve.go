package rpc

import (
	"context"
	"fmt"
	"runtime/debug"
	"slices"
	"time"
)

const (
	// maxMethods bounds the method names that are remembered to save their
	// allocation, and maxMethod their length.
	maxMethods = 16
	maxMethod  = 64
	// idleWorker is how long a goroutine waits for its next request.
	idleWorker = 200 * time.Millisecond
)

// accept registers a request and starts it. It consists of small functions, because every idle connection keeps the
// stack that the reader needs here.
func (c *Conn) accept(m *Message, b *batch) {
	if c.running(m.ID) {
		c.refuseRunning(m.ID, b)
		return
	}
	call := c.newCall(m, b)
	disposition := c.handler.Accept(call)
	if b != nil {
		b.expect()
	}
	if disposition == Inline {
		c.serve(call)
		return
	}
	c.begin(call, disposition)
}

func (c *Conn) newCall(m *Message, b *batch) *Call {
	if len(c.methods) < maxMethods && len(m.Method) <= maxMethod && !slices.Contains(c.methods, m.Method) {
		c.methods = append(c.methods, m.Method)
	}
	call := &Call{ID: m.ID, Method: m.Method, conn: c, ctx: c.base, batch: b}
	if m.Params != nil {
		call.Params = append([]byte(nil), m.Params...)
	}
	return call
}

func (c *Conn) refuseRunning(id ID, b *batch) {
	c.refuse("", invalidRequest(fmt.Sprintf("the id %s belongs to a request that is still running", id)), b)
}

// begin has a request run that is not answered on the reader.
func (c *Conn) begin(call *Call, disposition Disposition) {
	call.ctx, call.cancel = context.WithCancelCause(c.base)
	call.detached = disposition == Detached
	c.mu.Lock()
	if c.closed {
		c.mu.Unlock()
		call.cancel(ErrClosed)
		return
	}
	c.calls[call.ID] = call
	c.mu.Unlock()
	if call.detached {
		c.detach(call)
		return
	}
	if !c.sched.submit(call) {
		c.fail(call, fmt.Sprintf("The server is busy: %d requests are running and %d are waiting; send this one again when others are answered", c.opts.Concurrency, c.opts.QueueLength))
	}
}

// detach runs a call outside the concurrency limit.
func (c *Conn) detach(call *Call) {
	if n := c.detached.Add(1); n > int64(c.opts.Detached) {
		c.detached.Add(-1)
		c.fail(call, fmt.Sprintf("The server is busy: %d requests of this kind are open; end one of them first", c.opts.Detached))
		return
	}
	c.workers.Go(func() {
		defer c.detached.Add(-1)
		c.serve(call)
	})
}

// fail answers a call that is not run.
func (c *Conn) fail(call *Call, why string) {
	c.answer(call, func(dst []byte) ([]byte, *Error) { return dst, &Error{Code: CodeInternal, Message: why} })
}

// Cancel ends the peer's request id: its context is cancelled and nothing that
// belongs to it is sent from now on. It reports whether there was one.
func (c *Conn) Cancel(id ID) bool {
	c.mu.Lock()
	call, ok := c.calls[id]
	c.mu.Unlock()
	if ok {
		c.out.silence(call)
		call.cancel(ErrCancelled)
	}
	return ok
}

// start runs a call that has a slot on a goroutine that waits for one, or on a
// new one.
func (c *Conn) start(call *Call) {
	select {
	case c.idle <- call:
	default:
		c.workers.Go(func() { c.work(call) })
	}
}

// work serves calls until there has been none for a while. Keeping the
// goroutine saves growing a new stack for every request.
func (c *Conn) work(call *Call) {
	timer := time.NewTimer(idleWorker)
	defer timer.Stop()
	for {
		for call != nil {
			call.holding = true
			c.serve(call)
			if !call.holding {
				call = nil
				break
			}
			call = c.sched.pass()
		}
		timer.Reset(idleWorker)
		select {
		case call = <-c.idle:
		case <-timer.C:
			return
		case <-c.base.Done():
			return
		}
	}
}

// serve runs the handler and sends its answer.
func (c *Conn) serve(call *Call) {
	c.answer(call, func(dst []byte) ([]byte, *Error) {
		if call.ctx.Err() != nil {
			return dst, &Error{Code: CodeInternal, Message: "The connection is closing"}
		}
		return c.invoke(call, dst)
	})
}

// invoke contains a panic of the handler: it is the call's error.
func (c *Conn) invoke(call *Call, dst []byte) (out []byte, e *Error) {
	defer func() {
		if v := recover(); v != nil {
			c.opts.Log.Error("panic while serving a request", "method", call.Method, "panic", v, "stack", string(debug.Stack()))
			out, e = dst, &Error{Code: CodeInternal, Message: "Internal error: the handler of " + call.Method + " failed; the server continues"}
		}
	}()
	return c.handler.Serve(call.ctx, call, dst)
}

// answer puts the response together and sends it.
func (c *Conn) answer(call *Call, result func(dst []byte) ([]byte, *Error)) {
	b := frames.Get().(*[]byte)
	defer putFrame(b)
	frame := append((*b)[:0], `{"jsonrpc":"2.0","id":`...)
	frame = append(frame, call.ID...)
	head := len(frame)
	frame = append(frame, `,"result":`...)
	frame, e := result(frame)
	if e != nil {
		frame = append(frame[:head], `,"error":`...)
		frame = e.Append(frame)
	}
	frame = append(frame, '}')
	*b = frame
	c.finish(call)
	switch {
	case call.batch == nil:
		if err := c.out.sendLast(frame, call); err != nil {
			c.opts.Log.Debug("an answer could not be sent", "method", call.Method, "error", err)
		}
	case c.out.isSilenced(call):
		call.batch.done(nil)
	default:
		call.batch.done(frame)
	}
}

// finish removes the call from the calls in flight, so that its id can be used again and a late cancellation has no
// effect.
func (c *Conn) finish(call *Call) {
	if call.cancel == nil {
		return
	}
	c.mu.Lock()
	if c.calls[call.ID] == call {
		delete(c.calls, call.ID)
	}
	if c.drained != nil && len(c.calls) == 0 {
		select {
		case <-c.drained:
		default:
			close(c.drained)
		}
	}
	c.mu.Unlock()
	call.cancel(nil)
}
