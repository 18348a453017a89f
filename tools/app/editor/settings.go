package editor

import (
	"log/slog"
	"maps"
	"slices"

	"github.com/dougu-go/dougu/internal/projectfile"
	"github.com/dougu-go/dougu/security"
	"github.com/dougu-go/dougu/security/sandbox"
	"github.com/dougu-go/dougu/tools/app"
	"github.com/dougu-go/dougu/tools/app/internal/strict"
	"github.com/dougu-go/dougu/tools/config"
	"github.com/dougu-go/dougu/tools/editor/adapter"
	"github.com/dougu-go/dougu/tools/source"
)

// Config is everything that can be set.
type Config struct {
	ProjectRoot           string
	LogPath               string
	MaxConcurrentRequests int
	DefaultTimeout        int
	MaxFileSize           int64
	FeedbackMs            int

	Commands struct {
		Allowed []string
		Denied  []string
		Confine bool
		Sandbox string
		Network string
		Read    []string
		Write   []string
		Sockets []string
	}
	Debug struct {
		Enabled  bool
		Attach   bool
		Adapters []string
	}
	Editors         []string
	LanguageServers []string
	// LanguageServerMemory is in MiB.
	LanguageServerMemory int
	TrustProject         bool

	Unity struct {
		Enabled bool
	}
	JetBrains struct {
		Launcher  string
		Server    string
		WebServer string
		Format    string
	}

	Symbols struct {
		Enabled bool
	}
	Git struct {
		Enabled      bool
		Hooks        bool
		LocalRemotes bool
	}
}

// noLog is the logPath of a server that keeps no file.
const noLog = "-"

// defaultLog is the value of logPath that was not chosen by the user.
const defaultLog = "./" + projectfile.AuditLog

// mostConcurrent is the bound of maxConcurrentRequests.
const mostConcurrent = 1000

// The editors that can be named in the setting editors, in the order in which they
// are asked.
const (
	editorVSCode    = "vscode"
	editorNeovim    = "neovim"
	editorEmacs     = "emacs"
	editorJetBrains = "jetbrains"
)

// newTable returns the table of the settings. The setting editors also accepts the names of additional adapters.
func newTable(adapters []string) *config.Table[Config] {
	known := []string{editorVSCode, editorNeovim, editorEmacs}
	type c = Config
	return config.NewTable(config.Options{Title: "Settings of editor"},
		config.NewKey("projectRoot", func(c *c) *string { return &c.ProjectRoot }, ".",
			config.Text(1, 4096), "`directory` of the project; relative paths begin there; with the default . it is the folder that the client has open, or the git repository around the current directory, or the current directory").Alias("root"),
		config.NewKey("logPath", func(c *c) *string { return &c.LogPath }, defaultLog,
			config.Text(1, 4096), "`file` that records every operation, one JSON object a line, relative to the project; - for none").Alias("audit"),
		config.NewKey("maxConcurrentRequests", func(c *c) *int { return &c.MaxConcurrentRequests }, 10,
			config.Whole(1, mostConcurrent), "`number` of tool calls that run at once, over all connections; more wait").Alias("concurrency"),
		config.NewKey("defaultTimeout", func(c *c) *int { return &c.DefaultTimeout }, 60_000,
			config.Whole(1, 24*60*60*1000), "default timeout of a command, in `milliseconds`"),
		config.NewKey("maxFileSize", func(c *c) *int64 { return &c.MaxFileSize }, 10<<20,
			config.Whole[int64](1, 1<<30), "largest file that is read or edited, in `bytes`"),
		config.NewKey("feedbackMs", func(c *c) *int { return &c.FeedbackMs }, 140,
			config.Whole(0, 10_000), "`milliseconds` that an edit waits for new diagnostics; 0: it does not wait. Language servers of large projects need up to 700"),
		config.NewList("commands.allowed", func(c *c) *[]string { return &c.Commands.Allowed }, nil,
			config.ListOf(config.Text(1, 1024), 1000), "allowed `commands`, for example \"git status\" or \"npm run *\"; [] allows all").Key,
		config.NewList("commands.denied", func(c *c) *[]string { return &c.Commands.Denied }, nil,
			config.ListOf(config.Text(1, 1024), 1000), "additional refused `commands`").Key,
		config.NewKey("commands.sandbox", func(c *c) *string { return &c.Commands.Sandbox }, string(sandbox.Auto),
			config.OneOf(string(sandbox.Auto), string(sandbox.On), string(sandbox.Off)), "sandbox for commands, builds, debuggers, language servers and formatters, in which they can change only the project: auto: if the system has one; on: refuse to start without; off. Linux only"),
		config.NewSwitch("commands.confine", func(c *c) *bool { return &c.Commands.Confine }, false,
			"the same as commands.sandbox on"),
		config.NewKey("commands.network", func(c *c) *string { return &c.Commands.Network }, string(sandbox.NetworkOn),
			config.OneOf(string(sandbox.NetworkOn), string(sandbox.NetworkLoopback), string(sandbox.NetworkOff)), "network of programs in a sandbox: on: the machine's network; loopback: a separate loopback network for each command; off"),
		config.NewList("commands.read", func(c *c) *[]string { return &c.Commands.Read }, nil,
			config.ListOf(config.Text(1, 4096), 100), "additional absolute `paths` that programs in a sandbox can read").Key,
		config.NewList("commands.write", func(c *c) *[]string { return &c.Commands.Write }, nil,
			config.ListOf(config.Text(1, 4096), 100), "additional absolute `paths` that commands in a sandbox can change, for example a shared cache").Key,
		config.NewList("commands.socket", func(c *c) *[]string { return &c.Commands.Sockets }, nil,
			config.ListOf(config.Text(1, 4096), 100), "absolute paths of Unix `sockets` that commands in a sandbox can connect to, for example the socket of an ssh agent").Key,
		// The name of the variable is not DEBUG, which many programs have for something else.
		config.NewSwitch("debug.enabled", func(c *c) *bool { return &c.Debug.Enabled }, false,
			"offer the tools that run and debug programs of the project").Alias("debug"),
		config.NewSwitch("debug.attach", func(c *c) *bool { return &c.Debug.Attach }, false,
			"allow the debug tools to attach to running processes of the user"),
		config.NewList("debug.adapters", func(c *c) *[]string { return &c.Debug.Adapters }, nil,
			config.ListOf(config.Text(3, 4096), 20), "`commands` of debuggers, as NAME=COMMAND, for example \"debugpy=/opt/venv/bin/python -m debugpy.adapter\"").Key,
		config.NewList("editors", func(c *c) *[]string { return &c.Editors }, slices.Concat(adapters, known),
			config.ListOf(config.OneOf(slices.Concat(known, []string{editorJetBrains}, adapters)...), len(adapters)+len(known)+1), "`editors` that are used while they run; [] for none. jetbrains is used only if it is named").Key,
		config.NewList("languageServers", func(c *c) *[]string { return &c.LanguageServers }, nil,
			config.ListOf(config.Text(3, 4096), 100), "additional language `servers`, as LANGUAGE=COMMAND, for example \"kotlin=kotlin-lsp --stdio\"; an empty command turns a language off").Key,
		config.NewKey("languageServerMemory", func(c *c) *int { return &c.LanguageServerMemory }, 2048,
			config.Whole(64, 1<<20), "limit of memory of each language server with its child processes, in `MiB`; a server over the limit is ended, and starts again with a later request. Linux only"),
		config.NewSwitch("trustProject", func(c *c) *bool { return &c.TrustProject }, false,
			"also start language servers and formatters that run code of the project"),
		config.NewSwitch("unity.enabled", func(c *c) *bool { return &c.Unity.Enabled }, false,
			"use a Unity editor with the project open; it needs the package MCP for Unity with its transport Stdio").Alias("unity"),
		config.NewKey("jetbrains.launcher", func(c *c) *string { return &c.JetBrains.Launcher }, "",
			config.Text(0, 4096), "`program` that opens files in the IDE, for example goland; empty: the first installed one"),
		config.NewKey("jetbrains.server", func(c *c) *string { return &c.JetBrains.Server }, "",
			config.Text(0, 4096), "`URL` of the MCP server of the IDE, for example http://127.0.0.1:64342/sse, for the diagnostics of open files"),
		config.NewKey("jetbrains.webServer", func(c *c) *string { return &c.JetBrains.WebServer }, "",
			config.Text(0, 4096), "`URL` of the built-in web server of the IDE, for example http://127.0.0.1:63342, which opens files if there is no launcher"),
		config.NewKey("jetbrains.format", func(c *c) *string { return &c.JetBrains.Format }, "",
			config.Text(0, 4096), "`file` with an exported code style, or \"default\": format documents with the launcher's command format, which starts an IDE for each"),
		config.NewSwitch("symbols.enabled", func(c *c) *bool { return &c.Symbols.Enabled }, false,
			"offer the tools that find and edit symbols by name path").Alias("symbols"),
		config.NewSwitch("git.enabled", func(c *c) *bool { return &c.Git.Enabled }, false,
			"offer the tools for the git repository of the project").Alias("git"),
		config.NewSwitch("git.hooks", func(c *c) *bool { return &c.Git.Hooks }, false,
			"allow calls to run the hooks of the repository, which are programs of the repository"),
		config.NewSwitch("git.localRemotes", func(c *c) *bool { return &c.Git.LocalRemotes }, false,
			"allow git to pull from and push to directories of this machine outside of the project"),
	)
}

// options are the values of the flags and the environment.
type options struct {
	configFile    string
	readOnly      bool
	profile       string
	outputSchemas bool
	strict        strict.Interface // of the tools in the specification; nil until openService

	helper   sandbox.Helper
	adapters map[string]func(*security.Root, *slog.Logger) (adapter.Adapter, error) // additional editors
	parsers  func() []source.Parser                                                 // additional parsers, or nil
	settings *app.Settings[Config]
	environ  func() []string
}

// newOptions returns the options in an environment. A setting that is wrong may be one that forbids something, so none is replaced by
// its default.
func newOptions(environ func() []string, extensions Options) *options {
	o := &options{environ: environ, helper: extensions.Sandbox, adapters: extensions.Adapters, parsers: extensions.Parsers}
	o.settings = &app.Settings[Config]{
		Table: newTable(slices.Sorted(maps.Keys(o.adapters))), Program: "editor", NamedFile: func() string { return o.configFile }, Environ: environ, IgnoreUnknownVariables: true, Strict: true,
	}
	return o
}

// project returns the directory that the settings name, other than the current one.
func (o *options) project() (dir, source string) {
	l, _ := o.settings.LoadFile(o.settings.Read())
	if l.Config.ProjectRoot == "." {
		return "", ""
	}
	return l.Config.ProjectRoot, "the setting projectRoot"
}

// load reads the settings: defaults, then the file, the environment and the flags.
func (o *options) load() (Config, error) {
	l, err := o.settings.Load()
	return l.Config, err
}
