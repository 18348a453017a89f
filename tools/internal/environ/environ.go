// Package environ is the environment that programs are started with: what of this program's own they get, and what may be set for
// them.
package environ

import (
	"errors"
	"os"
	"path"
	"runtime"
	"slices"
	"strings"
)

// OwnPrefix begins the variables that are this program's own.
const OwnPrefix = "DOUGU_"

// Inherited returns the variables of this program that match a pattern, in which * stands for any characters. A pattern with a *
// matches no variable that is secret, or whose value is a URL with a password; the values of proxy variables are kept. removed are the names
// that are left out for that reason, in order. The variables that are this program's own are in neither.
func Inherited(patterns []string, secret func(name, value string) bool) (env, removed []string) {
	for _, variable := range os.Environ() {
		name, value, _ := strings.Cut(variable, "=")
		if name == "" { // Windows keeps the directories of drives so
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

// isProxy reports whether a variable names the proxy of a network, without which programs cannot reach it.
func isProxy(name string) bool { return strings.HasSuffix(strings.ToUpper(name), "_PROXY") }

func matches(pattern, name string) bool {
	if runtime.GOOS == "windows" {
		pattern, name = strings.ToUpper(pattern), strings.ToUpper(name)
	}
	ok, err := path.Match(pattern, name)
	return err == nil && ok
}

// SameName compares names of variables.
func SameName(a, b string) bool {
	if runtime.GOOS == "windows" {
		return strings.EqualFold(a, b)
	}
	return a == b
}

// The errors of variables that cannot be set.
var (
	ErrMalformed = errors.New("it cannot be set")
	ErrOwn       = errors.New("variables that begin with " + OwnPrefix + " are those of this server")
)

// Check finds what is wrong with a variable that is to be set for a program: ErrMalformed or ErrOwn.
func Check(name, value string) error {
	switch {
	case name == "" || strings.ContainsAny(name, "=\x00") || strings.ContainsRune(value, 0):
		return ErrMalformed
	case strings.HasPrefix(strings.ToUpper(name), OwnPrefix):
		return ErrOwn
	}
	return nil
}
