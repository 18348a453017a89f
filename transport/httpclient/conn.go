package httpclient

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"github.com/dougu-go/dougu/internal/group"
	"github.com/dougu-go/dougu/internal/mcpheader"
	"github.com/dougu-go/dougu/internal/rpc"
	"github.com/dougu-go/dougu/mcp"
	"github.com/dougu-go/dougu/mcp/protocol"
	"github.com/dougu-go/dougu/transport/internal/legacy"
	"github.com/dougu-go/dougu/transport/internal/peer"
)

// closeTimeout limits each step of Close: the DELETE of the session, and the
// wait for goroutines.
const closeTimeout = 5 * time.Second

// streamableConn is an protocol.Conn over Streamable HTTP. It has no network
// connection of its own: each message is an HTTP request. It holds the agreement
// with the server, and the session of a legacy server.
type streamableConn struct {
	wire *wire
	host *protocol.Host
	meta []byte          // members of _meta that every modern request has
	run  context.Context // ends with the connection; its cause says why
	stop context.CancelCauseFunc
	done chan struct{}

	mu     sync.Mutex
	ended  bool
	group  group.Group // starts nothing once ended
	finish sync.Once
	left   error // of Close

	ids    atomic.Int64
	agreed atomic.Pointer[legacy.Agreement] // nil until the handshake is over
	router peer.Router
	params paramHeaders // of modern servers' tools

	// Of servers of older revisions.
	session atomic.Pointer[session]
	kept    sessionState
	renewal *sessionRenewal // that is under way; guarded by mu
	asked   questionLimits
}

// connectStreamable negotiates and returns a connection. If older is true, the
// server is known to be a legacy server.
func connectStreamable(ctx context.Context, wire *wire, host *protocol.Host, older bool) (*streamableConn, *negotiation, error) {
	c := &streamableConn{wire: wire, host: host, meta: legacy.RequestMeta(host), done: make(chan struct{})}
	c.run, c.stop = context.WithCancelCause(context.WithoutCancel(ctx))
	c.group.OnPanic = func(v any, stack []byte) {
		wire.log.Error("panic in a connection", "panic", v, "stack", string(stack))
	}
	c.asked.init(wire.opts)
	c.spawn(func() { c.router.Deliver(host, c.done) })
	n := &negotiation{conn: c, ctx: ctx, older: older}
	limited := ctx
	if host.Timeout > 0 && host.ProbeTimeout <= 0 {
		// Both requests of the handshake together have the time of one request.
		late := &mcp.TimeoutError{Method: "server/discover", After: host.Timeout}
		if older {
			late.Method = "initialize"
		}
		var cancel context.CancelFunc
		limited, cancel = context.WithTimeoutCause(ctx, host.Timeout, late)
		defer cancel()
	}
	agreed, err := legacy.Negotiate(limited, patient(host), n.call, n.notify)
	if err != nil {
		n.abandon()
		return nil, n, errors.Join(err, c.Close())
	}
	c.agreed.Store(agreed)
	if n.session != nil {
		c.session.Store(n.session)
		c.startListening(ctx, n.session)
	}
	return c, n, nil
}

// spawn runs f in a goroutine that Close waits for. Once the connection has
// ended it does nothing and returns false.
func (c *streamableConn) spawn(f func()) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.ended {
		c.group.Go(f)
	}
	return !c.ended
}

func (c *streamableConn) nextID() rpc.ID { return rpc.ID(strconv.FormatInt(c.ids.Add(1), 10)) }

// Discovered implements protocol.Conn.
func (c *streamableConn) Discovered() *protocol.DiscoverResult { return c.agreed.Load().Info }

// Revision implements protocol.Conn.
func (c *streamableConn) Revision() protocol.Revision { return c.agreed.Load().Revision }

// Done implements protocol.Conn. A connection ends when it is closed, or when the
// server has forgotten its session and refuses to open another.
func (c *streamableConn) Done() <-chan struct{} { return c.done }

// Dispatch implements protocol.Dispatcher.
func (c *streamableConn) Dispatch(ctx context.Context, req *protocol.Request) (protocol.Result, error) {
	if err := c.over(ctx); err != nil {
		return nil, &unsentError{err} // the caller does not wait for a response
	}
	switch modern := c.Revision().Modern(); {
	case modern:
		return c.dispatch(ctx, req)
	case req.Method == "subscriptions/listen":
		return c.router.Listen(ctx, req, c.Discovered().Capabilities, c.call)
	}
	return c.dispatchOlder(ctx, req)
}

// Notify implements protocol.Notifier: it sends a notification of the client's own,
// of which there are some in sessions.
func (c *streamableConn) Notify(ctx context.Context, n protocol.Notification) error {
	if err := c.over(ctx); err != nil {
		return err
	}
	rev := c.Revision()
	if rev.Modern() {
		return fmt.Errorf("a client sends no notifications over HTTP in revision %s, so neither %s", rev, n.Method())
	}
	ctx, cancel, _ := c.during(ctx)
	defer cancel(nil)
	params := n.AppendParams(nil, rev)
	s := c.session.Load()
	err := c.notify(ctx, s, n.Method(), params)
	if !s.mayBeLost(err) {
		return err
	}
	switch failed := c.renew(ctx, s, err); {
	case errors.Is(failed, errSessionLives):
		return err
	case failed != nil:
		return failed
	}
	return c.notify(ctx, c.session.Load(), n.Method(), params)
}

// over returns the reason for which a request must end, or nil.
func (c *streamableConn) over(ctx context.Context) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	if c.run.Err() != nil {
		return context.Cause(c.run)
	}
	return nil
}

// during returns a context with the values of ctx that ends with the connection
// and, until release is called, with ctx. cancel must be called.
func (c *streamableConn) during(ctx context.Context) (linked context.Context, cancel context.CancelCauseFunc, release func()) {
	linked, end := context.WithCancelCause(context.WithoutCancel(ctx))
	caller := context.AfterFunc(ctx, func() { end(context.Cause(ctx)) })
	own := context.AfterFunc(c.run, func() { end(context.Cause(c.run)) })
	cancel = func(cause error) {
		end(cause)
		caller()
		own()
	}
	return linked, cancel, func() { caller() }
}

// end ends the connection because of err, unless it has ended.
func (c *streamableConn) end(err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.ended {
		return
	}
	c.ended = true
	if err != nil {
		c.wire.log.Warn("a connection has ended", "reason", err)
		err = fmt.Errorf("%w: %w", rpc.ErrClosed, err)
	} else {
		err = rpc.ErrClosed
	}
	c.stop(err)
	close(c.done)
}

// Close implements protocol.Conn. It cancels running requests and ends the session at
// the server (2025-11-25, basic/transports, "Session Management"), in limited
// time.
func (c *streamableConn) Close() error {
	c.end(nil)
	c.finish.Do(func() {
		if s := c.session.Load(); s != nil {
			c.release(s, closeTimeout)
		}
		if !c.group.WaitFor(closeTimeout) {
			c.left = errors.New("closing the connection: the handler of a question or a notification is still running")
		}
		c.wire.close()
	})
	return c.left
}

// release asks the server to end a session. Errors and late responses are
// ignored.
func (c *streamableConn) release(s *session, patience time.Duration) {
	header := s.header()
	if header.Get(mcpheader.SessionID) == "" {
		return
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(c.run), patience)
	defer cancel()
	resp, err := c.wire.do(ctx, http.MethodDelete, c.wire.url, nil, header)
	if err != nil {
		c.wire.log.Debug("the server does not end its session", "reason", err)
		return
	}
	_ = resp.Body.Close()
}
