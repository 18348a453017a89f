package rpc

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"sync"
)

// frames are buffers in which outgoing messages are put together. None is
// reachable by a handler after its call.
var frames = sync.Pool{New: func() any { b := make([]byte, 0, 1024); return &b }}

func putFrame(b *[]byte) {
	if cap(*b) <= keptOutput {
		frames.Put(b)
	}
}

// Pending is a request that was sent and not yet answered.
type Pending struct {
	ID     ID
	conn   *Conn
	answer chan Message
}

// Send sends a request. params is a raw object, or nil.
func (c *Conn) Send(method string, params []byte) (*Pending, error) {
	p, err := c.Reserve()
	if err != nil {
		return nil, err
	}
	return p, p.Send(method, params)
}

// Reserve prepares a request whose id must be known before it is sent.
func (c *Conn) Reserve() (*Pending, error) {
	p := &Pending{conn: c, answer: make(chan Message, 1)}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.closed {
		return nil, ErrNotSent
	}
	c.lastID++
	p.ID = ID(strconv.FormatInt(c.lastID, 10))
	c.pending[p.ID] = p.answer
	return p, nil
}

// Send sends the request, once.
func (p *Pending) Send(method string, params []byte) error {
	b := frames.Get().(*[]byte)
	defer putFrame(b)
	*b = AppendRequest((*b)[:0], p.ID, method, params)
	if err := p.conn.out.send(*b, nil); err != nil {
		p.forget()
		return fmt.Errorf("%w: %w", ErrClosed, err)
	}
	return nil
}

// Wait returns the result that the peer answers with. A peer's error is an
// *Error. When ctx ends first, a late answer is ignored and the error is the
// context's cause; an answer that is there already counts.
func (p *Pending) Wait(ctx context.Context) ([]byte, error) { return p.WaitAnd(ctx, nil, nil) }

// WaitAnd waits like Wait and calls do, on the caller's goroutine, whenever
// something comes from signal.
func (p *Pending) WaitAnd(ctx context.Context, signal <-chan struct{}, do func()) ([]byte, error) {
	for {
		select {
		case m, ok := <-p.answer:
			return m.outcome(ctx, ok)
		case <-signal:
			do()
		case <-ctx.Done():
			p.forget()
			select {
			case m, ok := <-p.answer: // which of the two is seen must not be chance
				return m.outcome(ctx, ok)
			default:
				return nil, context.Cause(ctx)
			}
		}
	}
}

// outcome returns the result or error of a response to the waiting caller. ok is false if no response can arrive.
func (m *Message) outcome(ctx context.Context, ok bool) ([]byte, error) {
	switch {
	case !ok && ctx.Err() != nil:
		return nil, context.Cause(ctx)
	case !ok:
		return nil, ErrClosed
	case m.Error != nil:
		return nil, decodeError(m.Error)
	}
	return m.Result, nil
}

func (p *Pending) forget() {
	p.conn.mu.Lock()
	defer p.conn.mu.Unlock()
	delete(p.conn.pending, p.ID)
}

// deliver passes a response to the waiting request. A response without a waiting request is late and is discarded.
func (c *Conn) deliver(m *Message) {
	c.mu.Lock()
	answer, ok := c.pending[m.ID]
	delete(c.pending, m.ID)
	c.mu.Unlock()
	if !ok {
		c.opts.Log.Debug("answer to no pending request", "id", string(m.ID))
		return
	}
	own := Message{Kind: Response, ID: m.ID, Result: append([]byte(nil), m.Result...)}
	if m.Error != nil {
		own.Error = append([]byte(nil), m.Error...)
	}
	answer <- own
}

// deliverMalformed fails the request that a malformed response names, which
// would wait for ever otherwise.
func (c *Conn) deliverMalformed(id ID, why *Error) {
	c.opts.Log.Warn("malformed response", "id", string(id), "error", why.Message)
	e := &Error{Code: CodeInternal, Message: "the peer's response is malformed: " + why.Message}
	c.deliver(&Message{Kind: Response, ID: id, Error: e.Append(nil)})
}

// Notify sends a notification that belongs to no request.
func (c *Conn) Notify(method string, params []byte) error {
	return c.notify(method, params, func(frame []byte) error { return c.out.send(frame, nil) })
}

// NotifyLog sends a log notification that belongs to no request; see
// Call.NotifyLog.
func (c *Conn) NotifyLog(method string, params []byte) error {
	return c.notify(method, params, func(frame []byte) error { return c.out.sendLog(frame, nil) })
}

// DroppedLogs returns how many log notifications were dropped since the last
// time it was asked.
func (c *Conn) DroppedLogs() int { return c.out.takeDropped() }

func (c *Conn) notify(method string, params []byte, send func([]byte) error) error {
	b := frames.Get().(*[]byte)
	defer putFrame(b)
	*b = AppendRequest((*b)[:0], "", method, params)
	return send(*b)
}

// refuse answers a message that was not understood or not accepted.
func (c *Conn) refuse(id ID, e *Error, b *batch) {
	frame := AppendError(nil, id, id == "" && c.handler.NullID(), e)
	if b != nil {
		b.add(frame)
		return
	}
	if err := c.out.send(frame, nil); err != nil && !errors.Is(err, ErrClosed) {
		c.opts.Log.Debug("an error could not be sent", "error", err)
	}
}
