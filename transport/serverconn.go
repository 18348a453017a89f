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
	"github.com/dougu-go/dougu/mcp/protocol"
	"github.com/dougu-go/dougu/transport/internal/legacy"
	"github.com/dougu-go/dougu/transport/internal/peer"
)

// serverConn serves one peer with a Dispatcher. It implements rpc.Handler.
// Decisions that depend on the order of messages are made on the reader of the
// connection: the revision of a request, the session, and cancellations.
type serverConn struct {
	dispatcher protocol.Dispatcher
	peer       protocol.Peer
	rpc        *rpc.Conn
	ctx        context.Context                // of the connection
	session    atomic.Pointer[legacy.Session] // nil before initialize

	mu         sync.Mutex
	isClosed   bool
	stopFollow context.CancelFunc // nil before notifications/initialized
	stopHandle context.CancelFunc // ends the context of forwarded notifications; nil before the first
	handling   context.Context    // context of forwarded notifications; nil before the first
	followers  group.Group        // report changes to the peer of the session
}

// serve runs a connection until it ends. The caller ends ctx when the program
// ends, so that the remaining time is short.
func serve(ctx context.Context, d protocol.Dispatcher, stream rpc.Stream, from *protocol.Peer, opts *Options) error {
	o := opts.rpc()
	o.Hurried, o.LastInput = true, from.Transport == "stdio"
	return newServerConn(ctx, d, stream, from, o).run()
}

func newServerConn(ctx context.Context, d protocol.Dispatcher, stream rpc.Stream, from *protocol.Peer, opts rpc.Options) *serverConn {
	c := &serverConn{dispatcher: d, peer: *from, ctx: ctx}
	c.rpc = rpc.NewConn(stream, c, opts)
	return c
}

// run serves the connection until it ends. An idle connection keeps the stack
// of run, so run must stay small.
func (c *serverConn) run() error {
	err := c.rpc.Run(c.ctx)
	c.session.Load().End()
	c.mu.Lock()
	c.isClosed = true
	stops := [...]context.CancelFunc{c.stopFollow, c.stopHandle}
	c.mu.Unlock()
	for _, stop := range stops {
		if stop != nil {
			stop()
		}
	}
	c.followers.Wait()
	return err
}

// follow reports changes of lists and resources to the peer of a session, until
// the connection ends.
func (c *serverConn) follow(session *legacy.Session) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.isClosed || c.stopFollow != nil {
		return
	}
	if stop, ok := session.Watch(c.dispatcher, &c.followers, c.rpc.Notify); ok {
		c.stopFollow = stop
		return
	}
	ctx, stop := context.WithCancel(c.ctx)
	c.stopFollow = stop
	c.followers.Go(session.Follow(ctx, c.dispatcher, c.peer, c.rpc.Notify))
}

// inboundRequest is a request of the peer, from Accept to its response.
type inboundRequest struct {
	conn *serverConn
	call *rpc.Call
	req  protocol.Request
	err  error       // the reason for a refusal
	done atomic.Bool // the handler has returned

	session *legacy.Session // nil without a session
	open    bool            // this request opens the session
}

// AllowBatch implements rpc.Handler: arrays exist in revision 2025-03-26 alone.
func (c *serverConn) AllowBatch() bool {
	s := c.session.Load()
	return s != nil && s.Revision == protocol.Rev20250326
}

// NullID implements rpc.Handler. Since revision 2025-11-25 the schema allows an
// error without an id; before, the id is null as JSON-RPC requires.
func (c *serverConn) NullID() bool {
	s := c.session.Load()
	return s != nil && s.Revision < protocol.Rev20251125
}

// Accept implements rpc.Handler. Refused requests and requests about the
// session itself run on the reader.
func (c *serverConn) Accept(call *rpc.Call) rpc.Disposition {
	s := &inboundRequest{conn: c, call: call}
	s.req.ID, s.req.Method, s.req.Params = protocol.ID(call.ID), call.Method, call.Params // one by one: the stack stays small
	s.req.Peer, s.req.Notify = c.peer, s.notify
	call.State = s
	if s.err = s.admit(); s.err != nil {
		return rpc.Inline
	}
	switch {
	case !s.req.Meta.Revision.Modern() && legacy.Immediate(call.Method):
		return rpc.Inline
	case call.Method == "subscriptions/listen", call.Method == "tasks/result": // they wait for other requests
		return rpc.Detached
	}
	return rpc.Queue
}

// admit finds the revision and the session of the request, and stores the
// session that the request opens.
func (s *inboundRequest) admit() error {
	if s.call.Method == "initialize" && s.call.Batched() {
		return protocol.Errorf(protocol.CodeInvalidRequest, "Invalid request: initialize must not be part of a batch")
	}
	s.session = s.conn.session.Load()
	opened, err := s.admitRequest()
	if opened != nil {
		s.open, s.session = true, opened
		s.conn.session.Store(opened)
	}
	if s.session != nil && !s.req.Meta.Revision.Modern() {
		s.req.Asker = legacy.Asker{Request: s.ask}
	}
	return err
}

// admitRequest calls peer.Admit. Parsing initialize needs a large stack, so it
// runs on another goroutine: an idle connection would keep the grown stack of
// its reader.
func (s *inboundRequest) admitRequest() (opened *legacy.Session, err error) {
	if s.call.Method != "initialize" {
		return peer.Admit(&s.req, s.session)
	}
	err = protocol.Errorf(protocol.CodeInternal, "Internal error: initialize could not be read")
	var apart group.Group
	apart.Go(func() { opened, err = peer.Admit(&s.req, s.session) })
	apart.Wait()
	return opened, err
}

// Serve implements rpc.Handler.
func (c *serverConn) Serve(ctx context.Context, call *rpc.Call, dst []byte) ([]byte, *rpc.Error) {
	s := call.State.(*inboundRequest)
	result, err := s.result(ctx)
	s.done.Store(true)
	if err != nil {
		return dst, peer.WireError(err, s.req.Meta.Revision)
	}
	out, err := result.AppendJSON(dst, s.req.Meta.Revision)
	if err != nil {
		return dst, &rpc.Error{Code: protocol.CodeInternal, Message: "Internal error: the result could not be encoded: " + err.Error()}
	}
	return out, nil
}

func (s *inboundRequest) result(ctx context.Context) (protocol.Result, error) {
	switch {
	case s.err != nil:
		return nil, s.err
	case s.open:
		return s.session.Initialized(ctx, s.conn.dispatcher, s.conn.peer)
	}
	return peer.Dispatch(ctx, s.conn.dispatcher, s.session, &s.req)
}

// errRequestEnded is the error of a notification that a handler sends after its
// request has ended.
var errRequestEnded = errors.New("the request has been answered")

// notify sends a notification that belongs to the request.
func (s *inboundRequest) notify(_ context.Context, n protocol.Notification) error {
	if s.done.Load() {
		return errRequestEnded
	}
	rev := s.req.Meta.Revision
	params := n.AppendParams(nil, rev)
	switch n := n.(type) {
	case *protocol.ProgressNotification:
		return s.call.NotifyProgress(n.Method(), params, string(n.Token))
	case *protocol.LogNotification:
		s.reportDropped(n, rev)
		return s.call.NotifyLog(n.Method(), params)
	}
	return s.call.Notify(n.Method(), params)
}

// reportDropped sends the number of log messages that were dropped because the
// client reads too slowly.
func (s *inboundRequest) reportDropped(n *protocol.LogNotification, rev protocol.Revision) {
	if dropped := s.conn.rpc.DroppedLogs(); dropped > 0 {
		text := jsonx.AppendQuoted(nil, strconv.Itoa(dropped)+" log messages were dropped because the client reads too slowly")
		lost := &protocol.LogNotification{Level: protocol.LevelWarning, Logger: n.Logger, Data: text}
		_ = s.call.NotifyLog(lost.Method(), lost.AppendParams(nil, rev))
	}
}

// ask sends a request of the server to the client and waits for the response.
// While it waits, the call releases its slot of Options.Concurrency.
func (s *inboundRequest) ask(ctx context.Context, method string, params json.RawMessage) (json.RawMessage, error) {
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
			c.forward(session, m)
		}
	case "notifications/roots/list_changed":
		if session := c.session.Load(); session != nil {
			c.forward(session, m)
		}
	}
}

// forward passes a notification of the session to a Dispatcher that is a protocol.NotificationHandler.
func (c *serverConn) forward(session *legacy.Session, m *rpc.Message) {
	handler, ok := c.dispatcher.(protocol.NotificationHandler)
	if !ok {
		return
	}
	n := &protocol.Request{
		Method: m.Method, Params: append(json.RawMessage(nil), m.Params...), Meta: session.Fill(protocol.RequestMeta{}),
		Peer: c.peer, Asker: legacy.Asker{Request: c.ask},
	}
	if ctx := c.handlingContext(); ctx != nil {
		handler.HandleNotification(ctx, n)
	}
}

// handlingContext returns the context of forwarded notifications, or nil if the connection is closed.
func (c *serverConn) handlingContext() context.Context {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.isClosed {
		return nil
	}
	if c.stopHandle == nil {
		c.handling, c.stopHandle = context.WithCancel(c.ctx)
	}
	return c.handling
}

// ask sends a request of the server that belongs to no call, and waits for the response.
func (c *serverConn) ask(ctx context.Context, method string, params json.RawMessage) (json.RawMessage, error) {
	pending, err := c.rpc.Send(method, params)
	if err != nil {
		return nil, err
	}
	answer, err := pending.Wait(ctx)
	if err != nil && ctx.Err() != nil {
		_ = c.rpc.Notify("notifications/cancelled", peer.CancelParams(pending.ID, "the server no longer needs the answer"))
	}
	return answer, err
}
