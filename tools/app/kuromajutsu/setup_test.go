package kuromajutsu

import (
	"flag"
	"io"
	"os"
	"path/filepath"
	"testing"

	"github.com/dougu-go/dougu/tools/agents"
	"github.com/dougu-go/dougu/tools/agents/replay"
	"github.com/dougu-go/dougu/tools/app"
	"github.com/dougu-go/dougu/tools/app/apptest"
	"github.com/dougu-go/dougu/tools/app/internal/agentservice"
	"github.com/dougu-go/dougu/tools/config"
)

// TestMain is the program itself where an agent starts it, and plays agents where the program starts that.
func TestMain(m *testing.M) {
	if len(os.Args) > 1 && os.Args[1] == agentservice.StandIn {
		os.Exit(replay.Main(os.Args[2:], os.Stdin, os.Stdout, os.Stderr, os.Environ()))
	}
	if os.Getenv(agents.EnvDepth) != "" {
		os.Exit(newApp(os.Environ, Options{}).Main(os.Args[1:]))
	}
	apptest.Main(m)
}

// in is the program in an environment.
func in(variables ...string) apptest.Program {
	return func() *app.App { return newApp(func() []string { return variables }, Options{}) }
}

// withState is the program with a state directory of the test's own, and nothing else in its environment.
func withState(t *testing.T, variables ...string) apptest.Program {
	t.Helper()
	return in(append(variables, "XDG_STATE_HOME="+t.TempDir())...)
}

// fakeCursor returns the path of a program that imitates the Cursor CLI.
func fakeCursor(t *testing.T) string {
	t.Helper()
	self, err := os.Executable()
	apptest.Must(t, err)
	return script(t, "GORACE=atexit_sleep_ms=0 exec '"+self+"' "+agentservice.StandIn+` "$@"`)
}

// script is a program of the shell.
func script(t *testing.T, text string) string {
	t.Helper()
	if os.PathSeparator != '/' {
		t.Skip("there are no scripts of the shell")
	}
	name := filepath.Join(t.TempDir(), "cursor-agent")
	apptest.Must(t, os.WriteFile(name, []byte("#!/bin/sh\n"+text+"\n"), 0o755))
	return name
}

// settings reads the settings from an environment and a command line, in a directory.
func settings(t *testing.T, dir string, environ []string, args ...string) (*config.Loaded[agentservice.Config], error) {
	t.Helper()
	var p program
	flags := flag.NewFlagSet("test", flag.ContinueOnError)
	flags.SetOutput(io.Discard)
	p.flags(flags, func() []string { return environ }, Options{})
	apptest.Must(t, flags.Parse(append([]string{"-root", dir}, args...)))
	return p.Load()
}
