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

	"github.com/dougu-go/dougu/internal/safehttp"
	"github.com/dougu-go/dougu/security/auth"
	"github.com/dougu-go/dougu/security/auth/internal/claims"
)

const (
	// longest is how long an answer is believed at most.
	longest = time.Minute
	// refusedFor is how long a token that does not count is not asked about again.
	refusedFor = 10 * time.Second
	// concurrent is how many questions are asked at once; more wait.
	concurrent = 32
	// patience is how long an answer is waited for.
	patience = 15 * time.Second
)

// Verifier is an auth.Verifier that asks an authorization server. Its fields are set
// before it is used and not changed after that; it must not be copied.
type Verifier struct {
	// URL is where the authorization server is asked, its introspection_endpoint:
	// https, but on this machine.
	URL string
	// Issuer is the identifier of the authorization server. It is part of the names of
	// principals.
	Issuer string
	// Audiences are what tokens must be for, one of them at least: the URL of the
	// auth.Resource, and other names that the authorization server has for it.
	Audiences []string
	// NoAudience accepts tokens of which the authorization server does not say what
	// they are for. That is safe only if it calls tokens active for nobody but those
	// whom they are for. One that is said to be for others is not accepted.
	NoAudience bool
	// ClientID and ClientSecret are as whom the server asks (RFC 6749 §2.3.1).
	// Authenticate, if set, does that in another way, by a header of the request.
	ClientID, ClientSecret string
	Authenticate           func(*http.Request) error
	// Cache is how long an answer is believed, which ends with its token. Default and
	// most is 1 minute; negative for not at all.
	Cache time.Duration
	// MaxCached is how many answers are kept. Default 10,000.
	MaxCached int
	// GroupClaims are the members of answers with the groups and roles of users, for auth.Grant.Groups: names, or paths
	// through objects like "realm_access.roles". Default: groups and roles.
	GroupClaims []string
	// HTTP asks. Default: a client that needs no proxy, takes at most 10 s and
	// follows no redirects.
	HTTP *http.Client

	once    sync.Once
	err     error
	client  *http.Client
	asking  chan struct{} // holds one element a question
	answers answers
}

// Err tells what is wrong with the fields, or is nil. A Verifier with an error checks
// no token.
func (v *Verifier) Err() error {
	v.once.Do(v.prepare)
	return v.err
}

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
		problems = append(problems, errors.New("it needs either a ClientID or Authenticate: authorization servers tell of tokens only whom they know"))
	}
	if v.err = errors.Join(problems...); v.err != nil {
		v.err = fmt.Errorf("asking about access tokens: %w", v.err)
	}
	if v.client = v.HTTP; v.client == nil {
		v.client = safehttp.Client(v.URL)
	}
	v.asking = make(chan struct{}, concurrent)
	v.answers.init(v.MaxCached)
}

// Verify implements auth.Verifier. Who asks about a token that is being asked about
// waits for the same answer.
func (v *Verifier) Verify(ctx context.Context, token string) (*auth.Grant, error) {
	if err := v.Err(); err != nil {
		return nil, err
	}
	key := sha256.Sum256([]byte(token))
	a, isNew := v.answers.enter(string(key[:]))
	if isNew {
		v.find(ctx, string(key[:]), token, a)
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

// find fills an answer in. It goes on when its caller leaves, for others may wait for
// it too.
func (v *Verifier) find(ctx context.Context, key, token string, a *answer) {
	a.err = fmt.Errorf("%w: asking has failed in an unexpected way", auth.ErrUnavailable)
	defer v.answers.settle(key, a) // also after a panic
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), patience)
	defer cancel()
	select {
	case v.asking <- struct{}{}:
		defer func() { <-v.asking }()
	case <-ctx.Done():
		a.err = fmt.Errorf("%w: too many tokens are being asked about", auth.ErrUnavailable)
		return
	}
	var said claims.Set
	if said, a.err = v.ask(ctx, token); a.err != nil {
		a.err = fmt.Errorf("%w: %w", auth.ErrUnavailable, a.err)
		return
	}
	now := time.Now()
	if a.grant, a.err = v.judge(said); a.err != nil {
		a.err = fmt.Errorf("%w: %w", auth.ErrInvalidToken, a.err)
		a.until = now.Add(refusedFor)
		return
	}
	keep := v.Cache
	if keep == 0 || keep > longest {
		keep = longest
	}
	if a.until = now.Add(keep); !a.grant.Expires.IsZero() && a.grant.Expires.Before(a.until) {
		a.until = a.grant.Expires
	}
}

// ask asks the authorization server (RFC 7662 §2).
func (v *Verifier) ask(ctx context.Context, token string) (said claims.Set, err error) {
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

// judge finds out from an answer whether a token counts, and for what.
func (v *Verifier) judge(said claims.Set) (*auth.Grant, error) {
	if string(said["active"]) != "true" {
		return nil, errors.New("its authorization server does not know it, or not any more")
	}
	if said.Has("aud") || !v.NoAudience {
		if err := said.For(v.Audiences); err != nil {
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
