package driver

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync/atomic"

	"golang.org/x/sync/errgroup"
)

// stateless is the transport over HTTP in the revision without sessions.
func stateless() way { return posted(dialPosts) }

// sessions is the transport over HTTP in the revision protocol. All connections share one session.
func sessions() way {
	w := posted(dialSession)
	w.args = []string{"-sessions"}
	return w
}

func posted(dial func(context.Context, *url.URL, int) (*posts, error)) way {
	return way{listens: true, dial: func(ctx context.Context, p *process, connections int) (carrier, error) {
		return dial(ctx, p.endpoint, connections)
	}}
}

// posts is a carrier that posts each message. It uses several keep-alive connections with one call at a time.
type posts struct {
	url      *url.URL
	conns    []*httpConn
	revision string
	session  string // empty without a session
}

func dialPosts(ctx context.Context, u *url.URL, connections int) (*posts, error) {
	p := &posts{url: u, revision: modern}
	for range connections {
		conn, err := new(net.Dialer).DialContext(ctx, "tcp", u.Host)
		if err != nil {
			p.close()
			return nil, err
		}
		p.conns = append(p.conns, newHTTPConn(conn))
	}
	return p, nil
}

// dialSession is dialPosts with a session.
func dialSession(ctx context.Context, u *url.URL, connections int) (*posts, error) {
	p, err := dialPosts(ctx, u, connections)
	if err != nil {
		return nil, err
	}
	p.revision = protocol
	if err := p.open(ctx); err != nil {
		p.close()
		return nil, err
	}
	return p, nil
}

func (p *posts) close() {
	for _, c := range p.conns {
		c.Close()
	}
}

// carry implements carrier.
func (p *posts) carry(ctx context.Context, x exchange) ([][]byte, error) {
	ctx, fail := context.WithCancelCause(ctx)
	defer fail(nil)
	defer context.AfterFunc(ctx, p.close)()
	x.request = p.frame(x.request)
	var next atomic.Int64
	var all errgroup.Group
	kept := make([][][]byte, min(len(p.conns), x.inFlight))
	for i := range kept {
		all.Go(func() (err error) {
			if kept[i], err = x.post(ctx, p.conns[i], &next); err != nil {
				fail(err) // before the errors that follow from it
			}
			return err
		})
	}
	if all.Wait() != nil {
		return nil, context.Cause(ctx)
	}
	return slices.Concat(kept...), nil
}

// post makes calls over one connection until next has counted all.
func (x exchange) post(ctx context.Context, c *httpConn, next *atomic.Int64) (kept [][]byte, err error) {
	r := x.request
	r.line = bytes.Clone(r.line)
	for ctx.Err() == nil {
		call := int(next.Add(1)) - 1
		if call >= x.calls {
			return kept, nil
		}
		r.number(x.first + call)
		if _, err := c.Write(r.line); err != nil {
			return nil, fmt.Errorf("send call %d of %d: %w", call+1, x.calls, err)
		}
		head, body, err := c.read()
		if err == nil {
			err = head.want(http.StatusOK, body)
		}
		if err != nil {
			return nil, fmt.Errorf("receive the answer to call %d of %d: %w", call+1, x.calls, err)
		}
		if call%x.every == 0 || len(body) != x.usual {
			kept = append(kept, head.message(body))
		}
	}
	return nil, ctx.Err()
}

// frame adds the header of an HTTP request to a message, with the fields that the revision requires.
func (p *posts) frame(r request) request {
	body := bytes.TrimSuffix(r.line, []byte("\n"))
	var head strings.Builder
	fmt.Fprintf(&head, "POST %s HTTP/1.1\r\nHost: %s\r\nUser-Agent: bench\r\n", p.url.Path, p.url.Host)
	head.WriteString("Content-Type: application/json\r\nAccept: application/json, text/event-stream\r\n")
	if r.method != "initialize" {
		fmt.Fprintf(&head, "Mcp-Protocol-Version: %s\r\n", p.revision)
	}
	if p.session != "" {
		fmt.Fprintf(&head, "Mcp-Session-Id: %s\r\n", p.session)
	}
	if p.revision == modern {
		fmt.Fprintf(&head, "Mcp-Method: %s\r\n", r.method)
		if r.name != "" {
			fmt.Fprintf(&head, "Mcp-Name: %s\r\n", r.name)
		}
	}
	fmt.Fprintf(&head, "Content-Length: %d\r\n\r\n", len(body))
	r.id += head.Len()
	r.line = append([]byte(head.String()), body...)
	return r
}

// tell implements carrier.
func (p *posts) tell(message []byte) error {
	_, err := p.exchange(p.frame(request{line: message}), http.StatusAccepted)
	return err
}

// open opens a session for all later messages.
func (p *posts) open(ctx context.Context) error {
	defer context.AfterFunc(ctx, p.close)()
	p.session = ""
	r, err := initialize()
	if err != nil {
		return err
	}
	head, err := p.exchange(p.frame(r), http.StatusOK)
	if err != nil {
		return fmt.Errorf("initialize: %w", err)
	}
	x := exchange{request: r, first: firstID, calls: 1}
	if err := x.verify([][]byte{head.message(p.conns[0].body)}, checkInitialize); err != nil {
		return fmt.Errorf("initialize: %w", err)
	}
	if head.session == "" {
		return errors.New("initialize: the answer names no session")
	}
	p.session = head.session
	if err := p.tell(initialized()); err != nil {
		return fmt.Errorf("end the handshake: %w", err)
	}
	return nil
}

// exchange sends a request over the first connection and checks the status of the response.
func (p *posts) exchange(r request, status int) (response, error) {
	c := p.conns[0]
	if _, err := c.Write(r.line); err != nil {
		return response{}, err
	}
	head, body, err := c.read()
	if err != nil {
		return response{}, err
	}
	return head, head.want(status, body)
}
