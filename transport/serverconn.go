package transport

import (
	"context"
	"encoding/json"
	"errors"
	"strconv"
	"sync/atomic"

	"github.com/dougu-go/dougu/internal/group"
	"github.com/dougu-go/dougu/internal/jsonx"
	"github.com/dougu-go/dougu/internal/legacy"
	"github.com/dougu-go/dougu/internal/rpc"
	"github.com/dougu-go/dougu/mcp"
)

// serverConn serves one peer from a Dispatcher. What is decided on the order of
// messages (which revision a request speaks, what a session has agreed on,
// what was cancelled) is decided on the reader.
type serverConn struct {
	dispatcher mcp.Dispatcher
	peer       mcp.Peer
	rpc        *rpc.Conn
	followers  group.Group
	following  atomic.Bool

	session atomic.Pointer[legacy.Session]
	ctx     context.Context // of the connection
}

// serve runs a connection until it ends.
func serve(ctx context.Context, d mcp.Dispatcher, stream rpc.Stream, peer mcp.Peer, opts Options) error {
	ctx, cancel := context.WithCancel(ctx)
	c := &serverConn{dispatcher: d, peer: peer, ctx: ctx}
	c.rpc = rpc.NewConn(stream, c, opts.rpc())
	err := c.rpc.Run(ctx)
	cancel()
	c.followers.Wait()
	return err
}

// serving is a request between Accept and its answer.
type serving struct {
	conn *serverConn
	call *rpc.Call
	req  mcp.Request
	open bool  // the request is initialize
	err  error // why it is refused
	done atomic.Bool
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
	s.req = mcp.Request{ID: mcp.ID(call.ID), Method: call.Method, Params: call.Params, Peer: c.peer, Notify: s.notify}
	call.State = s
	if s.err = s.chooseEra(); s.err != nil {
		return rpc.Inline
	}
	switch {
	case s.open, call.Method == "tools/call":
		return rpc.Queue
	case !s.req.Meta.Revision.Modern() && (call.Method == "ping" || call.Method == "logging/setLevel"):
		return rpc.Inline
	case call.Method == "subscriptions/listen":
		return rpc.Detached
	}
	return rpc.Queue
}

// chooseEra decides by the request alone whether it stands for itself or
// belongs to a session (2026-07-28, basic/versioning).
func (s *serving) chooseEra() error {
	if len(s.req.Params) > 0 && s.req.Params[0] == '[' {
		return mcp.Errorf(mcp.CodeInvalidParams, "Invalid params: params must be an object")
	}
	meta, err := mcp.ReadMeta(s.req.Params)
	if err != nil {
		return err
	}
	session := s.conn.session.Load()
	switch {
	case meta.Revision != "":
		s.req.Meta = meta
		return checkModern(&meta)
	case s.req.Method == "initialize":
		return s.initialize(session)
	case session != nil:
		s.req.Meta = session.Fill(meta)
		s.req.Asker = legacy.Asker{Request: s.ask}
		if s.req.Method == "logging/setLevel" {
			return session.SetLevel(s.req.Params)
		}
		if s.req.Method == "server/discover" || s.req.Method == "subscriptions/listen" {
			return mcp.Errorf(mcp.CodeMethodNotFound, "Method not found: %s does not exist in revision %s", s.req.Method, session.Revision)
		}
		return nil
	case s.req.Method == "ping":
		return nil
	}
	return legacy.ErrNoSession
}

// checkModern refuses a revision that is not spoken request by request, and
// what every such request must have.
func checkModern(meta *mcp.RequestMeta) error {
	if !meta.Revision.Known() || !meta.Revision.Modern() {
		return mcp.UnsupportedRevision(meta.Revision)
	}
	if !meta.HasCapabilities() {
		return mcp.Errorf(mcp.CodeInvalidParams, "Invalid params: _meta[\"io.modelcontextprotocol/clientCapabilities\"] is missing; send {} for none")
	}
	return nil
}

func (s *serving) initialize(session *legacy.Session) error {
	if session != nil {
		return mcp.Errorf(mcp.CodeInvalidRequest, "Invalid request: the session has been initialized already")
	}
	if s.call.Batched() {
		return mcp.Errorf(mcp.CodeInvalidRequest, "Invalid request: initialize must not be part of a batch")
	}
	opened, err := legacy.Open(s.req.Params)
	if err != nil {
		return err
	}
	s.open = true
	s.req.Meta = opened.Fill(s.req.Meta)
	s.conn.session.Store(opened)
	return nil
}

// Serve implements rpc.Handler.
func (c *serverConn) Serve(ctx context.Context, call *rpc.Call, dst []byte) ([]byte, *rpc.Error) {
	s := call.State.(*serving)
	result, err := s.result(ctx)
	s.done.Store(true)
	if err != nil {
		return dst, wireError(err)
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
		return s.conn.session.Load().Initialized(ctx, s.conn.dispatcher, s.conn.peer)
	case !s.req.Meta.Revision.Modern() && (s.req.Method == "ping" || s.req.Method == "logging/setLevel"):
		return mcp.EmptyResult{}, nil
	}
	return s.conn.dispatcher.Dispatch(ctx, &s.req)
}

// wireError is err as the peer sees it. What is not a protocol error was not
// meant for the wire: its text stays here.
func wireError(err error) *rpc.Error {
	var e *mcp.Error
	if errors.As(err, &e) {
		return &rpc.Error{Code: e.Code, Message: e.Message, Data: e.Data}
	}
	if errors.Is(err, context.Canceled) || errors.Is(err, rpc.ErrClosed) {
		return &rpc.Error{Code: mcp.CodeInternal, Message: "The request was cancelled"}
	}
	return &rpc.Error{Code: mcp.CodeInternal, Message: "Internal error: " + err.Error()}
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
	if ctx.Err() != nil {
		_ = s.conn.rpc.Notify("notifications/cancelled", cancelParams(pending.ID, "the call that asks has ended"))
	}
	return answer, err
}

// Notified implements rpc.Handler.
func (c *serverConn) Notified(m *rpc.Message) {
	switch m.Method {
	case "notifications/cancelled":
		if id, ok := cancelledID(m.Params); ok {
			c.rpc.Cancel(id)
		}
	case "notifications/initialized":
		if session := c.session.Load(); session != nil && c.following.CompareAndSwap(false, true) {
			c.followers.Go(func() { session.Follow(c.ctx, c.dispatcher, c.peer, c.rpc.Notify) })
		}
	}
}

// cancelledID reads notifications/cancelled; what is malformed is ignored
// (2026-07-28, basic/patterns/cancellation).
func cancelledID(params []byte) (rpc.ID, bool) {
	members := jsonx.Object(params)
	for members.Next() {
		if string(members.Key()) == "requestId" {
			return rpc.ID(members.Value()), true
		}
	}
	return "", false
}

func cancelParams(id rpc.ID, reason string) []byte {
	params := append([]byte(`{"requestId":`), id...)
	params = jsonx.AppendQuoted(append(params, `,"reason":`...), reason)
	return append(params, '}')
}
