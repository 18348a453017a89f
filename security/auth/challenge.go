package auth

import (
	"net/http"
	"slices"
	"strings"

	"github.com/dougu-go/dougu/security/auth/dpop"
)

// refusal is why a request does not pass.
type refusal struct {
	status int
	scheme string // of the credentials; empty if there are none
	code   string // RFC 6750 §3.1, RFC 9449 §12.2; empty if nothing was wrong but that there are none
	why    error
	log    error // what its operator is told in place of that
}

func invalidToken(scheme string, why error) *refusal {
	return &refusal{status: http.StatusUnauthorized, scheme: scheme, code: "invalid_token", why: why}
}

// write answers with a refusal.
func (f *refusal) write(w http.ResponseWriter) {
	text := "This server needs an access token; its metadata says who issues them"
	if f.why != nil {
		text = described(f.why.Error())
	}
	h := w.Header()
	if f.status == http.StatusServiceUnavailable {
		h.Set("Retry-After", "5")
	}
	h.Set("Cache-Control", "no-store")
	h.Set("Content-Type", "text/plain; charset=utf-8")
	h.Set("X-Content-Type-Options", "nosniff")
	w.WriteHeader(f.status)
	_, _ = w.Write([]byte(text + "\n")) // who is refused need not read it
}

// challenge tells a client what to bring: in each scheme that is accepted, and what
// was wrong in that which it has used (RFC 9110 §11.6.1; RFC 6750 §3; RFC 9449 §7.1;
// RFC 9728 §5.1).
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

// schemes are those that are accepted.
func (r *Resource) schemes() []string {
	switch {
	case r.RequireDPoP:
		return []string{dpopScheme}
	case r.DPoP != nil:
		return []string{bearerScheme, dpopScheme}
	}
	return []string{bearerScheme}
}

// parameters are one challenge.
func (r *Resource) parameters(scheme string, f *refusal, scopes []string) string {
	var all []string
	add := func(name, value string) {
		if value != "" {
			all = append(all, name+`="`+value+`"`)
		}
	}
	add("error", f.code)
	if f.why != nil {
		add("error_description", described(f.why.Error()))
	}
	add("resource_metadata", r.metadataURL())
	add("scope", strings.Join(r.scopeNames(scopes), " "))
	if scheme == dpopScheme {
		add("algs", strings.Join(dpop.Algorithms(), " "))
	}
	return scheme + " " + strings.Join(all, ", ")
}

// maxDescription is how much is told of what was wrong, in bytes.
const maxDescription = 300

// described is a text with the characters that error_description may have (RFC 6750
// §3): nothing that was sent can end a parameter or a header with it.
func described(text string) string {
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

// scopesFor are what to ask for in order to do something with a token: everything
// that it needs, and what the token has already, for clients that ask for no more than
// they are told to (2025-11-25, basic/authorization, "Scope Challenge Handling").
func (r *Resource) scopesFor(g *Grant, needed []string) []string {
	all := union(r.Required, needed)
	for _, p := range g.Permissions {
		if slices.Contains(r.Scopes, p) {
			all = append(all, p)
		}
	}
	return union(all)
}

// union are all that are in one of the lists, in order.
func union(lists ...[]string) []string {
	all := slices.Concat(lists...)
	slices.Sort(all)
	return slices.Compact(all)
}
