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
	// maxStepUps is how often an operation asks for the same scopes.
	maxStepUps = 3
	// failurePause is how long a refusal holds for the requests after it, so that a program that tries again does not ask the
	// user, or the authorization server, again and again.
	failurePause = 30 * time.Second
	// longestPause bounds the pause that a server asks for.
	longestPause = 10 * time.Minute
)

// session is what is known about a resource: its token, and the authorization under way.
type session struct {
	client   *Client
	resource *url.URL
	origin   string // of the resource

	mu      sync.Mutex
	base    http.RoundTripper // that was given last; nil for none
	reach   safehttp.Reach
	placed  bool // the reach is that of a connection
	loaded  bool
	held    *issued // nil for none
	flight  *flight
	failed  error
	paused  time.Time // until when failed holds
	stepUps lru.Cache[string, int]
	refused string // the last refresh token that the authorization server has called invalid
}

// need says for what a token is wanted.
type need struct {
	base    http.RoundTripper
	used    *issued // what was tried; nil for none
	said    challenge
	stepUp  bool   // the token is right, and its scopes do not suffice
	refresh bool   // the token is about to expire, and is replaced if that bothers no user
	version string // of the protocol that the request has
}

// flight is an authorization under way.
type flight struct {
	need need
	done chan struct{}
	held *issued
	err  error
}

// settles reports whether the failure of the authorization is also the failure of a request with another need.
func (f *flight) settles(n need) bool {
	return !n.refresh && !f.need.refresh && (f.need.stepUp || !n.stepUp)
}

// usable reports whether the token can be sent.
func (h *issued) usable() bool { return !h.expired() }

// key is where the token is kept.
func (s *session) key() string {
	key := "token " + s.resource.String()
	if s.client.Account != "" {
		key += " " + s.client.Account
	}
	return key
}

// current is the token to begin with, which may be expired, and nil when there is none. One that is about to expire is replaced
// before.
func (s *session) current(ctx context.Context, base http.RoundTripper) (*issued, error) {
	s.mu.Lock()
	held := s.held
	if !s.loaded {
		held = s.stored(ctx)
		s.held, s.loaded = held, ctx.Err() == nil
	}
	s.mu.Unlock()
	if held == nil || !held.aging() || s.isUseless(held.Token.RefreshToken) && s.client.Grant == nil {
		return held, nil
	}
	next, err := s.renew(ctx, need{base: base, used: held, refresh: true})
	switch {
	case err == nil:
		return next, nil
	case ctx.Err() != nil:
		return nil, context.Cause(ctx)
	}
	// The request finds out more than is known now: it is refused, and says why.
	s.client.log().Debug("a token could not be refreshed", "resource", s.resource.Redacted(), "reason", err)
	return held, nil
}

// isUseless reports whether a refresh token brings no other token: there is none, or the authorization server has refused it.
func (s *session) isUseless(refreshToken string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return refreshToken == "" || refreshToken == s.refused
}

// refuse notes that the authorization server has called a refresh token invalid, so that it is not shown again.
func (s *session) refuse(refreshToken string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.refused = refreshToken
}

// stored is the token that was kept, if it can be used by this client.
func (s *session) stored(ctx context.Context) *issued {
	var h issued
	if !s.client.load(ctx, s.key(), &h) || h.Token == nil || !isTokenText(h.Token.AccessToken) {
		return nil
	}
	if h.bound() && (s.client.proofs == nil || s.client.proofs.Thumbprint() != h.Key) || !h.bound() && s.client.RequireDPoP {
		return nil // it was made for another key
	}
	return &h
}

// renew gets another token than the one that was tried. One authorization runs at a time; requests that come meanwhile take what
// it brings. The end of ctx ends the wait alone.
func (s *session) renew(ctx context.Context, n need) (*issued, error) {
	for {
		s.mu.Lock()
		if s.held != nil && s.held != n.used && s.held.usable() && (!n.stepUp || len(missing(n.said.scopes, s.held.Granted)) == 0) {
			held := s.held
			s.mu.Unlock()
			return held, nil // somebody else has got it
		}
		if s.failed != nil && time.Now().Before(s.paused) {
			err := s.failed
			s.mu.Unlock()
			return nil, err
		}
		f, mine := s.flight, false
		if f == nil {
			f, mine = s.take(n), true
		}
		s.mu.Unlock()
		select {
		case <-f.done:
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		}
		if mine || f.err != nil && f.settles(n) {
			return f.held, f.err
		}
	}
}

// take begins an authorization. The session is locked.
func (s *session) take(n need) *flight {
	f := &flight{need: n, done: make(chan struct{}), err: errors.New("the authorization has failed")}
	s.flight = f
	c := s.client
	c.flights.Go(func() {
		ctx, cancel := context.WithTimeoutCause(c.life, c.loginTimeout()+2*time.Minute, errors.New("the authorization took too long"))
		defer cancel()
		defer s.land(f, n)
		if err := context.Cause(c.life); err != nil {
			f.err = err
			return
		}
		f.held, f.err = s.obtain(ctx, n)
	})
	return f
}

// land ends an authorization.
func (s *session) land(f *flight, n need) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.flight = nil
	defer close(f.done)
	switch {
	case f.err == nil:
		s.held, s.failed = f.held, nil
	case errors.Is(f.err, ErrLoginRequired):
		s.client.log().Debug("a server needs a login", "resource", s.resource.Redacted())
	case !n.refresh || s.client.Grant != nil:
		s.client.log().Warn("there is no token for a server", "resource", s.resource.Redacted(), "reason", f.err)
		if pause := pauseAfter(f.err); pause > 0 {
			s.failed, s.paused = f.err, time.Now().Add(pause)
		}
	}
}

// pauseAfter is how long trying again would end the same way and bother somebody: after a refusal, not after a network that failed.
func pauseAfter(err error) time.Duration {
	var answer *ResponseError
	switch isAnswer := errors.As(err, &answer); {
	case isAnswer && answer.after > 0:
		return min(answer.after, longestPause)
	case isAnswer && answer.Status < 500, errors.Is(err, ErrState), errors.Is(err, ErrIssuer), errors.Is(err, errNoLogin), errors.Is(err, errUnbound):
		return failurePause
	}
	return 0
}

// forgive lets the next request try at once.
func (s *session) forgive() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.failed = nil
}

// forget drops the token.
func (s *session) forget() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.held, s.loaded, s.failed = nil, true, nil
}

// obtain gets a token, while no other process does.
func (s *session) obtain(ctx context.Context, n need) (*issued, error) {
	if locker, ok := s.client.store().(Locker); ok {
		unlock, err := locker.Lock(ctx, s.key())
		if err != nil {
			return nil, fmt.Errorf("waiting for another process that gets a token: %w", err)
		}
		defer unlock()
		if other := s.stored(ctx); other != nil && s.improves(other, n) {
			return other, nil
		}
	}
	held, err := (&flow{session: s, need: n}).run(ctx)
	if err != nil {
		return nil, err
	}
	s.client.save(context.WithoutCancel(ctx), s.key(), held) // the refresh token may be the only one now
	s.client.log().Info("there is a token for a server", "resource", s.resource.Redacted(), "issuer", held.Issuer, "scopes", held.Granted, "refreshed", held.refreshed)
	return held, nil
}

// improves reports whether a token that another process has kept is worth trying.
func (s *session) improves(other *issued, n need) bool {
	if n.used != nil && other.Token.AccessToken == n.used.Token.AccessToken || other.aging() {
		return false
	}
	return !n.stepUp || len(missing(n.said.scopes, other.Granted)) == 0
}

// steppedUp forgets how often scopes were asked for, since an operation has succeeded with them: the next time is another one.
func (s *session) steppedUp(operation string, scopes []string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.stepUps.Delete(stepUpKey(operation, scopes))
}

func stepUpKey(operation string, scopes []string) string {
	return operation + "\n" + strings.Join(slices.Sorted(slices.Values(scopes)), " ")
}

// mayStepUp reports whether scopes may be asked for once more for an operation (2026-07-28, basic/authorization, "Step-Up
// Authorization Flow").
func (s *session) mayStepUp(operation string, scopes []string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	key := stepUpKey(operation, scopes)
	tries, _ := s.stepUps.Get(key)
	s.stepUps.MaxEntries, s.stepUps.MaxSize = 256, 1<<20
	s.stepUps.Put(key, tries+1, len(key))
	return tries < maxStepUps
}

func (s *session) noteReach(r safehttp.Reach) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.reach, s.placed = r, true
}

// isPlaced reports whether it is known where the resource is.
func (s *session) isPlaced() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.placed
}

// setBase remembers by what the resource is reached; nil is what was used last.
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

// fetcher sends requests as far as the resource may point.
func (s *session) fetcher(base http.RoundTripper) *fetcher {
	s.mu.Lock()
	r := s.reach
	s.mu.Unlock()
	return &fetcher{own: s.origin, base: s.watched(base), outside: s.client.outside(r)}
}

// trusting is d for an issuer that the program was given credentials of, which may be anywhere.
func (s *session) trusting(d *discoverer, issuer string) *discoverer {
	if _, ok := s.client.Registered[issuer]; !ok {
		return d
	}
	trusted := *d
	trusted.fetcher = &fetcher{own: d.own, base: d.base, outside: s.client.outside(safehttp.Any)}
	return &trusted
}

func (c *Client) outside(r safehttp.Reach) http.RoundTripper {
	if c.HTTP != nil {
		return c.HTTP
	}
	return newOutside(r, http.ProxyFromEnvironment)
}

// choose is the authorization server of a resource to use: one that the program has credentials of, else the one that was used
// before, else the first.
func (c *Client) choose(r *Resource, before string) string {
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
