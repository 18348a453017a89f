package driver

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
)

// openedConns are idle connections.
type openedConns []net.Conn

// refused counts the connections that the server has closed.
func (c openedConns) refused(context.Context) (n int, err error) {
	for _, conn := range c {
		if hungUp(conn) {
			n++
		}
	}
	return n, nil
}

func (c openedConns) close(context.Context) {
	for _, conn := range c {
		if conn != nil {
			conn.Close()
		}
	}
}

// openConns opens n connections.
func openConns(ctx context.Context, n int, open func(ctx context.Context) (net.Conn, error)) (opened, error) {
	conns := make(openedConns, n)
	err := sideBySide(ctx, n, func(ctx context.Context, i int) (err error) {
		conns[i], err = open(ctx)
		return err
	})
	if err != nil {
		conns.close(ctx)
		return nil, err
	}
	return conns, nil
}

// openHalf opens connections that send an incomplete HTTP request header.
func openHalf(ctx context.Context, u *url.URL, n int) (opened, error) {
	return openConns(ctx, n, func(ctx context.Context) (net.Conn, error) {
		conn, err := new(net.Dialer).DialContext(ctx, "tcp", u.Host)
		if err != nil {
			return nil, err
		}
		if _, err := fmt.Fprintf(conn, "POST %s HTTP/1.1\r\nHost: %s\r\nContent-", u.Path, u.Host); err != nil {
			conn.Close()
			return nil, err
		}
		return conn, nil
	})
}

// openListens opens streams that wait for changes of the list of tools.
func openListens(ctx context.Context, u *url.URL, n int) (opened, error) {
	r, err := newRequest("subscriptions/listen", inModern(map[string]any{
		"notifications": map[string]bool{"toolsListChanged": true},
	}))
	if err != nil {
		return nil, err
	}
	return openConns(ctx, n, func(ctx context.Context) (net.Conn, error) {
		p, err := dialPosts(ctx, u, 1)
		if err != nil {
			return nil, err
		}
		defer context.AfterFunc(ctx, p.close)()
		if err := p.listen(r); err != nil {
			p.close()
			return nil, err
		}
		return p.conns[0].Conn, nil
	})
}

// listen sends a request and waits for the event that acknowledges it.
func (p *posts) listen(r request) error {
	c := p.conns[0]
	if _, err := c.Write(p.frame(r).line); err != nil {
		return err
	}
	head, err := c.head()
	if err == nil {
		err = head.want(http.StatusOK, nil)
	}
	if err != nil {
		return err
	}
	if !head.events || head.length != chunked {
		return errors.New("the answer is no stream of events")
	}
	for !bytes.Contains(c.body, []byte("notifications/subscriptions/acknowledged")) {
		if more, err := c.chunk(); err != nil || !more {
			return fmt.Errorf("wait for the acknowledgement: %w", errors.Join(err, net.ErrClosed))
		}
	}
	return nil
}

// openSockets opens WebSocket connections and calls greet for each.
func openSockets(greet func(*httpConn, context.Context) error) func(context.Context, *url.URL, int) (opened, error) {
	return func(ctx context.Context, u *url.URL, n int) (opened, error) {
		return openConns(ctx, n, func(ctx context.Context) (net.Conn, error) {
			c, err := dialSocket(ctx, u)
			if err != nil {
				return nil, err
			}
			if err := greet(c, ctx); err != nil {
				c.Close()
				return nil, err
			}
			return c.Conn, nil
		})
	}
}

// openSession opens a session over a WebSocket connection.
func (c *httpConn) openSession(ctx context.Context) error { return shakeHands(ctx, c.messages()) }

// discover sends server/discover and checks that the response, or an echo, contains the revision modern.
func (c *httpConn) discover(ctx context.Context) error {
	r, err := newRequest("server/discover", inModern(nil))
	if err != nil {
		return err
	}
	x := exchange{request: r, first: firstID, calls: 1, inFlight: 1, every: 1}
	answers, err := c.messages().carry(ctx, x)
	if err == nil && !bytes.Contains(answers[0], []byte(modern)) {
		err = fmt.Errorf("server/discover is answered with %s", excerpt(answers[0]))
	}
	return err
}
