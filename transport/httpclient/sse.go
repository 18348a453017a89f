package httpclient

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"time"

	"github.com/dougu-go/dougu/internal/group"
	"github.com/dougu-go/dougu/internal/sse"
	"github.com/dougu-go/dougu/mcp"
	"github.com/dougu-go/dougu/transport"
)

// sseHandshake bounds how long an HTTP+SSE server may take to tell where to post
// to.
const sseHandshake = 30 * time.Second

var errNoEndpoint = errors.New("the stream does not tell where to post to, with an event named endpoint")

// sseConn is a connection to an HTTP+SSE server.
type sseConn struct {
	mcp.Conn
	stream *sseStream
}

// connectClientSSE connects to a server that has HTTP+SSE alone (2024-11-05,
// basic/transports, "HTTP with SSE"): the first event of its stream says where
// to post to.
func connectClientSSE(ctx context.Context, wire *clientWire, host *mcp.Host) (mcp.Conn, error) {
	s, err := openSSE(ctx, wire)
	if err != nil {
		return nil, err
	}
	s.modern = host.Revision.Modern()
	conn, err := transport.ConnectStream(ctx, s, host, &wire.opts)
	if err != nil {
		return nil, errors.Join(err, s.wait())
	}
	return &sseConn{Conn: conn, stream: s}, nil
}

// Notify implements mcp.Notifier.
func (c *sseConn) Notify(ctx context.Context, n mcp.Notification) error {
	if notifier, ok := c.Conn.(mcp.Notifier); ok {
		return notifier.Notify(ctx, n)
	}
	return fmt.Errorf("sending %s: the connection cannot send notifications", n.Method())
}

// Close implements mcp.Conn.
func (c *sseConn) Close() error { return errors.Join(c.Conn.Close(), c.stream.wait()) }

// openSSE opens a server's stream and reads the endpoint from it.
func openSSE(ctx context.Context, wire *clientWire) (*sseStream, error) {
	s := &sseStream{
		wire: wire, slots: make(chan struct{}, ssePosts),
		frames: make(chan []byte), ended: make(chan struct{}),
	}
	s.run, s.stop = context.WithCancelCause(context.WithoutCancel(ctx))
	unhook := context.AfterFunc(ctx, func() { s.stop(context.Cause(ctx)) })
	defer unhook()
	timer := group.AfterFunc(sseHandshake, func() { s.stop(errNoEndpoint) })
	defer timer.Stop()
	resp, err := wire.get(s.run, make(http.Header, 2))
	if err != nil {
		s.stop(nil)
		return nil, err
	}
	s.body, s.events = resp.Body, sse.NewReader(resp.Body, wire.max)
	base := wire.url
	if resp.Request != nil && resp.Request.URL != nil {
		base = resp.Request.URL // after redirects
	}
	if s.endpoint, err = readEndpoint(s.events, base); err != nil {
		if s.run.Err() != nil {
			err = context.Cause(s.run)
		}
		_ = s.Close()
		return nil, err
	}
	s.group.Go(s.pump)
	return s, nil
}

// readEndpoint reads where to post to, which is of the stream's origin: what is
// said to a server goes nowhere else.
func readEndpoint(events *sse.Reader, base *url.URL) (*url.URL, error) {
	event, err := events.Next()
	if err != nil || event.Name != "endpoint" {
		return nil, errNoEndpoint
	}
	endpoint, err := base.Parse(string(bytes.TrimSpace(event.Data)))
	if err != nil {
		return nil, fmt.Errorf("the endpoint to post to: %w", err)
	}
	endpoint.Fragment, endpoint.RawFragment = "", ""
	if !sameOrigin(base, endpoint) {
		return nil, fmt.Errorf("the endpoint to post to is at another origin, %s://%s, where nothing is sent", endpoint.Scheme, endpoint.Host)
	}
	if endpoint.User == nil {
		endpoint.User = base.User
	}
	return endpoint, nil
}
