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

// Grant gets tokens without a user: ClientCredentials, Workload and Enterprise do.
type Grant interface {
	// Parameters are those of the request to the token endpoint, grant_type among them. Client authentication, resource and scope
	// are added to them. Without credentials for the authorization server, a grant needs an assertion.
	Parameters(ctx context.Context, r GrantRequest) (url.Values, error)
}

// GrantRequest says what a token is wanted for.
type GrantRequest struct {
	Issuer   string   // of the authorization server
	Resource string   // as its metadata names it
	Scopes   []string // may be empty
}

// ClientCredentials is a program that has rights of its own (RFC 6749 §4.4; extension
// io.modelcontextprotocol/oauth-client-credentials). Its credentials are in Client.Registered.
type ClientCredentials struct{}

// Parameters implements Grant.
func (ClientCredentials) Parameters(context.Context, GrantRequest) (url.Values, error) {
	return url.Values{"grant_type": {grantClient}}, nil
}

// Workload is a program whose platform says, signed, what it is: a Kubernetes service account, a cloud's machine (RFC 7523 §2.1;
// extension io.modelcontextprotocol/auth/wif). Credentials in Client.Registered are used if there are any.
type Workload struct {
	// Assertion returns a JWT of the platform, made for an audience: the issuer of the authorization server. AssertionFile reads one.
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

// AssertionFile is the JWT in a file that the platform replaces from time to time, such as a projected token of Kubernetes.
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

// Exchange stands for a user with an access token for the program: the authorization server that has issued it exchanges it for one
// for the resource (RFC 8693). The program's credentials there are in Client.Registered. A server whose metadata does not name the
// grant is not asked.
type Exchange struct {
	// Subject returns the user's access token, if the issuer is the one that has issued it. No other may be shown it.
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

// Enterprise is a user whose company decides what may be used: its identity provider turns the user's login into a grant for the
// authorization server (ID-JAG; RFC 8693 and RFC 7523; extension io.modelcontextprotocol/enterprise-managed-authorization). The
// credentials at the authorization server are in Client.Registered.
type Enterprise struct {
	// Issuer is the identity provider, whose metadata names its token endpoint.
	Issuer string
	// TokenEndpoint is that of an identity provider without metadata.
	TokenEndpoint string
	// Credentials are those of the program at the identity provider.
	Credentials Credentials
	// Subject returns what the user's login has brought: an ID token, or what SubjectType says.
	Subject func(ctx context.Context) (string, error)
	// SubjectType is the type of the Subject. Default urn:ietf:params:oauth:token-type:id_token.
	SubjectType string
	// HTTP sends the requests to the identity provider. Nil is a transport that reaches any address.
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

// exchange turns the login into a grant.
func (e *Enterprise) exchange(ctx context.Context, r GrantRequest) (string, error) {
	if e.Subject == nil {
		return "", errors.New("Enterprise.Subject is not set")
	}
	f := &fetcher{outside: e.HTTP}
	if f.outside == nil {
		f.outside = newOutside(safehttp.Any, http.ProxyFromEnvironment)
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

// provider is what is known about the identity provider.
func (e *Enterprise) provider(ctx context.Context, f *fetcher) (*Server, error) {
	if e.TokenEndpoint != "" {
		return &Server{Issuer: e.Issuer, TokenEndpoint: e.TokenEndpoint}, nil
	}
	return (&discoverer{fetcher: f}).discoverServer(ctx, e.Issuer, false)
}
