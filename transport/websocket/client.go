package websocket

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptrace"
	"net/url"
	"strings"
	"time"

	"github.com/coder/websocket"

	"github.com/dougu-go/dougu/internal/origin"
	"github.com/dougu-go/dougu/mcp/protocol"
	"github.com/dougu-go/dougu/transport"
)

// defaultDialTimeout bounds the opening of a WebSocket.
const defaultDialTimeout = 30 * time.Second

// Client connects to a server over WebSocket, whatever revision it speaks. Only
// URL must be set.
type Client struct {
	// URL is the server's endpoint, ws:// or wss://.
	URL string
	// Token, if set, returns the bearer token for a connection, or "" for none.
	// It is called whenever one is opened. Without encryption a token is sent
	// to this machine alone; over a network that is safe otherwise, send it as
	// Header.
	Token func(ctx context.Context) (string, error)
	// Header is added to the handshake.
	Header http.Header
	// HTTPClient sends the handshake. It should have no Timeout. Nil is a
	// client of each connection's own, which heeds the proxy settings of the
	// environment and refuses redirects.
	HTTPClient *http.Client
	// DialTimeout bounds the opening of a WebSocket. Default 30 s.
	DialTimeout time.Duration
	// Ping is how often a silent server is asked whether it is still there, and
	// how long it may take to answer. Default 30 s; negative: never.
	Ping time.Duration
	// Reconnect configures the reconnection after a connection is lost. transport.Reconnecting describes the effect
	// on requests.
	Reconnect transport.Reconnect
	// Options bound the connection; nil has the defaults. A message over
	// MaxMessage breaks it.
	Options *transport.Options
}

// StatusError is the refusal of a WebSocket by the server or by a proxy.
type StatusError struct {
	Status int    // HTTP status code, such as 401
	Body   string // beginning of the response body
}

func (e *StatusError) Error() string {
	text := fmt.Sprintf("the server refuses the WebSocket: %d %s", e.Status, http.StatusText(e.Status))
	if e.Body != "" {
		text += ": " + e.Body
	}
	return text
}

// Connect implements protocol.Transport.
func (t Client) Connect(ctx context.Context, host *protocol.Host) (protocol.Conn, error) {
	return transport.Reconnecting{Transport: opener{&t}, Reconnect: t.Reconnect}.Connect(ctx, host)
}

// opener opens one connection at a time.
type opener struct{ *Client }

// Connect implements protocol.Transport. A server that ends because it is asked for
// a revision that it does not know is asked again as an older one.
func (t opener) Connect(ctx context.Context, host *protocol.Host) (protocol.Conn, error) {
	conn, err := t.open(ctx, host)
	if errors.Is(err, transport.ErrClosed) && host.Revision == "" && ctx.Err() == nil {
		older := *host
		older.Revision = protocol.Rev20251125
		if again, errAgain := t.open(ctx, &older); errAgain == nil {
			return again, nil
		}
	}
	return conn, err
}

func (t opener) open(ctx context.Context, host *protocol.Host) (protocol.Conn, error) {
	s, err := t.dial(ctx)
	if err != nil {
		return nil, err
	}
	// During the negotiation, the end of ctx closes the connection.
	unhook := context.AfterFunc(ctx, s.cut)
	conn, err := transport.ConnectStream(ctx, s, host, t.Options)
	if !unhook() && err == nil {
		return nil, errors.Join(context.Cause(ctx), conn.Close())
	}
	return conn, err
}

// dial opens a WebSocket.
func (t opener) dial(ctx context.Context) (*stream, error) {
	timeout := t.DialTimeout
	if timeout <= 0 {
		timeout = defaultDialTimeout
	}
	ctx, cancel := context.WithTimeoutCause(ctx, timeout, fmt.Errorf("the server did not answer within %v: %w", timeout, context.DeadlineExceeded))
	defer cancel()
	header, err := t.header(ctx)
	if err != nil {
		return nil, err
	}
	client, release := t.httpClient()
	defer release()
	var network net.Conn
	traced := httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{GotConn: func(info httptrace.GotConnInfo) { network = info.Conn }})
	conn, response, err := websocket.Dial(traced, t.URL, &websocket.DialOptions{
		HTTPClient: client, HTTPHeader: header, Subprotocols: []string{subprotocol},
	})
	if err != nil {
		return nil, t.explain(ctx, response, err)
	}
	s := newStream(conn, network, connectionOrDefault(t.Options).MaxMessage, websocket.StatusNormalClosure)
	s.startPings(pingOrDefault(t.Ping))
	return s, nil
}

// explain says why a WebSocket could not be opened.
func (t opener) explain(ctx context.Context, response *http.Response, err error) error {
	switch {
	case response != nil && response.StatusCode != http.StatusSwitchingProtocols:
		refused := &StatusError{Status: response.StatusCode}
		if body, err := io.ReadAll(io.LimitReader(response.Body, 1<<10)); err == nil {
			refused.Body = strings.TrimSpace(string(body))
		}
		err = refused
	case ctx.Err() != nil:
		err = context.Cause(ctx)
	}
	return fmt.Errorf("opening %s: %w", t.redactedURL(), err)
}

// redactedURL returns the URL without its secrets.
func (t opener) redactedURL() string {
	u, err := url.Parse(t.URL)
	if err != nil {
		return "the WebSocket"
	}
	u.RawQuery = ""
	return u.Redacted()
}

// header is that of the handshake.
func (t opener) header(ctx context.Context) (http.Header, error) {
	header := t.Header.Clone()
	if header == nil {
		header = make(http.Header)
	}
	if t.Token == nil {
		return header, nil
	}
	token, err := t.Token(ctx)
	if err != nil {
		return nil, fmt.Errorf("getting the token: %w", err)
	}
	if token == "" {
		return header, nil
	}
	if u, err := url.Parse(t.URL); err == nil && (u.Scheme == "ws" || u.Scheme == "http") && !origin.IsLoopback(u.Hostname()) {
		return nil, fmt.Errorf("the token would be sent to %s without encryption; use wss://", u.Host)
	}
	header.Set("Authorization", "Bearer "+token)
	return header, nil
}

// httpClient returns the client for the handshake and a function to call after it.
func (t opener) httpClient() (*http.Client, func()) {
	if t.HTTPClient != nil {
		return t.HTTPClient, func() {}
	}
	network := &http.Transport{Proxy: http.ProxyFromEnvironment, TLSHandshakeTimeout: 10 * time.Second, DisableKeepAlives: true}
	return &http.Client{
		Transport:     network,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}, network.CloseIdleConnections
}
