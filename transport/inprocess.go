package transport

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"sync"
	"sync/atomic"

	"github.com/dougu-go/dougu/internal/group"
	"github.com/dougu-go/dougu/mcp"
	"github.com/dougu-go/dougu/mcp/protocol"
	"github.com/dougu-go/dougu/transport/internal/legacy"
	"github.com/dougu-go/dougu/transport/internal/peer"
)

// InProcess is an protocol.Transport to a server in the same process, without a stream: a request of the client is a call of
// Dispatch in its goroutine, with its context, and so with its principal, permissions and trace. The server's middleware, checks
// and limits apply as to every client. Revision 2026-07-28 is spoken. InMemory has a stream, with the messages and the order of
// other transports, which tests may need.
type InProcess struct {
	// Server serves all connections.
	Server protocol.Dispatcher
}

// Connect implements protocol.Transport.
func (t InProcess) Connect(ctx context.Context, host *protocol.Host) (protocol.Conn, error) {
	if t.Server == nil {
		return nil, errors.New("connecting in process: there is no server")
	}
	if host.Revision != "" && host.Revision != protocol.Latest {
		return nil, fmt.Errorf("connecting in process: %w", protocol.UnsupportedRevision(host.Revision))
	}
	c := &inProcessConn{server: t.Server, meta: legacy.RequestMeta(host)}
	c.ctx, c.cancel = context.WithCancelCause(context.WithoutCancel(ctx))
	latest := *host
	latest.Revision = protocol.Latest
	agreed, err := legacy.Negotiate(ctx, &latest, c.call, nil)
	if err != nil {
		return nil, errors.Join(fmt.Errorf("connecting in process: %w", err), c.Close())
	}
	c.info = agreed.Info
	return c, nil
}

// inProcessConn is a connection of InProcess. It implements protocol.Conn.
type inProcessConn struct {
	server protocol.Dispatcher
	meta   []byte // members of _meta in each request
	info   *protocol.DiscoverResult
	ids    atomic.Int64 // number of the last request

	ctx    context.Context // cancelled by Close
	cancel context.CancelCauseFunc

	mu     sync.Mutex // orders calls.Go before calls.Wait
	closed bool
	calls  group.Group // running requests
}

// Discovered implements protocol.Conn.
func (c *inProcessConn) Discovered() *protocol.DiscoverResult { return c.info }

// Revision implements protocol.Conn.
func (c *inProcessConn) Revision() protocol.Revision { return protocol.Latest }

// Done implements protocol.Conn.
func (c *inProcessConn) Done() <-chan struct{} { return c.ctx.Done() }

// Close implements protocol.Conn. It cancels the requests that run, and waits for their end.
func (c *inProcessConn) Close() error {
	c.mu.Lock()
	c.closed = true
	c.mu.Unlock()
	c.cancel(mcp.ErrClosed)
	c.calls.Wait()
	return nil
}

// call sends a request of the connection setup and returns its result as JSON.
func (c *inProcessConn) call(ctx context.Context, method string, params []byte) ([]byte, error) {
	result, err := c.serve(ctx, &protocol.Request{Method: method, Params: params})
	return []byte(result), err
}

// Dispatch implements protocol.Dispatcher. If ctx ends, it returns; the request ends when its handler notices that.
func (c *inProcessConn) Dispatch(ctx context.Context, req *protocol.Request) (protocol.Result, error) {
	var token string
	if req.Notify != nil && req.Method != "subscriptions/listen" {
		token = `"` + strconv.FormatInt(c.ids.Add(1), 10) + `"`
	}
	params, err := peer.Params(req, protocol.Latest, c.meta, token)
	if err != nil {
		return nil, err
	}
	return c.serve(ctx, &protocol.Request{Method: req.Method, Params: params, Notify: req.Notify})
}

// serve lets the server handle a request with complete params.
func (c *inProcessConn) serve(ctx context.Context, req *protocol.Request) (protocol.RawResult, error) {
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	meta, err := protocol.ReadMeta(req.Params)
	if err != nil {
		return nil, err
	}
	req.ID, req.Meta = protocol.ID(strconv.FormatInt(c.ids.Add(1), 10)), meta
	req.Peer = protocol.Peer{Principal: protocol.PrincipalFrom(ctx), Transport: "process"}
	if req.Notify != nil {
		var end func()
		req.Notify, end = untilEnd(req.Notify)
		defer end()
	}
	type outcome struct {
		result protocol.RawResult
		err    error
	}
	ended := make(chan outcome, 1)
	running, cancel := context.WithCancelCause(ctx)
	unhook := context.AfterFunc(c.ctx, func() { cancel(mcp.ErrClosed) })
	c.mu.Lock()
	closed := c.closed
	if !closed {
		c.calls.Go(func() {
			defer cancel(nil)
			defer unhook()
			// A handler that ends its goroutine, by a panic or by runtime.Goexit, must not keep the caller waiting.
			o := outcome{err: protocol.Errorf(protocol.CodeInternal, "the handler of %s has ended without a result", req.Method)}
			defer func() { ended <- o }()
			answer, err := c.server.Dispatch(running, req)
			if err == nil {
				o.result, err = answer.AppendJSON(nil, protocol.Latest)
			}
			o.err = err
		})
	}
	c.mu.Unlock()
	if closed {
		unhook()
		cancel(nil)
		return nil, mcp.ErrClosed
	}
	select {
	case o := <-ended:
		return o.result, o.err
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	case <-c.ctx.Done():
		return nil, mcp.ErrClosed
	}
}

// untilEnd returns a function that forwards notifications to notify until end is called.
func untilEnd(notify func(context.Context, protocol.Notification) error) (forward func(context.Context, protocol.Notification) error, end func()) {
	var mu sync.RWMutex
	ended := false
	forward = func(ctx context.Context, n protocol.Notification) error {
		mu.RLock()
		defer mu.RUnlock()
		if ended {
			return errors.New("the request has ended")
		}
		return notify(ctx, n)
	}
	return forward, func() {
		mu.Lock()
		defer mu.Unlock()
		ended = true
	}
}
