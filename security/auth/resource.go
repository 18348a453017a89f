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

// Resource is a server as authorization servers and their clients know it: who
// wants to use it brings an access token that one of them has issued for it
// (2026-07-28, basic/authorization; OAuth 2.1 §5; RFC 9728). Its fields are set before
// it is used, and not changed after that; it must not be copied.
type Resource struct {
	// URL is by which clients know the server, such as "https://mcp.example.com/mcp":
	// the address that they use, without query and fragment, and with https but on
	// this machine. Tokens name it as their audience. When a server has several
	// addresses, such as those of HTTP and WebSocket, it is what these begin with.
	URL string
	// AuthorizationServers are the issuers of tokens, at least one.
	AuthorizationServers []string
	// Verifier tells what a token stands for.
	Verifier Verifier
	// Scopes are those that tokens can have for this server, for clients that do not
	// know what to ask for. Those that a tool may need and that are not among
	// them cannot be had: who lacks them does not see the tool.
	Scopes []string
	// Required are scopes without which nothing is served, and Initial those that
	// clients are told to ask for besides at first. Clients that are told of no scope
	// ask for all of Scopes.
	Required, Initial []string
	// Permissions, if set, says what the scopes of a token permit, where that is not
	// what they are called: a scope "admin" may stand for "*", or for "issues:*" and
	// "docs:*". See Permits for their meaning. Default: scopes are permissions, as ScopeNames has them.
	Permissions func(scopes []string) []string
	// ScopeNames has the scopes that stand for permissions, by permission, where authorization servers use other
	// names: "read" may be "api://42/files.read". Scopes, Required and Initial are in permissions, and clients receive the
	// names. A token may also have the part of a name after its last slash, as Entra issues it.
	ScopeNames map[string]string
	// Allow has the users of the authorization servers that are admitted; see Roles for the form of its entries. Default:
	// every user with a token.
	Allow []string
	// Roles, if not nil, are the permissions of users, and the scopes of a token only narrow them. A key is the subject of a
	// user, "group:NAME" for the members of a group or the holders of a role (Grant.Groups), or "*" for all users. With
	// several authorization servers the subject and NAME begin with the issuer and "#". A user has the permissions of all
	// keys that match, and no others with any token. Tokens of Grant.Fixed are no users.
	Roles map[string][]string
	// IgnoreScopes lets Roles alone decide, for authorization servers that have no scopes of a resource.
	IgnoreScopes bool
	// DPoP looks at the proofs for tokens that are bound to a key. Without it such
	// tokens are not accepted. RequireDPoP accepts no others.
	DPoP        *dpop.Checker
	RequireDPoP bool
	// KeepSubject keeps the access token of each request for SubjectFrom: for a program
	// that exchanges it for others at its issuer (RFC 8693), and never passes it on.
	KeepSubject bool
	// Name and Documentation, a URL, tell people what the server is.
	Name, Documentation string
	// Log receives why requests were refused, ten a minute of each kind, and never a
	// token. Default: slog.Default().
	Log *slog.Logger

	logged ratelimit.Limiter[string]
}

// maxScopes bounds the scopes that are named to clients, whose headers have an end.
const maxScopes = 256

// Err tells everything that is wrong with the fields, or is nil. A Resource with an
// error answers every request with status 500.
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
		case !isScope(scope):
			problem("the scope %q has a character that scopes do not have, or none", scope)
		case scope == "offline_access":
			problem("offline_access is between a client and its authorization server; leave it out")
		}
	}
	return errors.Join(problems...)
}

// checkURL tells what is wrong with the URL of a server that tokens are issued for, or by.
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

// isScope reports whether s is a scope-token of RFC 6749 §3.3.
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

// note logs a refusal, unless there were many of its kind.
func (r *Resource) note(req *http.Request, level slog.Level, kind string, why error) {
	if !r.logged.Allow(ratelimit.Demand[string]{Key: kind, Limits: ratelimit.Limits{PerMinute: 10}}).Allowed {
		return
	}
	r.log().LogAttrs(req.Context(), level, "a request was refused", slog.String("kind", kind), slog.String("why", described(why.Error())),
		slog.String("method", req.Method), slog.String("path", req.URL.Path), slog.String("address", req.RemoteAddr))
}
