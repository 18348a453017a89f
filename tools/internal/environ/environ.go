// Package environ selects the environment variables of child processes: [Inherited] the ones that they inherit, [Check] the ones
// that a user may set.
package environ

import (
	"errors"
	"os"
	"path"
	"runtime"
	"slices"
	"strings"
)

// OwnPrefix is the prefix of this program's own variables. Children do not inherit them.
const OwnPrefix = "DOUGU_"

// Inherited returns the variables of this process that match a pattern; * matches any characters. A pattern with * excludes secret
// variables, and variables whose value is a URL with a password. Proxy variables are kept. removed are the excluded names, sorted.
// Variables with OwnPrefix are in neither result.
func Inherited(patterns []string, secret func(name, value string) bool) (env, removed []string) {
	for _, variable := range os.Environ() {
		name, value, _ := strings.Cut(variable, "=")
		if name == "" { // current directories of drives on Windows
			env = append(env, variable)
			continue
		}
		if strings.HasPrefix(strings.ToUpper(name), OwnPrefix) {
			continue
		}
		byName := func(pattern string) bool { return SameName(pattern, name) }
		byPattern := func(pattern string) bool { return strings.Contains(pattern, "*") && matches(pattern, name) }
		switch {
		case slices.ContainsFunc(patterns, byName):
			env = append(env, variable)
		case !slices.ContainsFunc(patterns, byPattern):
		case isProxy(name) && !secret(name, ""):
			env = append(env, variable)
		case secret(name, value) || hasPassword(value):
			removed = append(removed, name)
		default:
			env = append(env, variable)
		}
	}
	slices.Sort(removed)
	return env, removed
}

// hasPassword reports whether a value contains a URL with a password, for example postgres://user:password@host/db.
func hasPassword(value string) bool {
	for {
		_, rest, found := strings.Cut(value, "://")
		if !found {
			return false
		}
		authority := rest
		if end := strings.IndexAny(rest, "/?# \t\"'"); end >= 0 {
			authority = rest[:end]
		}
		if at := strings.LastIndexByte(authority, '@'); at >= 0 {
			if _, password, _ := strings.Cut(authority[:at], ":"); password != "" {
				return true
			}
		}
		value = rest
	}
}

// isProxy reports whether a variable contains the address of a proxy, without which a program may have no network.
func isProxy(name string) bool { return strings.HasSuffix(strings.ToUpper(name), "_PROXY") }

// matches reports whether a name matches a pattern. Windows ignores case.
func matches(pattern, name string) bool {
	if runtime.GOOS == "windows" {
		pattern, name = strings.ToUpper(pattern), strings.ToUpper(name)
	}
	ok, err := path.Match(pattern, name)
	return err == nil && ok
}

// SameName reports whether two names are the same variable. Windows ignores case.
func SameName(a, b string) bool {
	if runtime.GOOS == "windows" {
		return strings.EqualFold(a, b)
	}
	return a == b
}

// Errors of Check.
var (
	ErrMalformed = errors.New("the name or value of the variable is malformed")
	ErrOwn       = errors.New("variables that begin with " + OwnPrefix + " are reserved for this server")
)

// Check returns an error if a variable cannot be set for a child process: ErrMalformed or ErrOwn.
func Check(name, value string) error {
	switch {
	case name == "" || strings.ContainsAny(name, "=\x00") || strings.ContainsRune(value, 0):
		return ErrMalformed
	case strings.HasPrefix(strings.ToUpper(name), OwnPrefix):
		return ErrOwn
	}
	return nil
}
