// Package cqm is the program cqm, which finds things in a project for many AI clients at once: it ranks code
// and documents together, finds similar code, describes the project and its
// changes, and searches and creates issues on GitHub. When it serves on a
// terminal, it first prints how to connect a client.
//
// The commands "cqm search", "similar" and "status" print the same results for a person. Package
// searchservice contains the search; this package contains the command line.
package cqm

import (
	"context"
	"errors"
	"flag"
	"os"

	"github.com/dougu-go/dougu/tools/app"
	"github.com/dougu-go/dougu/tools/app/internal/searchservice"
	"github.com/dougu-go/dougu/tools/source"
)

var version = app.Version()

// program has the values of the flags, and a method for each command.
type program struct {
	*searchservice.Options
	outputSchemas bool
}

// Options extend the program. The zero value is the program as it is released.
type Options struct {
	// Parsers returns additional parsers, which precede the built-in ones. The program calls it for each service that it opens, and
	// closes the parsers. A parser that adds a language is a source.Definer. Default: nil, the built-in parsers.
	Parsers func() []source.Parser
}

// New returns the program, in the environment of the process.
func New(o Options) *app.App { return newApp(os.Environ, o) }

// newApp returns the program with its commands, in an environment.
func newApp(environ func() []string, o Options) *app.App {
	p := new(program)
	a := &app.App{
		Name: "cqm", Version: version, Tasks: true,
		Summary:   "one ranked search over code, documents, git and GitHub, for many MCP clients",
		MainFlags: []string{"root", "config", "plugins-enabled", "index-path", "embeddings-provider", "http", "token-file", "strict", "tasks", "log-level"},
		Flags:     func(flags *flag.FlagSet) { p.flags(flags, environ, o) },
		ServeName: "mcp-server",
		ServeFlags: func(flags *flag.FlagSet) {
			flags.StringVar(&p.Directory, "project", "", "the same as -root")
		},
		PassEnv:  []string{"GITHUB_TOKEN", "GITHUB_OWNER", "GITHUB_REPO"},
		Build:    p.build,
		New:      func() *app.App { return newApp(environ, o) },
		Project:  p.named,
		Commands: []app.Command{p.searchCommand(), p.similarCommand(), p.statusCommand(), p.configCommand()},
	}
	a.Doctor = func(ctx context.Context) []app.Check { return p.checks(ctx, a) }
	a.Trust = func(ctx context.Context) ([]app.ProjectSettings, error) { return p.ProjectSettings(ctx) }
	return a
}

// flags declares the flags of all commands. It first sets all values to their defaults.
func (p *program) flags(flags *flag.FlagSet, environ func() []string, o Options) {
	*p = program{Options: searchservice.NewOptions(version, environ)}
	p.Parsers = o.Parsers
	flags.StringVar(&p.Directory, "root", "", "`directory` of the project (default CQM_PROJECT_ROOT, or the folder that the client has open, or the git repository around the current directory, or the current directory)")
	flags.BoolVar(&p.outputSchemas, "output-schemas", false, "list tools with the schemas of their results")
	p.Flags(flags)
}

// named returns the project that -project or the environment names.
func (p *program) named() (dir, source string) {
	if p.Directory != "" {
		return p.Directory, "the flag -project"
	}
	return p.Named(), "the variable " + searchservice.Prefix + "PROJECT_ROOT"
}

// build opens the search service and makes its server. NewServer returns a Server even with an error, and its Close closes the service.
func (p *program) build(ctx context.Context, start app.Start) (*app.Program, error) {
	serves := start.Serves()
	why := searchservice.Purpose{Stderr: start.Stderr, Person: !serves, Serves: serves, Tasks: start.Tasks, Structured: start.Structured}
	s, err := searchservice.Open(ctx, p.Options, why)
	if err != nil {
		return nil, err
	}
	server, err := searchservice.NewServer(s, why, p.outputSchemas)
	if err != nil {
		return nil, errors.Join(err, server.Close(context.WithoutCancel(ctx)))
	}
	served := &app.Program{Server: server.Server, Root: s.Root(), Log: s.Log(), Wrap: server.Wrap, Hosts: s.Config().Transport.Hosts, Authenticated: server.Authenticated(), Close: server.Close}
	if !server.StdioAlone() {
		served.Endpoints = server.Endpoints
	}
	return served, nil
}
