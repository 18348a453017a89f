package driver

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"net/url"
)

// socketPath is the path of WebSocket connections.
const socketPath = "/ws"

// sockets is the transport over one WebSocket connection, in the revision protocol.
func sockets() way {
	return socketed(func(ctx context.Context, l link) error { return shakeHands(ctx, l) })
}

// echoes is the transport over one WebSocket connection to an echo server.
func echoes() way { return socketed(func(context.Context, link) error { return nil }) }

func socketed(greet func(context.Context, link) error) way {
	return way{listens: true, dial: func(ctx context.Context, p *process, _ int) (carrier, error) {
		c, err := dialSocket(ctx, p.endpoint)
		if err != nil {
			return nil, err
		}
		if err := greet(ctx, c.messages()); err != nil {
			c.Close()
			return nil, err
		}
		return c.messages(), nil
	}}
}

// dialSocket opens a WebSocket connection to the host of u (RFC 6455, section 4.1).
func dialSocket(ctx context.Context, u *url.URL) (*httpConn, error) {
	conn, err := new(net.Dialer).DialContext(ctx, "tcp", u.Host)
	if err != nil {
		return nil, err
	}
	c := newHTTPConn(conn)
	defer context.AfterFunc(ctx, func() { c.Close() })()
	head, err := c.upgrade(u.Host)
	if err == nil {
		err = head.want(http.StatusSwitchingProtocols, nil)
	}
	if err != nil {
		c.Close()
		return nil, fmt.Errorf("open a WebSocket connection: %w", err)
	}
	return c, nil
}

func (c *httpConn) upgrade(host string) (response, error) {
	_, err := fmt.Fprintf(c, "GET %s HTTP/1.1\r\nHost: %s\r\nUser-Agent: bench\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n"+
		"Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: YmVuY2ggYmVuY2ggYmVuYw==\r\nSec-WebSocket-Protocol: mcp\r\n\r\n", socketPath, host)
	if err != nil {
		return response{}, err
	}
	return c.head()
}

// messages returns the link over a WebSocket connection.
func (c *httpConn) messages() link {
	return link{in: c, out: &frames{r: c.r}, abort: func() { c.Close() }, frame: framed}
}
