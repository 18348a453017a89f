// Package cursorcli is the program cursorcli, which serves the files of a project to Cursor, or to any MCP
// client, on standard input and output. Run on a terminal it explains itself.
//
// What can be set is in docs/configuration.md; "cursorcli config" shows what is
// set, and where.
package cursorcli

import (
	"context"
	"errors"
	"io"
	"os"

	"github.com/dougu-go/dougu/security/sandbox"
	"github.com/dougu-go/dougu/tools/app"
	"github.com/dougu-go/dougu/tools/config"
)

var version = app.Version()

// program is the command line: the values of its flags.
type program struct {
	options   options
	settings  *settings
	inspected *inspection // nil before inspect, and after its error
}

// New returns the program, in the environment of the process. Commands run in a sandbox only with a helper: the result of
// [sandbox.Main], which main calls before anything else.
func New(helper sandbox.Helper) *app.App { return newApp(os.Environ, helper) }

// newApp returns the program with its commands, in an environment. Without a helper no command runs in a sandbox.
func newApp(environ func() []string, helper sandbox.Helper) *app.App {
	p := newProgram(environ, helper)
	server := &app.App{
		Name: programName, Version: version, Tasks: true, Audit: true, AskBefore: []string{"delete_file"},
		Summary:    "the files of a project for Cursor and other MCP clients",
		Flags:      p.options.flags,
		Build:      p.build,
		Settings:   p.options.values,
		NeedsToken: true,
	}
	server.Doctor = func(context.Context) []app.Check { return p.checks(server) }
	server.Trust = p.lastingSettings
	return server
}

// newProgram returns the program without its commands.
func newProgram(environ func() []string, helper sandbox.Helper) *program {
	p := &program{options: options{environ: environ, helper: helper}, settings: newSettings()}
	o := &p.options
	o.values = &app.Settings[Config]{
		Table: p.settings.Table, Program: programName, Environ: environ,
		ProjectFile: settingsFile, Project: func() string { return o.surroundings().dirs[0].name },
		Check:   func(l *config.Loaded[Config]) { p.settings.judge(l, o.surroundings()) },
		Inspect: p.inspect,
	}
	return p
}

// lastingSettings are the settings that the project has for the services of the profile.
func (p *program) lastingSettings(ctx context.Context) (_ []app.ProjectSettings, err error) {
	v := newService(&p.options, p.settings, false, io.Discard)
	defer func() { err = errors.Join(err, v.close(ctx)) }()
	if err := v.openFiles(); err != nil {
		return nil, err
	}
	return v.lastingSettings(ctx)
}

// build makes the server.
func (p *program) build(ctx context.Context, start app.Start) (*app.Program, error) {
	p.options.start = start
	v, err := openService(ctx, &p.options, p.settings, start.Serves(), start.Stderr)
	if err != nil {
		return nil, err
	}
	return &app.Program{Server: v.server.Server, Root: v.lasting.root, Log: v.logging.log, Concurrency: mostConcurrent, Close: v.close}, nil
}
