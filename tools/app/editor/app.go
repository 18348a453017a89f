// Package editor is the program editor: an MCP server that edits the code of one project.
// It runs commands and builds, reports diagnostics and applies their fixes. Language
// servers work alone or together with VS Code, Neovim or JetBrains IDEs. On a terminal the
// program prints how to connect a client.
package editor

import (
	"context"
	"flag"
	"log/slog"
	"os"
	"slices"

	"github.com/dougu-go/dougu/security"
	"github.com/dougu-go/dougu/security/sandbox"
	"github.com/dougu-go/dougu/tools/app"
	"github.com/dougu-go/dougu/tools/app/internal/editorplugin"
	"github.com/dougu-go/dougu/tools/app/internal/serverinstaller"
	"github.com/dougu-go/dougu/tools/editor/adapter"
	"github.com/dougu-go/dougu/tools/source"
)

var version = app.Version()

// Options extend the program. The zero value is usable.
type Options struct {
	// Sandbox is the result of [sandbox.Main], which main calls before anything else. With the zero value commands run without
	// a sandbox, or the service does not open if the settings require one.
	Sandbox sandbox.Helper
	// Adapters are additional editors by their names, which the setting editors accepts; its default contains them, before the
	// editors of this library. The program calls a function once for each service that it opens, and closes the adapter. A name
	// has letters, digits and hyphens; it must equal the name of the adapter and not be one of this library's editors.
	Adapters map[string]func(root *security.Root, log *slog.Logger) (adapter.Adapter, error)
	// Parsers returns additional parsers, which precede the built-in ones in the check of syntax. The program calls it for each
	// service that it opens, and closes the parsers. A parser that adds a language is a source.Definer. Default: nil, the built-in
	// parsers.
	Parsers func() []source.Parser
}

// New returns the program, in the environment of the process.
func New(o Options) *app.App { return newApp(os.Environ, o) }

// newApp returns the program with its commands, in an environment.
func newApp(environ func() []string, extensions Options) *app.App {
	o := newOptions(environ, extensions)
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
		Commands:   slices.Concat(serverinstaller.Commands(), []app.Command{o.serversCommand()}, editorplugin.Commands(version)),
		New:        func() *app.App { return newApp(environ, extensions) },
		Project:    o.project,
	}
	server.Doctor = func(ctx context.Context) []app.Check { return o.checks(ctx, server) }
	return server
}

// flags declares the flags of the command line, beside the settings.
func (o *options) flags(flags *flag.FlagSet) {
	*o = options{environ: o.environ, settings: o.settings, helper: o.helper, adapters: o.adapters, parsers: o.parsers}
	flags.StringVar(&o.configFile, "config", "", "read settings from this JSON `file`; variables and flags override it. Without the flag no file is read")
	flags.BoolVar(&o.readOnly, "read-only", false, "offer no tool that changes anything or runs commands, and refuse every change")
	flags.StringVar(&o.profile, "profile", profileFull, "`profile` of tools: "+profileFull+", or "+profileStrict+" for the tools of the specification of the editor server only")
	app.Choices(flags, "profile", profileFull, profileStrict)
	flags.BoolVar(&o.outputSchemas, "output-schemas", false, "list tools with the schemas of their results")
	o.settings.Flags(flags)
}
