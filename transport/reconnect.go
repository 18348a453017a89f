package transport

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"time"

	"github.com/dougu-go/dougu/internal/rpc"
	"github.com/dougu-go/dougu/mcp/protocol"
)

var (
	// ErrClosed is the error of a request on a connection that has ended.
	ErrClosed = rpc.ErrClosed
	// ErrRequestLost is the error of a request whose connection broke before
	// the response came. The server may have executed the request. Requests
	// that only read are sent a second time before they fail.
	ErrRequestLost = rpc.ErrRequestLost
)

// Reconnect is the policy by which Reconnecting opens a broken connection
// again. The zero value selects the defaults.
type Reconnect struct {
	// Attempts is the largest number of attempts in a row. A connection that
	// breaks again within MaxDelay continues the count. Default 5. A negative
	// value disables reconnection.
	Attempts int
	// Delay is the delay before the first attempt. It doubles with each attempt
	// up to MaxDelay. A random part of up to one half is subtracted, so that
	// the clients of a server do not return at the same moment. Defaults 1 s
	// and 30 s.
	Delay, MaxDelay time.Duration
	// OnReconnect, if set, is called after each attempt, in order. It must
	// neither wait for requests on the connection nor close it.
	OnReconnect func(Reconnection)
}

// Reconnection is one attempt to open a connection again.
type Reconnection struct {
	Attempt int   // counts the attempts from 1
	Cause   error // the reason for the end of the previous connection
	Err     error // the error of the attempt; nil after success
}

func (r Reconnect) orDefault() Reconnect {
	if r.Attempts == 0 {
		r.Attempts = 5
	}
	if r.Delay <= 0 {
		r.Delay = time.Second
	}
	if r.MaxDelay <= 0 {
		r.MaxDelay = 30 * time.Second
	}
	return r
}

// delay returns the random delay before an attempt. Attempts count from 1.
func (r Reconnect) delay(attempt int) time.Duration {
	d := r.Delay
	for range attempt - 1 {
		if d = 2 * d; d >= r.MaxDelay || d <= 0 {
			break
		}
	}
	if d <= 0 || d > r.MaxDelay {
		d = r.MaxDelay
	}
	return d - rand.N(d/2+1)
}

// Reconnecting is an protocol.Transport that opens the connections of another Transport again after they break, in the same revision.
// The user of a connection sees these effects only:
//
//   - Requests wait while there is no connection, until their contexts end.
//   - In-flight requests fail with ErrRequestLost. Requests that only read are sent a second time instead.
//   - Subscriptions (subscriptions/listen) are opened again. All of their lists and resources are reported as changed.
//   - A session of a legacy revision is replaced by a new one with the same log level.
//
// After the last failed attempt the connection has ended. Requests and Close then return the error of that attempt.
type Reconnecting struct {
	// Transport opens the connections.
	Transport protocol.Transport
	// Reconnect is the policy; its zero value selects the defaults.
	Reconnect Reconnect
}

// Connect implements protocol.Transport. If the first connection fails, Connect
// returns its error without another attempt.
func (t Reconnecting) Connect(ctx context.Context, host *protocol.Host) (protocol.Conn, error) {
	conn, err := t.Transport.Connect(ctx, host)
	policy := t.Reconnect.orDefault()
	if err != nil || policy.Attempts < 0 {
		return conn, err
	}
	c := &reconnectingConn{transport: t.Transport, policy: policy, host: *host, done: make(chan struct{}), changed: make(chan struct{})}
	c.host.Revision = conn.Revision() // all connections have the same revision
	c.lifeCtx, c.stop = context.WithCancel(context.WithoutCancel(ctx))
	c.conn, c.last = conn, conn
	c.group.Go(func() { c.keepOpen(conn) })
	return c, nil
}

// keepOpen replaces each broken connection by a new one. It returns after Close
// or after the last failed attempt.
func (c *reconnectingConn) keepOpen(conn protocol.Conn) {
	end := errors.New("panic in a connection")
	defer func() { c.finish(end) }()
	for attempts := 0; ; {
		opened := time.Now()
		select {
		case <-conn.Done():
		case <-c.lifeCtx.Done():
		}
		c.replace(nil)
		cause := conn.Close()
		if c.lifeCtx.Err() != nil {
			c.failure, end = cause, ErrClosed
			return
		}
		if cause == nil {
			cause = errors.New("the server closed it")
		}
		if time.Since(opened) > c.policy.MaxDelay {
			attempts = 0
		}
		var err error
		if conn, err = c.reopen(cause, &attempts); err != nil {
			if end = ErrClosed; c.lifeCtx.Err() == nil {
				c.failure, end = err, err
			}
			return
		}
		c.restore(conn)
		c.replace(conn)
	}
}

// reopen opens a connection. It tries until an attempt succeeds or *attempts,
// which it increments, reaches the limit of the policy.
func (c *reconnectingConn) reopen(cause error, attempts *int) (protocol.Conn, error) {
	err := errors.New("it breaks again and again")
	for *attempts < c.policy.Attempts {
		*attempts++
		timer := time.NewTimer(c.policy.delay(*attempts))
		select {
		case <-timer.C:
		case <-c.lifeCtx.Done():
			timer.Stop()
			return nil, ErrClosed
		}
		var conn protocol.Conn
		conn, err = c.transport.Connect(c.lifeCtx, &c.host)
		if c.lifeCtx.Err() != nil {
			if err == nil {
				_ = conn.Close() // no request has used it
			}
			return nil, ErrClosed
		}
		if c.policy.OnReconnect != nil {
			c.policy.OnReconnect(Reconnection{Attempt: *attempts, Cause: cause, Err: err})
		}
		if err == nil {
			return conn, nil
		}
	}
	return nil, fmt.Errorf("the connection broke: %w; in %d attempts it could not be opened again: %w", cause, *attempts, err)
}
