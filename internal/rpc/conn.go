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
	// The end of a connection has three phases. Requests may finish (drain), cancelled requests may return (grace), and the
	// peer may read the queued output; a peer that reads nothing for the time of stall is given up.

	// lastGrace and lastStall are the limits of grace and stall. The limit of drain is Options.Drain.
	lastGrace = time.Second
	lastStall = time.Second
	// hurriedDrain, hurriedGrace and hurriedStall are the limits after the end of the context with Options.Hurried.
	hurriedDrain = 200 * time.Millisecond
	hurriedGrace = 100 * time.Millisecond
	hurriedStall = 200 * time.Millisecond
	// inputDrain is the default of Options.Drain with Options.LastInput. The limit of grace is then hurriedGrace.
	inputDrain = 250 * time.Millisecond
	// inputLimit, with Options.LastInput, limits the time from the end of the input to the end of stall. The peer has at
	// least hurriedStall.
	inputLimit = 550 * time.Millisecond
)

var (
	errStalled     = errors.New("the peer has stopped reading")
	errReaderPanic = errors.New("panic while reading")
)

// Conn is the connection to one peer. It serves the requests of the peer and sends
// requests of its own.
type Conn struct {
	stream  Stream
	handler Handler
	opts    Options
	out     *output         // queue of messages to the peer
	sched   schedule        // requests that wait for a slot of Options.Concurrency
	reader  group.Group     // one goroutine, which may stay blocked after Run
	workers group.Group     // goroutines that run calls
	idle    chan *Call      // passes the next call to an idle worker
	base    context.Context // parent of the contexts of all calls
	message Message         // message that the reader processes; reused
	methods names           // method names that were received, to avoid allocating them again

	// detached is the number of detached calls. The Handler declares a request as Detached if it stays
	// open, as a subscription does. Options.Detached limits these calls, and not Options.Concurrency.
	detached atomic.Int64

	mu      sync.Mutex          // guards the fields below
	calls   map[ID]*Call        // in-flight requests of the peer
	pending map[ID]chan Message // in-flight requests to the peer, with the channel for the response
	lastID  int64               // id of the latest request to the peer
	closed  bool                // no request of either side is accepted any more
	drained chan struct{}       // closed when the last call has ended; nil until drain
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
	// CloseUnblocksRead of a Stream promises that Close ends a Read that is blocked.
	if s, ok := c.stream.(interface{ CloseUnblocksRead() bool }); ok && s.CloseUnblocksRead() {
		err = c.readInCaller(ctx, cancel)
	} else {
		err = c.readInGoroutine(ctx, cancel)
	}
	return c.outcome(err)
}

// outcome returns the error of the connection. err is the error of reading.
func (c *Conn) outcome(err error) error {
	switch failure := c.out.failure(); {
	case errors.Is(failure, errStalled), err == nil && failure != nil && !isPeerClosed(failure):
		return fmt.Errorf("writing to the peer: %w", failure)
	}
	return err
}

// readInGoroutine reads on a separate goroutine, which may stay blocked after the end of the connection, and ends the
// connection.
func (c *Conn) readInGoroutine(ctx context.Context, cancel context.CancelCauseFunc) (err error) {
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

// readInCaller reads on the calling goroutine and ends the connection. The end of ctx, or a write error, ends the
// connection from another goroutine, which unblocks the reading.
func (c *Conn) readInCaller(ctx context.Context, cancel context.CancelCauseFunc) error {
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

// flush waits until the queued output has been written. It gives up if the peer reads nothing for the time of stall.
func (c *Conn) flush(ctx context.Context, stall time.Duration) {
	if !c.opts.Hurried {
		ctx = context.WithoutCancel(ctx)
	}
	done := c.out.finish()
	// Written is the number of bytes that the peer has taken; it grows while the peer reads.
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

// waitUntil is wait with a context. It returns false when d or ctx ends.
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

// isPeerClosed reports whether writing failed because the peer has closed the connection. That is a
// regular end.
func isPeerClosed(err error) bool {
	return errors.Is(err, io.ErrClosedPipe) || errors.Is(err, syscall.EPIPE) || errors.Is(err, net.ErrClosed) || errors.Is(err, os.ErrClosed)
}

// drain ends the requests in flight. Requests to the peer fail at once with ErrClosed, and detached requests of the peer
// are cancelled at once. Other requests have Options.Drain to finish before they are cancelled. The end of ctx shortens
// that time: a service manager that asks a process to end kills it soon after.
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

	contextEnd, timeout, grace := ctx.Done(), c.opts.Drain, min(c.opts.Drain, lastGrace)
	if c.opts.LastInput {
		grace = min(grace, hurriedGrace)
	}
	if ctx.Err() != nil {
		// The end of ctx is the reason of this drain, so it must not end the wait below.
		contextEnd = nil
		if c.opts.Hurried {
			timeout, grace = min(timeout, hurriedDrain), min(grace, hurriedGrace)
		}
	}
	timer := time.NewTimer(timeout)
	defer timer.Stop()
	select {
	case <-c.drained:
	case <-timer.C:
	case <-contextEnd:
	case <-c.base.Done():
	}
	cancel(ErrClosed)
	if !wait(c.drained, grace) {
		c.opts.Log.Warn("requests are still running after their connection has ended")
		return
	}
	c.workers.Wait()
}

// wait waits for done, at most for d. It returns false after d.
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

// unread handles an error of Stream.Read. A skipped message over the size limit is refused, and reading
// continues. Any other error ends the connection; why is nil at the regular end of the stream.
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

// refuseLarge sends the error response to a request that was skipped for its size. A skipped response
// fails the request that it belongs to, or all pending requests if its id is unknown.
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
