package cursorcli

import (
	"flag"
	"log/slog"
	"path/filepath"

	"github.com/dougu-go/dougu/security"
	"github.com/dougu-go/dougu/security/sandbox"
	"github.com/dougu-go/dougu/tools/app"
	"github.com/dougu-go/dougu/tools/app/internal/agentservice"
	"github.com/dougu-go/dougu/tools/app/internal/commandsandbox"
	"github.com/dougu-go/dougu/tools/config"
	"github.com/dougu-go/dougu/tools/editor/adapter"
	"github.com/dougu-go/dougu/tools/source"
)

// options are the values of the flags that have no setting in a file.
type options struct {
	roots         app.List
	readOnly      bool
	profile       string
	outputSchemas bool
	symbols       bool
	allowOutside  bool
	model         string
	pricesFile    string
	statsFile     string
	sandbox       commandsandbox.Settings
	serverMemory  int // limit of memory of a language server, in MiB

	values    *app.Settings[Config]
	environ   func() []string
	helper    sandbox.Helper
	executors agentservice.Executors                                                 // additional executors of agents
	adapters  map[string]func(*security.Root, *slog.Logger) (adapter.Adapter, error) // additional editors
	parsers   func() []source.Parser                                                 // additional parsers, or nil

	// start is zero until build is called.
	start app.Start
}

// variable returns the value of an environment variable.
func (o *options) variable(name string) string { return config.Lookup(o.environ(), name) }

func (o *options) flags(flags *flag.FlagSet) {
	*o = options{environ: o.environ, helper: o.helper, executors: o.executors, adapters: o.adapters, parsers: o.parsers, values: o.values}
	flags.Var(&o.roots, "root", "`directory` that tools may use; may be given several times. The first is the project; relative paths begin there (default the folder that the client has open, or the git repository around the current directory, or the current directory)")
	flags.BoolVar(&o.readOnly, "read-only", false, "offer no tool that changes anything, and refuse every change")
	flags.StringVar(&o.profile, "profile", profileFull, "`profile` of tools: "+profileFull+"; "+profileEditor+", which also edits and fixes code; "+profileCoding+" for all work on code; "+profileBeside+" for clients with tools of their own, such as Claude Code and Codex, which get it by default; "+
		profileOrchestrator+" for work by other agents; "+profileAll+"; "+profileStrict+" for the tools of the CursorCLI specification alone")
	app.Choices(flags, "profile", profiles()...)
	flags.BoolVar(&o.outputSchemas, "output-schemas", false, "list tools with the schemas of their results")
	flags.BoolVar(&o.symbols, "symbols", false, "offer the tools that find and edit symbols by name path, instead of some chunk tools; with the profiles "+profileEditor+", "+profileCoding+", "+profileBeside+" and "+profileAll)
	flags.BoolVar(&o.allowOutside, "allow-outside-root", false, "allow security.enforceProjectRoot to be false, so that tools may use all files that are not blocked or protected; also allow a root directory of a file system as -root")
	flags.StringVar(&o.model, "model", "", "`name` of the model that get_current_model returns (default "+variablePrefix+"MODEL, CURSOR_MODEL, or the name from the client)")
	flags.StringVar(&o.pricesFile, "prices", "", "`file` with the prices of models, for get_model_statistics")
	flags.StringVar(&o.statsFile, "stats-file", "", "keep the token usage in this `file` across restarts; tools must not be able to write to it")
	flags.IntVar(&o.serverMemory, "language-server-memory", 2048, "limit of memory of each language server with its child processes, in `MiB`, at least 64; a server over the limit is ended, and starts again with a later request. Linux only")
	o.sandbox.Flags(flags)
}

// maxServerMemory returns the limit of memory of a language server, in bytes, within the range of the flag.
func (o *options) maxServerMemory() int64 {
	return int64(max(64, min(o.serverMemory, 1<<20))) << 20
}

// directories returns the directories of -root, or the current directory. The first is the
// project.
func (o *options) directories() []string {
	if len(o.roots) == 0 {
		return []string{"."}
	}
	return o.roots
}

// surroundings returns the context for the validation of settings.
func (o *options) surroundings() surroundings {
	at := surroundings{allowOutside: o.allowOutside, readOnly: o.readOnly}
	for _, dir := range o.directories() {
		if abs, err := filepath.Abs(dir); err == nil {
			dir = abs
		}
		at.dirs = append(at.dirs, newDirectory(dir))
	}
	return at
}
