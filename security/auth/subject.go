package auth

import (
	"context"
	"log/slog"
	"time"
)

// Subject is the access token of a request, for an exchange at the authorization server that has issued it (RFC 8693): see
// Resource.KeepSubject. It is shown to no other server, and does not show itself when it is printed, logged or encoded.
type Subject struct {
	issuer  string
	token   string
	expires time.Time
}

// TokenFor returns the token if issuer has issued it and it has not ended.
func (s *Subject) TokenFor(issuer string) (token string, ok bool) {
	if s == nil || s.issuer == "" || s.issuer != issuer || !s.expires.IsZero() && !time.Now().Before(s.expires) {
		return "", false
	}
	return s.token, true
}

// String implements fmt.Stringer.
func (Subject) String() string { return "[access token]" }

// GoString implements fmt.GoStringer.
func (Subject) GoString() string { return "[access token]" }

// LogValue implements slog.LogValuer.
func (Subject) LogValue() slog.Value { return slog.StringValue("[access token]") }

type subjectKey struct{}

// SubjectFrom returns the access token of the request of a context, nil if it is not kept.
func SubjectFrom(ctx context.Context) *Subject {
	s, _ := ctx.Value(subjectKey{}).(*Subject)
	return s
}

// withSubject keeps the token of a grant. A token that is bound to a key of its client is of no use to others, and is not kept.
func withSubject(ctx context.Context, g *Grant, token string) context.Context {
	if g.Issuer == "" || g.Confirmation != "" {
		return ctx
	}
	return context.WithValue(ctx, subjectKey{}, &Subject{g.Issuer, token, g.Expires})
}
