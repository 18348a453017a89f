package oauth

import (
	"context"
	"crypto/rand"
	"crypto/subtle"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strings"

	"golang.org/x/oauth2"
)

// Authorizer sends a user to an authorization server and receives the response. A Loopback does
// this on the user's machine; a web application uses a page of its own.
type Authorizer interface {
	// Begin starts one login. wish is the redirect URL of the existing registration, or empty.
	// Using it again avoids a new registration.
	Begin(ctx context.Context, wish string) (Login, error)
}

// Login is one login in progress.
type Login interface {
	// RedirectURL returns the URL to which the authorization server redirects the browser: https,
	// or http on this machine.
	RedirectURL() string
	// Authorize sends the user to page, an http or https URL, and returns the query parameters of
	// the redirect: code or error, state, iss. The caller validates them.
	Authorize(ctx context.Context, page string) (url.Values, error)
	// Close releases the resources of the login. It is called after success and after failure.
	Close() error
}

// ErrLoginRequired is the error of an Authorizer that cannot ask the user now, for example during a
// request. Requests that need a login then fail at once, without a pause before the next attempt.
var ErrLoginRequired = errors.New("a user has to log in first")

// errNoLogin reports that the login was not shown or not completed.
var errNoLogin = errors.New("the user has not logged in")

// authorizeByUser obtains a token by a login of the user (OAuth 2.1 §4.1, with PKCE).
func (f *flow) authorizeByUser(ctx context.Context, scopes []string) (*issuedToken, error) {
	c, s := f.client, f.server
	switch {
	case s.AuthorizationEndpoint == "" || !s.supportsGrant("authorization_code"):
		return nil, fmt.Errorf("the authorization server %s asks no users; set Client.Grant", s.Issuer)
	case !s.noMetadata && !slices.Contains(s.ChallengeMethods, "S256"):
		return nil, fmt.Errorf("the authorization server %s does not say that it protects codes by PKCE with S256, without which none are used", s.Issuer)
	}
	if c.loginSlot.Acquire(ctx, 1) != nil {
		return nil, context.Cause(ctx)
	}
	defer c.loginSlot.Release(1)
	ctx, cancel := context.WithTimeoutCause(ctx, c.loginTimeout(), fmt.Errorf("%w within %v", errNoLogin, c.loginTimeout()))
	defer cancel()
	login, credentials, err := f.beginLogin(ctx)
	if err != nil {
		return nil, err
	}
	defer login.Close()
	return f.login(ctx, login, credentials, scopes)
}

// beginLogin starts a login and returns it with the client's credentials. It registers the client
// if necessary.
func (f *flow) beginLogin(ctx context.Context) (Login, *Credentials, error) {
	c := f.client
	known, kept := c.presetCredentials(f.server), c.loadRegistration(ctx, f.server.Issuer)
	wish := ""
	if known == nil && kept != nil {
		wish = kept.RedirectURL
	}
	var authorizer Authorizer = &Loopback{}
	if c.Authorizer != nil {
		authorizer = c.Authorizer
	}
	login, err := authorizer.Begin(ctx, wish)
	if err != nil {
		return nil, nil, fmt.Errorf("%w: %w", errNoLogin, err)
	}
	if _, err := checkURL(login.RedirectURL()); err != nil {
		return nil, nil, errors.Join(fmt.Errorf("the redirect URL of the Authorizer: %w", err), login.Close())
	}
	if known != nil {
		return login, known, nil
	}
	if kept == nil || kept.RedirectURL != login.RedirectURL() {
		if kept, err = c.register(ctx, f.discoverer.fetcher, f.server, login.RedirectURL()); err != nil {
			return nil, nil, errors.Join(err, login.Close())
		}
	}
	return login, kept.credentials(), nil
}

// login sends the user to the login page and exchanges the code for a token.
func (f *flow) login(ctx context.Context, login Login, credentials *Credentials, scopes []string) (*issuedToken, error) {
	state, verifier := rand.Text(), oauth2.GenerateVerifier()
	config := oauth2.Config{
		ClientID: credentials.ClientID, RedirectURL: login.RedirectURL(), Scopes: scopes,
		Endpoint: oauth2.Endpoint{AuthURL: f.server.AuthorizationEndpoint},
	}
	options := []oauth2.AuthCodeOption{oauth2.S256ChallengeOption(verifier), oauth2.SetAuthURLParam("resource", f.resource.Resource)}
	if slices.Contains(scopes, offlineAccess) && slices.Contains(f.server.Scopes, offlineAccess) {
		// OpenID Connect Core §11: without the prompt the server ignores offline_access, and gives no refresh token.
		options = append(options, oauth2.SetAuthURLParam("prompt", "consent"))
	}
	if proofs, err := f.selectProver(); err != nil {
		return nil, err
	} else if proofs != nil {
		options = append(options, oauth2.SetAuthURLParam("dpop_jkt", proofs.Thumbprint()))
	}
	answer, err := login.Authorize(ctx, config.AuthCodeURL(state, options...))
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	if err != nil {
		return nil, fmt.Errorf("%w: %w", errNoLogin, err)
	}
	code, err := f.server.validateResponse(answer, state)
	if err != nil {
		return nil, err
	}
	return f.requestToken(ctx, credentials, url.Values{
		"grant_type": {"authorization_code"}, "code": {code}, "code_verifier": {verifier}, "redirect_uri": {login.RedirectURL()},
	}, scopes, scopes)
}

// validateResponse returns the code of a login response. It rejects a response with another state
// or issuer before it reads other parameters (2026-07-28, basic/authorization, "Authorization
// Response Validation"; RFC 9207 §2.4).
func (s *Server) validateResponse(answer url.Values, state string) (string, error) {
	for _, name := range []string{"state", "iss", "code", "error"} {
		if len(answer[name]) > 1 {
			return "", fmt.Errorf("it has several values of %s: %w", name, ErrState)
		}
	}
	if subtle.ConstantTimeCompare([]byte(answer.Get("state")), []byte(state)) != 1 {
		return "", ErrState
	}
	iss, there := answer["iss"]
	switch {
	case there && iss[0] != s.Issuer:
		return "", fmt.Errorf("the answer to the login: %w", ErrIssuer)
	case !there && s.IssParameter:
		return "", fmt.Errorf("the answer to the login does not say who answers, as the authorization server says that it would: %w", ErrIssuer)
	}
	if code := answer.Get("error"); code != "" {
		return "", &ResponseError{Issuer: s.Issuer, Code: printable(code), Description: printable(answer.Get("error_description"))}
	}
	code := answer.Get("code")
	if code == "" || len(code) > maxToken {
		return "", fmt.Errorf("the answer of %s has no code", s.Issuer)
	}
	return code, nil
}

func joinScopes(scopes []string) string { return strings.Join(scopes, " ") }
