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
	"log/slog"
	"os"
	"slices"

	"github.com/dougu-go/dougu/security"
	"github.com/dougu-go/dougu/security/sandbox"
	"github.com/dougu-go/dougu/tools/agents/executor"
	"github.com/dougu-go/dougu/tools/app"
	"github.com/dougu-go/dougu/tools/app/internal/editorplugin"
	"github.com/dougu-go/dougu/tools/app/internal/serverinstaller"
	"github.com/dougu-go/dougu/tools/config"
	"github.com/dougu-go/dougu/tools/editor/adapter"
	"github.com/dougu-go/dougu/tools/source"
)

var version = app.Version()

// program is one command line: the values of its flags and the settings.
type program struct {
	options   options
	settings  *settings
	inspected *inspection // nil before inspect, and after its error
}

// Options extend the program. The zero value is usable.
type Options struct {
	// Sandbox is the result of [sandbox.Main], which main must call first; without it no
	// command runs in a sandbox.
	Sandbox sandbox.Helper
	// Executors are additional executors of agents by their names; see kuromajutsu.Options.
	Executors map[string]func(log *slog.Logger) (executor.Executor, error)
	// Adapters are additional editors by their names, which the code tools try first. The
	// program calls a function each time it opens the directories of the project, and closes
	// the adapter.
	Adapters map[string]func(root *security.Root, log *slog.Logger) (adapter.Adapter, error)
	// Parsers returns additional parsers, which precede the built-in ones. The program calls it several times, and closes the
	// parsers. A parser that adds a language is a source.Definer. Default: nil, the built-in parsers.
	Parsers func() []source.Parser
}

// New returns the program with the environment of the process.
func New(o Options) *app.App { return newApp(os.Environ, o) }

// newApp returns the program with its commands. environ returns the environment.
func newApp(environ func() []string, extensions Options) *app.App {
	p := newProgram(environ, extensions)
	server := &app.App{
		Name: programName, Version: version, Tasks: true, Audit: true, AskBefore: []string{"delete_file"},
		Summary:    "the files of a project for Cursor and other MCP clients",
		MainFlags:  []string{"root", "profile", "read-only", "tools-allowed-tools", "commands-sandbox", "http", "no-token", "audit", "tasks", "log-level"},
		Flags:      p.options.flags,
		Build:      p.build,
		Settings:   p.options.values,
		NeedsToken: true,
		Commands:   slices.Concat(serverinstaller.Commands(), []app.Command{p.serversCommand()}, editorplugin.Commands(version)),
		New:        func() *app.App { return newApp(environ, extensions) },

		ClientFlags: clientFlags,
	}
	server.Doctor = func(ctx context.Context) []app.Check {
		return append(p.checks(server), editorplugin.Checks(ctx, server, version)...)
	}
	server.Trust = p.serviceSettings
	return server
}

// newProgram returns the program without its commands.
func newProgram(environ func() []string, extensions Options) *program {
	p := &program{options: options{environ: environ, helper: extensions.Sandbox, executors: extensions.Executors, adapters: extensions.Adapters, parsers: extensions.Parsers}, settings: newSettings()}
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
