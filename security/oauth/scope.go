package oauth

import (
	"slices"
	"strings"
)

// offlineAccess is the scope with which many authorization servers issue a refresh token.
const offlineAccess = "offline_access"

// maxScopes limits the scopes of one request.
const maxScopes = 256

// splitScopes returns the distinct scopes of a space-separated list. The result is not nil.
func splitScopes(list string) []string { return union(strings.Fields(list)) }

// union returns the distinct scopes of all lists, in order. Names that violate RFC 6749 §3.3 are
// omitted.
func union(lists ...[]string) []string {
	all := []string{}
	for _, list := range lists {
		for _, scope := range list {
			if isScope(scope) && !slices.Contains(all, scope) && len(all) < maxScopes {
				all = append(all, scope)
			}
		}
	}
	return all
}

func isScope(name string) bool {
	for _, c := range []byte(name) {
		if c <= ' ' || c >= 0x7f || c == '"' || c == '\\' {
			return false
		}
	}
	return name != ""
}

// missing returns the scopes of wanted that are not in given.
func missing(wanted, given []string) []string {
	var none []string
	for _, scope := range wanted {
		if !slices.Contains(given, scope) {
			none = append(none, scope)
		}
	}
	return none
}

// selectScopes returns the scopes of an authorization (2026-07-28, basic/authorization, "Scope
// Selection Strategy"). It combines the earlier scopes, the scopes of the challenge or otherwise
// all supported ones, and Client.Scopes. A step-up thus keeps the earlier scopes.
func selectScopes(challenged, supported, wanted, before []string) []string {
	asked := challenged
	if asked == nil {
		asked = supported
	}
	return union(before, asked, wanted)
}

// withOffline adds offline_access if the server supports it. An empty list stays empty, because a
// single scope would replace the server's default scopes.
func withOffline(scopes, supported []string) []string {
	if len(scopes) == 0 || !slices.Contains(supported, offlineAccess) {
		return scopes
	}
	return union(scopes, []string{offlineAccess})
}
