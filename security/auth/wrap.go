package auth

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/dougu-go/dougu/security/auth/dpop"
)

// maxBearer is the maximum length of an access token, in bytes. Signed tokens are longer than
// Tokens.
const maxBearer = 16 << 10

// Authentication schemes of the Authorization header.
const (
	bearerScheme = "Bearer"
	dpopScheme   = "DPoP"
)

// errExpired is the cause that ends a long-lived request when its token expires.
var errExpired = errors.New("the access token has expired")

// Wrap returns a handler that passes requests with a valid access token to next, without the token.
// The context contains the content of the token (protocol.PrincipalFrom, protocol.PermissionsFrom,
// GrantFrom). Other requests receive a challenge (RFC 6750 §3, RFC 9449 §7; 2026-07-28,
// basic/authorization, "Error Handling"):
//
//   - 400 for a malformed request,
//   - 401 without a valid token,
//   - 403 if the token lacks a required scope or the user is not allowed,
//   - 503 while tokens cannot be checked.
//
// A token in the URL is refused, because logs and other programs can see it. Each request is
// checked, also within a session. Streams and WebSocket connections end when their token expires.
// The handler also serves the metadata without authentication; see Metadata.
func (r *Resource) Wrap(next http.Handler) http.Handler {
	if err := r.Err(); err != nil {
		return r.serveError(err)
	}
	metadata, isMetadata := r.Metadata(), r.metadataMatcher()
	return http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		if isMetadata(req.URL.Path) {
			metadata.ServeHTTP(w, req)
			return
		}
		admitted, refused := r.authenticate(req)
		if r.DPoP != nil && r.DPoP.Nonces != nil {
			w.Header().Set("DPoP-Nonce", r.DPoP.Nonces.Now())
		}
		if refused != nil {
			r.refuse(w, req, refused)
			return
		}
		ctx, grant := admitted.withContext(req.Context()), admitted.grant
		if r.KeepSubject {
			_, token, _ := credentials(req)      // as admit has read it
			ctx = withSubject(ctx, grant, token) // authenticate has validated it
		}
		if !grant.Expires.IsZero() && isLongLived(req) {
			var cancel context.CancelFunc
			ctx, cancel = context.WithDeadlineCause(ctx, grant.Expires, errExpired)
			defer cancel()
		}
		req = req.WithContext(ctx)
		// The next handler needs the principal, not the secret.
		req.Header = req.Header.Clone()
		req.Header.Del("Authorization")
		req.Header.Del("DPoP")
		next.ServeHTTP(w, req)
	})
}

// isLongLived reports whether the client decides how long the request stays open.
func isLongLived(req *http.Request) bool {
	return req.Method == http.MethodGet || req.Header.Get("Mcp-Method") == "subscriptions/listen"
}

// authenticate checks the token of a request and the rules for its user.
func (r *Resource) authenticate(req *http.Request) (*authorizedRequest, *refusal) {
	scheme, token, refused := credentials(req)
	if refused != nil {
		return nil, refused
	}
	grant, err := r.Verifier.Verify(req.Context(), token)
	switch {
	case errors.Is(err, ErrInvalidToken):
		return nil, invalidToken(scheme, err)
	case err != nil:
		return nil, &refusal{status: http.StatusServiceUnavailable, reason: ErrUnavailable, logged: err}
	case grant == nil || grant.Principal == "":
		return nil, invalidToken(scheme, errors.New("the access token has no principal"))
	case !grant.Expires.IsZero() && !time.Now().Before(grant.Expires):
		return nil, invalidToken(scheme, errExpired)
	}
	if refused := r.checkProof(req, scheme, token, grant); refused != nil {
		return nil, refused
	}
	own := *grant // the Verifier may share it between requests
	if !r.isAllowed(&own) {
		return nil, &refusal{status: http.StatusForbidden, scheme: scheme, reason: errors.New("this user is not admitted to this server; ask its operator")}
	}
	most, bounded := r.applyRoles(&own)
	if missing := own.missing(r.Required); missing != nil {
		why := fmt.Errorf("the access token lacks %s", strings.Join(missing, " and "))
		return nil, &refusal{status: http.StatusForbidden, scheme: scheme, code: "insufficient_scope", reason: why}
	}
	return &authorizedRequest{&own, r, req.Method == http.MethodPost, most, bounded}, nil
}

// missing returns the needed permissions that the grant lacks.
func (g *Grant) missing(needed []string) (missing []string) {
	for _, p := range needed {
		if g.Limited && !Permits(g.Permissions, p) {
			missing = append(missing, p)
		}
	}
	return missing
}

// credentials returns the scheme and the token of the Authorization header.
func credentials(req *http.Request) (scheme, token string, refused *refusal) {
	malformed := func(format string, args ...any) (string, string, *refusal) {
		return "", "", &refusal{status: http.StatusBadRequest, scheme: bearerScheme, code: "invalid_request", reason: fmt.Errorf(format, args...)}
	}
	if strings.Contains(req.URL.RawQuery, "access_token") || strings.Contains(req.URL.RawQuery, "%") {
		// The parsed query omits malformed parameters, so a parse error is refused too.
		if query, err := url.ParseQuery(req.URL.RawQuery); err != nil || query.Has("access_token") {
			return malformed("an access token is shown in the header Authorization, never in a URL")
		}
	}
	values := req.Header.Values("Authorization")
	switch len(values) {
	case 0:
		return "", "", &refusal{status: http.StatusUnauthorized}
	case 1:
	default:
		return malformed("there is more than one header Authorization")
	}
	name, token, _ := strings.Cut(values[0], " ")
	switch {
	case strings.EqualFold(name, bearerScheme):
		scheme = bearerScheme
	case strings.EqualFold(name, dpopScheme):
		scheme = dpopScheme
	default:
		return "", "", &refusal{status: http.StatusUnauthorized}
	}
	token = strings.Trim(token, " ")
	if !isBase64Token(token, maxBearer) {
		return malformed("the header Authorization has no access token of at most %d bytes after %s", maxBearer, scheme)
	}
	return scheme, token, nil
}

// checkProof checks that the client possesses the key of a bound token.
func (r *Resource) checkProof(req *http.Request, scheme, token string, grant *Grant) *refusal {
	switch {
	case grant.Confirmation == "" && scheme == dpopScheme:
		return invalidToken(scheme, errors.New("the access token is not bound to a key; show it as a bearer token"))
	case grant.Confirmation == "" && r.RequireDPoP:
		return invalidToken(dpopScheme, errors.New("only access tokens that are bound to a key are accepted"))
	case grant.Confirmation == "":
		return nil
	case r.DPoP == nil:
		return invalidToken(scheme, errors.New("the access token is bound to a key, and proofs are not accepted here"))
	case scheme != dpopScheme:
		return invalidToken(dpopScheme, errors.New("the access token is bound to a key; show it with a proof"))
	}
	err := r.DPoP.CheckKey(req, r.target(req), token, grant.Confirmation)
	if wrong, ok := errors.AsType[*dpop.Error](err); ok {
		return &refusal{status: http.StatusUnauthorized, scheme: dpopScheme, code: wrong.Code, reason: errors.New(wrong.Description)}
	}
	if err != nil {
		return &refusal{status: http.StatusServiceUnavailable, reason: err, logged: err}
	}
	return nil
}

// target returns the URL to which the client sent the request. A proxy can have changed its host
// and path prefix.
func (r *Resource) target(req *http.Request) string {
	u, err := url.Parse(r.URL)
	if err != nil {
		return ""
	}
	path := req.URL.EscapedPath()
	if own := u.EscapedPath(); own != "" && (path == "/" || strings.HasSuffix(own, path)) {
		path = own
	}
	return u.Scheme + "://" + u.Host + path
}

// refuse logs a refusal and writes its response.
func (r *Resource) refuse(w http.ResponseWriter, req *http.Request, refused *refusal) {
	if req.Context().Err() != nil {
		return // the client has disconnected, which may have caused the refusal
	}
	switch {
	case refused.logged != nil:
		r.logRefusal(req, slog.LevelError, "unavailable", refused.logged)
	case refused.reason != nil:
		r.logRefusal(req, slog.LevelWarn, refused.code, refused.reason)
	}
	r.challenge(w.Header(), refused)
	refused.write(w)
}
