package auth

import (
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/dougu-go/dougu/internal/origin"
	"github.com/dougu-go/dougu/security/auth/dpop"
	"github.com/dougu-go/dougu/security/ratelimit"
)

// Resource is an MCP server that accepts access tokens of authorization servers (2026-07-28,
// basic/authorization; OAuth 2.1 §5; RFC 9728). Set its fields before the first use and do not
// change or copy it afterwards. Its methods are safe for concurrent use.
type Resource struct {
	// URL is the address of the server that clients use, for example "https://mcp.example.com/mcp".
	// It has no query or fragment, and https except on this machine. Tokens contain it as audience.
	// A server with several addresses, such as HTTP and WebSocket, uses their common prefix.
	// Required.
	URL string
	// AuthorizationServers are the issuers of tokens; at least one.
	AuthorizationServers []string
	// Verifier checks tokens. Required.
	Verifier Verifier
	// Scopes are the permissions that clients can request for this server, at most 256 with
	// Required and Initial. A permission that is missing here is not obtainable: clients without it
	// do not see the tools that need it.
	Scopes []string
	// Required are permissions without which no request is served. Initial are further permissions
	// that the first challenge requests. A client that receives no scopes requests all of Scopes.
	Required, Initial []string
	// Permissions converts the scopes of a token to permissions, for example "admin" to "*". See
	// Permits for patterns. Default: ScopeNames, or the scopes themselves.
	Permissions func(scopes []string) []string
	// ScopeNames maps permissions to scopes of the authorization server, for example "read" to
	// "api://42/files.read". Scopes, Required and Initial contain permissions; clients receive
	// scopes. In a token, the last part of a scope ("files.read") is accepted too. Microsoft Entra
	// issues scopes in this short form.
	ScopeNames map[string]string
	// Allow lists the users that may use the server; see Roles for the form of its entries. Default
	// nil: all users with a valid token.
	Allow []string
	// Roles maps users to their maximum permissions; the scopes of a token only reduce them. A key
	// is the subject of a user, "group:NAME" for a group or role in Grant.Groups, or "*" for all
	// users. With several authorization servers, the subject and NAME have the prefix "ISSUER#". A
	// user has the permissions of all matching keys. Nil: no limit.
	//
	// Roles do not apply if Verifier sets Grant.Fixed. Tokens does this, because a fixed token has its
	// own permissions.
	Roles map[string][]string
	// IgnoreScopes uses Roles alone, for authorization servers without scopes for a resource. It
	// requires Roles.
	IgnoreScopes bool
	// DPoP checks the proofs of tokens that are bound to a key. If it is nil, these tokens are
	// refused.
	DPoP *dpop.Checker
	// RequireDPoP refuses tokens that are not bound to a key.
	RequireDPoP bool
	// KeepSubject keeps the access token of a request in its context. A tool can then exchange it at
	// its issuer for a token of another server (SubjectFrom; RFC 8693). Never forward the token itself.
	KeepSubject bool
	// Name and Documentation (a URL) describe the server in the metadata. Optional.
	Name, Documentation string
	// Log receives refused requests with their reason, at most ten a minute of each kind, and never
	// a token. Default slog.Default().
	Log *slog.Logger

	// logged limits the log entries by kind.
	logged ratelimit.Limiter[string]
}

// maxScopes limits the scopes of the metadata and challenges, because headers have a maximum
// length.
const maxScopes = 256

// Err returns all errors in the fields, or nil. No method panics because of them. A Resource with an
// error answers every request, also for the metadata, with status 500.
func (r *Resource) Err() error {
	var problems []error
	problem := func(format string, args ...any) { problems = append(problems, fmt.Errorf(format, args...)) }
	if err := checkURL(r.URL); err != nil {
		problem("the URL of the resource: %w", err)
	}
	if len(r.AuthorizationServers) == 0 {
		problem("there is no authorization server")
	}
	for _, issuer := range r.AuthorizationServers {
		if err := checkURL(issuer); err != nil {
			problem("the authorization server: %w", err)
		}
	}
	if r.Verifier == nil {
		problem("there is no Verifier, so that no token can be checked")
	}
	if r.RequireDPoP && r.DPoP == nil {
		problem("tokens must be bound to a key, and there is no Checker for proofs")
	}
	if len(r.Scopes)+len(r.Required)+len(r.Initial) > maxScopes {
		problem("there are more than %d scopes", maxScopes)
	}
	problems = append(problems, r.checkUsers())
	for _, permission := range slices.Concat(r.Scopes, r.Required, r.Initial) {
		scope := r.scopeName(permission)
		switch {
		case !isScope(scope): // an invalid character, an empty scope, or a scope that is too long
			problem("the scope %q has a character that scopes do not have, or none", scope)
		case scope == "offline_access":
			problem("offline_access is between a client and its authorization server; leave it out")
		}
	}
	return errors.Join(problems...)
}

// checkURL returns an error if text is not a valid URL of a resource or an issuer. Unencrypted http
// is allowed only for loopback addresses.
func checkURL(text string) error {
	u, err := url.Parse(text)
	switch {
	case err != nil || u.Host == "" || u.Scheme != "https" && u.Scheme != "http":
		return fmt.Errorf("%.200q is not a URL such as \"https://mcp.example.com/mcp\"", text)
	case u.User != nil || u.RawQuery != "" || u.ForceQuery || strings.Contains(text, "#"):
		return fmt.Errorf("%.200q has a user, a query or a fragment", u.Redacted())
	case u.Host != strings.ToLower(u.Host):
		return fmt.Errorf("%.200q has a host in capital letters; it is compared as it is written", text)
	case u.Scheme == "http" && !origin.IsLoopback(u.Hostname()):
		return fmt.Errorf("%.200q is not encrypted; write https, but on this machine", text)
	}
	return nil
}

// isScope reports whether s is a scope-token (RFC 6749 §3.3) of at most 128 bytes.
func isScope(s string) bool {
	for _, c := range []byte(s) {
		if c < '!' || c > '~' || c == '"' || c == '\\' {
			return false
		}
	}
	return s != "" && len(s) <= maxPermission
}

func (r *Resource) log() *slog.Logger {
	if r.Log == nil {
		return slog.Default()
	}
	return r.Log
}

// logRefusal logs a refusal, at most ten a minute of each kind.
func (r *Resource) logRefusal(req *http.Request, level slog.Level, kind string, why error) {
	if !r.logged.Allow(ratelimit.Demand[string]{Key: kind, Limits: ratelimit.Limits{PerMinute: 10}}).Allowed {
		return
	}
	r.log().LogAttrs(req.Context(), level, "a request was refused", slog.String("kind", kind), slog.String("why", sanitizeDescription(why.Error())),
		slog.String("method", req.Method), slog.String("path", req.URL.Path), slog.String("address", req.RemoteAddr))
}
