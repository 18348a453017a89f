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
	// maxRedirects bounds how often a document is looked for elsewhere.
	maxRedirects = 3
	// requestTime bounds one request.
	requestTime = 30 * time.Second
)

// fetcher sends the requests of an authorization. Those to the resource's own origin go the way that the resource's requests
// go, the others only within reach.
type fetcher struct {
	own     string // the origin of the resource; empty for none
	base    http.RoundTripper
	outside http.RoundTripper
}

// RoundTrip implements http.RoundTripper. Every redirect comes by here.
func (f *fetcher) RoundTrip(req *http.Request) (*http.Response, error) {
	if err := checkParsed(req.URL); err != nil {
		return nil, err
	}
	if f.own != "" && origin(req.URL) == f.own {
		return f.base.RoundTrip(req)
	}
	return f.outside.RoundTrip(req)
}

// newOutside is a transport that dials within reach. Its connections are used once, so that none is left for who may reach
// less. find finds the proxy of a request.
func newOutside(r safehttp.Reach, find func(*http.Request) (*url.URL, error)) http.RoundTripper {
	var proxies sync.Map // addresses that the environment has named; the targets behind them are not dialled from here
	guarded := &net.Dialer{Timeout: 10 * time.Second, Control: control(r)}
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
			if _, err := netip.ParseAddrPort(address); err == nil { // without a socket, which some machines have not for IPv6
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

// answer is a response that was read.
type answer struct {
	status int
	header http.Header
	body   []byte
}

// get fetches a document, over redirects.
func (f *fetcher) get(ctx context.Context, from string, header http.Header) (*answer, error) {
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

// post sends something that goes to this URL and nowhere else.
func (f *fetcher) post(ctx context.Context, to string, body string, header http.Header) (*answer, error) {
	u, err := checkURL(to)
	if err != nil {
		return nil, err
	}
	header.Set("Accept", "application/json")
	return f.do(ctx, http.MethodPost, u, strings.NewReader(body), header, func(*http.Request, []*http.Request) error {
		return http.ErrUseLastResponse
	})
}

func (f *fetcher) do(ctx context.Context, method string, to *url.URL, body io.Reader, header http.Header, redirect func(*http.Request, []*http.Request) error) (*answer, error) {
	ctx, cancel := context.WithTimeoutCause(ctx, requestTime, fmt.Errorf("%s did not answer within %v: %w", origin(to), requestTime, context.DeadlineExceeded))
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, method, to.String(), body)
	if err != nil {
		return nil, err
	}
	req.Header = header
	resp, err := (&http.Client{Transport: f, CheckRedirect: redirect}).Do(req)
	if err != nil {
		return nil, explain(ctx, to, err)
	}
	defer resp.Body.Close()
	content, err := safehttp.Read(resp.Body)
	switch {
	case errors.Is(err, safehttp.ErrTooLarge):
		return nil, fmt.Errorf("%s answers with more than %d bytes", origin(to), safehttp.MaxDocument)
	case err != nil:
		return nil, explain(ctx, to, err)
	}
	return &answer{resp.StatusCode, resp.Header, content}, nil
}

// explain leaves out of an error what a URL may hold in its query.
func explain(ctx context.Context, to *url.URL, err error) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	return fmt.Errorf("asking %s: %w", origin(to)+to.Path, safehttp.Cause(err))
}

// decode reads a JSON object.
func (a *answer) decode(into any) error {
	if err := json.Unmarshal(a.body, into); err != nil {
		return errors.New("the answer is not the JSON that it should be")
	}
	return nil
}
