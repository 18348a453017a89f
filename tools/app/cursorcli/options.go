package cursorcli

import (
	"flag"
	"path/filepath"

	"github.com/dougu-go/dougu/security/sandbox"
	"github.com/dougu-go/dougu/tools/app"
	"github.com/dougu-go/dougu/tools/app/internal/commandsandbox"
	"github.com/dougu-go/dougu/tools/config"
)

// options are what the command line says beside the settings. A file cannot say
// them.
type options struct {
	roots         app.List
	readOnly      bool
	profile       string
	outputSchemas bool
	allowOutside  bool
	model         string
	pricesFile    string
	statsFile     string
	sandbox       commandsandbox.Settings

	values  *app.Settings[Config]
	environ func() []string
	helper  sandbox.Helper

	start app.Start // zero if nothing is served
}

// variable is the value of an environment variable.
func (o *options) variable(name string) string { return config.Lookup(o.environ(), name) }

func (o *options) flags(flags *flag.FlagSet) {
	*o = options{environ: o.environ, helper: o.helper, values: o.values}
	flags.Var(&o.roots, "root", "`directory` that may be used; may be given several times, the first is the project, where relative paths begin (default the current directory)")
	flags.BoolVar(&o.readOnly, "read-only", false, "offer no tool that changes anything, and refuse every change")
	flags.StringVar(&o.profile, "profile", profileFull, "`profile` of tools: "+profileFull+"; "+profileEditor+" for those that edit and mend code as well; "+profileStrict+" for those of the CursorCLI specification alone; "+
		profileCoding+" for all that an agent needs to work on code; "+profileOrchestrator+" for one that has agents do the work; "+profileAll+" for everything, of which tools.allowedTools can choose other tools")
	app.Choices(flags, "profile", profiles()...)
	flags.BoolVar(&o.outputSchemas, "output-schemas", false, "list tools with the schemas of their results")
	flags.BoolVar(&o.allowOutside, "allow-outside-root", false, "let the setting security.enforceProjectRoot be turned off, so that tools may use all files that are not hidden or protected; and let -root be a whole file system")
	flags.StringVar(&o.model, "model", "", "`name` of the model that get_current_model tells (default what "+variablePrefix+"MODEL or CURSOR_MODEL or the client says)")
	flags.StringVar(&o.pricesFile, "prices", "", "`file` with the prices of models, for get_model_statistics")
	flags.StringVar(&o.statsFile, "stats-file", "", "keep the token usage in this `file` over restarts; tools must not be able to write to it")
	o.sandbox.Flags(flags)
}

// directories are the directories that tools may use; the first is the project.
func (o *options) directories() []string {
	if len(o.roots) == 0 {
		return []string{"."}
	}
	return o.roots
}

// surroundings returns the surroundings by which settings are judged.
func (o *options) surroundings() surroundings {
	at := surroundings{allowOutside: o.allowOutside, readOnly: o.readOnly}
	for _, dir := range o.directories() {
		if abs, err := filepath.Abs(dir); err == nil {
			dir = abs
		}
		at.dirs = append(at.dirs, newPlace(dir))
	}
	return at
}
