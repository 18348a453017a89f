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

// Inherited are the variables of this program that match a pattern, in which * stands for any characters. A name that is secret is
// matched by no pattern with a *. Those that are this program's own are never among them.
func Inherited(patterns []string, secret func(name string) bool) []string {
	var env []string
	for _, variable := range os.Environ() {
		name, _, _ := strings.Cut(variable, "=")
		if name == "" { // Windows keeps the directories of drives so
			env = append(env, variable)
			continue
		}
		if strings.HasPrefix(strings.ToUpper(name), OwnPrefix) {
			continue
		}
		hidden := secret(name)
		if slices.ContainsFunc(patterns, func(pattern string) bool {
			return SameName(pattern, name) || !hidden && strings.Contains(pattern, "*") && matches(pattern, name)
		}) {
			env = append(env, variable)
		}
	}
	return env
}

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
