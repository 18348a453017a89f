package claims

import (
	"encoding/json"
	"strings"
)

const (
	// maxGroups limits the groups of a token; the rest is ignored.
	maxGroups = 1024
	// maxGroup is the maximum length of a group name, in bytes; longer names are ignored.
	maxGroup = 256
)

// Groups returns the names in claims that list groups or roles, each a string or a list of strings.
// A path is a claim name, or names of nested objects separated by dots, for example
// "realm_access.roles". Nil paths select "groups" and "roles". Values of another form are ignored,
// because groups only add permissions.
func (s Set) Groups(paths []string) []string {
	if paths == nil {
		paths = []string{"groups", "roles"}
	}
	var all []string
	for _, path := range paths {
		names, _ := s.List(path)
		if !s.Has(path) {
			names = s.nested(path)
		}
		for _, name := range names {
			if name != "" && len(name) <= maxGroup && len(all) < maxGroups {
				all = append(all, name)
			}
		}
	}
	return all
}

// nested returns the strings at a path through objects.
func (s Set) nested(path string) []string {
	name, rest, deeper := strings.Cut(path, ".")
	if !deeper {
		names, _ := s.List(name)
		return names
	}
	var inner Set
	if !s.Has(name) || json.Unmarshal(s[name], &inner) != nil {
		return nil
	}
	return inner.nested(rest)
}

// OtherKind returns the kind of a token that is not an access token, with its article, or an empty
// string. Issuers sign ID tokens, refresh tokens and logout tokens with the same keys as access
// tokens.
func (s Set) OtherKind() string {
	text := func(name string) string {
		text, _ := s.Text(name)
		return strings.ToLower(text)
	}
	switch {
	case s.Has("at_hash"), s.Has("c_hash"), text("typ") == "id", text("token_use") == "id": // OpenID Connect Core §3.1.3.6; Keycloak; Cognito
		return "an ID token"
	case text("typ") == "refresh", text("typ") == "offline", text("token_use") == "refresh":
		return "a refresh token"
	case s.Has("events"): // OpenID Connect Back-Channel Logout §2.4
		return "a logout token"
	}
	return ""
}
