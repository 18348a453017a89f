package app

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/dougu-go/dougu/mcp"
	"github.com/dougu-go/dougu/security/auth"
	"github.com/dougu-go/dougu/security/auth/dpop"
	"github.com/dougu-go/dougu/security/auth/introspect"
	"github.com/dougu-go/dougu/security/auth/jwt"
)

// Authenticate returns a handler that accepts the tokens of o.Tokens (*auth.Tokens) or
// access tokens of o.Issuers (*auth.Resource), or both. It is the default of
// App.Authenticate. A permission that no tool needs is an error.
func Authenticate(o Resource) (Authenticator, error) {
	var own *auth.Tokens
	if o.Tokens != "" {
		var err error
		if own, err = auth.ParseTokens(o.Tokens); err != nil {
			return nil, err
		}
	}
	known := append([]string{mcp.PermissionRead, mcp.PermissionWrite, mcp.PermissionRun, mcp.PermissionAdmin}, o.KnownPermissions...)
	if err := errors.Join(checkPermissions("a token", own.Named(), known), checkPermissions("the role", o.Roles, known), checkPermissions("the scope name", permissionsByScope(o.ScopeNames), known)); err != nil {
		return nil, err
	}
	if len(o.Issuers) == 0 {
		return own, nil
	}
	verifier, err := newVerifier(o)
	if err != nil {
		return nil, err
	}
	if o.Tokens != "" {
		verifier = auth.AnyOf(own.Verifier(), verifier)
	}
	r := &auth.Resource{
		URL: o.URL, AuthorizationServers: o.Issuers, Scopes: o.Scopes, Required: o.Required, Initial: o.Initial, ScopeNames: o.ScopeNames,
		Allow: o.Allow, Roles: o.Roles, IgnoreScopes: o.IgnoreScopes,
		Name: o.Name, Verifier: verifier, DPoP: new(dpop.Checker), Log: o.Log,
	}
	return r, r.Err()
}

// checkPermissions returns an error for each permission that matches none of the known
// permissions. permissions are by the name of their holder; what describes the holder in
// the error.
func checkPermissions(what string, permissions map[string][]string, known []string) error {
	var problems []error
	for _, name := range slices.Sorted(maps.Keys(permissions)) {
		for _, p := range permissions[name] {
			if !slices.ContainsFunc(known, func(k string) bool { return auth.Permits([]string{p}, k) || auth.Permits([]string{k}, p) }) {
				problems = append(problems, fmt.Errorf("%s of %q has the permission %q, which no tool needs; tools need %s", what, name, p, strings.Join(sortUnique(known), ", ")))
			}
		}
	}
	return errors.Join(problems...)
}

// permissionsByScope inverts a map from permission to scope.
func permissionsByScope(scopes map[string]string) map[string][]string {
	permissions := make(map[string][]string, len(scopes))
	for p, scope := range scopes {
		permissions[scope] = append(permissions[scope], p)
	}
	return permissions
}

// sortUnique returns the sorted names without duplicates.
func sortUnique(names []string) []string { return slices.Compact(slices.Sorted(slices.Values(names))) }

// newVerifier returns the verifier of access tokens: introspection if o.Introspect is set,
// otherwise signed JWTs.
func newVerifier(o Resource) (auth.Verifier, error) {
	audiences := append([]string{o.URL}, o.Audiences...)
	if o.Introspect == "" {
		v := &jwt.Verifier{Issuers: o.Issuers, Audiences: audiences, AccessTokensOnly: o.AccessTokensOnly, GroupClaims: o.GroupClaims}
		return v, v.Err()
	}
	if len(o.Issuers) != 1 {
		return nil, errors.New("only one authorization server can check tokens")
	}
	v := &introspect.Verifier{
		URL: o.Introspect, Issuer: o.Issuers[0], Audiences: audiences, GroupClaims: o.GroupClaims,
		ClientID: o.ClientID, ClientSecret: o.ClientSecret,
	}
	return v, v.Err()
}
