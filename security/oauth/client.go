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

	"golang.org/x/sync/semaphore"

	"github.com/dougu-go/dougu/internal/group"
	"github.com/dougu-go/dougu/internal/safehttp"
)

// loginTime is the default of Client.LoginTimeout.
const loginTime = 5 * time.Minute

// Client obtains tokens for the resources of its Transports. The zero value suits a program on the
// user's machine: it opens the user's browser, registers itself dynamically and keeps tokens in
// memory.
//
// A Client serves one user. A program with several users has one Client for each; the Clients can
// share a Store if their Accounts differ. A Client is safe for concurrent use and must not be
// copied after its first use. Call Close to end running authorizations.
type Client struct {
	// Name is the program's name on consent pages. Default "MCP client".
	Name string
	// Homepage is the URL of a page about the program. Dynamic registration sends it as client_uri.
	// Optional.
	Homepage string
	// Registered holds preset credentials by issuer. They are sent only to that issuer, which may
	// have a private address. Each resource of this Client can cause a token request with them; use
	// separate Clients for servers that do not trust each other.
	Registered map[string]Credentials
	// MetadataURL is the URL of the program's Client ID Metadata Document. It is the client ID at
	// authorization servers that support these documents. The document must contain the redirect
	// URL of the Authorizer.
	MetadataURL string
	// Scopes are requested in addition to the scopes that a server requires.
	Scopes []string
	// Authorizer opens the login page and receives the response. Default: a Loopback.
	Authorizer Authorizer
	// Grant obtains tokens without a user. Nil: the user logs in.
	Grant Grant
	// DPoP binds tokens to a key if the authorization server supports it (RFC 9449). A stolen token
	// is then useless without the key. Optional.
	DPoP Prover
	// RequireDPoP rejects tokens that are not bound to the DPoP key.
	RequireDPoP bool
	// Store keeps tokens and registrations. Default: a Memory that only this Client uses.
	Store Store
	// Account separates the tokens of users that share a Store. Registrations are shared by all
	// accounts.
	Account string
	// LoginTimeout limits the time for one login by the user. The wait for another login page of this
	// Client is not included. Default 5 minutes.
	LoginTimeout time.Duration
	// HTTP sends requests to authorization servers, and metadata requests to other origins than the
	// resource's. The default transport refuses private and local addresses unless the resource
	// itself has such an address. A custom transport must enforce this rule itself.
	HTTP http.RoundTripper
	// Log receives authorizations and failures, without secrets. Default slog.Default.
	Log *slog.Logger

	once           sync.Once
	life           context.Context
	end            context.CancelCauseFunc
	authorizations group.Group         // running authorizations, at most one for each resource
	loginSlot      *semaphore.Weighted // size 1: one login page at a time, of all resources together
	proofs         *prover             // signs the proofs of DPoP
	fallback       Memory              // used if Store is nil

	mu       sync.Mutex          // guards sessions
	sessions map[string]*session // token and authorization of each resource, by its URL
}

// initialize prepares the fields that the zero value lacks.
func (c *Client) initialize() {
	c.once.Do(func() {
		c.life, c.end = context.WithCancelCause(context.Background())
		c.loginSlot = semaphore.NewWeighted(1)
		c.proofs = newProver(c.DPoP)
		c.sessions = make(map[string]*session)
		c.authorizations.OnPanic = func(value any, stack []byte) {
			c.log().Error("an authorization panicked", "value", fmt.Sprint(value), "stack", string(stack))
		}
	})
}

// Close cancels running authorizations and waits for their end. Later requests that need a token
// fail with ErrClosed.
func (c *Client) Close() error {
	c.initialize()
	c.end(ErrClosed)
	c.authorizations.Wait()
	return nil
}

// Transport returns a RoundTripper that sends requests through base and adds the tokens of
// resource, the URL of the server. The metadata of the resource is requested through base too.
//
// All Transports of a resource share its token. A nil base is the base of the latest call of
// Transport for this resource, so that Authorize and Discover use the same network settings. Without
// an earlier call it is http.DefaultTransport.
//
// The token is sent only to the origin of the resource. Requests with an Authorization header pass
// unchanged. A request is sent again with a token if the server requires one. For this its body is
// read into memory, up to 4 MiB, unless the request has GetBody.
//
// Without a token the request fails with an *Error. Cancelling the request's context ends only its
// wait; the authorization continues for other requests.
func (c *Client) Transport(resource string, base http.RoundTripper) http.RoundTripper {
	c.initialize()
	u, err := parseResource(resource)
	if err != nil {
		return failedTransport{err}
	}
	s := c.session(u)
	return &transport{session: s, base: s.setBase(base)}
}

// failedTransport fails each request with err, because the resource URL is invalid.
type failedTransport struct{ err error }

// RoundTrip implements http.RoundTripper.
func (b failedTransport) RoundTrip(req *http.Request) (*http.Response, error) {
	closeBody(req)
	return nil, &Error{Resource: "the resource", Err: b.err}
}

// Authorize obtains a token for the resource now, by sending a GET request to it. Call it before
// the first request if that request cannot wait for a login. It returns nil if the resource
// requires no token.
func (c *Client) Authorize(ctx context.Context, resource string) error {
	t := c.Transport(resource, nil)
	if t, ok := t.(*transport); ok {
		t.session.clearFailure()
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

// Forget removes the token of a resource from memory and from the Store. The next request requires
// a new login. The token is not revoked at the authorization server.
func (c *Client) Forget(ctx context.Context, resource string) error {
	c.initialize()
	u, err := parseResource(resource)
	if err != nil {
		return err
	}
	s := c.session(u)
	s.dropToken()
	return c.store().Delete(ctx, s.key())
}

// Reload reads the token of a resource from the Store again, for example after a login in another
// process. It reports whether the Store has a usable token.
func (c *Client) Reload(ctx context.Context, resource string) (bool, error) {
	c.initialize()
	u, err := parseResource(resource)
	if err != nil {
		return false, err
	}
	s := c.session(u)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.token = s.loadToken(ctx)
	s.loaded = ctx.Err() == nil
	return s.token != nil, nil
}

// Discover returns the metadata of a resource and of its authorization server. Of several
// authorization servers it selects the first one with an entry in Registered, otherwise the first
// in the list. It sends no token.
func (c *Client) Discover(ctx context.Context, resource string) (*Resource, *Server, error) {
	c.initialize()
	u, err := parseResource(resource)
	if err != nil {
		return nil, nil, err
	}
	s := c.session(u)
	base := s.setBase(nil)
	// The address to which the connection is made determines the networks (public, private, this
	// machine) to which the metadata may point. observeReach records them in the session.
	var said challenge
	if resp, err := probe(ctx, s.observeReach(base), resource); err == nil && resp.StatusCode == http.StatusUnauthorized {
		said = readChallenge(resp.Header)
	}
	d := &discoverer{fetcher: s.fetcher(base), resource: u}
	r, err := d.discoverResource(ctx, said.metadata)
	if err != nil {
		return nil, nil, err
	}
	d.fetcher = s.fetcher(base) // again, because the request for the metadata may have changed the permitted networks
	issuer := c.selectIssuer(r, "")
	server, err := s.withTrustedIssuer(d, issuer).discoverServer(ctx, issuer, r.noMetadata)
	return r, server, err
}

// probe sends a GET request to the resource and returns the response with its body closed.
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

// session returns the session of a resource, and creates it on first use.
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

// loginTimeout returns LoginTimeout or its default.
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

// load decodes the value of key in the Store into the variable that into points to. It returns false
// if there is no value. An unreadable or damaged value is logged and also returns false. The caller
// then obtains a new one.
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
