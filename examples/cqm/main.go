// Command cqm finds things in a project for many AI clients at once: it ranks code
// and documents together, finds similar code, tells what the project is and what
// has changed, and searches and creates issues on GitHub. Run on a terminal it
// explains itself.
//
// "cqm search", "similar" and "status" do the same for a person.
package main

import (
	"context"
	"errors"
	"flag"
	"os"

	"github.com/dougu-go/dougu/examples/internal/authservice"
	"github.com/dougu-go/dougu/examples/internal/searchservice"
	"github.com/dougu-go/dougu/examples/internal/taskstore"
	"github.com/dougu-go/dougu/internal/cli"
)

var version = cli.Version()

func main() { os.Exit(newApp(os.Environ).Main(os.Args[1:])) }

// program is the command line: the flags, and what they are for.
type program struct {
	*searchservice.Options
	outputSchemas bool
}

// newApp is the program with its commands, in an environment.
func newApp(environ func() []string) *cli.App {
	p := new(program)
	app := &cli.App{
		Name: "cqm", Version: version, Tasks: true,
		Summary:   "one ranked search over code, documents, git and GitHub, for many MCP clients",
		Flags:     func(flags *flag.FlagSet) { p.flags(flags, environ) },
		ServeName: "mcp-server",
		ServeFlags: func(flags *flag.FlagSet) {
			flags.StringVar(&p.Directory, "project", "", "the same as -root")
		},
		Pass:         []string{"GITHUB_TOKEN", "GITHUB_OWNER", "GITHUB_REPO"},
		Build:        p.build,
		Commands:     []cli.Command{p.searchCommand(), p.similarCommand(), p.statusCommand(), p.configCommand()},
		Authenticate: authservice.Authenticate,
	}
	app.Doctor = func(ctx context.Context) []cli.Check { return p.checks(ctx, app) }
	app.Trust = func(ctx context.Context) ([]cli.ProjectSettings, error) { return p.ProjectSettings(ctx) }
	return app
}

// flags declares what the command line says.
func (p *program) flags(flags *flag.FlagSet, environ func() []string) {
	*p = program{Options: searchservice.NewOptions(version, environ)}
	flags.StringVar(&p.Directory, "root", "", "`directory` of the project (default what CQM_PROJECT_ROOT says, or the current directory)")
	flags.BoolVar(&p.outputSchemas, "output-schemas", false, "list tools with the schemas of their results")
	p.Flags(flags)
}

// build makes the server.
func (p *program) build(ctx context.Context, start cli.Start) (*cli.Program, error) {
	serves := start.Command == "serve"
	why := searchservice.Purpose{Stderr: start.Stderr, Person: !serves, Serves: serves, Tasks: start.Tasks}
	s, err := searchservice.Open(ctx, p.Options, why)
	if err != nil {
		return nil, err
	}
	server, err := searchservice.NewServer(s, why, p.outputSchemas)
	if err != nil {
		return nil, errors.Join(err, server.Close(context.WithoutCancel(ctx)))
	}
	taskstore.Keep(ctx, start, s.Log(), "cqm", s.Root())
	return &cli.Program{Server: server.Server, Log: s.Log(), Wrap: server.Wrap, Hosts: s.Config().Transport.Hosts, Authenticated: server.Authenticated(),
		Endpoints: server.Endpoints, Close: server.Close}, nil
}
