package transport

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"sync"
	"sync/atomic"

	"github.com/dougu-go/dougu/internal/group"
	"github.com/dougu-go/dougu/internal/jsonx"
	"github.com/dougu-go/dougu/internal/legacy"
	"github.com/dougu-go/dougu/internal/rpc"
	"github.com/dougu-go/dougu/mcp"
)

// clientConn is a connection to a server.
type clientConn struct {
	host  *mcp.Host
	rpc   *rpc.Conn
	meta  []byte // members of _meta that every modern request has
	stop  context.CancelFunc
	group group.Group
	done  chan struct{}
	err   error // why the connection ended; read after done

	agreed atomic.Pointer[legacy.Agreement] // nil until the handshake is over
	tokens atomic.Int64
	mu     sync.Mutex
	active map[string]*inbox // of requests that want notifications, by progress token or subscription id
	stray  inbox             // notifications that belong to no request
}

// inbox holds notifications in order until their receiver takes them, so that
// the reader never waits for it.
type inbox struct {
	signal chan struct{}
	mu     sync.Mutex
	notes  []mcp.Notification
	lost   int
}

// maxInbox bounds what a slow receiver can pile up.
const maxInbox = 4096

func newInbox() *inbox { return &inbox{signal: make(chan struct{}, 1)} }

func (b *inbox) put(n mcp.Notification) {
	b.mu.Lock()
	if len(b.notes) == maxInbox {
		b.notes = append(b.notes[:0], b.notes[1:]...)
		b.lost++
	}
	b.notes = append(b.notes, n)
	b.mu.Unlock()
	select {
	case b.signal <- struct{}{}:
	default:
	}
}

func (b *inbox) take() []mcp.Notification {
	b.mu.Lock()
	defer b.mu.Unlock()
	notes := b.notes
	b.notes = nil
	return notes
}

// connect runs the handshake on a stream. The connection owns the stream.
func connect(ctx context.Context, stream rpc.Stream, host *mcp.Host, opts Options) (*clientConn, error) {
	c := &clientConn{host: host, done: make(chan struct{}), active: make(map[string]*inbox)}
	c.stray.signal = make(chan struct{}, 1)
	c.meta = legacy.RequestMeta(host)
	run, stop := context.WithCancel(context.WithoutCancel(ctx))
	c.stop = stop
	c.rpc = rpc.NewConn(stream, c, opts.rpc())
	c.group.Go(func() {
		defer close(c.done)
		c.err = c.rpc.Run(run)
	})
	c.group.Go(func() { c.deliverStray() })
	agreed, err := legacy.Negotiate(ctx, host, c.call, c.notify)
	if err != nil {
		return nil, errors.Join(err, c.Close())
	}
	c.agreed.Store(agreed)
	return c, nil
}

// call sends one request and waits for its raw result.
func (c *clientConn) call(ctx context.Context, method string, params []byte) ([]byte, error) {
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	pending, err := c.rpc.Send(method, params)
	if err != nil {
		return nil, err
	}
	return c.settle(ctx, pending, nil, nil)
}

func (c *clientConn) notify(method string, params []byte) error { return c.rpc.Notify(method, params) }

// settle waits for an answer; a request that is given up is cancelled.
func (c *clientConn) settle(ctx context.Context, pending *rpc.Pending, signal <-chan struct{}, do func()) ([]byte, error) {
	result, err := pending.WaitAnd(ctx, signal, do)
	var e *rpc.Error
	switch {
	case errors.As(err, &e):
		return nil, &mcp.Error{Code: e.Code, Message: e.Message, Data: e.Data}
	case err != nil && ctx.Err() != nil:
		_ = c.rpc.Notify("notifications/cancelled", cancelParams(pending.ID, "the caller gave up"))
	}
	return result, err
}

// Discovered implements mcp.Conn.
func (c *clientConn) Discovered() *mcp.DiscoverResult { return c.agreed.Load().Info }

// Revision implements mcp.Conn.
func (c *clientConn) Revision() mcp.Revision {
	if agreed := c.agreed.Load(); agreed != nil {
		return agreed.Revision
	}
	return ""
}

// Done implements mcp.Conn.
func (c *clientConn) Done() <-chan struct{} { return c.done }

// Close implements mcp.Conn.
func (c *clientConn) Close() error {
	c.stop()
	c.group.Wait()
	return c.err
}

// Dispatch implements mcp.Dispatcher.
func (c *clientConn) Dispatch(ctx context.Context, req *mcp.Request) (mcp.Result, error) {
	if ctx.Err() != nil {
		return nil, context.Cause(ctx) // nothing is sent that nobody waits for
	}
	box := newInbox()
	token := ""
	if req.Notify != nil && req.Method != "subscriptions/listen" {
		token = `"p` + strconv.FormatInt(c.tokens.Add(1), 10) + `"`
		c.listen(token, box)
		defer c.unlisten(token)
	}
	params, err := c.params(req, token)
	if err != nil {
		return nil, err
	}
	pending, err := c.rpc.Reserve()
	if err != nil {
		return nil, err
	}
	if req.Method == "subscriptions/listen" {
		key := string(pending.ID)
		c.listen(key, box)
		defer c.unlisten(key)
	}
	if err := pending.Send(req.Method, params); err != nil {
		return nil, fmt.Errorf("sending %s: %w", req.Method, err)
	}
	deliver := func() {
		for _, n := range box.take() {
			_ = req.Notify(ctx, n)
		}
	}
	result, err := c.settle(ctx, pending, box.signal, deliver)
	if req.Notify != nil {
		deliver() // what came just before the answer
	}
	if err != nil {
		return nil, err
	}
	return mcp.RawResult(result), nil
}

func (c *clientConn) listen(key string, box *inbox) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.active[key] = box
}

func (c *clientConn) unlisten(key string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.active, key)
}

// params puts the _meta of a request in front of its params.
func (c *clientConn) params(req *mcp.Request, token string) ([]byte, error) {
	meta := []byte(`{"_meta":{`)
	if c.Revision().Modern() {
		meta = append(meta, c.meta...)
		if req.Meta.LogLevel != "" {
			meta = append(append(append(meta, `,"io.modelcontextprotocol/logLevel":"`...), req.Meta.LogLevel...), '"')
		}
	}
	if token != "" {
		meta = append(append(separate(meta), `"progressToken":`...), token...)
	}
	members := jsonx.Object(req.Meta.Raw)
	for req.Meta.Raw != nil && members.Next() {
		meta = jsonx.AppendQuoted(separate(meta), members.Name())
		meta = append(append(meta, ':'), members.Value()...)
	}
	if meta[len(meta)-1] == '{' {
		return req.Params, nil
	}
	meta = append(meta, '}')
	if len(req.Params) == 0 {
		return append(meta, '}'), nil
	}
	members = jsonx.Object(req.Params)
	for members.Next() {
		if members.Name() != "_meta" {
			meta = jsonx.AppendQuoted(append(meta, ','), members.Name())
			meta = append(append(meta, ':'), members.Value()...)
		}
	}
	if err := members.Err(); err != nil {
		return nil, fmt.Errorf("the params of %s: %w", req.Method, err)
	}
	return append(meta, '}'), nil
}

func separate(object []byte) []byte {
	if object[len(object)-1] != '{' {
		object = append(object, ',')
	}
	return object
}

// AllowBatch implements rpc.Handler.
func (c *clientConn) AllowBatch() bool { return c.Revision() == mcp.Rev20250326 }

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
		return dst, &rpc.Error{Code: mcp.CodeMethodNotFound, Message: "Method not found: " + call.Method}
	}
	answer, err := c.host.Answer(ctx, mcp.InputRequest{Method: call.Method, Params: call.Params})
	if err != nil {
		return dst, wireError(err)
	}
	return append(dst, answer...), nil
}

// Notified implements rpc.Handler.
func (c *clientConn) Notified(m *rpc.Message) {
	if m.Method == "notifications/cancelled" {
		if id, ok := cancelledID(m.Params); ok {
			c.rpc.Cancel(id)
		}
		return
	}
	n, key, err := legacy.ParseNotification(m.Method, m.Params)
	if err != nil {
		return // a peer's malformed notification has nobody to be reported to
	}
	c.mu.Lock()
	box := c.active[key]
	c.mu.Unlock()
	switch {
	case box != nil:
		box.put(n)
	case key == "":
		c.stray.put(n)
	}
}

// deliverStray hands on what belongs to no request, until the connection ends.
func (c *clientConn) deliverStray() {
	for {
		select {
		case <-c.stray.signal:
		case <-c.done:
			return
		}
		for _, n := range c.stray.take() {
			if c.host.Notified != nil {
				c.host.Notified(n)
			}
		}
	}
}
