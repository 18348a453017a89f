package httpclient

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"sync"
	"time"

	"github.com/dougu-go/dougu/internal/mcpheader"
	"github.com/dougu-go/dougu/internal/wait"
)

const (
	// maxFailures is how many times in a row a stream may come back with nothing new.
	maxFailures = 10
	// maxPolls is how many times in a row it may come back with nothing new
	// when the server has asked for that (2025-11-25, basic/transports,
	// "retry"); otherwise that counts as a failure.
	maxPolls = 1000
	// defaultRetry is how long to wait before a stream is asked for again, unless
	// the server says.
	defaultRetry = time.Second
	// resumeTimeout is how long after the end of a request's stream a server may be away
	// until the request is lost.
	resumeTimeout = 2500 * time.Millisecond
	// resumeRetry is the pause after the first failure to get the rest of a stream; it
	// doubles with each.
	resumeRetry = 250 * time.Millisecond
	// maxBackoff is the longest wait that the client chooses itself.
	maxBackoff = time.Minute
)

// hopeless reports whether a stream is not asked for again.
func (cur *cursor) hopeless() bool {
	return cur.failed >= maxFailures || cur.empty >= maxPolls || cur.retry == 0 && cur.empty >= maxFailures
}

// wait is how long to wait before a stream is asked for again: as long as the
// server wants, and longer if it could not be had.
func (cur *cursor) wait() time.Duration {
	switch failures := max(cur.failed, cur.empty); {
	case cur.retry > 0 && cur.failed == 0:
		return cur.retry
	case failures > 0:
		return max(cur.retry, backoff(failures-1))
	}
	return defaultRetry
}

// backoff is a growing time with some chance in it, so that clients that failed
// together do not come back together.
func backoff(failures int) time.Duration {
	d := min(time.Second<<min(failures, 10), maxBackoff*2/3)
	return d + rand.N(d/2)
}

// listenTimeout limits the wait for the server's stream to open. Earlier changes
// are not reported on the stream.
const listenTimeout = time.Second

// startListening begins to listen in a session, and returns when the server's
// stream is open or is not to be had, but does not wait for long.
func (c *streamableConn) startListening(ctx context.Context, s *session) {
	tried := make(chan struct{})
	if !c.spawn(func() { c.listen(s, sync.OnceFunc(func() { close(tried) })) }) {
		return
	}
	timer := time.NewTimer(listenTimeout)
	defer timer.Stop()
	select {
	case <-tried:
	case <-timer.C:
	case <-ctx.Done():
	}
}

// listen reads messages of a legacy server that belong to no request, on a stream
// of their own, until the session ends (2025-11-25, basic/transports, "Listening
// for Messages from the Server"). The stream is optional for a server. listen
// calls tried when the stream is open or refused.
func (c *streamableConn) listen(s *session, tried func()) {
	defer tried()
	cur, opened := new(cursor), false
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
			c.wire.log.Debug("the server's stream is not available", "reason", err)
		}
		if wait.Sleep(s.run, max(cur.wait(), defaultRetry)) != nil { // the run has ended
			return
		}
	}
}

// listenTo reads the stream until it ends. An error says that it is of no use.
func (c *streamableConn) listenTo(s *session, resp *http.Response, cur *cursor) error {
	defer resp.Body.Close()
	_, err := c.wire.read(resp, cur, func(frame []byte) bool {
		c.receive(s.run, s, frame, "")
		return false
	})
	return err
}

// isRefusal reports whether err is a permanent refusal, for example status 405.
func isRefusal(err error) bool {
	var status *StatusError
	return errors.As(err, &status) && !status.temporary()
}

// cursor is the position of the reader in a stream, over all connections that
// have carried the stream.
type cursor struct {
	lastID string
	retry  time.Duration // zero when the server has not asked for a pause
	empty  int           // connections in a row that brought nothing new
	failed int           // attempts in a row that brought no connection
}

// resume asks for the rest of a stream that ended before the answer came
// (2025-11-25, basic/transports, "Resumability and Redelivery").
func (c *streamableConn) resume(ctx context.Context, s *session, cur *cursor) (*http.Response, error) {
	for ended := time.Now(); cur.lastID != "" && !cur.hopeless(); {
		pause := cur.wait()
		if cur.failed > 0 {
			pause = max(cur.retry, resumeRetry<<min(cur.failed-1, 10))
		}
		if cur.failed > 0 && time.Since(ended)+pause > resumeTimeout {
			break // the caller has to know that the server is away
		}
		if wait.Sleep(ctx, pause) != nil {
			return nil, context.Cause(ctx)
		}
		header := s.header()
		header.Set(mcpheader.LastEventID, cur.lastID)
		resp, err := c.wire.get(ctx, header)
		if err == nil {
			return resp, nil
		}
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		var status *StatusError
		if errors.As(err, &status) && !status.temporary() {
			refusal := *status
			refusal.rpc = nil // it answers the request for the rest, not the request
			return nil, fmt.Errorf("%w; asking for the rest: %w", ErrRequestLost, &refusal)
		}
		c.wire.log.Debug("a stream could not be resumed", "reason", err)
		cur.failed++
	}
	return nil, ErrRequestLost
}
