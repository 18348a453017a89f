package auth

import (
	"net/http"
	"strings"

	"github.com/dougu-go/dougu/mcp/protocol"
)

// Wrap returns a handler that passes requests with a valid token to next, without the token. The
// context contains the principal (protocol.PrincipalFrom) and the permissions of a limited token
// (protocol.PermissionsFrom). Other requests receive status 401 with a challenge (RFC 6750 §3;
// 2026-07-28, basic/authorization, "Error Handling"). Tokens in a URL are ignored.
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
		// The next handler needs the principal, not the secret.
		ctx := protocol.WithPrincipal(r.Context(), known.principal)
		if known.limited {
			ctx = protocol.WithPermissions(ctx, known.permissions)
		}
		r = r.WithContext(ctx)
		header := r.Header.Clone()
		header.Del("Authorization")
		r.Header = header
		next.ServeHTTP(w, r)
	})
}

// Bearer returns the bearer token of the Authorization header, for programs that check tokens
// without Tokens. It reports false unless there is exactly one such header with a token of RFC 6750
// §2.1, of at most 4096 bytes.
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
	_, _ = w.Write([]byte(why + "\n")) // a write error means that the client has disconnected
}
