package transport

import (
	"context"
	"encoding/json"
	"errors"
	"strconv"
	"sync"
	"sync/atomic"

	"github.com/dougu-go/dougu/internal/group"
	"github.com/dougu-go/dougu/internal/jsonx"
	"github.com/dougu-go/dougu/internal/rpc"
	"github.com/dougu-go/dougu/mcp"
	"github.com/dougu-go/dougu/transport/internal/legacy"
	"github.com/dougu-go/dougu/transport/internal/peer"
)

// serverConn serves one peer from a Dispatcher. What is decided on the order of
// messages (which revision a request speaks, what a session has agreed on,
// what was cancelled) is decided on the reader.
type serverConn struct {
	dispatcher mcp.Dispatcher
	peer       mcp.Peer
	rpc        *rpc.Conn
	ctx        context.Context // of the connection
	session    atomic.Pointer[legacy.Session]

	mu        sync.Mutex
	over      bool
	unfollow  context.CancelFunc // nil until the session is followed
	followers group.Group
}

// serve runs a connection until it ends. The end of ctx is that of the program.
func serve(ctx context.Context, d mcp.Dispatcher, stream rpc.Stream, from *mcp.Peer, opts *Options) error {
	o := opts.rpc()
	o.Hurried, o.LastInput = true, from.Transport == "stdio"
	return newServerConn(ctx, d, stream, from, o).run()
}

func newServerConn(ctx context.Context, d mcp.Dispatcher, stream rpc.Stream, from *mcp.Peer, opts rpc.Options) *serverConn {
	c := &serverConn{dispatcher: d, peer: *from, ctx: ctx}
	c.rpc = rpc.NewConn(stream, c, opts)
	return c
}

// run serves the connection. Its stack is what an idle connection keeps.
func (c *serverConn) run() error {
	err := c.rpc.Run(c.ctx)
	c.session.Load().End()
	c.mu.Lock()
	c.over = true
	unfollow := c.unfollow
	c.mu.Unlock()
	if unfollow != nil {
		unfollow()
		c.followers.Wait()
	}
	return err
}

// follow tells the peer of a session what changes, until the connection ends.
func (c *serverConn) follow(session *legacy.Session) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.over || c.unfollow != nil {
		return
	}
	if stop, ok := session.Watch(c.dispatcher, &c.followers, c.rpc.Notify); ok {
		c.unfollow = stop
		return
	}
	ctx, stop := context.WithCancel(c.ctx)
	c.unfollow = stop
	c.followers.Go(session.Follow(ctx, c.dispatcher, c.peer, c.rpc.Notify))
}

// serving is a request between Accept and its answer.
type serving struct {
	conn *serverConn
	call *rpc.Call
	req  mcp.Request
	err  error // why it is refused
	done atomic.Bool

	session *legacy.Session // nil when there is none
	open    bool            // by this request
}

// AllowBatch implements rpc.Handler: arrays exist in revision 2025-03-26 alone.
func (c *serverConn) AllowBatch() bool {
	s := c.session.Load()
	return s != nil && s.Revision == mcp.Rev20250326
}

// NullID implements rpc.Handler: the schema has an error without an id since
// revision 2025-11-25; before, JSON-RPC's own rule is all there is.
func (c *serverConn) NullID() bool {
	s := c.session.Load()
	return s != nil && s.Revision < mcp.Rev20251125
}

// Accept implements rpc.Handler.
func (c *serverConn) Accept(call *rpc.Call) rpc.Disposition {
	s := &serving{conn: c, call: call}
	s.req.ID, s.req.Method, s.req.Params = mcp.ID(call.ID), call.Method, call.Params // one by one: the stack stays small
	s.req.Peer, s.req.Notify = c.peer, s.notify
	call.State = s
	if s.err = s.admit(); s.err != nil {
		return rpc.Inline
	}
	switch {
	case !s.req.Meta.Revision.Modern() && legacy.Immediate(call.Method):
		return rpc.Inline
	case call.Method == "subscriptions/listen", call.Method == "tasks/result": // which wait for what others do
		return rpc.Detached
	}
	return rpc.Queue
}

// admit decides what the request is, and remembers the session that it opens.
func (s *serving) admit() error {
	if s.call.Method == "initialize" && s.call.Batched() {
		return mcp.Errorf(mcp.CodeInvalidRequest, "Invalid request: initialize must not be part of a batch")
	}
	s.session = s.conn.session.Load()
	opened, err := s.consider()
	if opened != nil {
		s.open, s.session = true, opened
		s.conn.session.Store(opened)
	}
	if s.session != nil && !s.req.Meta.Revision.Modern() {
		s.req.Asker = legacy.Asker{Request: s.ask}
	}
	return err
}

// consider is peer.Admit. To read initialize takes a large stack, once; it is not
// the reader's, which an idle connection keeps.
func (s *serving) consider() (opened *legacy.Session, err error) {
	if s.call.Method != "initialize" {
		return peer.Admit(&s.req, s.session)
	}
	err = mcp.Errorf(mcp.CodeInternal, "Internal error: initialize could not be read")
	var apart group.Group
	apart.Go(func() { opened, err = peer.Admit(&s.req, s.session) })
	apart.Wait()
	return opened, err
}

// Serve implements rpc.Handler.
func (c *serverConn) Serve(ctx context.Context, call *rpc.Call, dst []byte) ([]byte, *rpc.Error) {
	s := call.State.(*serving)
	result, err := s.result(ctx)
	s.done.Store(true)
	if err != nil {
		return dst, peer.WireError(err, s.req.Meta.Revision)
	}
	out, err := result.AppendJSON(dst, s.req.Meta.Revision)
	if err != nil {
		return dst, &rpc.Error{Code: mcp.CodeInternal, Message: "Internal error: the result could not be encoded: " + err.Error()}
	}
	return out, nil
}

func (s *serving) result(ctx context.Context) (mcp.Result, error) {
	switch {
	case s.err != nil:
		return nil, s.err
	case s.open:
		return s.session.Initialized(ctx, s.conn.dispatcher, s.conn.peer)
	}
	return peer.Dispatch(ctx, s.conn.dispatcher, s.session, &s.req)
}

// errOver is what a handler gets that notifies after its request has ended.
var errOver = errors.New("the request has been answered")

// notify sends a notification of the request.
func (s *serving) notify(_ context.Context, n mcp.Notification) error {
	if s.done.Load() {
		return errOver
	}
	rev := s.req.Meta.Revision
	params := n.AppendParams(nil, rev)
	switch n := n.(type) {
	case *mcp.ProgressNotification:
		return s.call.NotifyProgress(n.Method(), params, string(n.Token))
	case *mcp.LogNotification:
		s.reportDropped(n, rev)
		return s.call.NotifyLog(n.Method(), params)
	}
	return s.call.Notify(n.Method(), params)
}

// reportDropped says how many log messages a slow reader has missed.
func (s *serving) reportDropped(n *mcp.LogNotification, rev mcp.Revision) {
	if dropped := s.conn.rpc.DroppedLogs(); dropped > 0 {
		text := jsonx.AppendQuoted(nil, strconv.Itoa(dropped)+" log messages were dropped because the client reads too slowly")
		lost := &mcp.LogNotification{Level: mcp.LevelWarning, Logger: n.Logger, Data: text}
		_ = s.call.NotifyLog(lost.Method(), lost.AppendParams(nil, rev))
	}
}

// ask sends a request of the server's own and waits without holding up others.
func (s *serving) ask(ctx context.Context, method string, params json.RawMessage) (json.RawMessage, error) {
	pending, err := s.call.Send(method, params)
	if err != nil {
		return nil, err
	}
	s.call.Pause()
	defer s.call.Resume()
	answer, err := pending.Wait(ctx)
	if err != nil && ctx.Err() != nil {
		_ = s.conn.rpc.Notify("notifications/cancelled", peer.CancelParams(pending.ID, "the call that asks has ended"))
	}
	return answer, err
}

// Notified implements rpc.Handler.
func (c *serverConn) Notified(m *rpc.Message) {
	switch m.Method {
	case "notifications/cancelled":
		if id, ok := peer.CancelledID(m.Params); ok {
			c.rpc.Cancel(id)
		}
	case "notifications/initialized":
		if session := c.session.Load(); session != nil {
			c.follow(session)
		}
	}
}
