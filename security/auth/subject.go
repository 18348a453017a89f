package auth

import (
	"context"
	"log/slog"
	"time"
)

// Subject is the access token of a request, for a token exchange at the authorization server that
// issued it (RFC 8693). Resource.KeepSubject enables it. The token is not visible when a Subject is
// printed, logged or encoded.
type Subject struct {
	issuer  string
	token   string
	expires time.Time
}

// TokenFor returns the token if issuer issued it and it has not expired. A nil Subject has no
// token.
func (s *Subject) TokenFor(issuer string) (token string, ok bool) {
	if s == nil || s.issuer == "" || s.issuer != issuer || !s.expires.IsZero() && !time.Now().Before(s.expires) {
		return "", false
	}
	return s.token, true
}

// String implements fmt.Stringer. It returns a placeholder.
func (Subject) String() string { return "[access token]" }

// GoString implements fmt.GoStringer. It returns a placeholder.
func (Subject) GoString() string { return "[access token]" }

// LogValue implements slog.LogValuer. It returns a placeholder.
func (Subject) LogValue() slog.Value { return slog.StringValue("[access token]") }

// subjectKey is the context key of the Subject.
type subjectKey struct{}

// SubjectFrom returns the access token of the request, or nil if Resource.KeepSubject is false or
// the token is bound to a key.
func SubjectFrom(ctx context.Context) *Subject {
	s, _ := ctx.Value(subjectKey{}).(*Subject)
	return s
}

// withSubject adds the token to the context. A token bound to the client's key is omitted, because
// it is useless without that key.
func withSubject(ctx context.Context, g *Grant, token string) context.Context {
	if g.Issuer == "" || g.Confirmation != "" {
		return ctx
	}
	return context.WithValue(ctx, subjectKey{}, &Subject{g.Issuer, token, g.Expires})
}
