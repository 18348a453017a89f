package audit

import "context"

// Identity names the user and session of an operation, for the audit log.
type Identity struct {
	UserID    string
	SessionID string
}

// identityKey is the context key of the Identity.
type identityKey struct{}

// WithIdentity attaches an identity to a context.
func WithIdentity(ctx context.Context, id Identity) context.Context {
	return context.WithValue(ctx, identityKey{}, id)
}

// IdentityFrom returns the identity of a context. Missing values are "unknown".
func IdentityFrom(ctx context.Context) Identity {
	id, _ := ctx.Value(identityKey{}).(Identity)
	if id.UserID == "" {
		id.UserID = "unknown"
	}
	if id.SessionID == "" {
		id.SessionID = "unknown"
	}
	return id
}
