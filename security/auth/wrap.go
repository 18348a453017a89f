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

// maxBearer is the longest access token that is looked at, in bytes: those that say
// something of themselves are longer than Tokens.
const maxBearer = 16 << 10

// The schemes by which tokens are shown.
const (
	bearerScheme = "Bearer"
	dpopScheme   = "DPoP"
)

// errExpired ends what outlives the token that it was begun with.
var errExpired = errors.New("the access token has expired")

// Wrap lets requests with an access token for the resource pass to next, with what
// it stands for in their context (mcp.PrincipalFrom, mcp.PermissionsFrom, GrantFrom)
// and without the token, and answers all others with a challenge: 401 for those
// without a token that counts, 403 for those whose token lacks a required scope, 400
// for those that cannot be understood, 503 while no token can be checked (RFC 6750 §3,
// RFC 9449 §7; 2026-07-28, basic/authorization, "Error Handling"). A token
// in the query of a URL is not accepted, for there others see it.
//
// Every request is looked at, also those of a session. What goes on for long without
// requests, streams of changes and connections of WebSocket, ends with its token.
//
// The metadata is served too, to everybody; see Metadata.
func (r *Resource) Wrap(next http.Handler) http.Handler {
	if err := r.Err(); err != nil {
		return r.broken(err)
	}
	metadata, isMetadata := r.Metadata(), r.isMetadata()
	return http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		if isMetadata(req.URL.Path) {
			metadata.ServeHTTP(w, req)
			return
		}
		admitted, refused := r.admit(req)
		if r.DPoP != nil && r.DPoP.Nonces != nil {
			w.Header().Set("DPoP-Nonce", r.DPoP.Nonces.Now())
		}
		if refused != nil {
			r.refuse(w, req, refused)
			return
		}
		ctx, grant := admitted.enter(req.Context()), admitted.grant
		if r.KeepSubject {
			_, token, _ := credentials(req) // as admit has read it
			ctx = withSubject(ctx, grant, token)
		}
		if !grant.Expires.IsZero() && lasts(req) {
			var cancel context.CancelFunc
			ctx, cancel = context.WithDeadlineCause(ctx, grant.Expires, errExpired)
			defer cancel()
		}
		req = req.WithContext(ctx)
		// What is behind needs the principal, not the secret.
		req.Header = req.Header.Clone()
		req.Header.Del("Authorization")
		req.Header.Del("DPoP")
		next.ServeHTTP(w, req)
	})
}

// lasts reports whether a request stays open for as long as its client likes.
func lasts(req *http.Request) bool {
	return req.Method == http.MethodGet || req.Header.Get("Mcp-Method") == "subscriptions/listen"
}

// admit finds out what the token of a request stands for.
func (r *Resource) admit(req *http.Request) (*pass, *refusal) {
	scheme, token, refused := credentials(req)
	if refused != nil {
		return nil, refused
	}
	grant, err := r.Verifier.Verify(req.Context(), token)
	switch {
	case errors.Is(err, ErrInvalidToken):
		return nil, invalidToken(scheme, err)
	case err != nil:
		return nil, &refusal{status: http.StatusServiceUnavailable, why: ErrUnavailable, log: err}
	case grant == nil || grant.Principal == "":
		return nil, invalidToken(scheme, errors.New("the access token does not say whose it is"))
	case !grant.Expires.IsZero() && !time.Now().Before(grant.Expires):
		return nil, invalidToken(scheme, errExpired)
	}
	if refused := r.prove(req, scheme, token, grant); refused != nil {
		return nil, refused
	}
	own := *grant // the Verifier may give it to others too
	if !r.admits(&own) {
		return nil, &refusal{status: http.StatusForbidden, scheme: scheme, why: errors.New("this user is not admitted to this server; ask its operator")}
	}
	most, bounded := r.limit(&own)
	if missing := own.lacks(r.Required); missing != nil {
		why := fmt.Errorf("the access token lacks %s", strings.Join(missing, " and "))
		return nil, &refusal{status: http.StatusForbidden, scheme: scheme, code: "insufficient_scope", why: why}
	}
	return &pass{&own, r, req.Method == http.MethodPost, most, bounded}, nil
}

// lacks are those of some permissions that a token has not.
func (g *Grant) lacks(needed []string) (missing []string) {
	for _, p := range needed {
		if g.Limited && !Permits(g.Permissions, p) {
			missing = append(missing, p)
		}
	}
	return missing
}

// credentials are the scheme and the token of a request.
func credentials(req *http.Request) (scheme, token string, refused *refusal) {
	malformed := func(format string, args ...any) (string, string, *refusal) {
		return "", "", &refusal{status: http.StatusBadRequest, scheme: bearerScheme, code: "invalid_request", why: fmt.Errorf(format, args...)}
	}
	if strings.Contains(req.URL.RawQuery, "access_token") || strings.Contains(req.URL.RawQuery, "%") {
		// What cannot be parsed is in no map of parameters.
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
	if !isB64(token, maxBearer) {
		return malformed("the header Authorization has no access token of at most %d bytes after %s", maxBearer, scheme)
	}
	return scheme, token, nil
}

// prove checks that a token that is bound to a key is shown by who has that.
func (r *Resource) prove(req *http.Request, scheme, token string, grant *Grant) *refusal {
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
		return &refusal{status: http.StatusUnauthorized, scheme: dpopScheme, code: wrong.Code, why: errors.New(wrong.Description)}
	}
	if err != nil {
		return &refusal{status: http.StatusServiceUnavailable, why: err, log: err}
	}
	return nil
}

// target is the URL to which a client has sent a request: a proxy may have changed
// the host, and the beginning of the path.
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

// refuse answers a request that does not pass.
func (r *Resource) refuse(w http.ResponseWriter, req *http.Request, refused *refusal) {
	if req.Context().Err() != nil {
		return // its client has left, which may be why
	}
	switch {
	case refused.log != nil:
		r.note(req, slog.LevelError, "unavailable", refused.log)
	case refused.why != nil:
		r.note(req, slog.LevelWarn, refused.code, refused.why)
	}
	r.challenge(w.Header(), refused)
	refused.write(w)
}
