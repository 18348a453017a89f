package auth

import (
	"errors"
	"fmt"
	"slices"
	"strings"
)

const (
	// maxPermission is the longest name of a permission, in bytes.
	maxPermission = 128
	// maxPermissions bounds those of a token.
	maxPermissions = 64
)

// Permits reports whether who was given some permissions has one that is needed.
// "*" stands for all, and "issues:*" for all that begin with "issues:".
func Permits(given []string, needed string) bool {
	return slices.ContainsFunc(given, func(p string) bool {
		prefix, open := strings.CutSuffix(p, "*")
		return p == needed || open && (prefix == "" || strings.HasSuffix(prefix, ":") && strings.HasPrefix(needed, prefix))
	})
}

// CheckPermission tells what is wrong with the name of a permission, which has 1
// to 128 letters, digits and : . _ - /, and may end in "*" after a colon or be "*".
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

// parsePermissions reads what follows the opening bracket of a token.
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

// Permissions returns what a token is limited to. limited is false for a token
// without a limit, and for one that is not known.
func (t *Tokens) Permissions(token string) (permissions []string, limited bool) {
	if k := t.find(token); k != nil && k.limited {
		return slices.Clone(k.permissions), true
	}
	return nil, false
}

// Grants returns what each principal has been given, for what knows who asks and
// not by which token, as behind transport.Options.Verify: of a principal with
// several tokens, what each of them is good for; of one whose tokens have no
// limit, "*".
func (t *Tokens) Grants() map[string][]string {
	grants := make(map[string][]string)
	if t == nil {
		return grants
	}
	for _, k := range t.known {
		this := k.permissions
		if !k.limited {
			this = []string{"*"}
		}
		if before, again := grants[k.principal]; again {
			this = shared(before, this)
		}
		grants[k.principal] = slices.Clone(this)
	}
	return grants
}

// Named returns the permissions that the tokens of each principal name, of any of its tokens.
func (t *Tokens) Named() map[string][]string {
	named := make(map[string][]string)
	if t == nil {
		return named
	}
	for _, k := range t.known {
		named[k.principal] = union(named[k.principal], k.permissions)
	}
	return named
}

// shared are the permissions that both lists give.
func shared(a, b []string) []string {
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
