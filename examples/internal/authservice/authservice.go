// Package authservice lets into the example programs who has a token for them: one of
// their own, or one of an authorization server. It is what their command line
// (internal/cli) lacks, which does not know package security.
package authservice

import (
	"errors"

	"github.com/dougu-go/dougu/internal/cli"
	"github.com/dougu-go/dougu/security/auth"
	"github.com/dougu-go/dougu/security/auth/dpop"
	"github.com/dougu-go/dougu/security/auth/introspect"
	"github.com/dougu-go/dougu/security/auth/jwt"
)

// Tokens is what a cli.App needs for -token-file.
func Tokens(text string) (cli.Authenticator, error) { return auth.ParseTokens(text) }

// Resource is what a cli.App needs for -auth-issuer.
func Resource(o cli.Resource) (cli.Authenticator, error) {
	known, err := verifier(o)
	if err != nil {
		return nil, err
	}
	if o.Tokens != "" {
		own, err := auth.ParseTokens(o.Tokens)
		if err != nil {
			return nil, err
		}
		known = auth.AnyOf(own.Verifier(), known)
	}
	r := &auth.Resource{
		URL: o.URL, AuthorizationServers: o.Issuers, Scopes: o.Scopes, Name: o.Name,
		Verifier: known, DPoP: new(dpop.Checker), Log: o.Log,
	}
	return r, r.Err()
}

// verifier checks tokens of authorization servers.
func verifier(o cli.Resource) (auth.Verifier, error) {
	if o.Introspect == "" {
		v := &jwt.Verifier{Issuers: o.Issuers, Audiences: []string{o.URL}}
		return v, v.Err()
	}
	if len(o.Issuers) != 1 {
		return nil, errors.New("one authorization server can be asked about tokens")
	}
	v := &introspect.Verifier{
		URL: o.Introspect, Issuer: o.Issuers[0], Audiences: []string{o.URL},
		ClientID: o.ClientID, ClientSecret: o.ClientSecret,
	}
	return v, v.Err()
}
