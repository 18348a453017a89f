package oauth

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/dougu-go/dougu/internal/lru"
	"github.com/dougu-go/dougu/internal/safehttp"
)

const (
	// maxStepUps limits the authorizations of one operation with the same scopes.
	maxStepUps = 3
	// failurePause is the time during which later requests fail with the error of a refused
	// authorization. It prevents repeated login pages and token requests.
	failurePause = 30 * time.Second
	// maxPause limits the pause that a server requests with Retry-After.
	maxPause = 10 * time.Minute
)

// session is the state of one resource: its token and the running authorization. mu guards the
// fields below it.
type session struct {
	client   *Client
	resource *url.URL
	origin   string // of resource, for example https://example.com

	mu                  sync.Mutex
	base                http.RoundTripper // base of the last Transport; nil if none
	reach               safehttp.Reach
	reachObserved       bool // reach was derived from a connection, not from the host name
	loaded              bool
	token               *issuedToken // nil if the resource has no token
	pending             *authorization
	lastErr             error
	pausedUntil         time.Time // end of the time in which lastErr is returned
	stepUps             lru.Cache[string, int]
	invalidRefreshToken string // last refresh token that the authorization server rejected as invalid
}

// authRequest describes the token that a request needs.
type authRequest struct {
	base      http.RoundTripper
	tried     *issuedToken // token of the failed attempt; nil if none
	challenge challenge
	stepUp    bool   // tried is valid, but its scopes do not suffice
	refresh   bool   // tried expires soon; replace it without a login
	version   string // MCP-Protocol-Version of the request
}

// authorization is one running or finished authorization. done is closed at its end; token and err
// are valid from then on.
type authorization struct {
	request authRequest
	done    chan struct{}
	token   *issuedToken
	err     error
}

// sharesFailure reports whether a waiting request n fails with the error of this authorization. If
// not, it starts its own.
func (f *authorization) sharesFailure(n authRequest) bool {
	return !n.refresh && !f.request.refresh && (f.request.stepUp || !n.stepUp)
}

// usable reports whether the token has not expired.
func (h *issuedToken) usable() bool { return !h.expired() }

// key returns the token's key in the Store.
func (s *session) key() string {
	key := "token " + s.resource.String()
	if s.client.Account != "" {
		key += " " + s.client.Account
	}
	return key
}

// currentToken returns the token for the first attempt of a request, or nil if there is none. It
// renews a token that expires soon. If the renewal fails, it returns the old token, which may be
// expired.
func (s *session) currentToken(ctx context.Context, base http.RoundTripper) (*issuedToken, error) {
	s.mu.Lock()
	held := s.token
	if !s.loaded {
		held = s.loadToken(ctx)
		s.token, s.loaded = held, ctx.Err() == nil
	}
	s.mu.Unlock()
	if held == nil || !held.aging() || s.isRefreshTokenInvalid(held.Token.RefreshToken) && s.client.Grant == nil {
		return held, nil
	}
	next, err := s.renewToken(ctx, authRequest{base: base, tried: held, refresh: true})
	switch {
	case err == nil:
		return next, nil
	case ctx.Err() != nil:
		return nil, context.Cause(ctx)
	}
	// The server refuses the expired token, and its challenge contains more information for the
	// next attempt.
	s.client.log().Debug("a token could not be refreshed", "resource", s.resource.Redacted(), "reason", err)
	return held, nil
}

// isRefreshTokenInvalid reports whether a refresh token is empty or was rejected by the
// authorization server.
func (s *session) isRefreshTokenInvalid(refreshToken string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return refreshToken == "" || refreshToken == s.invalidRefreshToken
}

// markRefreshTokenInvalid records a refresh token that the authorization server rejected, so that
// it is not sent again.
func (s *session) markRefreshTokenInvalid(refreshToken string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.invalidRefreshToken = refreshToken
}

// loadToken returns the token from the Store, or nil if there is none or it is bound to another
// DPoP key.
func (s *session) loadToken(ctx context.Context) *issuedToken {
	var h issuedToken
	if !s.client.load(ctx, s.key(), &h) || h.Token == nil || !isTokenText(h.Token.AccessToken) {
		return nil
	}
	if h.bound() && (s.client.proofs == nil || s.client.proofs.Thumbprint() != h.Key) || !h.bound() && s.client.RequireDPoP {
		return nil // it was made for another key
	}
	return &h
}

// renewToken returns another token than n.tried. It joins the running authorization or starts one.
// Cancelling ctx ends the wait, not the authorization.
func (s *session) renewToken(ctx context.Context, n authRequest) (*issuedToken, error) {
	for {
		s.mu.Lock()
		if s.token != nil && s.token != n.tried && s.token.usable() && (!n.stepUp || len(missing(n.challenge.scopes, s.token.Granted)) == 0) {
			held := s.token
			s.mu.Unlock()
			return held, nil // another request obtained it
		}
		if s.lastErr != nil && time.Now().Before(s.pausedUntil) {
			err := s.lastErr
			s.mu.Unlock()
			return nil, err
		}
		f, mine := s.pending, false
		if f == nil {
			f, mine = s.startAuthorization(n), true
		}
		s.mu.Unlock()
		select {
		case <-f.done:
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		}
		if mine || f.err != nil && f.sharesFailure(n) {
			return f.token, f.err
		}
	}
}

// startAuthorization starts an authorization in a goroutine. The caller holds s.mu.
func (s *session) startAuthorization(n authRequest) *authorization {
	f := &authorization{request: n, done: make(chan struct{}), err: errors.New("the authorization has failed")}
	s.pending = f
	c := s.client
	c.authorizations.Go(func() {
		ctx, cancel := context.WithTimeoutCause(c.life, c.loginTimeout()+2*time.Minute, errors.New("the authorization took too long"))
		defer cancel()
		defer s.finishAuthorization(f, n)
		if err := context.Cause(c.life); err != nil {
			f.err = err
			return
		}
		f.token, f.err = s.obtainToken(ctx, n)
	})
	return f
}

// finishAuthorization stores the result of an authorization and closes its done channel.
func (s *session) finishAuthorization(f *authorization, n authRequest) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.pending = nil
	defer close(f.done)
	switch {
	case f.err == nil:
		s.token, s.lastErr = f.token, nil
	case errors.Is(f.err, ErrLoginRequired):
		s.client.log().Debug("a server needs a login", "resource", s.resource.Redacted())
	case !n.refresh || s.client.Grant != nil:
		s.client.log().Warn("there is no token for a server", "resource", s.resource.Redacted(), "reason", f.err)
		if pause := pauseAfter(f.err); pause > 0 {
			s.lastErr, s.pausedUntil = f.err, time.Now().Add(pause)
		}
	}
}

// pauseAfter returns the time during which a new attempt would fail in the same way: after a
// refusal, but not after a network error.
func pauseAfter(err error) time.Duration {
	var answer *ResponseError
	switch isAnswer := errors.As(err, &answer); {
	case isAnswer && answer.after > 0:
		return min(answer.after, maxPause)
	case isAnswer && answer.Status < 500, errors.Is(err, ErrState), errors.Is(err, ErrIssuer), errors.Is(err, errNoLogin), errors.Is(err, errUnbound):
		return failurePause
	}
	return 0
}

// clearFailure lets the next request start an authorization at once.
func (s *session) clearFailure() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.lastErr = nil
}

// dropToken removes the token from memory.
func (s *session) dropToken() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.token, s.loaded, s.lastErr = nil, true, nil
}

// obtainToken runs an authorization while it holds the Store's lock of the token, if the Store is a
// Locker.
func (s *session) obtainToken(ctx context.Context, n authRequest) (*issuedToken, error) {
	if locker, ok := s.client.store().(Locker); ok {
		unlock, err := locker.Lock(ctx, s.key())
		if err != nil {
			return nil, fmt.Errorf("waiting for another process that gets a token: %w", err)
		}
		defer unlock()
		if other := s.loadToken(ctx); other != nil && s.improves(other, n) {
			return other, nil
		}
	}
	held, err := (&flow{session: s, request: n}).run(ctx)
	if err != nil {
		return nil, err
	}
	s.client.save(context.WithoutCancel(ctx), s.key(), held) // the old refresh token may be invalid now, so cancellation must not prevent this
	s.client.log().Info("there is a token for a server", "resource", s.resource.Redacted(), "issuer", held.Issuer, "scopes", held.Granted, "refreshed", held.refreshed)
	return held, nil
}

// improves reports whether the token of another process is worth an attempt.
func (s *session) improves(other *issuedToken, n authRequest) bool {
	if n.tried != nil && other.Token.AccessToken == n.tried.Token.AccessToken || other.aging() {
		return false
	}
	return !n.stepUp || len(missing(n.challenge.scopes, other.Granted)) == 0
}

// resetStepUps clears the counter of an operation and its scopes after the operation succeeded.
func (s *session) resetStepUps(operation string, scopes []string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.stepUps.Delete(stepUpKey(operation, scopes))
}

func stepUpKey(operation string, scopes []string) string {
	return operation + "\n" + strings.Join(slices.Sorted(slices.Values(scopes)), " ")
}

// mayStepUp counts one more request for these scopes and reports whether it is within maxStepUps
// (2026-07-28, basic/authorization, "Step-Up Authorization Flow").
func (s *session) mayStepUp(operation string, scopes []string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	key := stepUpKey(operation, scopes)
	tries, _ := s.stepUps.Get(key)
	s.stepUps.MaxEntries, s.stepUps.MaxSize = 256, 1<<20
	s.stepUps.Put(key, tries+1, len(key))
	return tries < maxStepUps
}

func (s *session) setReach(r safehttp.Reach) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.reach, s.reachObserved = r, true
}

// hasObservedReach reports whether the resource's address was taken from a connection.
func (s *session) hasObservedReach() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.reachObserved
}

// setBase stores a non-nil base and returns the base in use.
func (s *session) setBase(base http.RoundTripper) http.RoundTripper {
	s.mu.Lock()
	defer s.mu.Unlock()
	if base != nil {
		s.base = base
	}
	if s.base == nil {
		return http.DefaultTransport
	}
	return s.base
}

// fetcher returns a fetcher that is limited to the addresses that the resource may refer to.
func (s *session) fetcher(base http.RoundTripper) *fetcher {
	s.mu.Lock()
	r := s.reach
	s.mu.Unlock()
	return &fetcher{ownOrigin: s.origin, base: s.observeReach(base), external: s.client.externalTransport(r)}
}

// withTrustedIssuer returns d without address limits if the issuer has preset credentials,
// otherwise d.
func (s *session) withTrustedIssuer(d *discoverer, issuer string) *discoverer {
	if _, ok := s.client.Registered[issuer]; !ok {
		return d
	}
	trusted := *d
	trusted.fetcher = &fetcher{ownOrigin: d.ownOrigin, base: d.base, external: s.client.externalTransport(safehttp.Any)}
	return &trusted
}

func (c *Client) externalTransport(r safehttp.Reach) http.RoundTripper {
	if c.HTTP != nil {
		return c.HTTP
	}
	return newExternalTransport(r, http.ProxyFromEnvironment)
}

// selectIssuer returns the authorization server to use: the first with preset credentials,
// otherwise the previous one, otherwise the first in the list.
func (c *Client) selectIssuer(r *Resource, before string) string {
	for _, issuer := range r.AuthorizationServers {
		if _, ok := c.Registered[issuer]; ok {
			return issuer
		}
	}
	if slices.Contains(r.AuthorizationServers, before) {
		return before
	}
	return r.AuthorizationServers[0]
}
