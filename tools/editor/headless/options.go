package headless

import (
	"cmp"
	"log/slog"
	"time"

	"github.com/dougu-go/dougu/security/sandbox"
	"github.com/dougu-go/dougu/tools/editor/internal/installed"
)

// Options configures New. The zero value uses the defaults.
type Options struct {
	// Servers are the language servers. For each language the first one that is installed and supports the request is used; for
	// diagnostics all are used. Default DefaultServers.
	Servers []Server
	// Formatters are formatting programs. They are used if no server can format the language, or before servers if Preferred.
	// Default DefaultFormatters.
	Formatters []Formatter
	// TrustProject allows servers and formatters that run code of the project. Set it only for projects whose code may run with the
	// rights of this process. Default false.
	TrustProject bool
	// TrustFlag is the command-line flag that sets TrustProject, for advice in errors. Empty if there is none.
	TrustFlag string
	// Sandbox confines servers and formatters: they can read the project, and write only the directories of Server.Writes. The
	// caller closes it after Headless.Close. nil runs them with the rights of this process.
	Sandbox *sandbox.Sandbox
	// Search are the directories in which programs without a path are looked for. Directories and links that lead into the project
	// are ignored. nil is PATH and then the places of package managers and editors, as docs/language-servers.md lists them.
	Search []string
	// InstallCommand returns the command line that installs a server of DefaultServers, by Server.Name, for advice in errors. It is
	// empty for a server that cannot be installed so. Default: nil, advice with Server.Install alone.
	InstallCommand func(server string) string
	// Env is the environment of servers and formatters. nil is the environment of this process without variables that contain
	// secrets or begin with DOUGU_, and with a PATH without directories of the project.
	Env []string
	// Idle is the time without a request after which a server ends. Default 15 minutes.
	Idle time.Duration
	// RequestTimeout is the timeout of every request, in addition to its context. Default 50 seconds.
	RequestTimeout time.Duration
	// MaxServers is the number of servers that run at the same time. For another one, the server that was idle longest is ended.
	// Default 8.
	MaxServers int
	// MaxMemory is the limit of resident memory of one server with its child processes, in bytes. A server over the limit is ended,
	// and starts again with a later request. It is enforced on Linux only. Default 2 GiB; a negative value is no limit.
	MaxMemory int64
	// MemoryFlag is the command-line flag that sets MaxMemory, for advice in errors. Empty if there is none.
	MemoryFlag string
	// MaxFiles is the number of files per language that are checked for diagnostics of the project, if the server cannot check the
	// project itself. The files that changed last are checked. Default 200.
	MaxFiles int
	// MaxFile is the size of the largest file that is sent to a server or formatter, in bytes. Default 4 MiB.
	MaxFile int64
	// Log receives failures of servers. nil discards them.
	Log *slog.Logger

	memoryInterval time.Duration // between two measurements of memory; tests shorten it

	coverDelay time.Duration // between the first two looks for languages; tests shorten it
}

// withDefaults returns the options with defaults for all unset fields except Sandbox, Search and Env.
func (o Options) withDefaults() Options {
	if o.Servers == nil {
		o.Servers = DefaultServers()
	}
	if o.Formatters == nil {
		o.Formatters = DefaultFormatters()
	}
	o.Idle = cmp.Or(o.Idle, 15*time.Minute)
	o.RequestTimeout = cmp.Or(o.RequestTimeout, 50*time.Second)
	o.MaxServers = cmp.Or(o.MaxServers, 8)
	o.MaxFiles = cmp.Or(o.MaxFiles, 200)
	o.MaxFile = cmp.Or(o.MaxFile, 4<<20)
	o.coverDelay = cmp.Or(o.coverDelay, 5*time.Second)
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	return o
}

// Server describes a language server that can be started.
type Server struct {
	// Name identifies the server in messages and among Options.Servers.
	Name string
	// Languages are the language identifiers of the Language Server Protocol. At least one is required.
	Languages []string
	// Extensions map file extensions, with the dot and in lower case, to identifiers in Languages: {".gleam": "gleam"}. They take
	// precedence over LanguageOf, and an earlier server over a later one. Default: nil, for languages that LanguageOf knows.
	Extensions map[string]string
	// Command is the program: a path, or a name that is looked for in Options.Search, and before that in node_modules/.bin, virtual
	// environments, vendor/bin and binstubs of a project that is trusted. Args are its arguments.
	Command string
	Args    []string
	// InitOptions are the initializationOptions of the initialize request. They must be serializable as JSON.
	InitOptions map[string]any
	// Settings are the server's configuration, which it requests with workspace/configuration. Keys are sections joined by dots.
	Settings map[string]any
	// RootMarkers are names of files in the topmost directory of a project. They determine the folder on which an instance works.
	RootMarkers []string
	// Index is the name of a file that lists the sources of a project, for example compile_commands.json. It is looked for in each
	// directory from a source file up to the root, in its subdirectory build, and in the directory that a .clangd names. Without it
	// the server reads only open files and their includes. Empty if the server finds the sources itself. IndexHint says how to
	// create the file.
	Index, IndexHint string
	// RunsProject is true if the server runs code of the project. Such a server requires Options.TrustProject.
	RunsProject bool
	// Writes are directories that the server writes itself, for example an index or build output. They are relative to the folder
	// of the instance, and are created if a sandbox is active; "." is the folder itself. Edits need no entry, because the client
	// applies them.
	Writes []string
	// Dialect is the server's behaviour beyond the protocol. Default Plain.
	Dialect Dialect
	// Fallback is true if the server is used only for files for which no server without Fallback is available.
	Fallback bool
	// Install is the advice how to install the server.
	Install string
	// Optional is true if a file counts as complete without the server, for example a JSON or Markdown file. If such a server is not
	// installed, no answer gives that as a reason, and CoversProject does not count it.
	Optional bool
	// Tested is true if the tests of this repository run the real server. Default false: the entry is made from its documentation.
	Tested bool

	otherCommands     []string           // further names of the program
	checksOnly        string             // the part that it checks, if it does not check names and types; shown with its name
	bundles           []installed.Bundle // extensions of editors that bring the server along
	needsTypeScript   bool               // initializationOptions.typescript.tsdk must be the directory of a TypeScript before version 7
	belowMajorVersion int                // first major version that cannot be used; 0 for none
	notServer         string             // path of an npm package whose program has the same name and is no language server; empty for none
	requiredProgram   string             // program on PATH without which the server finds no errors; empty for none
	parts             []string           // patterns of the server's directory if Command is only its interpreter; nil for none. See installed.Machine.Exists.
	pullsDiagnostics  bool               // it answers textDocument/diagnostic although it does not offer it; its publications are partial
	partial           bool               // it may publish several times for one version; the last publication is complete
}

// Dialect is a server's behaviour where the protocol leaves a choice, mostly for diagnostics.
type Dialect uint8

// Dialects.
const (
	// Plain is the protocol alone. Indexing is detected by progress notifications.
	Plain Dialect = iota
	// Gopls reports by progress notifications when it has finished the check after a change.
	Gopls
	// TSServer is typescript-language-server. Diagnostics are requested with commands for tsserver. It must not load TypeScript
	// from a project that is not trusted.
	TSServer
	// NativeTypeScript is tsc of TypeScript 7 or later, which is itself a language server. If the project is trusted, its own copy
	// is used before one in PATH. The server responds after it has read the project.
	NativeTypeScript
	// Pyright does not finish a workspace diagnostics request. Files are therefore checked one by one.
	Pyright
)

// Formatter is a program that reads code from standard input and writes formatted code to standard output.
type Formatter struct {
	// Name identifies the formatter in messages.
	Name string
	// Languages are the language identifiers of the Language Server Protocol.
	Languages []string
	// Extensions map file extensions, with the dot and in lower case, to identifiers in Languages: {".gleam": "gleam"}. They take
	// precedence over LanguageOf, and an earlier server over a later one. Default: nil, for languages that LanguageOf knows.
	Extensions map[string]string
	// Command is the program: a path, or a name that is looked for in Options.Search.
	Command string
	// Args are the arguments. {file} is replaced by the path of the file, which the formatter must not modify.
	Args []string
	// Preferred is true if the formatter is used before language servers.
	Preferred bool
	// RunsProject is true if the formatter runs code of the project, for example plug-ins. Such a formatter requires
	// Options.TrustProject.
	RunsProject bool
	// Install is the advice how to install the formatter.
	Install string
}

// DefaultFormatters returns the formatters that are supported by default, in order of preference.
func DefaultFormatters() []Formatter {
	web := []string{"typescript", "typescriptreact", "javascript", "javascriptreact", "json", "jsonc", "css", "scss", "less", "html", "vue", "markdown", "yaml"}
	return []Formatter{
		{Name: "gofmt", Languages: []string{"go"}, Command: "gofmt", Install: "it comes with Go: https://go.dev/dl"},
		{Name: "prettier", Languages: web, Command: "prettier", Args: []string{"--stdin-filepath", "{file}"}, RunsProject: true, Install: "npm install -g prettier"},
		{Name: "black", Languages: []string{"python"}, Command: "black", Args: []string{"--quiet", "--stdin-filename", "{file}", "-"}, Install: "pip install black"},
		{Name: "ruff", Languages: []string{"python"}, Command: "ruff", Args: []string{"format", "--quiet", "--stdin-filename", "{file}", "-"}, Install: "pip install ruff"},
		{Name: "clang-format", Languages: []string{"c", "cpp", "objective-c", "objective-cpp", "java"}, Command: "clang-format", Args: []string{"--assume-filename={file}"},
			Install: "install clang-format with the package manager of the system"},
		{Name: "rustfmt", Languages: []string{"rust"}, Command: "rustfmt", Args: []string{"--emit", "stdout", "--edition", "2021"}, RunsProject: true, Install: "rustup component add rustfmt"},
		{Name: "swift-format", Languages: []string{"swift"}, Command: "swift-format", Args: []string{"format", "--assume-filename", "{file}"}, Install: "it comes with Swift: https://swift.org/install"},
		{Name: "ktlint", Languages: []string{"kotlin"}, Command: "ktlint", Args: []string{"--stdin", "--format", "--log-level=none", "--stdin-path={file}"}, Install: "https://pinterest.github.io/ktlint"},
		{Name: "shfmt", Languages: []string{"shellscript"}, Command: "shfmt", Args: []string{"-filename", "{file}"}, Install: "go install mvdan.cc/sh/v3/cmd/shfmt@latest"},
	}
}
