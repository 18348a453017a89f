package auth

import (
	"net/http"
	"slices"
	"strings"

	"github.com/dougu-go/dougu/security/auth/dpop"
)

// refusal is the response to a request that is not authorized.
type refusal struct {
	status int    // status of the response
	scheme string // scheme of the credentials; empty if there are none
	code   string // error code of RFC 6750 §3.1 or RFC 9449 §12.2; empty if credentials are missing
	reason error  // description for the client
	logged error  // cause for the operator's log, if it differs from reason
}

func invalidToken(scheme string, why error) *refusal {
	return &refusal{status: http.StatusUnauthorized, scheme: scheme, code: "invalid_token", reason: why}
}

// write writes the response.
func (f *refusal) write(w http.ResponseWriter) {
	text := "This server needs an access token; its metadata names the issuers"
	if f.reason != nil {
		text = sanitizeDescription(f.reason.Error())
	}
	h := w.Header()
	if f.status == http.StatusServiceUnavailable {
		h.Set("Retry-After", "5")
	}
	h.Set("Cache-Control", "no-store")
	h.Set("Content-Type", "text/plain; charset=utf-8")
	h.Set("X-Content-Type-Options", "nosniff")
	w.WriteHeader(f.status)
	_, _ = w.Write([]byte(text + "\n")) // a write error means that the client has disconnected
}

// challenge sets the WWW-Authenticate headers: one for each accepted scheme, the failed one first
// (RFC 9110 §11.6.1; RFC 6750 §3; RFC 9449 §7.1; RFC 9728 §5.1).
func (r *Resource) challenge(h http.Header, f *refusal) {
	if f.status == http.StatusServiceUnavailable || f.status == http.StatusForbidden && f.code == "" {
		return
	}
	schemes := r.schemes()
	failed := schemes[0]
	if slices.Contains(schemes, f.scheme) {
		failed = f.scheme
	}
	scopes := r.Required
	if f.status == http.StatusUnauthorized && r.Initial != nil {
		scopes = union(r.Required, r.Initial)
	}
	h.Add("WWW-Authenticate", r.parameters(failed, f, scopes))
	for _, other := range schemes {
		if other != failed && f.status == http.StatusUnauthorized {
			h.Add("WWW-Authenticate", r.parameters(other, &refusal{}, scopes))
		}
	}
}

// schemes returns the accepted authentication schemes.
func (r *Resource) schemes() []string {
	switch {
	case r.RequireDPoP:
		return []string{dpopScheme}
	case r.DPoP != nil:
		return []string{bearerScheme, dpopScheme}
	}
	return []string{bearerScheme}
}

// parameters returns one challenge with its parameters.
func (r *Resource) parameters(scheme string, f *refusal, scopes []string) string {
	var all []string
	add := func(name, value string) {
		if value != "" {
			all = append(all, name+`="`+value+`"`)
		}
	}
	add("error", f.code)
	if f.reason != nil {
		add("error_description", sanitizeDescription(f.reason.Error()))
	}
	add("resource_metadata", r.metadataURL())
	add("scope", strings.Join(r.scopeNames(scopes), " "))
	if scheme == dpopScheme {
		add("algs", strings.Join(dpop.Algorithms(), " "))
	}
	return scheme + " " + strings.Join(all, ", ")
}

// maxDescription is the maximum length of an error description, in bytes.
const maxDescription = 300

// sanitizeDescription replaces the characters that error_description must not contain (RFC 6750
// §3), so that input cannot end the parameter or the header.
func sanitizeDescription(text string) string {
	text = strings.Map(func(c rune) rune {
		switch {
		case c == '"':
			return '\''
		case c < ' ' || c > '~' || c == '\\':
			return '?'
		}
		return c
	}, text)
	return text[:min(len(text), maxDescription)]
}

// scopesFor returns the scopes to request: all required ones, and the scopes of the current token,
// because some clients request only the listed scopes (2025-11-25, basic/authorization, "Scope
// Challenge Handling").
func (r *Resource) scopesFor(g *Grant, needed []string) []string {
	all := union(r.Required, needed)
	for _, p := range g.Permissions {
		if slices.Contains(r.Scopes, p) {
			all = append(all, p)
		}
	}
	return union(all)
}

// union returns the distinct elements of all lists, sorted.
func union(lists ...[]string) []string {
	all := slices.Concat(lists...)
	slices.Sort(all)
	return slices.Compact(all)
}
