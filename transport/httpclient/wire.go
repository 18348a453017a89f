package httpclient

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"maps"
	"net"
	"net/http"
	"net/http/httptrace"
	"net/url"
	"strings"
	"sync/atomic"
	"time"

	"github.com/dougu-go/dougu/internal/rpc"
	"github.com/dougu-go/dougu/transport"
)

const (
	// maxRedirects is how many redirects within the origin are followed.
	maxRedirects = 5
	// maxTokens is how many tokens are tried for one request.
	maxTokens = 3
	// maxConnections is a backstop rather than a limit to work at: every open
	// stream and every running call takes one.
	maxConnections = 1000
)

// wire sends HTTP requests to one server.
type wire struct {
	url    *url.URL
	http   *http.Client
	own    *http.Transport // nil when the HTTP client is the caller's
	header http.Header
	token  func(context.Context, *StatusError) (string, error)
	max    int // bytes of a message
	opts   transport.Options
	log    *slog.Logger
}

func newWire(c *Client) (*wire, error) {
	u, err := url.Parse(c.URL)
	if err != nil {
		return nil, fmt.Errorf("the server's URL: %w", err)
	}
	if u.Scheme != "http" && u.Scheme != "https" || u.Hostname() == "" {
		return nil, fmt.Errorf("the server's URL %q must begin with http:// or https:// and name a host", u.Redacted())
	}
	u.Fragment, u.RawFragment = "", ""
	w := &wire{url: u, header: make(http.Header, len(c.Header)), token: c.Token}
	for name, values := range c.Header {
		w.header[http.CanonicalHeaderKey(name)] = values
	}
	if c.Options != nil {
		w.opts = *c.Options
	}
	if w.log = w.opts.Log; w.log == nil {
		w.log = slog.Default()
	}
	if w.max = w.opts.MaxMessage; w.max <= 0 {
		w.max = rpc.DefaultMaxMessage
	}
	w.http = new(http.Client)
	if c.HTTPClient != nil {
		*w.http = *c.HTTPClient
	} else {
		w.own = newTransport()
		w.http.Transport = w.own
	}
	if w.http.CheckRedirect == nil {
		w.http.CheckRedirect = checkRedirect
	}
	return w, nil
}

// tcpKeepAlive finds a network that has lost a connection without an end, in
// spite of calls that simply take long: the peer's kernel answers, not its
// program.
var tcpKeepAlive = net.KeepAliveConfig{Enable: true, Idle: 10 * time.Second, Interval: 5 * time.Second, Count: 3}

// newTransport has limits for everything but how long an answer takes.
func newTransport() *http.Transport {
	dialer := &net.Dialer{Timeout: 30 * time.Second, KeepAliveConfig: tcpKeepAlive}
	return &http.Transport{
		Proxy:                  http.ProxyFromEnvironment,
		DialContext:            dialer.DialContext,
		ForceAttemptHTTP2:      true,
		MaxConnsPerHost:        maxConnections,
		MaxIdleConns:           64,
		MaxIdleConnsPerHost:    64,
		IdleConnTimeout:        90 * time.Second,
		TLSHandshakeTimeout:    10 * time.Second,
		ExpectContinueTimeout:  time.Second,
		MaxResponseHeaderBytes: 64 << 10,
		HTTP2:                  &http.HTTP2Config{SendPingTimeout: 30 * time.Second, PingTimeout: 15 * time.Second},
	}
}

// close closes idle connections if the HTTP client belongs to this Client.
func (w *wire) close() {
	if w.own != nil {
		w.own.CloseIdleConnections()
	}
}

// post sends one message. An error status is an error; otherwise the caller
// closes the response's body.
func (w *wire) post(ctx context.Context, to *url.URL, message []byte, header http.Header) (*http.Response, error) {
	header.Set("Content-Type", "application/json")
	header.Set("Accept", "application/json, text/event-stream")
	return w.do(ctx, http.MethodPost, to, message, header)
}

// tell posts a message that is not answered with one.
func (w *wire) tell(ctx context.Context, to *url.URL, message []byte, header http.Header) error {
	resp, err := w.post(ctx, to, message, header)
	if err != nil {
		return err
	}
	if contentType(resp) == "text/event-stream" {
		return resp.Body.Close() // there is nothing to wait for
	}
	discard(resp.Body)
	return nil
}

// get opens a stream of events.
func (w *wire) get(ctx context.Context, header http.Header) (*http.Response, error) {
	header.Set("Accept", "text/event-stream")
	header.Set("Cache-Control", "no-cache")
	resp, err := w.do(ctx, http.MethodGet, w.url, nil, header)
	if err != nil {
		return nil, err
	}
	if kind := contentType(resp); kind != "text/event-stream" {
		defer resp.Body.Close()
		return nil, unexpectedStatus(resp, fmt.Sprintf("with the content type %q instead of a stream of events", kind))
	}
	return resp, nil
}

// tokenError is a failure to get a token.
type tokenError struct{ err error }

func (e *tokenError) Error() string { return "getting a token: " + e.err.Error() }
func (e *tokenError) Unwrap() error { return e.err }

// unauthorizedError is an error of the HTTP client's transport that says that it
// has no credentials for the server, as security/oauth's does: it is no broken
// connection, and asking again changes nothing.
type unauthorizedError interface {
	error
	Unauthorized() bool
}

// do sends one request, with a token if there is one.
func (w *wire) do(ctx context.Context, method string, to *url.URL, body []byte, header http.Header) (*http.Response, error) {
	if w.token == nil {
		return w.send(ctx, method, to, body, header)
	}
	var refused *StatusError
	var last string
	for attempt := 1; ; attempt++ {
		token, err := w.token(ctx, refused)
		switch {
		case err != nil && refused != nil:
			return nil, fmt.Errorf("%w; %w", refused, &tokenError{err})
		case err != nil:
			return nil, &tokenError{err}
		case refused != nil && token == last:
			return nil, refused
		}
		last = token
		if header.Del("Authorization"); token != "" {
			header.Set("Authorization", "Bearer "+token)
		}
		resp, err := w.send(ctx, method, to, body, header)
		if attempt == maxTokens || !errors.As(err, &refused) || !refused.forCredentials() {
			return resp, err
		}
	}
}

func (w *wire) send(ctx context.Context, method string, to *url.URL, body []byte, header http.Header) (*http.Response, error) {
	var content io.Reader
	if body != nil {
		content = bytes.NewReader(body)
	}
	var sent atomic.Bool
	trace := &httptrace.ClientTrace{WroteHeaders: func() { sent.Store(true) }}
	req, err := http.NewRequestWithContext(httptrace.WithClientTrace(ctx, trace), method, to.String(), content)
	if err != nil {
		return nil, err
	}
	maps.Copy(req.Header, w.header)
	maps.Copy(req.Header, header)
	req.Host = w.header.Get("Host")
	resp, err := w.http.Do(req)
	var redirected *redirectError
	var unauthorized unauthorizedError
	switch {
	case err == nil && resp.StatusCode >= 200 && resp.StatusCode <= 299:
		return resp, nil
	case err == nil:
		defer resp.Body.Close()
		return nil, newStatusError(resp)
	case ctx.Err() != nil:
		return nil, context.Cause(ctx)
	case errors.As(err, &unauthorized) && unauthorized.Unauthorized():
		return nil, &tokenError{unauthorized}
	case sent.Load() && !errors.As(err, &redirected):
		return nil, fmt.Errorf("%w: %w", ErrRequestLost, err)
	}
	return nil, &unsentError{err}
}

// unsentError is a failure before anything was sent.
type unsentError struct{ err error }

func (e *unsentError) Error() string   { return e.err.Error() }
func (e *unsentError) Unwrap() []error { return []error{e.err, rpc.ErrUnsent} }

// redirectError is a redirect that is not followed.
type redirectError struct{ why string }

func (e *redirectError) Error() string { return e.why }

// checkRedirect follows redirects within the origin that keep the method. Messages
// and credentials must not reach another server, and a GET has no message.
func checkRedirect(req *http.Request, via []*http.Request) error {
	switch first := via[0]; {
	case !sameOrigin(first.URL, req.URL):
		return &redirectError{fmt.Sprintf("the server redirects to another origin, %s://%s, where nothing is sent; use that URL if it is trusted", req.URL.Scheme, req.URL.Host)}
	case len(via) > maxRedirects:
		return &redirectError{fmt.Sprintf("the server redirects more than %d times", maxRedirects)}
	case first.Method != req.Method:
		return http.ErrUseLastResponse
	}
	return nil
}

func sameOrigin(a, b *url.URL) bool {
	return a.Scheme == b.Scheme && strings.EqualFold(a.Hostname(), b.Hostname()) && portOf(a) == portOf(b)
}

func portOf(u *url.URL) string {
	switch port := u.Port(); {
	case port != "":
		return port
	case u.Scheme == "https":
		return "443"
	}
	return "80"
}
