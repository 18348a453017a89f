// Command cursorcli serves the files of a project to Cursor, or to any MCP
// client, on standard input and output. Run on a terminal it explains itself.
//
// What can be set is in docs/configuration.md; "cursorcli config" shows what is
// set, and where.
package main

import (
	"context"
	"flag"
	"os"

	"github.com/dougu-go/dougu/examples/internal/authservice"
	"github.com/dougu-go/dougu/internal/cli"
)

func main() { os.Exit(newApp(os.Environ).Main(os.Args[1:])) }

var version = cli.Version()

// program is the command line: the flags, and what they are for.
type program struct {
	options  options
	settings *settings
}

// newApp is the program with its commands, in an environment.
func newApp(environ func() []string) *cli.App {
	p := &program{options: options{environ: environ}, settings: newSettings()}
	app := &cli.App{
		Name: "cursorcli", Version: version, Tasks: true,
		Summary:  "the files of a project for Cursor and other MCP clients",
		Flags:    func(flags *flag.FlagSet) { p.options.flags(flags, p.settings) },
		Build:    p.build,
		Commands: []cli.Command{p.configCommand()},
		Tokens:   authservice.Tokens,
		Resource: authservice.Resource,
	}
	app.Doctor = func(ctx context.Context) []cli.Check { return p.checks(ctx, app) }
	return app
}

// build makes the server.
func (p *program) build(ctx context.Context, start cli.Start) (*cli.Program, error) {
	p.options.tasks = start.Tasks
	v, err := openService(ctx, &p.options, p.settings, start.Command == "serve", start.Stderr)
	if err != nil {
		return nil, err
	}
	return &cli.Program{Server: v.server, Log: v.logging.log, Concurrency: mostConcurrent, Close: v.close}, nil
}
