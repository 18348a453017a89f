// Package cursorcli is the program cursorcli: an MCP server that gives Cursor, and other
// MCP clients, the files of a project.
//
// [New] returns the [app.App]; its main function is in the module examples. The command
// serve opens a service: the project, the settings, and the tool sets of the profile that
// -profile selects. Two groups of tool sets exist. The sets for files, editors and
// telemetry are replaced whenever the settings change. The persistent sets (commands,
// chunks, git, search, agents) keep the settings of the start, because they own processes
// and indexes.
//
// The settings file .cursorcli-mcp of a project is not trusted: it can only restrict what
// variables and flags allow. docs/configuration.md lists all settings; "cursorcli config"
// prints the current values and their sources.
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

// program is one command line: the values of its flags and the settings.
type program struct {
	options   options
	settings  *settings
	inspected *inspection // nil before inspect, and after its error
}

// New returns the program with the environment of the process. helper is the result of
// [sandbox.Main], which main must call first; without it no command runs in a sandbox.
func New(helper sandbox.Helper) *app.App { return newApp(os.Environ, helper) }

// newApp returns the program with its commands. environ returns the environment.
func newApp(environ func() []string, helper sandbox.Helper) *app.App {
	p := newProgram(environ, helper)
	server := &app.App{
		Name: programName, Version: version, Tasks: true, Audit: true, AskBefore: []string{"delete_file"},
		Summary:    "the files of a project for Cursor and other MCP clients",
		MainFlags:  []string{"root", "profile", "read-only", "tools-allowed-tools", "commands-sandbox", "http", "no-token", "audit", "tasks", "log-level"},
		Flags:      p.options.flags,
		Build:      p.build,
		Settings:   p.options.values,
		NeedsToken: true,
		New:        func() *app.App { return newApp(environ, helper) },

		ClientFlags: clientFlags,
	}
	server.Doctor = func(context.Context) []app.Check { return p.checks(server) }
	server.Trust = p.serviceSettings
	return server
}

// newProgram returns the program without its commands.
func newProgram(environ func() []string, helper sandbox.Helper) *program {
	p := &program{options: options{environ: environ, helper: helper}, settings: newSettings()}
	o := &p.options
	o.values = &app.Settings[Config]{
		Table: p.settings.Table, Program: programName, Environ: environ,
		ProjectFile: settingsFile, Project: func() string { return o.surroundings().dirs[0].name },
		Check:   func(l *config.Loaded[Config]) { p.settings.validate(l, o.surroundings()) },
		Inspect: p.inspect,
	}
	return p
}

// serviceSettings returns the project settings of the search and agent services, for the
// commands trust and doctor.
func (p *program) serviceSettings(ctx context.Context) (_ []app.ProjectSettings, err error) {
	v := newService(&p.options, p.settings, false, io.Discard)
	defer func() { err = errors.Join(err, v.close(ctx)) }()
	if err := v.openFiles(); err != nil {
		return nil, err
	}
	return v.serviceSettings(ctx)
}

// build is App.Build: it opens the service.
func (p *program) build(ctx context.Context, start app.Start) (*app.Program, error) {
	p.options.start = start
	v, err := openService(ctx, &p.options, p.settings, start.Serves(), start.Stderr)
	if err != nil {
		return nil, err
	}
	return &app.Program{Server: v.server.Server, Root: v.persistent.root, Log: v.logging.log, Concurrency: maxConcurrent, Close: v.close}, nil
}
