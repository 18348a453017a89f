package github

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"math/rand/v2"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/dougu-go/dougu/internal/wait"
)

const (
	// maxResponse limits the size of a response, in bytes: a hundred issues with the longest texts that GitHub permits.
	maxResponse = 16 << 20
	// maxRedirects limits the redirects of one request.
	maxRedirects = 3
)

// transport sends requests to the one host of the token. It follows the rate limits, caches responses, retries read requests,
// and reads each response completely, so that an interrupted one is an error.
type transport struct {
	next     http.RoundTripper
	base     *url.URL
	token    func() string // a function, so that printing the struct does not show the token
	log      *slog.Logger
	timeout  time.Duration
	attempts int
	backoff  time.Duration

	limits limits
	cache  *cache
}

func newTransport(o Options, carrier http.RoundTripper, base *url.URL, log *slog.Logger) *transport {
	t := &transport{next: carrier, base: base, log: log, timeout: o.Timeout, attempts: o.Attempts, backoff: o.Backoff, cache: newCache()}
	t.token = func() string { return o.Token }
	if t.timeout <= 0 {
		t.timeout = 10 * time.Second
	}
	if t.attempts <= 0 {
		t.attempts = 3
	}
	if t.backoff <= 0 {
		t.backoff = 250 * time.Millisecond
	}
	return t
}

// checkRedirect follows redirects on the same host with the same method, for example of a renamed repository. Otherwise a POST
// that creates an issue would become a GET.
func (t *transport) checkRedirect(req *http.Request, via []*http.Request) error {
	if len(via) > maxRedirects || !t.isBaseHost(req.URL) || req.Method != via[0].Method {
		return http.ErrUseLastResponse
	}
	return nil
}

// isBaseHost reports whether a URL belongs to the base URL.
func (t *transport) isBaseHost(u *url.URL) bool {
	return u.Scheme == t.base.Scheme && strings.EqualFold(u.Host, t.base.Host) && u.User == nil
}

// errForeignHost is the error of a request to another host, which is not sent.
var errForeignHost = errors.New("the request is for a host other than that of GitHub")

// RoundTrip implements http.RoundTripper. A failed read request returns a cached response if its context permits that; see
// allowStale.
func (t *transport) RoundTrip(req *http.Request) (*http.Response, error) {
	if !t.isBaseHost(req.URL) {
		return nil, errForeignHost
	}
	key := ""
	if req.Method == http.MethodGet {
		key = req.URL.String() + "\n" + req.Header.Get("Accept")
	}
	a, err := t.do(req, key)
	if key != "" && req.Context().Err() == nil && (err != nil || a.status >= 500) {
		if old := t.cache.stale(req.Context(), key); old != nil {
			t.log.Warn("GitHub request failed; using a cached response", "error", err)
			a, err = old, nil
		}
	}
	if err != nil {
		return nil, err
	}
	return a.toHTTP(req), nil
}

// do sends a request. Read requests are retried after temporary failures.
func (t *transport) do(req *http.Request, key string) (*apiResponse, error) {
	ctx, pause, limit := req.Context(), t.backoff, limitOf(req.URL.Path)
	for attempt := 1; ; attempt++ {
		if err := t.limits.wait(ctx, limit); err != nil {
			return nil, err
		}
		a, err := t.attempt(req, key)
		last := key == "" || attempt >= t.attempts
		switch {
		case err == nil && t.limits.update(limit, a.toHTTP(nil), a.body):
			if reached := t.limits.reached(limit); last && reached != nil {
				return nil, reached
			}
			if last {
				return a, nil
			}
			continue // limits.wait pauses the next attempt
		case err == nil && a.status < 500:
			return a, nil
		case last || ctx.Err() != nil || errors.Is(err, errInvalidResponse):
			return a, err
		}
		next := pause/2 + rand.N(pause)
		if err == nil && a.header.Get("Retry-After") != "" {
			if next = retryAfterPause(a.header); next > maxWait {
				return a, nil
			}
		}
		if err := wait.Sleep(ctx, next); err != nil {
			return nil, err
		}
		pause *= 2
	}
}

// errInvalidResponse is the error of a malformed response, which is not retried.
var errInvalidResponse = errors.New("invalid response of GitHub")

// attempt sends a request once and reads the response.
func (t *transport) attempt(req *http.Request, key string) (*apiResponse, error) {
	ctx, cancel := context.WithTimeout(req.Context(), t.timeout)
	defer cancel()
	sent := req.Clone(ctx)
	if token := t.token(); token != "" {
		sent.Header.Set("Authorization", "Bearer "+token)
	}
	var known *apiResponse
	if key != "" {
		if known = t.cache.get(key); known != nil {
			sent.Header.Set("If-None-Match", known.header.Get("Etag"))
		}
	}
	start := time.Now()
	response, err := t.next.RoundTrip(sent)
	if err != nil {
		t.log.Debug("GitHub request failed", "method", req.Method, "path", req.URL.Path, "took", time.Since(start))
		return nil, err
	}
	defer response.Body.Close()
	a := &apiResponse{status: response.StatusCode, header: response.Header, at: start}
	a.body, err = io.ReadAll(io.LimitReader(response.Body, maxResponse+1))
	t.log.Debug("GitHub request", "method", req.Method, "path", req.URL.Path, "status", a.status, "took", time.Since(start), "remaining", a.header.Get("X-Ratelimit-Remaining"))
	if err != nil {
		return nil, fmt.Errorf("reading the response: %w", err)
	}
	if known != nil && a.status == http.StatusNotModified {
		current := known.revalidated(response.Header, start)
		t.cache.put(key, current)
		return current, nil
	}
	if err := a.check(); err != nil {
		return nil, err
	}
	if key != "" && a.status == http.StatusOK {
		t.cache.put(key, a)
	}
	return a, nil
}

// check reports a malformed response.
func (a *apiResponse) check() error {
	if len(a.body) > maxResponse {
		return fmt.Errorf("%w: longer than %d bytes", errInvalidResponse, maxResponse)
	}
	if a.status != http.StatusOK && a.status != http.StatusCreated {
		return nil
	}
	if kind := a.header.Get("Content-Type"); !strings.Contains(kind, "json") {
		return fmt.Errorf("%w: content type %q is not JSON; check the base URL", errInvalidResponse, kind)
	}
	if body := bytes.TrimSpace(a.body); len(body) == 0 || string(body) == "null" {
		return fmt.Errorf("%w: empty body", errInvalidResponse)
	}
	return nil
}
