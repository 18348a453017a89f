package oauth

import (
	"slices"
	"strings"
)

// offlineAccess is the scope for which many authorization servers give a refresh token.
const offlineAccess = "offline_access"

// maxScopes bounds how many scopes are asked for.
const maxScopes = 256

// splitScopes are the scopes of a list that is separated by blanks, each once. It is not nil.
func splitScopes(list string) []string { return union(strings.Fields(list)) }

// union are the scopes that any of the lists has, in order. Names that RFC 6749 §3.3 does not allow are left out.
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

// missing are the scopes of wanted that given has not.
func missing(wanted, given []string) []string {
	var none []string
	for _, scope := range wanted {
		if !slices.Contains(given, scope) {
			none = append(none, scope)
		}
	}
	return none
}

// selectScopes are the scopes to ask for (2026-07-28, basic/authorization, "Scope Selection Strategy"): those that the server has
// asked for, else all that it has; what the program wants besides; and what was asked for before, so that a step up loses nothing.
func selectScopes(challenged, supported, wanted, before []string) []string {
	asked := challenged
	if asked == nil {
		asked = supported
	}
	return union(before, asked, wanted)
}

// withOffline adds the scope of refresh tokens where the authorization server has it. Alone it would replace the scopes that the
// server has by default.
func withOffline(scopes, supported []string) []string {
	if len(scopes) == 0 || !slices.Contains(supported, offlineAccess) {
		return scopes
	}
	return union(scopes, []string{offlineAccess})
}
