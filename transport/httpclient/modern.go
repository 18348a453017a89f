package httpclient

import (
	"context"
	"errors"
	"fmt"
	"net/http"

	"github.com/dougu-go/dougu/internal/mcpheader"
	"github.com/dougu-go/dougu/internal/rpc"
	"github.com/dougu-go/dougu/mcp/protocol"
	"github.com/dougu-go/dougu/transport/internal/legacy"
	"github.com/dougu-go/dougu/transport/internal/peer"
)

const methodListen = "subscriptions/listen"

// dispatch sends a request to a server of 2026-07-28. It is sent once more, as a
// new request, if its answer was lost and it only reads, or if the server misses
// headers that the tool's schema asks for and that schema was not known.
func (c *streamableConn) dispatch(ctx context.Context, req *protocol.Request) (protocol.Result, error) {
	var again, refreshed bool
	for {
		result, err := c.attempt(ctx, req)
		var e *protocol.Error
		switch isError := errors.As(err, &e); {
		case err == nil:
			return result, nil
		case isError && e.Code == protocol.CodeHeaderMismatch && req.Method == "tools/call" && !refreshed:
			refreshed = true
			if !c.refresh(ctx, stringMember(req.Params, "name")) {
				return nil, e
			}
		case isError:
			return nil, e // however the status frames it
		case again || !errors.Is(err, ErrRequestLost) || !peer.IsIdempotent(req.Method) || c.over(ctx) != nil:
			return nil, err
		default:
			again = true
		}
	}
}

// modernRequest is one request to a server of 2026-07-28.
type modernRequest struct {
	conn   *streamableConn
	req    *protocol.Request
	id     rpc.ID
	token  string // raw; empty without progress
	pump   notificationPump
	answer outcome
	ended  bool // the server has cancelled the subscription
}

// attempt sends a request and waits for its result.
func (c *streamableConn) attempt(ctx context.Context, req *protocol.Request) (protocol.Result, error) {
	a := &modernRequest{conn: c, req: req, id: c.nextID()}
	a.pump.spawn = c.spawn
	a.pump.receive = func(n protocol.Notification) { _ = req.Notify(ctx, n) } // a notification has no response that could carry the error
	defer a.pump.finish()
	if req.Notify != nil && req.Method != methodListen {
		a.token = progressToken(a.id)
	}
	params, err := peer.Params(req, protocol.Latest, c.meta, a.token)
	if err != nil {
		return nil, err
	}
	if err := a.send(ctx, params); err != nil {
		return nil, err
	}
	switch {
	case a.ended:
		return &protocol.ListenResult{Subscription: protocol.ID(a.id)}, nil
	case a.answer.err != nil:
		return nil, a.answer.err
	case req.Method == "tools/list":
		a.answer.result = c.params.learn(a.answer.result, c.wire.log)
	}
	return protocol.RawResult(a.answer.result), nil
}

// discover sends server/discover.
func (c *streamableConn) discover(ctx context.Context, params []byte) ([]byte, error) {
	a := &modernRequest{conn: c, req: &protocol.Request{Method: "server/discover"}, id: c.nextID()}
	if err := a.send(ctx, params); err != nil {
		return nil, err
	}
	return a.answer.result, a.answer.err
}

// send sends the request and reads its response. The end of ctx closes the
// response, which cancels the request at the server (2026-07-28,
// basic/transports/streamable-http, "Cancellation").
func (a *modernRequest) send(ctx context.Context, params []byte) error {
	c := a.conn
	header, err := a.header()
	if err != nil {
		return err
	}
	linked, cancel, release := c.during(ctx)
	resp, err := c.wire.post(linked, c.wire.url, rpc.AppendRequest(nil, a.id, a.req.Method, params), header)
	if err != nil {
		cancel(nil)
		return err
	}
	answered, err := c.wire.read(resp, new(cursor), a.receive)
	switch {
	case answered && contentType(resp) == "text/event-stream" && c.spawn(func() { drain(resp.Body, cancel) }):
		release() // the rest of the stream may still be read
		return nil
	case answered:
		err = nil
	case linked.Err() != nil:
		err = context.Cause(linked)
	case err == nil:
		err = ErrRequestLost
	}
	cancel(nil)
	_ = resp.Body.Close()
	return err
}

// receive takes a frame of the response and reports whether it was the last.
func (a *modernRequest) receive(frame []byte) (last bool) {
	messages(frame, false, func(m *rpc.Message, malformed *rpc.Error) {
		switch log := a.conn.wire.log; {
		case m.Kind == rpc.Response && (m.ID == a.id || m.ID == "" && m.Result == nil):
			a.answer, last = answerOf(m, malformed), true
		case m.Kind == rpc.Response:
			log.Warn("the server answers another request than the one that was sent", "id", string(m.ID))
		case malformed != nil:
			log.Warn("the server sent a malformed message", "reason", malformed.Message)
		case m.Kind == rpc.Request:
			log.Warn("the server sent a request, which it must not in revision 2026-07-28", "method", m.Method)
		case m.Method == "notifications/cancelled":
			id, ok := peer.CancelledID(m.Params)
			a.ended = ok && id == a.id && a.req.Method == methodListen
			last = a.ended
		default:
			a.notified(m)
		}
	})
	return last
}

// notified passes a notification to its receiver. On the stream of a
// subscription that is the subscription, except for log messages and for
// notifications that name another subscription.
func (a *modernRequest) notified(m *rpc.Message) {
	n, key, err := legacy.ParseNotification(m.Method, m.Params)
	if err != nil {
		a.conn.wire.log.Warn("the server sent a malformed notification", "method", m.Method, "reason", err)
		return
	}
	_, isLog := n.(*protocol.LogNotification)
	own := key != "" && key == a.token || isLog && peer.WantsLogs(a.req)
	if a.req.Method == methodListen {
		own = key == string(a.id) || key == "" && !isLog
	}
	switch {
	case own && a.req.Notify != nil:
		a.pump.put(n)
	case key == "":
		a.conn.router.Received(m.Method, m.Params)
	}
}

// header mirrors the message (2026-07-28, basic/transports/streamable-http,
// "Request Metadata").
func (a *modernRequest) header() (http.Header, error) {
	h := make(http.Header, 10)
	h.Set(mcpheader.Version, string(protocol.Latest))
	err := mcpheader.SetStandard(h, a.req.Method, a.req.Params)
	if err == nil && a.req.Method == "tools/call" {
		err = a.conn.params.set(h, a.req.Params)
	}
	if err != nil {
		return nil, fmt.Errorf("the headers of %s: %w", a.req.Method, err)
	}
	return h, nil
}

// notificationPump hands notifications to their receiver in order, without
// making the goroutine that reads from the network wait for it. Its goroutine
// begins with the first one.
type notificationPump struct {
	receive func(protocol.Notification)
	spawn   func(func()) bool

	box  peer.Inbox
	stop chan struct{} // nil until it runs
	done chan struct{}
}

// put takes a notification.
func (p *notificationPump) put(n protocol.Notification) {
	p.box.Put(n)
	if p.stop != nil {
		return
	}
	stop, done := make(chan struct{}), make(chan struct{})
	if p.spawn(func() { p.run(stop, done) }) {
		p.stop, p.done = stop, done
	}
}

func (p *notificationPump) run(stop, done chan struct{}) {
	defer close(done)
	for {
		select {
		case <-p.box.Signal():
			p.deliver()
		case <-stop:
			return
		}
	}
}

func (p *notificationPump) deliver() {
	for _, n := range p.box.Take() {
		p.receive(n)
	}
}

// finish returns when everything has been received.
func (p *notificationPump) finish() {
	if p.stop != nil {
		close(p.stop)
		<-p.done
	}
	p.deliver()
}
