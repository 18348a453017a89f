package auth

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/dougu-go/dougu/mcp"
)

// Grant is what a token stands for.
type Grant struct {
	// Principal is who has been given the token: the subject at its issuer, not a
	// name that two can have. It is never empty.
	Principal string
	// Permissions are the scopes of the token, if it is Limited; else it is good for
	// everything.
	Permissions []string
	Limited     bool
	// Fixed says that no token of the principal has other permissions, as for tokens of a file.
	Fixed bool
	// Groups are the groups and roles that the token says its user has.
	Groups []string
	// Expires is when the token ends; zero if that is not known.
	Expires time.Time
	// Issuer and ClientID say who has issued the token and to which client; empty
	// where that is not known.
	Issuer, ClientID string
	// Confirmation is the thumbprint of the key that the token is bound to, of which
	// each request must show that it has it (RFC 9449 §6); empty for a bearer token,
	// with which everybody is served who has it.
	Confirmation string
}

var (
	// ErrInvalidToken is in the errors of a Verifier for tokens that do not count: not
	// known, expired, or for somebody else. Clients are told what the error says.
	ErrInvalidToken = errors.New("the access token is not valid")
	// ErrUnavailable is in those for tokens of which it cannot be said, because
	// what is to be asked does not answer.
	ErrUnavailable = errors.New("access tokens cannot be checked at present")
)

// Verifier tells what tokens stand for. Its errors have ErrInvalidToken or
// ErrUnavailable in them, and never a token. It is used concurrently.
//
// It accepts only tokens that were issued for this server (2026-07-28,
// basic/authorization, "Token Handling"). Packages jwt and introspect have such
// verifiers.
type Verifier interface {
	Verify(ctx context.Context, token string) (*Grant, error)
}

// Verifier is these tokens as a Verifier, for a Resource that knows others too.
func (t *Tokens) Verifier() Verifier { return tokenVerifier{t} }

type tokenVerifier struct{ tokens *Tokens }

func (v tokenVerifier) Verify(_ context.Context, token string) (*Grant, error) {
	k := v.tokens.find(token)
	if k == nil {
		return nil, ErrInvalidToken
	}
	return &Grant{Principal: k.principal, Permissions: slices.Clone(k.permissions), Limited: k.limited, Fixed: true}, nil
}

// AnyOf asks several verifiers in turn for the first that knows a token. When none
// does and one of them could not say, nor can it.
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

// passKey is where the context of a request has its pass.
type passKey struct{}

// pass is what a Resource knows of a request that it lets through.
type pass struct {
	grant    *Grant
	resource *Resource
	answers  bool     // the request has a response of its own, which may be a challenge
	most     []string // permissions that any token can give the user, if bounded
	bounded  bool
}

// GrantFrom returns what the token of a request stands for that has come through a
// Resource; ok is false for others.
func GrantFrom(ctx context.Context) (g Grant, ok bool) {
	p, ok := ctx.Value(passKey{}).(*pass)
	if !ok {
		return Grant{}, false
	}
	return *p.grant, true
}

// enter is the context of a request with its pass.
func (p *pass) enter(ctx context.Context) context.Context {
	ctx = mcp.WithPrincipal(ctx, p.grant.Principal)
	if p.grant.Limited {
		ctx = mcp.WithPermissions(ctx, p.grant.Permissions)
	}
	return context.WithValue(ctx, passKey{}, p)
}
