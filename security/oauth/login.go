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

// Authorizer takes a user to an authorization server and brings back what that says: a Loopback does it on the user's machine, a
// web application by a page of its own.
type Authorizer interface {
	// Begin is called before each authorization. wish is the redirect URL that was registered at the server before, if there is
	// one: to use it again saves another registration.
	Begin(ctx context.Context, wish string) (Login, error)
}

// Login is one authorization.
type Login interface {
	// RedirectURL is where the authorization server sends the browser back to: https, or http on this machine.
	RedirectURL() string
	// Authorize has the user visit a page, which is http or https, and returns the parameters with which the browser comes back:
	// code or error, state, and iss. They are not trusted.
	Authorize(ctx context.Context, page string) (url.Values, error)
	// Close ends it, whether it has succeeded or not.
	Close() error
}

// ErrLoginRequired is the error of an Authorizer whose user cannot be asked now, for example in the middle of a request. Requests
// that need a login fail with it at once, and so does each request after them until the Authorizer asks the user.
var ErrLoginRequired = errors.New("a user has to log in first")

// errNoLogin is a user who could not be asked, or has not answered.
var errNoLogin = errors.New("the user has not logged in")

// byUser asks the user (OAuth 2.1 §4.1, with PKCE).
func (f *flow) byUser(ctx context.Context, scopes []string) (*issued, error) {
	c, s := f.client, f.server
	switch {
	case s.AuthorizationEndpoint == "" || !s.offers("authorization_code"):
		return nil, fmt.Errorf("the authorization server %s asks no users; set Client.Grant", s.Issuer)
	case !s.old && !slices.Contains(s.ChallengeMethods, "S256"):
		return nil, fmt.Errorf("the authorization server %s does not say that it protects codes by PKCE with S256, without which none are used", s.Issuer)
	}
	select { // one page at a time
	case c.turn <- struct{}{}:
		defer func() { <-c.turn }()
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
	ctx, cancel := context.WithTimeoutCause(ctx, c.loginTimeout(), fmt.Errorf("%w within %v", errNoLogin, c.loginTimeout()))
	defer cancel()
	login, credentials, err := f.begin(ctx)
	if err != nil {
		return nil, err
	}
	defer login.Close()
	return f.login(ctx, login, credentials, scopes)
}

// begin prepares the way back, and the credentials of who goes there.
func (f *flow) begin(ctx context.Context) (Login, *Credentials, error) {
	c := f.client
	known, kept := c.known(f.server), c.registered(ctx, f.server.Issuer)
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
		if kept, err = c.register(ctx, f.found.fetcher, f.server, login.RedirectURL()); err != nil {
			return nil, nil, errors.Join(err, login.Close())
		}
	}
	return login, kept.credentials(), nil
}

// login takes the user there and back, and redeems the code.
func (f *flow) login(ctx context.Context, login Login, credentials *Credentials, scopes []string) (*issued, error) {
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
	if proofs, err := f.proofs(); err != nil {
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
	code, err := f.server.redeemable(answer, state)
	if err != nil {
		return nil, err
	}
	return f.ask(ctx, credentials, url.Values{
		"grant_type": {"authorization_code"}, "code": {code}, "code_verifier": {verifier}, "redirect_uri": {login.RedirectURL()},
	}, scopes, scopes)
}

// redeemable is the code of an answer, if it is the answer of this server to what it was asked. Whatever else an answer of
// another says is not even shown (2026-07-28, basic/authorization, "Authorization Response Validation"; RFC 9207 §2.4).
func (s *Server) redeemable(answer url.Values, state string) (string, error) {
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
