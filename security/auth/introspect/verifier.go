package introspect

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"time"

	"golang.org/x/sync/semaphore"

	"github.com/dougu-go/dougu/internal/safehttp"
	"github.com/dougu-go/dougu/security/auth"
	"github.com/dougu-go/dougu/security/auth/internal/claims"
)

const (
	// maxCacheTime is the upper limit of Verifier.Cache.
	maxCacheTime = time.Minute
	// invalidCacheTime is the time for which an invalid token is cached.
	invalidCacheTime = 10 * time.Second
	// maxRequests limits the concurrent requests to the authorization server; further ones wait.
	maxRequests = 32
	// requestTimeout limits one request, including its wait.
	requestTimeout = 15 * time.Second
)

// Verifier is an auth.Verifier that sends each token to an authorization server. Set its fields
// before the first use and do not change or copy it afterwards. It is safe for concurrent use.
type Verifier struct {
	// URL is the introspection_endpoint of the authorization server: https, except on this machine.
	// Required.
	URL string
	// Issuer is the identifier of the authorization server. It is a part of each principal.
	// Required.
	Issuer string
	// Audiences are the accepted audiences: the URL of the auth.Resource, and other names of the
	// server at the authorization server. A token must contain one of them. Required.
	Audiences []string
	// NoAudience accepts tokens without an audience in the response. This is safe only if the
	// authorization server reports a token as active only to the server that the token is for. A
	// token with another audience is always refused.
	NoAudience bool
	// ClientID and ClientSecret authenticate this server at the authorization server (RFC 6749
	// §2.3.1). Set either ClientID or Authenticate.
	ClientID, ClientSecret string
	// Authenticate adds other credentials to a request, for example a header.
	Authenticate func(*http.Request) error
	// Cache is the time for which a result is used, at most until the token expires. Default and
	// maximum 1 minute; a negative value disables the cache.
	Cache time.Duration
	// MaxCached limits the cached results. Default 10,000.
	MaxCached int
	// GroupClaims are the response members with the groups and roles of a user, for
	// auth.Grant.Groups: names, or paths through objects such as "realm_access.roles". Default:
	// groups and roles.
	GroupClaims []string
	// HTTP sends the requests. The default client uses no proxy, has a timeout of 10 s and follows
	// no redirects.
	HTTP *http.Client

	once   sync.Once
	err    error
	client *http.Client
	slots  *semaphore.Weighted // maxRequests permits, one for each running request
	cache  resultCache         // results by SHA-256 of the token, and the running requests
}

// Err returns the errors in the fields, or nil. A Verifier with an error accepts no token.
func (v *Verifier) Err() error {
	v.once.Do(v.prepare)
	return v.err
}

// prepare checks the fields and creates the cache.
func (v *Verifier) prepare() {
	var problems []error
	if err := safehttp.CheckURL(v.URL); err != nil {
		problems = append(problems, fmt.Errorf("the URL that is asked: %w", err))
	}
	if err := safehttp.CheckURL(v.Issuer); err != nil {
		problems = append(problems, fmt.Errorf("the issuer: %w", err))
	}
	if len(v.Audiences) == 0 {
		problems = append(problems, errors.New("there is no audience: name the URL of this server"))
	}
	if (v.ClientID == "") == (v.Authenticate == nil) {
		problems = append(problems, errors.New("it needs either a ClientID or Authenticate: authorization servers require authentication"))
	}
	if v.err = errors.Join(problems...); v.err != nil {
		v.err = fmt.Errorf("asking about access tokens: %w", v.err)
	}
	if v.client = v.HTTP; v.client == nil {
		v.client = safehttp.Client(v.URL)
	}
	v.slots = semaphore.NewWeighted(maxRequests)
	v.cache.init(v.MaxCached)
}

// Verify implements auth.Verifier. Concurrent calls with the same token share one request, as the
// cache has one result for a token (here a). Its first caller fetches it, and others wait for it.
func (v *Verifier) Verify(ctx context.Context, token string) (*auth.Grant, error) {
	if err := v.Err(); err != nil {
		return nil, err
	}
	key := sha256.Sum256([]byte(token))
	a, isNew := v.cache.enter(string(key[:]))
	if isNew {
		v.fetch(ctx, string(key[:]), token, a)
	}
	select {
	case <-a.done:
	case <-ctx.Done():
		return nil, fmt.Errorf("%w: %w", auth.ErrUnavailable, context.Cause(ctx))
	}
	if a.err != nil {
		return nil, a.err
	}
	grant := *a.grant
	grant.Permissions, grant.Groups = slices.Clone(grant.Permissions), slices.Clone(grant.Groups)
	return &grant, nil
}

// fetch sends the request and completes the result a: its grant or its error, and until, the time
// up to which the cache keeps it. A zero until, after a failed request, keeps it only for the
// callers that wait now. Cancelling ctx does not cancel the request, because other callers may wait
// for it.
func (v *Verifier) fetch(ctx context.Context, key, token string, a *result) {
	a.err = fmt.Errorf("%w: the request failed unexpectedly", auth.ErrUnavailable)
	defer v.cache.complete(key, a) // even if Authenticate or HTTP panics, so that no caller waits forever
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), requestTimeout)
	defer cancel()
	if v.slots.Acquire(ctx, 1) != nil {
		a.err = fmt.Errorf("%w: too many requests to the authorization server are running", auth.ErrUnavailable)
		return
	}
	defer v.slots.Release(1)
	var said claims.Set
	if said, a.err = v.request(ctx, token); a.err != nil {
		a.err = fmt.Errorf("%w: %w", auth.ErrUnavailable, a.err)
		return
	}
	now := time.Now()
	if a.grant, a.err = v.evaluate(said); a.err != nil {
		a.err = fmt.Errorf("%w: %w", auth.ErrInvalidToken, a.err)
		a.until = now.Add(invalidCacheTime)
		return
	}
	keep := v.Cache
	if keep == 0 || keep > maxCacheTime {
		keep = maxCacheTime
	}
	if a.until = now.Add(keep); !a.grant.Expires.IsZero() && a.grant.Expires.Before(a.until) {
		a.until = a.grant.Expires
	}
}

// request sends the token to the authorization server (RFC 7662 §2), and returns the members of its
// response.
func (v *Verifier) request(ctx context.Context, token string) (said claims.Set, err error) {
	form := url.Values{"token": {token}, "token_type_hint": {"access_token"}}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, v.URL, strings.NewReader(form.Encode()))
	if err != nil {
		return nil, err
	}
	req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	if v.Authenticate != nil {
		if err := v.Authenticate(req); err != nil {
			return nil, fmt.Errorf("authenticating to the authorization server: %w", err)
		}
	} else {
		req.SetBasicAuth(url.QueryEscape(v.ClientID), url.QueryEscape(v.ClientSecret))
	}
	if err := safehttp.JSON(v.client, req, &said); err != nil {
		return nil, err
	}
	return said, nil
}

// evaluate returns the grant of an introspection response, or an error if the token is not valid
// here.
func (v *Verifier) evaluate(said claims.Set) (*auth.Grant, error) {
	if string(said["active"]) != "true" {
		return nil, errors.New("its authorization server reports it as not active")
	}
	if said.Has("aud") || !v.NoAudience {
		if err := said.CheckAudience(v.Audiences); err != nil {
			return nil, err
		}
	}
	if issuer, err := said.Text("iss"); err != nil || issuer != "" && issuer != v.Issuer {
		return nil, errors.New("it is of another issuer")
	}
	grant, err := said.Grant(v.Issuer)
	if err != nil {
		return nil, err
	}
	grant.Groups = said.Groups(v.GroupClaims)
	if kind, err := said.Text("token_type"); err != nil || strings.EqualFold(kind, "DPoP") && grant.Confirmation == "" {
		return nil, errors.New("it is bound to a key, and its authorization server does not say to which")
	}
	return grant, nil
}
