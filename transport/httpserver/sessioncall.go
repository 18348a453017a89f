package httpserver

import (
	"context"
	"encoding/json"
	"net/http"
	"sync/atomic"

	"github.com/dougu-go/dougu/internal/rpc"
	"github.com/dougu-go/dougu/mcp"
	"github.com/dougu-go/dougu/transport/internal/legacy"
	"github.com/dougu-go/dougu/transport/internal/peer"
)

// call is one request of a session. It runs on a goroutine of its own, for it
// goes on when the HTTP request that brought it ends.
type call struct {
	flight
	s       *session
	stream  *stream
	req     mcp.Request
	ctx     context.Context
	over    atomic.Bool            // it was answered or aborted: nothing of it is sent any more
	asking  atomic.Pointer[rpc.ID] // the question that waits for its answer
	running bool                   // it holds a place among what is served; only its goroutine looks
	turn    bool                   // and one among the calls of its session
}

type callKey struct{}

// newCall admits a request of a session, whose stream takes its answer.
func (h *Handler) newCall(r *http.Request, s *session, st *stream, m *rpc.Message, meta mcp.RequestMeta) (*call, *refusal) {
	if err := s.older.Check(m.Method); err != nil {
		return nil, refuseError(http.StatusOK, m.ID, err, s.older.Revision)
	}
	c := &call{s: s, stream: st, running: true}
	c.req = mcp.Request{
		ID: mcp.ID(m.ID), Method: m.Method, Params: m.Params, Meta: s.older.Fill(meta),
		Peer: peerOf(r), Notify: c.notify, Asker: c,
	}
	if refused := h.admitCall(c, r.Context()); refused != nil {
		return nil, refused.of(m.ID)
	}
	return c, nil
}

// admitCall counts c among what is under way, or says why it cannot be.
func (h *Handler) admitCall(c *call, from context.Context) *refusal {
	if !h.count() {
		return busy(http.StatusServiceUnavailable, "%d calls are waiting; send this one again later", waitingFactor*h.opts.Concurrency)
	}
	if !h.take() {
		h.calls.Add(-1)
		return busy(http.StatusServiceUnavailable, "%d requests are being served; send this one again later", h.opts.Concurrency)
	}
	ctx, cancel := context.WithCancelCause(context.WithoutCancel(from))
	c.ctx, c.flight.cancel = context.WithValue(ctx, callKey{}, c), cancel
	refused := c.s.join(c)
	if refused == nil && !h.flights.enter(&c.flight) {
		c.s.part(c)
		refused = leaving()
	}
	if refused != nil {
		<-h.running
		h.calls.Add(-1)
	}
	return refused
}

// serve runs the call and answers it.
func (c *call) serve() {
	h := c.s.h
	defer func() {
		c.rest()
		h.calls.Add(-1)
		h.flights.leave(&c.flight)
		c.cancel(nil)
	}()
	result, err := c.dispatch()
	c.s.part(c) // with the answer, the client may use the id again
	if c.over.Swap(true) {
		return // aborted
	}
	b := buffers.Get().(*[]byte)
	*b, _ = appendAnswer((*b)[:0], c.req.ID, result, err, c.req.Meta.Revision)
	putBuffer(b, c.stream.answer(*b, headOf(err)))
}

// dispatch has the request served when its turn comes. A panic is its error.
func (c *call) dispatch() (result mcp.Result, err error) {
	defer func() {
		if v := recover(); v != nil {
			result, err = nil, c.s.h.panicked(c.ctx, &c.req, v)
		}
	}()
	select {
	case c.s.turns <- struct{}{}:
		c.turn = true
	case <-c.ctx.Done():
		return nil, context.Cause(c.ctx)
	}
	return c.s.dispatch(c.ctx, &c.req)
}

// rest gives the places of the call to others.
func (c *call) rest() {
	if c.running {
		c.running = false
		<-c.s.h.running
	}
	if c.turn {
		c.turn = false
		<-c.s.turns
	}
}

// resume takes them again, in the order in which a new call does: those who have
// a turn never wait for those who want one.
func (c *call) resume() {
	select {
	case c.s.h.running <- struct{}{}:
		c.running = true
	case <-c.ctx.Done():
		return
	}
	select {
	case c.s.turns <- struct{}{}:
		c.turn = true
	case <-c.ctx.Done():
	}
}

// abort ends the call without an answer.
func (c *call) abort(cause error) {
	if !c.over.Swap(true) {
		if cause == rpc.ErrCancelled {
			c.withdraw()
			c.stream.drop()
		} else {
			status := c.s.h.backend.abortStatus(cause)
			c.stream.refuse(refuse(status, mcp.CodeInvalidRequest, "The request was given up: %v", cause).of(rpc.ID(c.req.ID)))
		}
	}
	c.cancel(cause)
}

// withdraw tells the client that a question needs no answer any more.
func (c *call) withdraw() {
	if id := c.asking.Swap(nil); id != nil {
		why := peer.CancelParams(*id, "the call that asks has ended")
		_ = c.stream.send(rpc.AppendRequest(nil, "", "notifications/cancelled", why), false) // unless nobody reads it
	}
}

// notify sends a notification of the call.
func (c *call) notify(_ context.Context, n mcp.Notification) error {
	if c.over.Load() {
		return errAnswered
	}
	b := buffers.Get().(*[]byte)
	defer putBuffer(b, nil) // what is sent is a copy
	*b = appendNotification((*b)[:0], n, c.req.Meta.Revision)
	passing := false
	switch n.(type) {
	case *mcp.ProgressNotification, *mcp.LogNotification:
		passing = true
	}
	if err := c.stream.send(*b, passing); err != nil && !passing {
		return err
	}
	return nil
}

// Ask implements mcp.Asker: questions are requests on the stream of the call,
// and their answers come as HTTP requests of their own.
func (c *call) Ask(ctx context.Context, questions map[string]mcp.InputRequest) (map[string]json.RawMessage, error) {
	return legacy.Asker{Request: c.ask}.Ask(ctx, questions)
}

// ask sends a request to the client and waits, for as long as the call may
// take, also when the client has to come back first.
func (c *call) ask(ctx context.Context, method string, params json.RawMessage) (json.RawMessage, error) {
	id, answer := c.s.ask()
	defer c.s.forgetQuestion(id)
	c.asking.Store(&id)
	if err := c.stream.send(rpc.AppendRequest(nil, id, method, params), false); err != nil {
		return nil, err
	}
	c.rest()
	defer c.resume()
	select {
	case m := <-answer:
		c.asking.Store(nil)
		if m.Error != nil {
			return nil, answeredError(m.Error)
		}
		return m.Result, nil
	case <-ctx.Done():
	}
	c.withdraw()
	return nil, context.Cause(ctx)
}

// answeredError reads the error that a client answers a question with.
func answeredError(raw []byte) error {
	var e struct {
		Code    int64           `json:"code"`
		Message string          `json:"message"`
		Data    json.RawMessage `json:"data"`
	}
	if err := json.Unmarshal(raw, &e); err != nil {
		return mcp.Errorf(mcp.CodeInternal, "The client answered with a malformed error: %v", err)
	}
	return &mcp.Error{Code: e.Code, Message: e.Message, Data: e.Data}
}
