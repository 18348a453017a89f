// Package apptest helps to test programs built with package app.
//
// A test package calls [Main] from its TestMain. A [Program] is a function that makes the
// program; its methods run one command line on an empty simulated machine and check exit
// code and output. [Output] collects the output of a running program, and waits for text in
// it.
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

// Main is the TestMain of a program. It gives the tests a temporary home directory and
// fails if goroutines are left running. It does not return.
func Main(m *testing.M) {
	process.Supervise()
	code, err := inHome(m.Run)
	if err = errors.Join(err, goleak.Find()); err != nil && code == 0 {
		os.Stderr.WriteString(err.Error() + "\n")
		code = 1
	}
	os.Exit(code)
}

// inHome calls run with the environment variables of a temporary home directory, and
// removes the directory.
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
