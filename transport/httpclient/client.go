package httpclient

import (
	"context"
	"fmt"
	"net/http"
	"sync"

	"github.com/dougu-go/dougu/mcp"
	"github.com/dougu-go/dougu/transport"
)

// ErrRequestLost is transport.ErrRequestLost: the error of a request whose
// response cannot arrive any more (2026-07-28, basic/transports/streamable-http).
// Requests that only read are sent a second time before they fail.
var ErrRequestLost = transport.ErrRequestLost

// Client is an mcp.Transport over Streamable HTTP, in the revision of the server
// (2026-07-28 and 2025-11-25, basic/transports/streamable-http). If the server
// has HTTP+SSE of 2024-11-05 only, Client uses that. Only URL is required. A
// Client may open several connections at the same time; it must not be copied
// after its first use.
//
// If the server has lost a legacy session, Client opens a new one with the same
// subscriptions and log level.
type Client struct {
	// URL is the server's endpoint.
	URL string
	// HTTPClient sends the requests. It should have no Timeout, which would also
	// end streams that are meant to stay open. Unless it has a CheckRedirect,
	// redirects to another origin are refused, so that neither credentials nor
	// messages go there. Nil is a client of each connection's own.
	HTTPClient *http.Client
	// Header is added to each request. Headers of the protocol replace headers
	// of the same name.
	Header http.Header
	// Token, if set, returns the bearer token for a request, or "" to send none.
	// It is called for every request, with nil. When the server refuses one for
	// its credentials (401, or 403 with a challenge) it is called again with the
	// refusal, and the request is sent again if another token comes back, twice
	// at most. It may be called concurrently.
	Token func(ctx context.Context, refused *StatusError) (string, error)
	// SSE selects HTTP+SSE of 2024-11-05: URL is the event stream, and no other
	// transport is tried. False also works with an HTTP+SSE server, after
	// attempts with newer revisions.
	SSE bool
	// Options bound the connection; nil has the defaults. MaxMessage bounds an
	// answer, or one event of a stream; Concurrency and QueueLength bound the
	// questions of a server.
	Options *transport.Options

	mu  sync.Mutex
	era serverEra
}

// serverEra is the era of a server. It belongs to the server rather than to a
// connection (2026-07-28, basic/versioning), so that it is asked for once.
type serverEra uint8

const (
	eraUnknown serverEra = iota
	eraModern
	eraSession // Streamable HTTP up to 2025-11-25
	eraSSE
)

// Connect implements mcp.Transport. The first connection finds the revision of
// the server; later ones negotiate again only if that revision fails.
func (c *Client) Connect(ctx context.Context, host *mcp.Host) (mcp.Conn, error) {
	wire, err := newWire(c)
	if err != nil {
		return nil, err
	}
	known := c.remembered()
	conn, err := c.connect(ctx, wire, host, known)
	if err != nil && !c.SSE && known != eraUnknown && ctx.Err() == nil {
		c.remember(eraUnknown)
		conn, err = c.connect(ctx, wire, host, eraUnknown)
	}
	if err != nil {
		wire.close()
		return nil, fmt.Errorf("talking to %s: %w", wire.url.Redacted(), err)
	}
	return conn, nil
}

// connect opens a connection to a server of an era.
func (c *Client) connect(ctx context.Context, wire *wire, host *mcp.Host, era serverEra) (mcp.Conn, error) {
	if c.SSE || era == eraSSE && host.Revision <= mcp.Rev20241105 {
		return c.connectSSE(ctx, wire, host)
	}
	conn, n, err := connectStreamable(ctx, wire, host, era == eraSession)
	switch {
	case err == nil && conn.Revision().Modern():
		c.remember(eraModern)
		return conn, nil
	case err == nil:
		if host.Revision == "" && n.certain() { // else it may be modern
			c.remember(eraSession)
		}
		return conn, nil
	case ctx.Err() != nil || host.Revision > mcp.Rev20241105 || !n.mayBeSSE():
		return nil, err
	}
	older, errSSE := c.connectSSE(ctx, wire, host)
	if errSSE != nil {
		return nil, fmt.Errorf("%w; nor does it serve HTTP+SSE of 2024-11-05: %w", err, errSSE)
	}
	return older, nil
}

func (c *Client) connectSSE(ctx context.Context, wire *wire, host *mcp.Host) (mcp.Conn, error) {
	conn, err := connectSSE(ctx, wire, host)
	if err != nil {
		return nil, err
	}
	c.remember(eraSSE)
	return conn, nil
}

func (c *Client) remembered() serverEra {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.era
}

func (c *Client) remember(era serverEra) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.era = era
}
