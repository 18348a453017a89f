package auth

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// groupPrefix begins an entry of Resource.Allow and Resource.Roles that names a group.
const groupPrefix = "group:"

// checkUsers returns an error for each wrong entry of Allow, Roles and ScopeNames.
func (r *Resource) checkUsers() error {
	var problems []error
	for _, entry := range slices.Concat(r.Allow, slices.Sorted(maps.Keys(r.Roles))) {
		name := strings.TrimPrefix(entry, groupPrefix)
		switch {
		case entry == "*":
		case name == "":
			problems = append(problems, errors.New("a user or group has no name"))
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
	permissions := make(map[string]string)
	for _, p := range slices.Sorted(maps.Keys(r.ScopeNames)) {
		scope := r.ScopeNames[p]
		if other, twice := permissions[scope]; twice {
			problems = append(problems, fmt.Errorf("the scope %q stands for %q and %q", scope, other, p))
		}
		permissions[scope] = p
	}
	return errors.Join(problems...)
}

// matches reports whether an entry of Allow or Roles means the user of a token.
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

// admits reports whether the user of a token is admitted.
func (r *Resource) admits(g *Grant) bool {
	return r.Allow == nil || g.Fixed || slices.ContainsFunc(r.Allow, func(entry string) bool { return r.matches(entry, g) })
}

// limit changes the scopes of a grant to permissions, and limits them to those of the user's roles. The result has the most
// that any token can permit the user; bounded is false if that is not known.
func (r *Resource) limit(g *Grant) (most []string, bounded bool) {
	switch {
	case g.Fixed:
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
		g.Permissions = shared(g.Permissions, most)
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

// permissionsOf returns the permissions that scopes of a token stand for. A permission with another name is not a scope.
func (r *Resource) permissionsOf(scopes []string) []string {
	if r.ScopeNames == nil {
		return scopes
	}
	permissions := []string{}
	for _, scope := range scopes {
		_, known := r.ScopeNames[scope]
		for p, name := range r.ScopeNames {
			if scope == name || scope == name[strings.LastIndexByte(name, '/')+1:] {
				permissions, known = append(permissions, p), true
			}
		}
		if !known {
			permissions = append(permissions, scope)
		}
	}
	return union(permissions)
}
