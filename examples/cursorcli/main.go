// Command cursorcli serves the files of a project to Cursor, or to any MCP
// client, on standard input and output. Run on a terminal it explains itself.
//
// What can be set is in docs/configuration.md; "cursorcli config" shows what is
// set, and where.
package main

import (
	"context"
	"errors"
	"flag"
	"io"
	"os"

	"github.com/dougu-go/dougu/examples/internal/authservice"
	"github.com/dougu-go/dougu/internal/cli"
	"github.com/dougu-go/dougu/security/sandbox"
)

func main() {
	helper := sandbox.Main()
	os.Exit(newApp(os.Environ, helper).Main(os.Args[1:]))
}

var version = cli.Version()

// program is the command line: the flags, and what they are for.
type program struct {
	options  options
	settings *settings
}

// newApp is the program with its commands, in an environment. Without a helper no command runs in a sandbox.
func newApp(environ func() []string, helper sandbox.Helper) *cli.App {
	p := &program{options: options{environ: environ, helper: helper}, settings: newSettings()}
	app := &cli.App{
		Name: programName, Version: version, Tasks: true, AskBefore: []string{"delete_file"},
		Summary:      "the files of a project for Cursor and other MCP clients",
		Flags:        func(flags *flag.FlagSet) { p.options.flags(flags, p.settings) },
		Build:        p.build,
		Commands:     []cli.Command{p.configCommand()},
		Authenticate: authservice.Authenticate,
		NeedsToken:   true,
	}
	app.Doctor = func(ctx context.Context) []cli.Check { return p.checks(ctx, app) }
	app.Trust = p.projectSettings
	return app
}

// projectSettings are the settings that the files of the project ask for.
func (p *program) projectSettings(ctx context.Context) (_ []cli.ProjectSettings, err error) {
	v := newService(&p.options, p.settings, false, io.Discard)
	defer func() { err = errors.Join(err, v.close(ctx)) }()
	if err := v.openFiles(); err != nil {
		return nil, err
	}
	l, _ := v.load(v.project.read())
	all, err := v.lastingSettings(ctx)
	return append(all, v.projectSettings(l)), err
}

// build makes the server.
func (p *program) build(ctx context.Context, start cli.Start) (*cli.Program, error) {
	p.options.start = start
	v, err := openService(ctx, &p.options, p.settings, start.Command == "serve", start.Stderr)
	if err != nil {
		return nil, err
	}
	return &cli.Program{Server: v.server, Log: v.logging.log, Concurrency: mostConcurrent, Close: v.close}, nil
}
