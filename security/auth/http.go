package auth

import (
	"net/http"
	"strings"

	"github.com/dougu-go/dougu/mcp"
)

// Wrap lets requests with one of the tokens pass to next, with the principal in
// their context (mcp.PrincipalFrom) and what the token is limited to, if it is
// (mcp.PermissionsFrom), and answers all others with 401 and a
// challenge (RFC 6750 §3; 2026-07-28, basic/authorization, "Error Handling"). A
// token in the query of a URL does not count.
func (t *Tokens) Wrap(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if len(r.Header.Values("Authorization")) == 0 {
			refuse(w, `Bearer realm="mcp"`, "This server needs a bearer token; send the header Authorization: Bearer TOKEN")
			return
		}
		token, ok := Bearer(r.Header)
		known := t.find(token)
		if !ok || known == nil {
			refuse(w, `Bearer realm="mcp", error="invalid_token"`, "The bearer token is not one that is known here")
			return
		}
		// What is behind needs the principal, not the secret.
		ctx := mcp.WithPrincipal(r.Context(), known.principal)
		if known.limited {
			ctx = mcp.WithPermissions(ctx, known.permissions)
		}
		r = r.WithContext(ctx)
		header := r.Header.Clone()
		header.Del("Authorization")
		r.Header = header
		next.ServeHTTP(w, r)
	})
}

// Bearer is the token of a request with these headers, for what knows its tokens by other means than Tokens. Of Authorization
// headers there must be one, with a token of RFC 6750 §2.1.
func Bearer(header http.Header) (token string, ok bool) {
	values := header.Values("Authorization")
	if len(values) != 1 {
		return "", false
	}
	scheme, token, found := strings.Cut(values[0], " ")
	if !found || !strings.EqualFold(scheme, "Bearer") {
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
