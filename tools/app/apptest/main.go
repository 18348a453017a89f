// Package apptest has the parts that tests of programs with a command line have in
// common.
package apptest

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"go.uber.org/goleak"

	"github.com/dougu-go/dougu/internal/process"
)

// Main is the TestMain of a program. What the program keeps for the user goes to a
// home of the tests' own, which is removed at the end, and goroutines that the
// tests leave behind are a failure. It does not return.
func Main(m *testing.M) {
	process.Supervise()
	code, err := inHome(m.Run)
	if err = errors.Join(err, goleak.Find()); err != nil && code == 0 {
		os.Stderr.WriteString(err.Error() + "\n")
		code = 1
	}
	os.Exit(code)
}

// inHome runs tests with a home of their own.
func inHome(run func() int) (code int, err error) {
	home, err := os.MkdirTemp("", "home")
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(home)) }()
	for _, variable := range strings.Fields("HOME USERPROFILE") {
		err = errors.Join(err, os.Setenv(variable, home))
	}
	for _, variable := range strings.Fields("XDG_CACHE_HOME LocalAppData") {
		err = errors.Join(err, os.Setenv(variable, filepath.Join(home, ".cache")))
	}
	err = errors.Join(err, os.Setenv("XDG_STATE_HOME", filepath.Join(home, ".local", "state")))
	for _, variable := range strings.Fields("XDG_CONFIG_HOME AppData") {
		err = errors.Join(err, os.Setenv(variable, filepath.Join(home, ".config")))
	}
	if err != nil {
		return 0, err
	}
	return run(), nil
}
