package auth

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// groupPrefix marks an entry of Resource.Allow or Resource.Roles as a group. An entry is "*" for all users, NAME, ISSUER#NAME,
// group:NAME or group:ISSUER#NAME. A NAME without an issuer needs exactly one authorization server.
const groupPrefix = "group:"

// checkUsers joins the errors in Allow, Roles, IgnoreScopes and ScopeNames.
func (r *Resource) checkUsers() error {
	var problems []error
	for _, entry := range slices.Concat(r.Allow, slices.Sorted(maps.Keys(r.Roles))) {
		name := strings.TrimPrefix(entry, groupPrefix)
		switch {
		case entry == "*":
		case name == "":
			problems = append(problems, fmt.Errorf("the entry %q for users has no name", entry))
		case len(r.AuthorizationServers) > 1 && !slices.ContainsFunc(r.AuthorizationServers, func(issuer string) bool { return strings.HasPrefix(name, issuer+"#") }):
			problems = append(problems, fmt.Errorf("with several authorization servers, %q needs the issuer: ISSUER#NAME", entry))
		}
	}
	for _, entry := range slices.Sorted(maps.Keys(r.Roles)) {
		for _, p := range r.Roles[entry] {
			if err := CheckPermission(p); err != nil {
				problems = append(problems, fmt.Errorf("the permission %q of %q: %w", p, entry, err))
			}
		}
	}
	if r.IgnoreScopes && r.Roles == nil {
		problems = append(problems, errors.New("scopes are ignored and there are no roles, so that nothing limits a user"))
	}
	permissions := make(map[string]string) // key: last part of the scope, because a token may contain only this part
	for _, p := range slices.Sorted(maps.Keys(r.ScopeNames)) {
		scope := lastPart(r.ScopeNames[p])
		if other, duplicate := permissions[scope]; duplicate {
			problems = append(problems, fmt.Errorf("the scope %q stands for %q and %q", scope, other, p))
		}
		permissions[scope] = p
		switch _, renamed := r.ScopeNames[scope]; {
		case strings.Contains(p, "*"):
			problems = append(problems, fmt.Errorf("the scope %q stands for %q, which is no single permission", scope, p))
		case scope != p && !renamed && slices.Contains(r.Scopes, scope):
			problems = append(problems, fmt.Errorf("the scope %q stands for %q, and is the name of another permission; name its scope, too", scope, p))
		}
	}
	return errors.Join(problems...)
}

// matches reports whether an entry of Allow or Roles applies to the user of a token, by the subject or by a group.
func (r *Resource) matches(entry string, g *Grant) bool {
	is := func(name, full string) bool {
		return full == name || len(r.AuthorizationServers) == 1 && full == g.Issuer+"#"+name
	}
	if entry == "*" {
		return true
	}
	if group, ok := strings.CutPrefix(entry, groupPrefix); ok {
		return slices.ContainsFunc(g.Groups, func(of string) bool { return is(group, g.Issuer+"#"+of) })
	}
	return is(entry, g.Principal)
}

// isAllowed reports whether the user of a token may use the server. A nil Allow admits all users, an empty one none.
func (r *Resource) isAllowed(g *Grant) bool {
	return r.Allow == nil || g.Fixed || slices.ContainsFunc(r.Allow, func(entry string) bool { return r.matches(entry, g) })
}

// applyRoles replaces the scopes of a grant by permissions and reduces them to the user's roles.
// Call it once for each grant. It returns the maximum permissions of the user; bounded is false if
// Roles is nil.
func (r *Resource) applyRoles(g *Grant) (most []string, bounded bool) {
	switch {
	case g.Fixed: // its permissions need no conversion
		return g.Permissions, g.Limited
	case g.Limited && r.Permissions != nil:
		g.Permissions = r.Permissions(g.Permissions)
	case g.Limited:
		g.Permissions = r.permissionsOf(g.Permissions)
	}
	if r.Roles == nil {
		return nil, false
	}
	most = []string{}
	for _, entry := range slices.Sorted(maps.Keys(r.Roles)) {
		if r.matches(entry, g) {
			most = append(most, r.Roles[entry]...)
		}
	}
	most = union(most)
	if r.IgnoreScopes || !g.Limited {
		g.Permissions, g.Limited = most, true
	} else {
		g.Permissions = intersect(g.Permissions, most)
	}
	return most, true
}

// scopeName returns the scope that stands for a permission.
func (r *Resource) scopeName(permission string) string {
	if name, ok := r.ScopeNames[permission]; ok {
		return name
	}
	return permission
}

// scopeNames returns the scopes that stand for permissions.
func (r *Resource) scopeNames(permissions []string) []string {
	names := make([]string, len(permissions))
	for i, p := range permissions {
		names[i] = r.scopeName(p)
	}
	return names
}

// lastPart returns the part of a scope behind the last slash.
func lastPart(scope string) string { return scope[strings.LastIndexByte(scope, '/')+1:] }

// permissionsOf returns the permissions of scopes. A scope matches a value of ScopeNames completely
// or by its last part. A permission with another scope name is not a scope itself.
func (r *Resource) permissionsOf(scopes []string) []string {
	if r.ScopeNames == nil {
		return scopes
	}
	permissions := []string{}
	for _, scope := range scopes {
		_, known := r.ScopeNames[scope]
		for p, name := range r.ScopeNames {
			if scope == name || scope == lastPart(name) {
				permissions, known = append(permissions, p), true
			}
		}
		if !known {
			permissions = append(permissions, scope)
		}
	}
	return union(permissions)
}
