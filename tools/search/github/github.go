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

// Options configure a Plugin. The zero value can read what is public, of
// repositories that Repos names.
type Options struct {
	// Token is a personal access token or that of an app. Without one, little is
	// allowed, and nothing can be made.
	Token string
	// Owner and Repo are the repository of those who name none.
	Owner, Repo string
	// Repos are further ones that may be named: "owner/name", "owner/*" or "*".
	Repos []string
	// BaseURL is that of the interface. Empty: https://api.github.com/. A server of
	// one's own has it at https://HOST/api/v3/. It must be https, or of this machine.
	BaseURL string
	// Transport carries requests; nil is one of the plugin's own, which uses the
	// proxy of the environment.
	Transport http.RoundTripper
	// Log is told of requests (debug) and of trouble; nil is nobody.
	Log *slog.Logger

	// Timeout is how long one request may take. 0: 10 s.
	Timeout time.Duration
	// Attempts is how often what only reads is tried. 0: 3.
	Attempts int
	// Backoff is the pause before the second attempt, and twice as long each time
	// from then on. 0: 250 ms.
	Backoff time.Duration
}

const (
	defaultBase = "https://api.github.com/"
	userAgent   = "dougu"
)

// Plugin finds and makes issues. Its methods may be called from several goroutines
// at once.
type Plugin struct {
	client *api.Client
	wire   *transport
	log    *slog.Logger
	own    repository // the zero value for none
	others []string

	health  health
	flights flights
	work    group.Group // what makes issues

	// alive ends with Close, working when Close waits no more for what was sent.
	alive, working context.Context
	end, stop      context.CancelFunc
	idle           func()
}

var _ plugin.Issues = (*Plugin)(nil)

// New makes a Plugin, which is to be closed. It asks nobody anything; the errors
// are those of the options.
func New(o Options) (*Plugin, error) {
	base, err := readBase(o.BaseURL, o.Token != "")
	if err != nil {
		return nil, fmt.Errorf("making the GitHub plugin: %w", err)
	}
	if strings.ContainsFunc(o.Token, func(r rune) bool { return r <= ' ' || r > '~' }) {
		return nil, errors.New("making the GitHub plugin: the token has a character that no token has: check that it was copied as a whole, without quotes and spaces")
	}
	p := &Plugin{log: o.Log, idle: func() {}}
	if p.log == nil {
		p.log = slog.New(slog.DiscardHandler)
	}
	if o.Owner != "" || o.Repo != "" {
		if p.own, err = readRepository(o.Owner + "/" + o.Repo); err != nil {
			return nil, fmt.Errorf("making the GitHub plugin: %w", err)
		}
	}
	for _, other := range o.Repos {
		if err := checkPattern(other); err != nil {
			return nil, fmt.Errorf("making the GitHub plugin: %w", err)
		}
		p.others = append(p.others, strings.ToLower(other))
	}
	carrier := o.Transport
	if carrier == nil {
		own := &http.Transport{
			Proxy: http.ProxyFromEnvironment, ForceAttemptHTTP2: true, MaxIdleConnsPerHost: 4,
			IdleConnTimeout: time.Minute, TLSHandshakeTimeout: 10 * time.Second, MaxResponseHeaderBytes: 64 << 10,
			DialContext: (&net.Dialer{Timeout: 10 * time.Second}).DialContext,
		}
		carrier, p.idle = own, own.CloseIdleConnections
	}
	p.wire = newTransport(o, carrier, base, p.log)
	p.client = api.NewClient(&http.Client{Transport: p.wire, CheckRedirect: p.wire.redirect})
	p.client.BaseURL, p.client.UserAgent, p.client.DisableRateLimitCheck = base, userAgent, true
	p.alive, p.end = context.WithCancel(context.Background())
	p.working, p.stop = context.WithCancel(context.Background())
	p.work.OnPanic = func(value any, stack []byte) {
		p.log.Error("making an issue has panicked", "value", value, "stack", string(stack))
	}
	return p, nil
}

// readBase is the address of the interface, with a slash at its end.
func readBase(address string, secret bool) (*url.URL, error) {
	if address == "" {
		address = defaultBase
	}
	u, err := url.Parse(address)
	switch {
	case err != nil || u.Host == "" || u.Opaque != "":
		return nil, errors.New("the address is not an absolute one: write it as https://HOST/api/v3/")
	case u.User != nil || u.RawQuery != "" || u.Fragment != "":
		return nil, errors.New("the address has a user, a query or a fragment: leave them out")
	case u.Scheme != "https" && u.Scheme != "http":
		return nil, errors.New("the address is not one of https")
	case u.Scheme == "http" && secret && !local(u.Hostname()):
		return nil, fmt.Errorf("the token would be sent to %s where everybody can read it: use https", u.Hostname())
	}
	if !strings.HasSuffix(u.Path, "/") {
		u.Path += "/"
	}
	return u, nil
}

// local reports whether a host is this machine.
func local(host string) bool {
	if host == "localhost" {
		return true
	}
	ip := net.ParseIP(host)
	return ip != nil && ip.IsLoopback()
}

// Name implements plugin.Plugin.
func (p *Plugin) Name() string { return "github" }

// Health implements plugin.Plugin. The error is that of the last request, if that
// failed for a reason that further ones would fail for as well.
func (p *Plugin) Health(context.Context) error {
	if p.alive.Err() != nil {
		return closed()
	}
	return p.health.get()
}

// Close implements plugin.Plugin. What is being asked is given up at once; an issue
// that was sent is waited for until ctx ends.
func (p *Plugin) Close(ctx context.Context) error {
	p.end()
	ended := context.AfterFunc(ctx, p.stop)
	p.work.Wait()
	ended()
	p.stop()
	p.idle()
	return nil
}

// within is a context that ends with the plugin as well.
func (p *Plugin) within(ctx context.Context) (context.Context, context.CancelFunc, error) {
	if p.alive.Err() != nil {
		return nil, nil, closed()
	}
	ctx, cancel := context.WithCancelCause(ctx)
	stop := context.AfterFunc(p.alive, func() { cancel(closed()) })
	return ctx, func() { stop(); cancel(nil) }, nil
}
