package auth

import (
	"net/http"
	"strings"

	"github.com/dougu-go/dougu/mcp"
)

// Wrap lets requests with one of the tokens pass to next, with the principal in
// their context (mcp.PrincipalFrom), and answers all others with 401 and a
// challenge (RFC 6750 §3; 2026-07-28, basic/authorization, "Error Handling"). A
// token in the query of a URL does not count.
func (t *Tokens) Wrap(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		values := r.Header.Values("Authorization")
		if len(values) == 0 {
			refuse(w, `Bearer realm="mcp"`, "This server needs a bearer token; send the header Authorization: Bearer TOKEN")
			return
		}
		token, ok := bearer(values)
		principal, known := t.Verify(token)
		if !ok || !known {
			refuse(w, `Bearer realm="mcp", error="invalid_token"`, "The bearer token is not one that is known here")
			return
		}
		// What is behind needs the principal, not the secret.
		r = r.WithContext(mcp.WithPrincipal(r.Context(), principal))
		header := r.Header.Clone()
		header.Del("Authorization")
		r.Header = header
		next.ServeHTTP(w, r)
	})
}

// bearer is the token of an Authorization header, of which there must be one.
func bearer(values []string) (token string, ok bool) {
	scheme, token, found := strings.Cut(values[0], " ")
	if len(values) != 1 || !found || !strings.EqualFold(scheme, "Bearer") {
		return "", false
	}
	token = strings.Trim(token, " ")
	return token, isToken(token)
}

func refuse(w http.ResponseWriter, challenge, why string) {
	w.Header().Set("WWW-Authenticate", challenge)
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	w.Header().Set("X-Content-Type-Options", "nosniff")
	w.WriteHeader(http.StatusUnauthorized)
	_, _ = w.Write([]byte(why + "\n")) // who is refused need not read it
}
