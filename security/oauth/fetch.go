package oauth

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"strings"
	"sync"
	"time"

	"github.com/dougu-go/dougu/internal/safehttp"
)

const (
	// maxRedirects limits the redirects of one document request.
	maxRedirects = 3
	// requestTime limits the duration of one request.
	requestTime = 30 * time.Second
)

// fetcher sends the requests of an authorization. Requests to the resource's own origin use the
// resource's base transport. Other requests use the external transport, which limits the addresses.
type fetcher struct {
	ownOrigin string // origin of the resource; empty if none
	base      http.RoundTripper
	external  http.RoundTripper
}

// RoundTrip implements http.RoundTripper. It checks each request, including redirects.
func (f *fetcher) RoundTrip(req *http.Request) (*http.Response, error) {
	if err := checkParsed(req.URL); err != nil {
		return nil, err
	}
	if f.ownOrigin != "" && origin(req.URL) == f.ownOrigin {
		return f.base.RoundTrip(req)
	}
	return f.external.RoundTrip(req)
}

// newExternalTransport returns a transport that connects only to addresses within r. It keeps no
// idle connections, because a later request can have a smaller reach. find returns the proxy of a
// request.
func newExternalTransport(r safehttp.Reach, find func(*http.Request) (*url.URL, error)) http.RoundTripper {
	var proxies sync.Map // addresses of the environment's proxies; their targets are not resolved here
	guarded := &net.Dialer{Timeout: 10 * time.Second, Control: dialControl(r)}
	direct := &net.Dialer{Timeout: 10 * time.Second}
	return &http.Transport{
		Proxy: func(req *http.Request) (*url.URL, error) {
			proxy, err := find(req)
			if proxy == nil || err != nil {
				return nil, err
			}
			if !r.CoversHost(req.URL.Hostname()) {
				return nil, fmt.Errorf("%s: %w", req.URL.Host, ErrRefusedAddress)
			}
			proxies.Store(safehttp.HostPort(proxy), true)
			return proxy, nil
		},
		DialContext: func(ctx context.Context, network, address string) (net.Conn, error) {
			if _, ok := proxies.Load(address); ok {
				return direct.DialContext(ctx, network, address)
			}
			if _, err := netip.ParseAddrPort(address); err == nil { // check without a socket, because some machines have no IPv6 sockets
				if err := guarded.Control(network, address, nil); err != nil {
					return nil, err
				}
			}
			return guarded.DialContext(ctx, network, address)
		},
		ForceAttemptHTTP2:      true,
		DisableKeepAlives:      true,
		TLSHandshakeTimeout:    10 * time.Second,
		ResponseHeaderTimeout:  requestTime,
		MaxResponseHeaderBytes: 64 << 10,
	}
}

// response is a response with its body, which was read completely.
type response struct {
	status int
	header http.Header
	body   []byte
}

// get fetches a document and follows up to maxRedirects redirects.
func (f *fetcher) get(ctx context.Context, from string, header http.Header) (*response, error) {
	u, err := checkURL(from)
	if err != nil {
		return nil, err
	}
	header = header.Clone()
	if header == nil {
		header = make(http.Header)
	}
	header.Set("Accept", "application/json")
	return f.do(ctx, http.MethodGet, u, nil, header, func(req *http.Request, via []*http.Request) error {
		if len(via) > maxRedirects {
			return fmt.Errorf("it redirects more than %d times", maxRedirects)
		}
		return checkParsed(req.URL)
	})
}

// post sends a POST request and follows no redirects.
func (f *fetcher) post(ctx context.Context, to string, body string, header http.Header) (*response, error) {
	u, err := checkURL(to)
	if err != nil {
		return nil, err
	}
	header.Set("Accept", "application/json")
	return f.do(ctx, http.MethodPost, u, strings.NewReader(body), header, func(*http.Request, []*http.Request) error {
		return http.ErrUseLastResponse
	})
}

func (f *fetcher) do(ctx context.Context, method string, to *url.URL, body io.Reader, header http.Header, redirect func(*http.Request, []*http.Request) error) (*response, error) {
	ctx, cancel := context.WithTimeoutCause(ctx, requestTime, fmt.Errorf("%s did not answer within %v: %w", origin(to), requestTime, context.DeadlineExceeded))
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, method, to.String(), body)
	if err != nil {
		return nil, err
	}
	req.Header = header
	resp, err := (&http.Client{Transport: f, CheckRedirect: redirect}).Do(req)
	if err != nil {
		return nil, withoutQuery(ctx, to, err)
	}
	defer resp.Body.Close()
	content, err := safehttp.Read(resp.Body)
	switch {
	case errors.Is(err, safehttp.ErrTooLarge):
		return nil, fmt.Errorf("%s answers with more than %d bytes", origin(to), safehttp.MaxDocument)
	case err != nil:
		return nil, withoutQuery(ctx, to, err)
	}
	return &response{resp.StatusCode, resp.Header, content}, nil
}

// withoutQuery returns an error without the query of the URL, which can contain secrets.
func withoutQuery(ctx context.Context, to *url.URL, err error) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	return fmt.Errorf("asking %s: %w", origin(to)+to.Path, safehttp.Cause(err))
}

// decode parses the body as JSON.
func (a *response) decode(into any) error {
	if err := json.Unmarshal(a.body, into); err != nil {
		return errors.New("the answer is not the JSON that it should be")
	}
	return nil
}
