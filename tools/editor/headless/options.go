package headless

import (
	"cmp"
	"log/slog"
	"time"

	"github.com/dougu-go/dougu/security/sandbox"
)

// Options configures New. The zero value is ready to use.
type Options struct {
	// Servers are the language servers. Of those that know a language, the first that is installed and able is asked; all are
	// asked for diagnostics. nil is DefaultServers.
	Servers []Server
	// Formatters lay out code. nil is DefaultFormatters. They are asked where no server can, but for those with Preferred.
	Formatters []Formatter
	// TrustProject starts also what runs code of the project. See the package's documentation.
	TrustProject bool
	// TrustFlag is the flag of the program that sets TrustProject, as the advice of errors names it. Empty if there is none.
	TrustFlag string
	// Sandbox is where servers and formatters run. It stays the caller's to close, after Close. They can read the project in it, and
	// change nothing but what Server.Writes names. nil gives them the rights of this program.
	Sandbox *sandbox.Sandbox
	// Search are the directories in which programs are looked for, unless they are named by a path; nil is PATH. Those within
	// the project are left out, even in links.
	Search []string
	// Env is the environment of servers and formatters; nil is ours without variables that begin with DOUGU_, and without
	// directories of the project in PATH.
	Env []string
	// Idle is how long a server is kept that nobody asks. Default 15 minutes.
	Idle time.Duration
	// Patience bounds every request, beside its context. Default 50 seconds.
	Patience time.Duration
	// MaxServers is how many servers run at once; the one that was not asked for longest ends for another. Default 8.
	MaxServers int
	// MaxFiles is how many files of a language are looked at for diagnostics of the whole project, where the server does
	// not do that by itself. The newest are. Default 200.
	MaxFiles int
	// MaxFile is the size of the largest file that is given to a server or formatter, in bytes. Default 4 MiB.
	MaxFile int64
	// Log is told of what goes wrong; nil discards.
	Log *slog.Logger
}

func (o Options) withDefaults() Options {
	if o.Servers == nil {
		o.Servers = DefaultServers()
	}
	if o.Formatters == nil {
		o.Formatters = DefaultFormatters()
	}
	o.Idle = cmp.Or(o.Idle, 15*time.Minute)
	o.Patience = cmp.Or(o.Patience, 50*time.Second)
	o.MaxServers = cmp.Or(o.MaxServers, 8)
	o.MaxFiles = cmp.Or(o.MaxFiles, 200)
	o.MaxFile = cmp.Or(o.MaxFile, 4<<20)
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	return o
}

// Server is a language server that can be started.
type Server struct {
	// Name is for people, and tells servers apart.
	Name string
	// Languages that it knows, by the identifiers of the Language Server Protocol. They must not be empty.
	Languages []string
	// Command is the program, with a path or to be looked for, and Args its arguments.
	Command string
	Args    []string
	// InitOptions are sent when it is initialized. They must be fit for JSON.
	InitOptions map[string]any
	// Settings answer what it asks of its configuration, by sections joined by dots.
	Settings map[string]any
	// RootMarkers are names of files that the topmost directory of a project has.
	RootMarkers []string
	// Index is the name of the file that lists the sources of a project, and IndexHint tells how to make it. The file is looked for
	// in the directory of a source and above, and in the directories "build" there. Without it the server knows only open files and
	// the files that they include. Empty if the server finds the sources by itself.
	Index, IndexHint string
	// RunsProject says that it runs code of the project.
	RunsProject bool
	// Writes are directories in which it writes files by itself, such as an index or the output of a build. They are relative to
	// the folder that it works on, and made if a sandbox protects the rest of the project; "." is the whole project. Servers need
	// none for edits, which are made by their client.
	Writes []string
	// Dialect is what it has beside the protocol.
	Dialect Dialect
	// Fallback starts it only for files for which no server without Fallback can be started.
	Fallback bool
	// Install says how to get it, for people.
	Install string
}

// Dialect is how a server answers what the protocol leaves open.
type Dialect uint8

// The dialects.
const (
	// Plain is the protocol alone.
	Plain Dialect = iota
	// Gopls tells by progress when it has found out what a change does.
	Gopls
	// TSServer is asked for diagnostics by commands, which go through to TypeScript. It must not take TypeScript from the project
	// unless that is trusted.
	TSServer
	// NativeTypeScript is tsc of TypeScript 7 or later, which is a language server itself. The copy of the project is started only
	// if the project is trusted, and before that in PATH. It answers only when it has read the project.
	NativeTypeScript
	// Pyright never ends its answer to a question about the whole project, so that it is asked file by file.
	Pyright
)

// Formatter is a program that reads code from standard input and writes it laid out to standard output.
type Formatter struct {
	Name      string
	Languages []string
	Command   string
	// Args are its arguments. {file} in them is the path of the file, which it must not touch.
	Args []string
	// Preferred asks it before servers.
	Preferred bool
	// RunsProject says that it runs code of the project, such as plug-ins.
	RunsProject bool
	Install     string
}

// DefaultServers are the servers that are known.
func DefaultServers() []Server {
	return []Server{{
		Name: "gopls", Languages: []string{"go", "go.mod", "go.work"}, Command: "gopls", RootMarkers: []string{"go.work", "go.mod"}, Dialect: Gopls,
		InitOptions: map[string]any{"verboseWorkDoneProgress": true, "diagnosticsDelay": "0s", "pullDiagnostics": true, "telemetryPrompt": false},
		Install:     "go install golang.org/x/tools/gopls@latest",
	}, {
		Name: "typescript-language-server", Languages: []string{"typescript", "typescriptreact", "javascript", "javascriptreact"},
		Command: "typescript-language-server", Args: []string{"--stdio"}, RootMarkers: []string{"tsconfig.json", "jsconfig.json", "package.json"}, Dialect: TSServer,
		// Its second server, which knows one file alone, would answer what it knows while the first one reads the project.
		InitOptions: map[string]any{"disableAutomaticTypingAcquisition": true, "tsserver": map[string]any{"useSyntaxServer": "never", "useClientFileWatcher": true}},
		Install:     "npm install -g typescript-language-server typescript@5",
	}, {
		Name: "tsc", Languages: []string{"typescript", "typescriptreact", "javascript", "javascriptreact"},
		Command: "tsc", Args: []string{"--lsp", "--stdio"}, RootMarkers: []string{"tsconfig.json", "jsconfig.json", "package.json"}, Dialect: NativeTypeScript, Fallback: true,
		Install: "npm install -g typescript@7",
	}, {
		Name: "pyright", Languages: []string{"python"}, Command: "pyright-langserver", Args: []string{"--stdio"}, Dialect: Pyright,
		RootMarkers: []string{"pyrightconfig.json", "pyproject.toml", "setup.py", "setup.cfg"},
		Settings:    map[string]any{"python.analysis": map[string]any{"diagnosticMode": "openFilesOnly", "autoSearchPaths": true, "useLibraryCodeForTypes": true}},
		Install:     "npm install -g pyright",
	}, {
		Name: "clangd", Languages: []string{"c", "cpp", "objective-c", "objective-cpp"}, Command: "clangd", Args: []string{"--background-index", "--log=error"},
		RootMarkers: []string{"compile_commands.json", "compile_flags.txt", ".clangd"}, Writes: []string{".cache/clangd"},
		Index: "compile_commands.json", IndexHint: "Make it with cmake -DCMAKE_EXPORT_COMPILE_COMMANDS=ON, meson, or bear -- make.",
		Install: "install clangd with the package manager of the system",
	}, {
		Name: "rust-analyzer", Languages: []string{"rust"}, Command: "rust-analyzer", RootMarkers: []string{"Cargo.toml"}, RunsProject: true, Writes: []string{"."},
		Install: "rustup component add rust-analyzer",
	}, {
		Name: "sourcekit-lsp", Languages: []string{"swift"}, Command: "sourcekit-lsp", RootMarkers: []string{"Package.swift"}, RunsProject: true, Writes: []string{"."},
		Install: "it comes with Swift: https://swift.org/install",
	}, {
		Name: "kotlin-lsp", Languages: []string{"kotlin"}, Command: "kotlin-lsp", Args: []string{"--stdio"}, RunsProject: true, Writes: []string{"."},
		RootMarkers: []string{"settings.gradle", "settings.gradle.kts", "build.gradle", "build.gradle.kts", "pom.xml"},
		Install:     "https://github.com/Kotlin/kotlin-lsp",
	}}
}

// DefaultFormatters are the formatters that are known.
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
