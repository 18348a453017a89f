package transport

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"time"

	"github.com/dougu-go/dougu/internal/rpc"
	"github.com/dougu-go/dougu/mcp"
)

var (
	// ErrClosed is what a request on a connection fails with that has ended.
	ErrClosed = rpc.ErrClosed
	// ErrRequestLost is what a request fails with whose connection broke before
	// its answer came: the server may have done what was asked. Requests that
	// only read are sent a second time before they fail with it.
	ErrRequestLost = rpc.ErrRequestLost
)

// Reconnect says how a connection that breaks is opened again. The zero value
// has the defaults.
type Reconnect struct {
	// Attempts is how often that is tried until it succeeds; a connection that
	// breaks again within MaxDelay goes on counting. Default 5; negative: a
	// broken connection stays broken.
	Attempts int
	// Delay is the time before the first attempt; it doubles with each, up to
	// MaxDelay, and is cut by chance by up to a half, so that the clients of a
	// server do not all come back at once. Defaults 1 s and 30 s.
	Delay, MaxDelay time.Duration
	// OnReconnect, if set, is called after every attempt, in order. It must
	// neither wait for requests on the connection nor close it.
	OnReconnect func(Reconnection)
}

// Reconnection is one attempt to open a connection again.
type Reconnection struct {
	Attempt int   // from 1
	Cause   error // why the connection broke
	Err     error // why the attempt failed; nil: the connection is open
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

// delay is the time before an attempt, from 1.
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

// Reconnecting is a Transport whose connections are opened again when they
// break, in the same revision, without whoever uses them noticing more than
// this:
//
//   - Requests wait while there is no connection, as long as their contexts let
//     them.
//   - Requests under way are lost (ErrRequestLost), but those that only read are
//     sent again, once.
//   - Subscriptions (subscriptions/listen) are opened again. What may have
//     changed meanwhile is reported as changed: everything that they are for.
//   - A session of an older revision begins anew, with the log level of the old.
//
// When all attempts have failed the connection has ended; requests fail with why,
// and so does Close.
type Reconnecting struct {
	Transport mcp.Transport
	Reconnect Reconnect
}

// Connect implements mcp.Transport. The first connection is tried once.
func (t Reconnecting) Connect(ctx context.Context, host *mcp.Host) (mcp.Conn, error) {
	conn, err := t.Transport.Connect(ctx, host)
	policy := t.Reconnect.orDefault()
	if err != nil || policy.Attempts < 0 {
		return conn, err
	}
	c := &lasting{transport: t.Transport, policy: policy, host: *host, done: make(chan struct{}), changed: make(chan struct{})}
	c.host.Revision = conn.Revision() // what was agreed on once holds
	c.life, c.stop = context.WithCancel(context.WithoutCancel(ctx))
	c.conn, c.last = conn, conn
	c.group.Go(func() { c.keepOpen(conn) })
	return c, nil
}

// keepOpen opens the connection again whenever it ends, until it is closed or
// cannot be opened any more.
func (c *lasting) keepOpen(conn mcp.Conn) {
	end := errors.New("panic in a connection")
	defer func() { c.finish(end) }()
	for attempts := 0; ; {
		opened := time.Now()
		select {
		case <-conn.Done():
		case <-c.life.Done():
		}
		c.replace(nil)
		cause := conn.Close()
		if c.life.Err() != nil {
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
			if end = ErrClosed; c.life.Err() == nil {
				c.failure, end = err, err
			}
			return
		}
		c.restore(conn)
		c.replace(conn)
	}
}

// reopen tries to open a connection until it succeeds or attempts, those before
// included, are used up.
func (c *lasting) reopen(cause error, attempts *int) (mcp.Conn, error) {
	err := errors.New("it breaks again and again")
	for *attempts < c.policy.Attempts {
		*attempts++
		timer := time.NewTimer(c.policy.delay(*attempts))
		select {
		case <-timer.C:
		case <-c.life.Done():
			timer.Stop()
			return nil, ErrClosed
		}
		var conn mcp.Conn
		conn, err = c.transport.Connect(c.life, &c.host)
		if c.life.Err() != nil {
			if err == nil {
				_ = conn.Close() // nobody has used it
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
