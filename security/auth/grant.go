package auth

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/dougu-go/dougu/mcp/protocol"
)

// Grant is the verified content of an access token.
type Grant struct {
	// Principal identifies the owner of the token by its subject at the issuer, not by a display
	// name. It is never empty.
	Principal string
	// Permissions are the scopes of the token if Limited is true. Otherwise the token has all
	// permissions.
	Permissions []string
	// Limited reports whether Permissions applies.
	Limited bool
	// Fixed reports that the permissions do not depend on the token, as for Tokens. Resource.Allow
	// and Roles do not apply to it.
	Fixed bool
	// Groups are the groups and roles of the user in the token.
	Groups []string
	// Expires is the expiry time; zero if unknown.
	Expires time.Time
	// Issuer is the authorization server, and ClientID the client that obtained the token. Both are
	// empty if unknown.
	Issuer, ClientID string
	// Confirmation is the thumbprint of the DPoP key that the token is bound to (RFC 9449 §6). Each
	// request must prove possession of the key. It is empty for a bearer token.
	Confirmation string
}

var (
	// ErrInvalidToken is wrapped by errors of a Verifier for a token that is unknown, expired or
	// issued for another server. The client receives the error text.
	ErrInvalidToken = errors.New("the access token is not valid")
	// ErrUnavailable is wrapped by errors of a Verifier that cannot check tokens now, for example
	// because the authorization server does not respond.
	ErrUnavailable = errors.New("access tokens cannot be checked at present")
)

// Verifier checks access tokens. Its errors wrap ErrInvalidToken or ErrUnavailable and never
// contain a token. It must be safe for concurrent use.
//
// A Verifier accepts only tokens that were issued for this server (2026-07-28, basic/authorization,
// "Token Handling"). Packages jwt and introspect implement it.
type Verifier interface {
	// Verify returns the content of a valid token.
	Verify(ctx context.Context, token string) (*Grant, error)
}

// Verifier returns the tokens as a Verifier, for use in a Resource.
func (t *Tokens) Verifier() Verifier { return tokenVerifier{t} }

type tokenVerifier struct{ tokens *Tokens }

func (v tokenVerifier) Verify(_ context.Context, token string) (*Grant, error) {
	k := v.tokens.find(token)
	if k == nil {
		return nil, ErrInvalidToken
	}
	return &Grant{Principal: k.principal, Permissions: slices.Clone(k.permissions), Limited: k.limited, Fixed: true}, nil
}

// AnyOf returns a Verifier that tries several verifiers in order and returns the first success. If
// all fail, the error is the first ErrUnavailable, otherwise the last error.
func AnyOf(verifiers ...Verifier) Verifier { return anyOf(verifiers) }

type anyOf []Verifier

func (all anyOf) Verify(ctx context.Context, token string) (*Grant, error) {
	why := ErrInvalidToken
	for _, v := range all {
		grant, err := v.Verify(ctx, token)
		if err == nil {
			return grant, nil
		}
		if !errors.Is(why, ErrUnavailable) {
			why = err
		}
	}
	return nil, why
}

// requestKey is the context key of an authorizedRequest.
type requestKey struct{}

// authorizedRequest is the result of Resource.authenticate, stored in the request's context.
type authorizedRequest struct {
	grant           *Grant
	resource        *Resource
	canChallenge    bool     // the request has its own HTTP response, which can be a challenge
	rolePermissions []string // maximum permissions of the user by Roles, if limitedByRoles
	limitedByRoles  bool
}

// GrantFrom returns the content of the request's token. ok is false if the request did not pass a
// Resource.
func GrantFrom(ctx context.Context) (g Grant, ok bool) {
	p, ok := ctx.Value(requestKey{}).(*authorizedRequest)
	if !ok {
		return Grant{}, false
	}
	return *p.grant, true
}

// withContext adds the principal, the permissions and p to a context.
func (p *authorizedRequest) withContext(ctx context.Context) context.Context {
	ctx = protocol.WithPrincipal(ctx, p.grant.Principal)
	if p.grant.Limited {
		ctx = protocol.WithPermissions(ctx, p.grant.Permissions)
	}
	return context.WithValue(ctx, requestKey{}, p)
}
