package transport

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"sync"
	"sync/atomic"

	"github.com/dougu-go/dougu/internal/group"
	"github.com/dougu-go/dougu/internal/rpc"
	"github.com/dougu-go/dougu/mcp/protocol"
	"github.com/dougu-go/dougu/transport/internal/legacy"
	"github.com/dougu-go/dougu/transport/internal/peer"
)

// clientConn is a connection of a client to a server, over a stream. It
// implements protocol.Conn, protocol.Notifier and rpc.Handler. Its methods may be called
// concurrently.
type clientConn struct {
	host  *protocol.Host
	rpc   *rpc.Conn
	meta  []byte // the members of _meta in each request of revision 2026-07-28
	stop  context.CancelFunc
	group group.Group
	done  chan struct{}
	err   error // the reason for the end of the connection; read after done

	agreed atomic.Pointer[legacy.Agreement] // nil until the handshake is over
	tokens atomic.Int64                     // number of the last progress token
	router peer.Router

	mu      sync.Mutex
	listens map[rpc.ID]context.CancelCauseFunc // the open subscriptions by request id
}

// errListenEnded is the cause of the end of a subscription that the server has cancelled.
var errListenEnded = errors.New("the server ended the subscription")

// connect runs the handshake on a stream and returns the connection, which owns
// the stream. The end of ctx ends the handshake, not the connection.
func connect(ctx context.Context, stream rpc.Stream, host *protocol.Host, opts *Options) (*clientConn, error) {
	c := &clientConn{host: host, done: make(chan struct{})}
	c.meta = legacy.RequestMeta(host)
	run, stop := context.WithCancel(context.WithoutCancel(ctx))
	c.stop = stop
	c.rpc = rpc.NewConn(stream, c, opts.rpc())
	c.group.Go(func() {
		defer close(c.done)
		c.err = c.rpc.Run(run)
	})
	c.group.Go(func() { c.router.Deliver(host, c.done) })
	agreed, err := legacy.Negotiate(ctx, host, c.call, c.notify)
	if err != nil {
		return nil, errors.Join(err, c.Close())
	}
	c.agreed.Store(agreed)
	return c, nil
}

// call sends one request and returns its result as JSON.
func (c *clientConn) call(ctx context.Context, method string, params []byte) ([]byte, error) {
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	pending, err := c.rpc.Send(method, params)
	if err != nil {
		return nil, err
	}
	return c.awaitResult(ctx, pending, method, nil, nil)
}

func (c *clientConn) notify(method string, params []byte) error { return c.rpc.Notify(method, params) }

// Notify implements protocol.Notifier.
func (c *clientConn) Notify(_ context.Context, n protocol.Notification) error {
	return c.rpc.Notify(n.Method(), n.AppendParams(nil, c.Revision()))
}

// awaitResult waits for a response. Whenever signal receives, it calls do. If
// ctx ends first, it cancels the request at the server. It sends no
// cancellation of initialize, which the specification forbids (2025-11-25,
// basic/utilities/cancellation), nor of a subscription that the server has
// ended.
func (c *clientConn) awaitResult(ctx context.Context, pending *rpc.Pending, method string, signal <-chan struct{}, do func()) ([]byte, error) {
	result, err := pending.WaitAnd(ctx, signal, do)
	var e *rpc.Error
	switch {
	case errors.As(err, &e):
		return nil, peer.ReceivedError(e)
	case err == nil || ctx.Err() == nil || method == "initialize" || errors.Is(err, errListenEnded):
	default:
		_ = c.rpc.Notify("notifications/cancelled", peer.CancelParams(pending.ID, "the caller gave up"))
	}
	return result, err
}

// Discovered implements protocol.Conn.
func (c *clientConn) Discovered() *protocol.DiscoverResult { return c.agreed.Load().Info }

// Revision implements protocol.Conn.
func (c *clientConn) Revision() protocol.Revision {
	if agreed := c.agreed.Load(); agreed != nil {
		return agreed.Revision
	}
	return ""
}

// Done implements protocol.Conn.
func (c *clientConn) Done() <-chan struct{} { return c.done }

// Close implements protocol.Conn.
func (c *clientConn) Close() error {
	c.stop()
	c.group.Wait()
	return c.err
}

// Dispatch implements protocol.Dispatcher.
func (c *clientConn) Dispatch(ctx context.Context, req *protocol.Request) (protocol.Result, error) {
	if ctx.Err() != nil {
		return nil, context.Cause(ctx) // the caller does not wait for a response
	}
	if req.Method == "subscriptions/listen" {
		return c.listen(ctx, req)
	}
	box, token := new(peer.Inbox), ""
	if req.Notify != nil {
		token = `"p` + strconv.FormatInt(c.tokens.Add(1), 10) + `"`
		var closeBox func()
		box, closeBox = c.router.OpenFor(req, token)
		defer closeBox()
	}
	params, err := peer.Params(req, c.Revision(), c.meta, token)
	if err != nil {
		return nil, err
	}
	pending, err := c.rpc.Reserve()
	if err != nil {
		return nil, err
	}
	return c.exchange(ctx, req, params, pending, box)
}

// listen opens a subscription and returns when it has ended. In revision
// 2026-07-28 its notifications carry the id of its request, and the server ends
// it with a result or by cancelling it (basic/patterns/subscriptions,
// basic/patterns/cancellation).
func (c *clientConn) listen(ctx context.Context, req *protocol.Request) (protocol.Result, error) {
	if !c.Revision().Modern() {
		return c.router.Listen(ctx, req, c.Discovered().Capabilities, c.call)
	}
	params, err := peer.Params(req, c.Revision(), c.meta, "")
	if err != nil {
		return nil, err
	}
	pending, err := c.rpc.Reserve()
	if err != nil {
		return nil, err
	}
	box, closeBox := c.router.Open(string(pending.ID))
	defer closeBox()
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	c.mu.Lock()
	if c.listens == nil {
		c.listens = make(map[rpc.ID]context.CancelCauseFunc)
	}
	c.listens[pending.ID] = cancel
	c.mu.Unlock()
	defer func() {
		c.mu.Lock()
		defer c.mu.Unlock()
		delete(c.listens, pending.ID)
	}()
	result, err := c.exchange(ctx, req, params, pending, box)
	if errors.Is(err, errListenEnded) {
		return &protocol.ListenResult{Subscription: protocol.ID(pending.ID)}, nil
	}
	return result, err
}

// exchange sends a request and waits for its result. It forwards notifications
// from box to req.Notify until the result has come.
func (c *clientConn) exchange(ctx context.Context, req *protocol.Request, params []byte, pending *rpc.Pending, box *peer.Inbox) (protocol.Result, error) {
	if err := pending.Send(req.Method, params); err != nil {
		return nil, fmt.Errorf("sending %s: %w", req.Method, err)
	}
	deliver := func() {
		for _, n := range box.Take() {
			_ = req.Notify(ctx, n) // a notification has no response that could carry the error
		}
	}
	result, err := c.awaitResult(ctx, pending, req.Method, box.Signal(), deliver)
	if req.Notify != nil {
		deliver() // notifications that came just before the response
	}
	if err != nil {
		return nil, err
	}
	return protocol.RawResult(result), nil
}

// AllowBatch implements rpc.Handler.
func (c *clientConn) AllowBatch() bool { return c.Revision() == protocol.Rev20250326 }

// NullID implements rpc.Handler.
func (c *clientConn) NullID() bool { return false }

// Accept implements rpc.Handler: servers of older revisions send requests.
func (c *clientConn) Accept(call *rpc.Call) rpc.Disposition {
	if call.Method == "ping" {
		return rpc.Inline
	}
	return rpc.Queue
}

// Serve implements rpc.Handler.
func (c *clientConn) Serve(ctx context.Context, call *rpc.Call, dst []byte) ([]byte, *rpc.Error) {
	switch {
	case call.Method == "ping" && !c.Revision().Modern():
		return append(dst, `{}`...), nil
	case c.Revision().Modern() || c.host.Answer == nil:
		return dst, &rpc.Error{Code: protocol.CodeMethodNotFound, Message: "Method not found: " + call.Method}
	}
	answer, err := c.host.Answer(ctx, protocol.InputRequest{Method: call.Method, Params: call.Params})
	if err != nil {
		return dst, peer.WireError(err, c.Revision())
	}
	return append(dst, answer...), nil
}

// Notified implements rpc.Handler. A cancellation ends a request of the server
// in a session, and a subscription of this client in revision 2026-07-28.
func (c *clientConn) Notified(m *rpc.Message) {
	if m.Method != "notifications/cancelled" {
		c.router.Received(m.Method, m.Params)
		return
	}
	id, ok := peer.CancelledID(m.Params)
	if !ok {
		return
	}
	if !c.Revision().Modern() {
		c.rpc.Cancel(id)
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if end := c.listens[id]; end != nil {
		end(errListenEnded)
	}
}
