package oauth

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"net/http"
	"net/url"
	"sync"
	"time"

	"github.com/dougu-go/dougu/internal/group"
	"github.com/dougu-go/dougu/internal/safehttp"
)

// loginTime is how long a user has by default.
const loginTime = 5 * time.Minute

// Client gets tokens for the resources that its Transports talk to. The zero value is a program on the user's machine: it opens
// the user's browser, registers itself where it may, and forgets everything when it ends. A Client serves one user; a program
// that serves several has one for each, which may share a Store by different Accounts. It must not be copied after its first use.
// Close ends what it has begun.
type Client struct {
	// Name is what users are shown when they are asked for their consent. Default "MCP client".
	Name string
	// Homepage is the URL of a page about the program, shown to users as well.
	Homepage string
	// Registered are the credentials that the program was given, by the issuer that has given them: they are sent to no other
	// authorization server. These issuers may be at private addresses. Any resource of this Client can have a token asked for with
	// them: servers that do not trust each other have a Client each.
	Registered map[string]Credentials
	// MetadataURL is the URL of the program's Client ID Metadata Document, which is its client ID at servers that know such
	// documents. The document must name the redirect URL of the Authorizer.
	MetadataURL string
	// Scopes are asked for besides those that a server asks for.
	Scopes []string
	// Authorizer takes the user to an authorization server. Nil is a Loopback.
	Authorizer Authorizer
	// Grant gets tokens without a user. Nil asks the user.
	Grant Grant
	// DPoP, if set, binds tokens to a key wherever the authorization server can, so that nobody else can use them (RFC 9449).
	DPoP Prover
	// RequireDPoP refuses tokens that are not bound.
	RequireDPoP bool
	// Store keeps tokens and registrations. Nil is a Memory of its own.
	Store Store
	// Account tells whose tokens these are in a Store that several users share. Registrations are shared.
	Account string
	// LoginTimeout is how long the user may take. Default 5 min.
	LoginTimeout time.Duration
	// HTTP sends the requests to authorization servers, and for metadata that is not at the resource's own origin. Nil is a
	// transport that reaches public addresses, and private ones or this machine only for a resource that is there itself. Another
	// has to see to that by itself.
	HTTP http.RoundTripper
	// Log tells what was authorized and what went wrong, without secrets. Nil is slog.Default.
	Log *slog.Logger

	once     sync.Once
	life     context.Context
	end      context.CancelCauseFunc
	flights  group.Group
	turn     chan struct{} // held by who shows the user a page
	proofs   *prover
	fallback Memory

	mu       sync.Mutex
	sessions map[string]*session // by resource
}

// begin makes what the zero value lacks.
func (c *Client) begin() {
	c.once.Do(func() {
		c.life, c.end = context.WithCancelCause(context.Background())
		c.turn = make(chan struct{}, 1)
		c.proofs = newProver(c.DPoP)
		c.sessions = make(map[string]*session)
		c.flights.OnPanic = func(value any, stack []byte) {
			c.log().Error("an authorization panicked", "value", fmt.Sprint(value), "stack", string(stack))
		}
	})
}

// Close ends authorizations under way and waits for their end. Requests that need a token fail from then on.
func (c *Client) Close() error {
	c.begin()
	c.end(ErrClosed)
	c.flights.Wait()
	return nil
}

// Transport returns what sends requests over base with the tokens of a resource, which is the URL of the server: http.Client and
// whatever takes one can use it, as httpclient.Client and websocket.Client do. Nil is what the resource had before, else
// http.DefaultTransport.
//
// The token goes with every request to the origin of the resource, and with no other. A request that has an Authorization header
// already is left alone. Requests are repeated with a token when the server wants one; their bodies are read into memory for
// that, up to 4 MiB, unless they have a GetBody. When no token can be had, the request fails with an *Error. The end of a
// request's context ends its wait for a token; the authorization itself goes on for the requests after it.
func (c *Client) Transport(resource string, base http.RoundTripper) http.RoundTripper {
	c.begin()
	u, err := parseResource(resource)
	if err != nil {
		return broken{err}
	}
	s := c.session(u)
	return &transport{session: s, base: s.setBase(base)}
}

// broken is a transport to nowhere.
type broken struct{ err error }

// RoundTrip implements http.RoundTripper.
func (b broken) RoundTrip(req *http.Request) (*http.Response, error) {
	closeBody(req)
	return nil, &Error{Resource: "the resource", Err: b.err}
}

// Authorize gets a token for a resource now, instead of with the first request that needs one: programs whose requests do not
// wait as long as a user takes call it before. A resource that wants no token has none.
func (c *Client) Authorize(ctx context.Context, resource string) error {
	t := c.Transport(resource, nil)
	if t, ok := t.(*transport); ok {
		t.session.forgive()
	}
	resp, err := probe(ctx, t, resource)
	if err != nil {
		return err
	}
	if resp.StatusCode == http.StatusUnauthorized || resp.StatusCode == http.StatusForbidden {
		return &Error{Resource: resource, Err: fmt.Errorf("the server refuses the token with HTTP status %d", resp.StatusCode)}
	}
	return nil
}

// Forget drops the token of a resource, and removes it from the Store: the user is asked again. The authorization server is not told.
func (c *Client) Forget(ctx context.Context, resource string) error {
	c.begin()
	u, err := parseResource(resource)
	if err != nil {
		return err
	}
	s := c.session(u)
	s.forget()
	return c.store().Delete(ctx, s.key())
}

// Reload reads the token of a resource from the Store again, which another process may have changed: by a login, or by Forget. It
// reports whether there is one.
func (c *Client) Reload(ctx context.Context, resource string) (bool, error) {
	c.begin()
	u, err := parseResource(resource)
	if err != nil {
		return false, err
	}
	s := c.session(u)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.held = s.stored(ctx)
	s.loaded = ctx.Err() == nil
	return s.held != nil, nil
}

// Discover asks what a resource says about itself, and the first of its authorization servers that this client has credentials
// for, else the first of all. It needs no token and gets none.
func (c *Client) Discover(ctx context.Context, resource string) (*Resource, *Server, error) {
	c.begin()
	u, err := parseResource(resource)
	if err != nil {
		return nil, nil, err
	}
	s := c.session(u)
	base := s.setBase(nil)
	var said challenge
	if resp, err := probe(ctx, s.watched(base), resource); err == nil && resp.StatusCode == http.StatusUnauthorized {
		said = readChallenge(resp.Header)
	}
	d := &discoverer{fetcher: s.fetcher(base), resource: u}
	r, err := d.discoverResource(ctx, said.metadata)
	if err != nil {
		return nil, nil, err
	}
	d.fetcher = s.fetcher(base)
	server, err := s.trusting(d, c.choose(r, "")).discoverServer(ctx, c.choose(r, ""), r.old)
	return r, server, err
}

// probe sends a request that asks for nothing, and returns the response without its body.
func probe(ctx context.Context, t http.RoundTripper, resource string) (*http.Response, error) {
	u, err := parseResource(resource)
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, u.String(), nil)
	if err != nil {
		return nil, err
	}
	req.Header.Set("Accept", "text/event-stream")
	resp, err := t.RoundTrip(req)
	if err != nil {
		return nil, err
	}
	return resp, resp.Body.Close()
}

// session is what is known about a resource.
func (c *Client) session(u *url.URL) *session {
	c.mu.Lock()
	defer c.mu.Unlock()
	s := c.sessions[u.String()]
	if s == nil {
		s = &session{client: c, resource: u, origin: origin(u), reach: safehttp.ReachOfHost(u.Hostname())}
		c.sessions[u.String()] = s
	}
	return s
}

func (c *Client) name() string {
	if c.Name == "" {
		return "MCP client"
	}
	return c.Name
}

func (c *Client) log() *slog.Logger {
	if c.Log == nil {
		return slog.Default()
	}
	return c.Log
}

func (c *Client) loginTimeout() time.Duration {
	if c.LoginTimeout <= 0 {
		return loginTime
	}
	return c.LoginTimeout
}

func (c *Client) store() Store {
	if c.Store == nil {
		return &c.fallback
	}
	return c.Store
}

// load reads a value of the store. One that cannot be read is none: it can be had anew.
func (c *Client) load(ctx context.Context, key string, into any) bool {
	data, err := c.store().Load(ctx, key)
	if err == nil && data != nil {
		if err = json.Unmarshal(data, into); err != nil {
			err = fmt.Errorf("%q is damaged", key)
		}
	}
	if err != nil {
		c.log().Warn("a token cannot be read from the store", "key", key, "reason", err)
	}
	return err == nil && data != nil
}

func (c *Client) save(ctx context.Context, key string, value any) {
	data, err := json.Marshal(value)
	if err == nil {
		err = c.store().Save(ctx, key, data)
	}
	if err != nil {
		c.log().Warn("a token cannot be kept for the next time", "key", key, "reason", err)
	}
}

func (c *Client) forget(ctx context.Context, key string) {
	if err := c.store().Delete(ctx, key); err != nil {
		c.log().Warn("a token cannot be removed from the store", "key", key, "reason", err)
	}
}
