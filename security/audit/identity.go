package audit

import "context"

// Identity says on whose behalf an operation runs, for the audit log.
type Identity struct {
	UserID    string
	SessionID string
}

type identityKey struct{}

// WithIdentity attaches an identity to a context.
func WithIdentity(ctx context.Context, id Identity) context.Context {
	return context.WithValue(ctx, identityKey{}, id)
}

// IdentityFrom finds the identity of a context. What is not known is "unknown".
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
