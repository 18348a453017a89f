package github

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"net/url"
	"strings"
	"time"

	api "github.com/google/go-github/v75/github"

	"github.com/dougu-go/dougu/internal/group"
	"github.com/dougu-go/dougu/tools/search/plugin"
)

// Options configure a Plugin. The zero value can read public issues of repositories that Repos permits.
type Options struct {
	// Token is a personal access token, or that of an app. Without one, GitHub permits few requests and no creation.
	Token string
	// Owner and Repo are the default repository.
	Owner, Repo string
	// Repos are further permitted repositories: "owner/name", "owner/*" or "*".
	Repos []string
	// BaseURL is the base URL of the API. Empty means https://api.github.com/. GitHub Enterprise Server uses
	// https://HOST/api/v3/. With a token it must be https, or a loopback address.
	BaseURL string
	// Transport sends the requests. nil means a transport of the plugin that uses the proxy of the environment.
	Transport http.RoundTripper
	// Log receives requests (debug) and failures. nil discards them.
	Log *slog.Logger

	// Timeout limits one request. 0 means 10 s.
	Timeout time.Duration
	// Attempts is the maximum number of attempts of a read request. 0 means 3.
	Attempts int
	// Backoff is the pause before the second attempt; it doubles for each further one. 0 means 250 ms.
	Backoff time.Duration
}

const (
	defaultBase = "https://api.github.com/"
	userAgent   = "dougu"
)

// Plugin searches and creates issues. It implements plugin.Issues and is safe for concurrent use.
type Plugin struct {
	client       *api.Client
	transport    *transport
	log          *slog.Logger
	defaultRepo  repository // zero without a default
	allowedRepos []string

	health    health        // the outcome of the last request
	creations creationGroup // creates one issue for concurrent calls with the same key
	work      group.Group   // running creations

	// alive is the context of read requests. endAlive ends it at the beginning of Close.
	alive    context.Context
	endAlive context.CancelFunc
	// working is the context of creations. endWorking ends it when the context of Close ends, or after
	// the last creation.
	working    context.Context
	endWorking context.CancelFunc
	closeIdle  func() // closes idle connections
}

var _ plugin.Issues = (*Plugin)(nil)

// New returns a Plugin, which the caller closes. It sends no request. An error reports an invalid option.
func New(o Options) (*Plugin, error) {
	base, err := parseBaseURL(o.BaseURL, o.Token != "")
	if err != nil {
		return nil, fmt.Errorf("creating the GitHub plugin: %w", err)
	}
	if strings.ContainsFunc(o.Token, func(r rune) bool { return r <= ' ' || r > '~' }) {
		return nil, errors.New("creating the GitHub plugin: the token contains an invalid character: check that it was copied completely, without quotes and spaces")
	}
	p := &Plugin{log: o.Log, closeIdle: func() {}}
	if p.log == nil {
		p.log = slog.New(slog.DiscardHandler)
	}
	if o.Owner != "" || o.Repo != "" {
		if p.defaultRepo, err = parseRepository(o.Owner + "/" + o.Repo); err != nil {
			return nil, fmt.Errorf("creating the GitHub plugin: %w", err)
		}
	}
	for _, other := range o.Repos {
		if err := checkPattern(other); err != nil {
			return nil, fmt.Errorf("creating the GitHub plugin: %w", err)
		}
		p.allowedRepos = append(p.allowedRepos, strings.ToLower(other))
	}
	roundTripper := o.Transport
	if roundTripper == nil {
		own := &http.Transport{
			Proxy: http.ProxyFromEnvironment, ForceAttemptHTTP2: true, MaxIdleConnsPerHost: 4,
			IdleConnTimeout: time.Minute, TLSHandshakeTimeout: 10 * time.Second, MaxResponseHeaderBytes: 64 << 10,
			DialContext: (&net.Dialer{Timeout: 10 * time.Second}).DialContext,
		}
		roundTripper, p.closeIdle = own, own.CloseIdleConnections
	}
	p.transport = newTransport(o, roundTripper, base, p.log)
	p.client = api.NewClient(&http.Client{Transport: p.transport, CheckRedirect: p.transport.checkRedirect})
	p.client.BaseURL, p.client.UserAgent, p.client.DisableRateLimitCheck = base, userAgent, true
	p.alive, p.endAlive = context.WithCancel(context.Background())
	p.working, p.endWorking = context.WithCancel(context.Background())
	p.work.OnPanic = func(value any, stack []byte) {
		p.log.Error("creating an issue panicked", "value", value, "stack", string(stack))
	}
	return p, nil
}

// parseBaseURL parses Options.BaseURL and appends a slash.
func parseBaseURL(address string, secret bool) (*url.URL, error) {
	if address == "" {
		address = defaultBase
	}
	u, err := url.Parse(address)
	switch {
	case err != nil || u.Host == "" || u.Opaque != "":
		return nil, errors.New("the base URL is not absolute: write it as https://HOST/api/v3/")
	case u.User != nil || u.RawQuery != "" || u.Fragment != "":
		return nil, errors.New("the base URL has a user, a query or a fragment: remove them")
	case u.Scheme != "https" && u.Scheme != "http":
		return nil, errors.New("the scheme of the base URL is not https")
	case u.Scheme == "http" && secret && !isLoopback(u.Hostname()):
		return nil, fmt.Errorf("the token would be sent to %s unencrypted: use https", u.Hostname())
	}
	if !strings.HasSuffix(u.Path, "/") {
		u.Path += "/"
	}
	return u, nil
}

// isLoopback reports whether a host is this machine.
func isLoopback(host string) bool {
	if host == "localhost" {
		return true
	}
	ip := net.ParseIP(host)
	return ip != nil && ip.IsLoopback()
}

// Name implements plugin.Plugin.
func (p *Plugin) Name() string { return "github" }

// Health implements plugin.Plugin. It returns the error of the last request, if later requests would fail for the same reason.
func (p *Plugin) Health(context.Context) error {
	if p.alive.Err() != nil {
		return closedError()
	}
	return p.health.get()
}

// Close implements plugin.Plugin. Read requests are cancelled; creations that were sent are awaited until ctx ends.
func (p *Plugin) Close(ctx context.Context) error {
	p.endAlive()
	detach := context.AfterFunc(ctx, p.endWorking)
	p.work.Wait()
	detach()
	p.endWorking()
	p.closeIdle()
	return nil
}

// withLifetime returns a context that also ends with the plugin.
func (p *Plugin) withLifetime(ctx context.Context) (context.Context, context.CancelFunc, error) {
	if p.alive.Err() != nil {
		return nil, nil, closedError()
	}
	ctx, cancel := context.WithCancelCause(ctx)
	stop := context.AfterFunc(p.alive, func() { cancel(closedError()) })
	return ctx, func() { stop(); cancel(nil) }, nil
}
