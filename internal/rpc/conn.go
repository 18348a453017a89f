package rpc

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"net"
	"os"
	"runtime/debug"
	"slices"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/dougu-go/dougu/internal/group"
	"github.com/dougu-go/dougu/internal/jsonx"
)

const (
	// lastGrace is how long cancelled requests may take to notice.
	lastGrace = time.Second
	// lastStall is how long the peer may read nothing of the output that is due when the connection ends.
	lastStall = time.Second
	// With Options.Hurried, once the context has ended: how long requests may take before they are cancelled and after it, and
	// the peer to read the output that is due.
	hurriedDrain = 200 * time.Millisecond
	hurriedGrace = 100 * time.Millisecond
	hurriedStall = 200 * time.Millisecond
	// With Options.LastInput, once the input has ended: how long requests may take before they are cancelled, and when a peer
	// that reads nothing is given up. After the former, requests have hurriedGrace, and the peer at least hurriedStall.
	inputDrain = 250 * time.Millisecond
	inputLimit = 550 * time.Millisecond
)

var (
	errStalled     = errors.New("the peer has stopped reading")
	errReaderPanic = errors.New("panic while reading")
)

// Conn is one peer: it serves the requests that the peer sends and sends
// requests of its own.
type Conn struct {
	stream  Stream
	handler Handler
	opts    Options
	out     *output
	sched   schedule
	reader  group.Group // one goroutine, which may stay blocked after Run
	workers group.Group
	idle    chan *Call      // a worker without a call waits here
	base    context.Context // of every call
	message Message         // that is being received
	methods names

	detached atomic.Int64 // calls that run outside the concurrency limit

	mu      sync.Mutex
	calls   map[ID]*Call // requests of the peer in flight
	pending map[ID]chan Message
	lastID  int64
	closed  bool
	drained chan struct{} // closed when the last call in flight has ended
}

// NewConn prepares a connection; Run serves it.
func NewConn(stream Stream, handler Handler, opts Options) *Conn {
	opts = opts.withDefaults()
	c := &Conn{
		stream: stream, handler: handler, opts: opts,
		out:     newOutput(stream, opts.Stall, opts.Backlog),
		idle:    make(chan *Call),
		calls:   make(map[ID]*Call),
		pending: make(map[ID]chan Message),
	}
	c.sched = schedule{start: c.start, free: opts.Concurrency, maxQueue: opts.QueueLength, maxBytes: opts.QueueBytes}
	onPanic := func(v any, stack []byte) {
		opts.Log.Error("panic in a connection", "panic", v, "stack", string(stack))
	}
	c.workers.OnPanic, c.out.writer.OnPanic = onPanic, onPanic
	return c
}

// Run reads and serves messages until the peer ends its stream, the connection fails, or ctx ends. Then it waits for
// running requests, cancels the remaining ones, and writes the queued output. A regular end of the peer and the end
// of ctx are not errors.
func (c *Conn) Run(ctx context.Context) error {
	base, cancel := context.WithCancelCause(context.WithoutCancel(ctx))
	defer cancel(ErrClosed)
	c.base = base
	var err error
	if s, ok := c.stream.(interface{ CloseUnblocksRead() bool }); ok && s.CloseUnblocksRead() {
		err = c.readHere(ctx, cancel)
	} else {
		err = c.readApart(ctx, cancel)
	}
	return c.outcome(err)
}

// outcome returns the error of the connection. err is the error of reading.
func (c *Conn) outcome(err error) error {
	switch failure := c.out.failure(); {
	case errors.Is(failure, errStalled), err == nil && failure != nil && !peerGone(failure):
		return fmt.Errorf("writing to the peer: %w", failure)
	}
	return err
}

// readApart reads on a separate goroutine, which may stay blocked after the end of the connection, and ends the
// connection.
func (c *Conn) readApart(ctx context.Context, cancel context.CancelCauseFunc) (err error) {
	c.out.begin(cancel) // after a write error no response can reach the peer
	read := make(chan error, 1)
	c.reader.Go(func() { read <- c.read() })
	select {
	case err = <-read:
	case <-ctx.Done():
	case <-c.base.Done():
	}
	c.end(ctx, cancel)
	return err
}

// readHere reads on the calling goroutine and ends the connection. The end of ctx, or a write error, ends the
// connection from another goroutine, which unblocks the reading.
func (c *Conn) readHere(ctx context.Context, cancel context.CancelCauseFunc) error {
	var ending atomic.Bool
	ended := make(chan struct{})
	end := func() (first bool) {
		if first = ending.CompareAndSwap(false, true); first {
			defer close(ended)
			c.end(ctx, cancel)
		}
		return first
	}
	c.out.begin(func(err error) {
		cancel(err) // no response can reach the peer
		c.reader.Go(func() { end() })
	})
	unhook := context.AfterFunc(ctx, func() { end() })
	err := c.read()
	unhook()
	if !end() {
		<-ended
		return nil // the reading was ended, it did not fail
	}
	return err
}

// end ends the requests in flight, writes the queued output and closes the stream.
func (c *Conn) end(ctx context.Context, cancel context.CancelCauseFunc) {
	began := time.Now()
	c.drain(ctx, cancel)
	stall := lastStall
	if c.opts.LastInput {
		stall = max(hurriedStall, inputLimit-time.Since(began))
	}
	c.flush(ctx, min(c.opts.Stall, stall))
	c.stream.Close()
}

// flush waits until the output that is due has been written, as long as the peer reads. It may read nothing for the time of stall.
func (c *Conn) flush(ctx context.Context, stall time.Duration) {
	if !c.opts.Hurried {
		ctx = context.WithoutCancel(ctx)
	}
	done := c.out.finish()
	stream, counts := c.stream.(interface{ Written() int64 })
	if !counts && ctx.Err() == nil {
		wait(done, c.opts.Stall)
		return
	}
	for before := int64(-1); ctx.Err() == nil && stream.Written() > before; {
		before = stream.Written()
		if waitUntil(ctx, done, stall) {
			return
		}
	}
	if ctx.Err() != nil {
		wait(done, min(c.opts.Stall, hurriedStall))
	}
}

// waitUntil is wait, but not longer than ctx lasts.
func waitUntil(ctx context.Context, done <-chan struct{}, d time.Duration) bool {
	ctx, cancel := context.WithTimeout(ctx, d)
	defer cancel()
	select {
	case <-done:
		return true
	case <-ctx.Done():
		return false
	}
}

// peerGone reports whether writing failed because the peer has left, as it may
// at any time.
func peerGone(err error) bool {
	return errors.Is(err, io.ErrClosedPipe) || errors.Is(err, syscall.EPIPE) || errors.Is(err, net.ErrClosed) || errors.Is(err, os.ErrClosed)
}

// drain ends the requests in flight. Requests to the peer and open-ended requests of the peer fail at once. Other
// requests have Options.Drain to finish before they are cancelled. The end of ctx shortens that time: a supervisor
// that asks a process to end kills it soon after.
func (c *Conn) drain(ctx context.Context, cancel context.CancelCauseFunc) {
	c.mu.Lock()
	c.closed = true
	for id, answer := range c.pending {
		delete(c.pending, id)
		close(answer)
	}
	for _, call := range c.calls {
		if call.detached {
			call.cancel(ErrClosed)
		}
	}
	c.drained = make(chan struct{})
	if len(c.calls) == 0 {
		close(c.drained)
	}
	c.mu.Unlock()

	hurry, patience, grace := ctx.Done(), c.opts.Drain, min(c.opts.Drain, lastGrace)
	if c.opts.LastInput {
		grace = min(grace, hurriedGrace)
	}
	if ctx.Err() != nil { // it is why we are here
		hurry = nil
		if c.opts.Hurried {
			patience, grace = min(patience, hurriedDrain), min(grace, hurriedGrace)
		}
	}
	timer := time.NewTimer(patience)
	defer timer.Stop()
	select {
	case <-c.drained:
	case <-timer.C:
	case <-hurry:
	case <-c.base.Done():
	}
	cancel(ErrClosed)
	if !wait(c.drained, grace) {
		c.opts.Log.Warn("requests are still running after their connection has ended")
		return
	}
	c.workers.Wait()
}

func wait(done <-chan struct{}, d time.Duration) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-done:
		return true
	case <-timer.C:
		return false
	}
}

// read processes messages until the stream ends. Its stack frame is small, because every idle connection keeps it.
func (c *Conn) read() (err error) {
	defer c.contain(&err)
	for c.base.Err() == nil {
		frame, err := c.stream.Read()
		switch {
		case err != nil:
			if end, why := c.unread(err); end {
				return why
			}
		case isBatch(frame):
			c.receiveBatch(frame)
		default:
			c.receive(frame, nil)
		}
		c.out.waitRoom()
	}
	return nil
}

// contain makes a panic the error of the reader.
func (c *Conn) contain(err *error) {
	if v := recover(); v != nil {
		c.opts.Log.Error("panic in a connection", "panic", v, "stack", string(debug.Stack()))
		*err = errReaderPanic
	}
}

// unread tells the end of the stream, and why it ends, from a message that was
// skipped.
func (c *Conn) unread(err error) (end bool, why error) {
	var large *TooLargeError
	switch {
	case errors.As(err, &large):
		c.refuseLarge(large)
		return false, nil
	case errors.Is(err, io.EOF):
		return true, nil
	}
	return true, fmt.Errorf("reading from the peer: %w", err)
}

// receive handles one message.
func (c *Conn) receive(frame []byte, b *batch) {
	c.message = Message{}
	m := &c.message
	err := m.parse(frame, c.methods)
	switch {
	case err != nil && m.Kind == Response:
		c.deliverMalformed(m.ID, err)
	case err != nil:
		if c.running(m.ID) {
			m.ID = "" // the answer would be taken for the other request's
		}
		c.refuse(m.ID, err, b)
	case m.Kind == Response:
		c.deliver(m)
	case m.Kind == Notification:
		c.handler.Notified(m)
	default:
		c.accept(m, b)
	}
}

func (c *Conn) running(id ID) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	_, ok := c.calls[id]
	return ok
}

// refuseLarge answers a message that was skipped for its size.
func (c *Conn) refuseLarge(large *TooLargeError) {
	id, request := ID(""), true
	if i := jsonx.Space(large.Prefix, 0); i < len(large.Prefix) && large.Prefix[i] == '{' {
		id, request = prefixID(large.Prefix)
	}
	switch {
	case request:
		c.refuse(id, invalidRequest(fmt.Sprintf("%v; send less at once, or raise the limit of the server", large)), nil)
	case id != "":
		c.deliverMalformed(id, invalidRequest(large.Error()))
	default: // it may answer any of the pending requests
		c.mu.Lock()
		ids := slices.Collect(maps.Keys(c.pending))
		c.mu.Unlock()
		for _, id := range ids {
			c.deliverMalformed(id, invalidRequest(large.Error()+"; it may answer another request"))
		}
	}
}
