package gateway

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/dougu-go/dougu/mcp/protocol"
)

// host returns the gateway's side of the shared connection. For an upstream with Asks it declares
// support for questions, so that the upstream lists all its tools; questions on this connection are
// refused.
func (m *member) host() *protocol.Host {
	h := m.plainHost()
	if m.g.opts.asksStructured(false) {
		setStructured(&h.Capabilities, true)
	}
	if m.up.Asks {
		h.Capabilities.Elicitation = &protocol.ElicitationCapability{Form: new(struct{}), URL: new(struct{})}
		//lint:ignore SA1019 every revision must go on working
		h.Capabilities.Sampling = new(protocol.SamplingCapability)
		//lint:ignore SA1019 every revision must go on working
		h.Capabilities.Roots = new(protocol.RootsCapability)
		h.Answer = func(ctx context.Context, q protocol.InputRequest) (json.RawMessage, error) {
			if t := m.g.book.at(m, relatedTo(q.Params)); t != nil {
				return t.ask(ctx, q)
			}
			return nil, protocol.Errorf(protocol.CodeMethodNotFound, "Method not found: no client can answer %s here", q.Method)
		}
	}
	return h
}

func (m *member) plainHost() *protocol.Host {
	return &protocol.Host{
		Info: m.g.opts.Info, Timeout: m.g.opts.StartTimeout,
		Notified: func(n protocol.Notification) {
			if l := m.live.Load(); l != nil && l.live != nil {
				l.live.recordAnswer() // a server that sends messages is alive, though a ping may wait behind them
			}
			switch log := n.(type) {
			case *protocol.RawNotification:
				m.handleNotification(log)
			case *protocol.LogNotification:
				m.log.Debug("an upstream logs", "level", log.Level, "logger", safeText(log.Logger), "data", safeText(string(log.Data)))
			}
		},
	}
}

// connect opens a connection to the upstream.
func (m *member) connect(ctx context.Context, host *protocol.Host) (*link, error) {
	if m.up.Server != nil {
		return m.local(ctx)
	}
	t, err := m.up.Connect(ctx, m.principal)
	if err != nil {
		return nil, err
	}
	if t == nil {
		return nil, fmt.Errorf("there is no way to reach it for the principal %q", m.principal)
	}
	conn, err := t.Connect(ctx, host)
	if err != nil {
		if ctx.Err() != nil {
			err = context.Cause(ctx)
		}
		return nil, err
	}
	l := &link{conn: conn, modern: conn.Revision().Modern()}
	l.logs.offered = conn.Discovered().Capabilities.Logging != nil
	return l, nil
}

// local returns the connection to a server in this process.
func (m *member) local(ctx context.Context) (*link, error) {
	c := &localConn{Dispatcher: m.up.Server, done: make(chan struct{}), from: m.principal}
	result, err := c.Dispatch(ctx, c.own("server/discover", nil))
	if err == nil {
		var wire []byte
		if wire, err = result.AppendJSON(nil, protocol.Latest); err == nil {
			err = json.Unmarshal(wire, &c.info)
		}
	}
	if err != nil {
		return nil, fmt.Errorf("asking for its identity: %w", err)
	}
	return &link{conn: c, local: true, modern: true}, nil
}

// localConn is an protocol.Conn to a server in the process.
type localConn struct {
	protocol.Dispatcher
	from string // principal of the gateway's own requests
	info protocol.DiscoverResult
	done chan struct{} // never closed: the connection cannot break
}

// own returns a request of the gateway itself.
func (c *localConn) own(method string, params json.RawMessage) *protocol.Request {
	return &protocol.Request{
		ID: `"gateway"`, Method: method, Params: params,
		Meta: protocol.RequestMeta{Revision: protocol.Latest}, Peer: protocol.Peer{Transport: "gateway", Principal: c.from},
	}
}

// Discovered implements protocol.Conn.
func (c *localConn) Discovered() *protocol.DiscoverResult { return &c.info }

// Revision implements protocol.Conn.
func (c *localConn) Revision() protocol.Revision { return protocol.Latest }

// Done implements protocol.Conn.
func (c *localConn) Done() <-chan struct{} { return c.done }

// Close implements protocol.Conn.
func (c *localConn) Close() error { return nil }

// ask sends a request of the gateway itself.
func (l *link) ask(ctx context.Context, method string, params json.RawMessage, notify func(context.Context, protocol.Notification) error) (protocol.Result, error) {
	return l.askAs(ctx, method, params, protocol.RequestMeta{}, notify)
}

// askAs is ask with another meta.
func (l *link) askAs(ctx context.Context, method string, params json.RawMessage, meta protocol.RequestMeta, notify func(context.Context, protocol.Notification) error) (protocol.Result, error) {
	req := &protocol.Request{ID: `"gateway"`, Method: method, Params: params, Meta: meta}
	if c, ok := l.conn.(*localConn); ok {
		if req = c.own(method, params); meta.Revision != "" {
			req.Meta = meta
		}
	}
	req.Notify = notify
	return l.conn.Dispatch(ctx, req)
}
