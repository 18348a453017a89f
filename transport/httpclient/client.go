package httpclient

import (
	"context"
	"fmt"
	"net/http"
	"sync"

	"github.com/dougu-go/dougu/mcp/protocol"
	"github.com/dougu-go/dougu/transport"
)

// ErrRequestLost is transport.ErrRequestLost: the error of a request whose
// response cannot arrive any more (2026-07-28, basic/transports/streamable-http).
// Requests that only read (lists, resources/read, server/discover, ping) are sent
// a second time before they fail.
var ErrRequestLost = transport.ErrRequestLost

// Client is an protocol.Transport over Streamable HTTP, in the revision of the server
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
	// messages go there. Default: each connection has an http.Client of its own.
	HTTPClient *http.Client
	// Header is added to each request. Headers of the protocol replace headers
	// of the same name.
	Header http.Header
	// Token, if set, returns the bearer token for a request, or "" to send none.
	// It is called for every request, with nil. After a refusal (401, or 403 with
	// a challenge) it is called again, with the refusal. If it returns another
	// token, the request is sent again, twice at most; otherwise the request
	// fails. It may be called concurrently. The tokens of one Client should be of
	// one user: if they depend on ctx, give ctx the user by protocol.WithPrincipal,
	// because an mcp.Client caches results for a principal.
	Token func(ctx context.Context, refused *StatusError) (string, error)
	// SSE selects HTTP+SSE of 2024-11-05: URL is the event stream, and no other
	// transport is tried. False also works with an HTTP+SSE server, after
	// attempts with newer revisions.
	SSE bool
	// Options limit the connection; nil selects the defaults. MaxMessage limits a
	// response, or one event of a stream. Concurrency and QueueLength limit the
	// questions of a server.
	Options *transport.Options

	mu  sync.Mutex // guards era
	era serverEra  // result of the last certain negotiation
}

// serverEra is the kind of protocol that a server speaks. It belongs to the server
// rather than to a connection (2026-07-28, basic/versioning), so that the Client
// negotiates once.
type serverEra uint8

const (
	eraUnknown serverEra = iota // not negotiated yet, or the result was not certain
	eraModern                   // Streamable HTTP of 2026-07-28
	eraSession                  // Streamable HTTP up to 2025-11-25
	eraSSE                      // HTTP+SSE of 2024-11-05
)

// Connect implements protocol.Transport. The first connection finds the revision of
// the server; later ones negotiate again only if that revision fails.
func (c *Client) Connect(ctx context.Context, host *protocol.Host) (protocol.Conn, error) {
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

// connect opens a connection to a server of an era. If the era is eraUnknown, it tries
// server/discover, initialize and HTTP+SSE in this order. An empty host.Revision, which
// compares less than all others, allows every revision.
func (c *Client) connect(ctx context.Context, wire *wire, host *protocol.Host, era serverEra) (protocol.Conn, error) {
	if c.SSE || era == eraSSE && host.Revision <= protocol.Rev20241105 {
		return c.connectSSE(ctx, wire, host)
	}
	withoutDiscover := era == eraSession
	// n holds the errors of server/discover and initialize.
	conn, n, err := connectStreamable(ctx, wire, host, withoutDiscover)
	switch {
	case err == nil && conn.Revision().Modern():
		c.remember(eraModern)
		return conn, nil
	case err == nil:
		// The negotiation is not certain if server/discover was lost or had a temporary
		// error, such as 503. The server may then be modern, and the next connection
		// negotiates again. The same is true if the host has asked for a legacy revision.
		if host.Revision == "" && n.certain() {
			c.remember(eraSession)
		}
		return conn, nil
	// Only a server that refuses initialize with status 400, 404 or 405 may have HTTP+SSE.
	case ctx.Err() != nil || host.Revision > protocol.Rev20241105 || !n.mayBeSSE():
		return nil, err
	}
	older, errSSE := c.connectSSE(ctx, wire, host)
	if errSSE != nil {
		return nil, fmt.Errorf("%w; nor does it serve HTTP+SSE of 2024-11-05: %w", err, errSSE)
	}
	return older, nil
}

func (c *Client) connectSSE(ctx context.Context, wire *wire, host *protocol.Host) (protocol.Conn, error) {
	conn, err := connectSSE(ctx, wire, host)
	if err != nil {
		return nil, err
	}
	c.remember(eraSSE)
	return conn, nil
}

// remembered returns the era of the server, or eraUnknown.
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
