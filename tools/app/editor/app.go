// Package editor is the program editor: an MCP server that edits the code of one project.
// It runs commands and builds, reports diagnostics and applies their fixes. Language
// servers work alone or together with VS Code, Neovim or JetBrains IDEs. On a terminal the
// program prints how to connect a client.
package editor

import (
	"context"
	"flag"
	"os"

	"github.com/dougu-go/dougu/security/sandbox"
	"github.com/dougu-go/dougu/tools/app"
)

var version = app.Version()

// New returns the program, in the environment of the process. helper is the result of [sandbox.Main], which main calls before
// anything else. With the zero value commands run without a sandbox, or the service does not open if the settings require one.
func New(helper sandbox.Helper) *app.App { return newApp(os.Environ, helper) }

// newApp returns the program with its commands, in an environment. Without a helper commands run without a sandbox.
func newApp(environ func() []string, helper sandbox.Helper) *app.App {
	o := newOptions(environ, helper)
	server := &app.App{
		Name: "editor", Version: version, Tasks: true,
		Summary:   "code, commands, builds and diagnostics of a project, for MCP clients",
		MainFlags: []string{"root", "profile", "read-only", "config", "language-servers", "git", "debug", "commands-sandbox", "http", "log-level"},
		Flags:     o.flags,
		Build: func(ctx context.Context, start app.Start) (*app.Program, error) {
			s, err := openService(ctx, o, start)
			if err != nil {
				return nil, err
			}
			return &app.Program{Server: s.server.Server, Root: s.root, Concurrency: mostConcurrent, Close: s.close}, nil
		},
		NeedsToken: true,
		New:        func() *app.App { return newApp(environ, helper) },
		Project:    o.project,
	}
	server.Doctor = func(ctx context.Context) []app.Check { return o.checks(ctx, server) }
	return server
}

// flags declares the flags of the command line, beside the settings.
func (o *options) flags(flags *flag.FlagSet) {
	*o = options{environ: o.environ, settings: o.settings, helper: o.helper}
	flags.StringVar(&o.configFile, "config", "", "read settings from this JSON `file`; variables and flags override it. Without the flag no file is read")
	flags.BoolVar(&o.readOnly, "read-only", false, "offer no tool that changes anything or runs commands, and refuse every change")
	flags.StringVar(&o.profile, "profile", profileFull, "`profile` of tools: "+profileFull+", or "+profileStrict+" for the tools of the specification of the editor server only")
	app.Choices(flags, "profile", profileFull, profileStrict)
	flags.BoolVar(&o.outputSchemas, "output-schemas", false, "list tools with the schemas of their results")
	o.settings.Flags(flags)
}
