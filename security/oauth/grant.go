package oauth

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"strings"

	"github.com/dougu-go/dougu/internal/safehttp"
)

const (
	grantClient     = "client_credentials"
	grantBearer     = "urn:ietf:params:oauth:grant-type:jwt-bearer"
	grantExchange   = "urn:ietf:params:oauth:grant-type:token-exchange"
	typeAccessToken = "urn:ietf:params:oauth:token-type:access_token"
	typeIDToken     = "urn:ietf:params:oauth:token-type:id_token"
	typeIDJAG       = "urn:ietf:params:oauth:token-type:id-jag"
)

// Grant obtains tokens without a user. ClientCredentials, Workload, Exchange and Enterprise
// implement it.
type Grant interface {
	// Parameters returns the parameters of the token request, including grant_type. The caller adds
	// client authentication, resource and scope. If Client.Registered has no entry for the issuer,
	// the parameters must contain an assertion.
	Parameters(ctx context.Context, r GrantRequest) (url.Values, error)
}

// GrantRequest describes the requested token.
type GrantRequest struct {
	Issuer   string   // authorization server
	Resource string   // resource identifier of its metadata
	Scopes   []string // may be empty
}

// ClientCredentials is the Grant of a program with rights of its own (RFC 6749 §4.4; extension
// io.modelcontextprotocol/oauth-client-credentials). Its credentials are in Client.Registered.
type ClientCredentials struct{}

// Parameters implements Grant.
func (ClientCredentials) Parameters(context.Context, GrantRequest) (url.Values, error) {
	return url.Values{"grant_type": {grantClient}}, nil
}

// Workload is the Grant of a program whose platform issues signed identity tokens, for example a
// Kubernetes service account or a cloud machine (RFC 7523 §2.1; extension
// io.modelcontextprotocol/auth/wif). It uses credentials in Client.Registered if they exist.
type Workload struct {
	// Assertion returns a JWT of the platform for the audience, which is the issuer of the
	// authorization server. AssertionFile reads one from a file. Required.
	Assertion func(ctx context.Context, audience string) (string, error)
}

// Parameters implements Grant.
func (w Workload) Parameters(ctx context.Context, r GrantRequest) (url.Values, error) {
	if w.Assertion == nil {
		return nil, errors.New("Workload.Assertion is not set")
	}
	assertion, err := w.Assertion(ctx, r.Issuer)
	if err != nil {
		return nil, fmt.Errorf("getting the workload's assertion: %w", err)
	}
	if !isTokenText(assertion) {
		return nil, errors.New("the workload's assertion is no JWT")
	}
	return url.Values{"grant_type": {grantBearer}, "assertion": {assertion}}, nil
}

// AssertionFile returns a Workload.Assertion that reads the JWT from a file at each call. The
// platform may replace the file, for example a projected token of Kubernetes. The audience is
// ignored.
func AssertionFile(path string) func(context.Context, string) (string, error) {
	return func(context.Context, string) (string, error) {
		f, err := os.Open(path)
		if err != nil {
			return "", err
		}
		defer f.Close()
		text, err := io.ReadAll(io.LimitReader(f, maxToken+1))
		return strings.TrimSpace(string(text)), err
	}
}

// Exchange is the Grant of a program that acts for a user. The authorization server exchanges the
// user's access token for a token for the resource (RFC 8693). The program's credentials are in
// Client.Registered. The server's metadata must list the grant type.
type Exchange struct {
	// Subject returns the user's access token if issuer issued it, and an error otherwise. The
	// token must not be shown to another issuer. Required.
	Subject func(ctx context.Context, issuer string) (string, error)
}

// Parameters implements Grant.
func (e Exchange) Parameters(ctx context.Context, r GrantRequest) (url.Values, error) {
	if e.Subject == nil {
		return nil, errors.New("Exchange.Subject is not set")
	}
	subject, err := e.Subject(ctx, r.Issuer)
	if err != nil {
		return nil, fmt.Errorf("getting the user's token for %s: %w", r.Issuer, err)
	}
	if !isTokenText(subject) {
		return nil, errors.New("the user's token is none")
	}
	return url.Values{
		"grant_type": {grantExchange}, "subject_token": {subject}, "subject_token_type": {typeAccessToken}, "requested_token_type": {typeAccessToken},
	}, nil
}

// Enterprise is the Grant of a user in a company that decides which servers are allowed. Its
// identity provider exchanges the user's login for an assertion for the authorization server
// (ID-JAG; RFC 8693 and RFC 7523; extension
// io.modelcontextprotocol/enterprise-managed-authorization). The credentials at the authorization
// server are in Client.Registered.
type Enterprise struct {
	// Issuer is the URL of the identity provider. Its metadata names the token endpoint.
	Issuer string
	// TokenEndpoint is the token endpoint of an identity provider without metadata. Optional.
	TokenEndpoint string
	// Credentials are the program's credentials at the identity provider.
	Credentials Credentials
	// Subject returns the token of the user's login: an ID token, or a token of SubjectType.
	// Required.
	Subject func(ctx context.Context) (string, error)
	// SubjectType is the token type of the Subject. Default
	// urn:ietf:params:oauth:token-type:id_token.
	SubjectType string
	// HTTP sends the requests to the identity provider. The default transport reaches any address.
	HTTP http.RoundTripper
}

// Parameters implements Grant.
func (e *Enterprise) Parameters(ctx context.Context, r GrantRequest) (url.Values, error) {
	assertion, err := e.exchange(ctx, r)
	if err != nil {
		return nil, fmt.Errorf("the identity provider: %w", err)
	}
	return url.Values{"grant_type": {grantBearer}, "assertion": {assertion}}, nil
}

// exchange exchanges the login for an ID-JAG.
func (e *Enterprise) exchange(ctx context.Context, r GrantRequest) (string, error) {
	if e.Subject == nil {
		return "", errors.New("Enterprise.Subject is not set")
	}
	f := &fetcher{external: e.HTTP}
	if f.external == nil {
		f.external = newExternalTransport(safehttp.Any, http.ProxyFromEnvironment)
	}
	server, err := e.provider(ctx, f)
	if err != nil {
		return "", err
	}
	subject, err := e.Subject(ctx)
	if err != nil {
		return "", fmt.Errorf("getting the user's login: %w", err)
	}
	form := url.Values{
		"grant_type": {grantExchange}, "requested_token_type": {typeIDJAG}, "audience": {r.Issuer}, "resource": {r.Resource},
		"subject_token": {subject}, "subject_token_type": {typeIDToken},
	}
	if e.SubjectType != "" {
		form.Set("subject_token_type", e.SubjectType)
	}
	if len(r.Scopes) > 0 {
		form.Set("scope", joinScopes(r.Scopes))
	}
	answer, err := (&tokenRequest{server: server, credentials: &e.Credentials, form: form}).send(ctx, f)
	if err != nil {
		return "", err
	}
	if answer.IssuedType != typeIDJAG {
		return "", fmt.Errorf("it answers with a token of the type %q, not with an ID-JAG", printable(answer.IssuedType))
	}
	return answer.AccessToken, nil
}

// provider returns the metadata of the identity provider.
func (e *Enterprise) provider(ctx context.Context, f *fetcher) (*Server, error) {
	if e.TokenEndpoint != "" {
		return &Server{Issuer: e.Issuer, TokenEndpoint: e.TokenEndpoint}, nil
	}
	return (&discoverer{fetcher: f}).discoverServer(ctx, e.Issuer, false)
}
