package protocol

import (
	"context"
	"slices"
)

// principalKey is the context key of the principal.
type principalKey struct{}

// WithPrincipal returns a copy of ctx with an authenticated principal. Code that checks credentials
// in front of a transport calls it.
func WithPrincipal(ctx context.Context, principal string) context.Context {
	return context.WithValue(ctx, principalKey{}, principal)
}

// PrincipalFrom returns the authenticated principal of ctx, or "".
func PrincipalFrom(ctx context.Context) string {
	principal, _ := ctx.Value(principalKey{}).(string)
	return principal
}

// permissionsKey is the context key of the permissions.
type permissionsKey struct{}

// WithPermissions returns a copy of ctx whose caller has exactly these permissions, for example by
// its access token.
func WithPermissions(ctx context.Context, permissions []string) context.Context {
	return context.WithValue(ctx, permissionsKey{}, slices.Clone(permissions))
}

// PermissionsFrom returns the permissions that WithPermissions has set. ok is false if there are
// none; the principal alone decides then.
func PermissionsFrom(ctx context.Context) (permissions []string, ok bool) {
	permissions, ok = ctx.Value(permissionsKey{}).([]string)
	return permissions, ok
}
