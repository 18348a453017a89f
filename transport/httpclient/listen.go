package httpclient

import (
	"context"
	"errors"
	"net/http"
	"sync"
	"time"

	"github.com/dougu-go/dougu/internal/mcpheader"
	"github.com/dougu-go/dougu/internal/wait"
)

// clientOpening is how long to wait for the server's stream to open: what
// happens before that is not told on it.
const clientOpening = time.Second

// startListening begins to listen in a session, and returns when the server's
// stream is open or is not to be had, but does not wait for long.
func (c *clientConn) startListening(ctx context.Context, s *clientSession) {
	tried := make(chan struct{})
	if !c.spawn(func() { c.listen(s, sync.OnceFunc(func() { close(tried) })) }) {
		return
	}
	timer := time.NewTimer(clientOpening)
	defer timer.Stop()
	select {
	case <-tried:
	case <-timer.C:
	case <-ctx.Done():
	}
}

// listen reads what a server of an older revision says when it is not asked, on
// a stream of its own (2025-11-25, basic/transports, "Listening for Messages
// from the Server"), until the session ends. A server need not have it, and
// nothing else depends on it. tried is called when it is known whether it has.
func (c *clientConn) listen(s *clientSession, tried func()) {
	defer tried()
	cur, opened := new(clientCursor), false
	for {
		header := s.header()
		if cur.lastID != "" {
			header.Set(mcpheader.LastEventID, cur.lastID)
		}
		failed := cur.failed + 1
		resp, err := c.wire.get(s.run, header)
		tried()
		if err == nil {
			opened = true
			err = c.listenTo(s, resp, cur)
		} else if opened && s.mayBeLost(err) {
			if err = c.renew(s.run, s, err); err == nil {
				return // the new session has a stream
			}
		} else if !opened && isRefusal(err) {
			c.wire.log.Debug("the server has no stream of its own", "reason", err)
			return
		}
		if err != nil {
			cur.failed = failed
			c.wire.log.Debug("the server's stream is not to be had", "reason", err)
		}
		if wait.For(s.run, max(cur.wait(), clientRetry)) != nil { // nobody waits for it
			return
		}
	}
}

// listenTo reads the stream until it ends. An error says that it is of no use.
func (c *clientConn) listenTo(s *clientSession, resp *http.Response, cur *clientCursor) error {
	defer resp.Body.Close()
	_, err := c.wire.read(resp, cur, func(frame []byte) bool {
		c.receive(s.run, s, frame, "")
		return false
	})
	return err
}

// isRefusal reports whether a server does not have what was asked for, such as
// with 405, rather than not having it now.
func isRefusal(err error) bool {
	var status *StatusError
	return errors.As(err, &status) && !status.temporary()
}
