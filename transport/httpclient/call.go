package httpclient

import (
	"bytes"
	"context"
	"errors"
	"fmt"

	"github.com/dougu-go/dougu/internal/rpc"
	"github.com/dougu-go/dougu/mcp/protocol"
	"github.com/dougu-go/dougu/transport/internal/peer"
)

// dispatchOlder sends a request to a server that has sessions.
func (c *streamableConn) dispatchOlder(ctx context.Context, req *protocol.Request) (protocol.Result, error) {
	box, token := new(peer.Inbox), ""
	if req.Notify != nil {
		token = progressToken(c.nextID())
		var closeBox func()
		box, closeBox = c.router.OpenFor(req, token)
		defer closeBox()
	}
	params, err := peer.Params(req, c.Revision(), nil, token)
	if err != nil {
		return nil, err
	}
	deliver := func() {
		for _, n := range box.Take() {
			_ = req.Notify(ctx, n) // a notification has no response that could carry the error
		}
	}
	result, err := c.request(ctx, req.Method, params, box.Signal(), deliver)
	if err != nil {
		return nil, err
	}
	return protocol.RawResult(result), nil
}

// progressToken makes a raw progress token of an id.
func progressToken(id rpc.ID) string { return `"p` + string(id) + `"` }

// call sends a request of the session without a receiver of notifications.
func (c *streamableConn) call(ctx context.Context, method string, params []byte) ([]byte, error) {
	if err := c.over(ctx); err != nil {
		return nil, err
	}
	return c.request(ctx, method, params, nil, nil)
}

// request sends a request of an older revision and waits for its result. When
// the server has forgotten the session it is sent again in a new one; when its
// answer was lost it is sent again if it only reads.
func (c *streamableConn) request(ctx context.Context, method string, params []byte, signal <-chan struct{}, deliver func()) ([]byte, error) {
	renewed, again := false, false
	for {
		s := c.session.Load()
		result, err := c.roundTrip(ctx, s, method, params, signal, deliver)
		lost := errors.Is(err, ErrRequestLost)
		switch {
		case err == nil:
			c.kept.note(method, params)
			return result, nil
		case s.mayBeLost(err) && !renewed:
			renewed = true
			if lost && !peer.IsIdempotent(method) {
				c.renewSoon(ctx, s, err)
				return nil, err
			}
			if failed := c.renew(ctx, s, err); errors.Is(failed, errSessionLives) {
				return nil, err
			} else if failed != nil {
				return nil, failed
			}
		case !lost || again || c.over(ctx) != nil:
			return nil, err
		}
		if again = lost; lost && !peer.IsIdempotent(method) {
			return nil, err
		}
	}
}

// roundTrip sends a request in a session and waits for its result. It calls deliver for
// each signal, and once before it returns an answer.
func (c *streamableConn) roundTrip(ctx context.Context, s *session, method string, params []byte, signal <-chan struct{}, deliver func()) ([]byte, error) {
	id := c.nextID()
	answer := s.expect(id)
	defer s.forget(id)
	linked, cancel, release := c.during(ctx)
	if !c.spawn(func() {
		err := ErrRequestLost // kept only if follow panics
		defer func() {
			s.settle(id, outcome{err: err})
			cancel(nil)
		}()
		err = c.follow(linked, cancel, s, id, rpc.AppendRequest(nil, id, method, params), method == "initialize")
	}) {
		cancel(nil)
		return nil, context.Cause(c.run)
	}
	giveUp := func() error {
		if method != "initialize" { // which must not be cancelled
			c.spawn(func() { c.cancelled(s, id) })
		}
		return context.Cause(ctx)
	}
	for {
		select {
		case a := <-answer:
			release() // the rest of the stream may still be read
			if a.elsewhere {
				cancel(nil)
			}
			if deliver != nil {
				deliver() // notifications that came just before the response
			}
			if a.err != nil && ctx.Err() != nil {
				return nil, giveUp() // the end of ctx may have ended the stream first
			}
			return a.result, a.err
		case <-signal:
			deliver()
		case <-c.run.Done():
			return nil, context.Cause(c.run)
		case <-ctx.Done():
			return nil, giveUp()
		}
	}
}

// cancelled sends notifications/cancelled. In a session the end of the HTTP
// request does not cancel the call (2025-11-25, basic/transports).
func (c *streamableConn) cancelled(s *session, id rpc.ID) {
	ctx, cancel := context.WithTimeout(c.run, closeTimeout)
	defer cancel()
	if err := c.notify(ctx, s, "notifications/cancelled", peer.CancelParams(id, "the caller gave up")); err != nil {
		c.wire.log.Debug("a cancellation could not be sent", "reason", err)
	}
}

// notify sends a notification of the session.
func (c *streamableConn) notify(ctx context.Context, s *session, method string, params []byte) error {
	return c.wire.tell(ctx, c.wire.url, rpc.AppendRequest(nil, "", method, params), s.header())
}

// follow sends a request and reads what is said to it, wherever that goes on,
// until the answer has come.
func (c *streamableConn) follow(ctx context.Context, cancel context.CancelCauseFunc, s *session, id rpc.ID, message []byte, first bool) error {
	resp, err := c.wire.post(ctx, c.wire.url, message, s.header())
	if err == nil && first {
		if err = s.initialized(resp); err != nil {
			_ = resp.Body.Close()
		}
	}
	cur := new(cursor)
	for err == nil {
		var answered bool
		answered, err = c.wire.read(resp, cur, func(frame []byte) bool { return c.receive(ctx, s, frame, id) })
		if answered {
			drain(resp.Body, cancel)
			return nil
		}
		_ = resp.Body.Close()
		if err == nil {
			resp, err = c.resume(ctx, s, cur)
		}
	}
	return err
}

// receive takes a frame of one of the session's streams apart. It reports
// whether the answer to own was in it; with an empty own, it takes any answer.
func (c *streamableConn) receive(ctx context.Context, s *session, frame []byte, own rpc.ID) (answered bool) {
	messages(frame, s.speaks() == protocol.Rev20250326, func(m *rpc.Message, malformed *rpc.Error) {
		switch {
		case m.Kind == rpc.Response:
			id := m.ID
			if id == "" && m.Result == nil {
				id = own // an error that names no request is for the only one that there is
			}
			if own == "" || id == own {
				a := answerOf(m, malformed)
				a.elsewhere = own == ""
				answered = s.settle(id, a) || answered
			}
		case malformed != nil:
			c.wire.log.Warn("the server sent a malformed message", "reason", malformed.Message)
		case m.Kind == rpc.Request:
			c.ask(ctx, s, m)
		case m.Method == "notifications/cancelled":
			if id, ok := peer.CancelledID(m.Params); ok {
				s.drop(id, nil)
			}
		default:
			c.router.Received(m.Method, m.Params)
		}
	})
	return answered
}

// answerOf copies the answer out of a response.
func answerOf(m *rpc.Message, malformed *rpc.Error) outcome {
	switch {
	case malformed != nil:
		return outcome{err: fmt.Errorf("the server's response is malformed: %s", malformed.Message)}
	case m.Error != nil:
		return outcome{err: readError(m.Error)}
	}
	return outcome{result: bytes.Clone(m.Result)}
}
