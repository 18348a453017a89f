package auth

import (
	"errors"
	"fmt"
	"slices"
	"strings"
)

const (
	// maxPermission is the maximum length of a permission, in bytes.
	maxPermission = 128
	// maxPermissions limits the permissions of a token.
	maxPermissions = 64
)

// Permits reports whether the given permissions include the needed one. "*" includes all
// permissions, and "issues:*" includes all with the prefix "issues:".
func Permits(given []string, needed string) bool {
	return slices.ContainsFunc(given, func(p string) bool {
		prefix, open := strings.CutSuffix(p, "*")
		return p == needed || open && (prefix == "" || strings.HasSuffix(prefix, ":") && strings.HasPrefix(needed, prefix))
	})
}

// CheckPermission returns an error if name is not a valid permission. A permission has 1 to 128
// letters, digits and the characters : . _ - /. It may end in "*" after a colon, or be "*".
func CheckPermission(name string) error {
	body, open := strings.CutSuffix(name, "*")
	switch {
	case name == "*":
		return nil
	case body == "" || len(name) > maxPermission:
		return fmt.Errorf("a permission has 1 to %d characters, such as \"issues:write\"", maxPermission)
	case open && !strings.HasSuffix(body, ":"):
		return errors.New("* stands for all permissions, or for all after a colon, such as \"issues:*\"")
	}
	for _, c := range []byte(body) {
		switch {
		case 'a' <= c && c <= 'z', 'A' <= c && c <= 'Z', '0' <= c && c <= '9', strings.IndexByte(":._-/", c) >= 0:
		default:
			return errors.New("a permission has letters, digits and : . _ - / alone, such as \"issues:write\"")
		}
	}
	return nil
}

// parsePermissions parses the text after the opening bracket of a token.
func parsePermissions(text string) ([]string, error) {
	text, closed := strings.CutSuffix(text, "]")
	if !closed {
		return nil, errors.New("they end with ], and a separator follows")
	}
	all := strings.FieldsFunc(text, isSeparator)
	if len(all) > maxPermissions {
		return nil, fmt.Errorf("there are more than %d", maxPermissions)
	}
	for _, p := range all {
		if err := CheckPermission(p); err != nil {
			return nil, err
		}
	}
	slices.Sort(all)
	return slices.Compact(all), nil
}

// Permissions returns the permissions of a token. limited is false for a token with all permissions
// and for an unknown token.
func (t *Tokens) Permissions(token string) (permissions []string, limited bool) {
	if k := t.find(token); k != nil && k.limited {
		return slices.Clone(k.permissions), true
	}
	return nil, false
}

// Grants returns the permissions of each principal, for transports that know the principal but not
// the token, such as sockets with transport.Options.Verify. For a principal with several tokens
// these are the permissions that all of its tokens have. Tokens without a limit count as "*".
func (t *Tokens) Grants() map[string][]string {
	grants := make(map[string][]string)
	if t == nil {
		return grants
	}
	for _, k := range t.entries {
		this := k.permissions
		if !k.limited {
			this = []string{"*"}
		}
		if before, again := grants[k.principal]; again {
			this = intersect(before, this)
		}
		grants[k.principal] = slices.Clone(this)
	}
	return grants
}

// Named returns the permissions of each principal that any of its tokens lists.
func (t *Tokens) Named() map[string][]string {
	named := make(map[string][]string)
	if t == nil {
		return named
	}
	for _, k := range t.entries {
		named[k.principal] = union(named[k.principal], k.permissions)
	}
	return named
}

// intersect returns the permissions that both lists include.
func intersect(a, b []string) []string {
	both := []string{}
	for _, lists := range [...][2][]string{{a, b}, {b, a}} {
		for _, p := range lists[0] {
			if Permits(lists[1], p) {
				both = append(both, p)
			}
		}
	}
	slices.Sort(both)
	return slices.Compact(both)
}
