// Package chunks is the program chunks, which serves functions instead of files: an MCP client lists, reads
// and replaces single functions of a project, searches its symbols and sees a map
// of it. Run on a terminal it explains itself.
//
// "chunks index", "map", "show" and "watch" do the same for a person.
package chunks

import (
	"context"
	"flag"

	"github.com/dougu-go/dougu/tools/app"
)

var version = app.Version()

// New returns the program.
func New() *app.App { return newApp() }

// newApp returns the program with its commands.
func newApp() *app.App {
	o := new(options)
	server := &app.App{
		Name: "chunks", Version: version, Tasks: true, Audit: true,
		Summary:   "the functions of a project, one by one, for MCP clients",
		MainFlags: []string{"root", "profile", "read-only", "languages", "graph", "language-servers", "store", "http", "audit", "log-level"},
		Flags:     o.flags,
		New:       newApp,
		Build: func(ctx context.Context, start app.Start) (*app.Program, error) {
			s, err := openService(ctx, o, purpose{log: start.Log, serves: start.Serves(), tasks: start.Tasks, structured: start.Structured, audit: start.Audit})
			if err != nil {
				return nil, err
			}
			return &app.Program{Server: s.server, Root: s.root, Close: s.close}, nil
		},
		Commands: []app.Command{o.indexCommand(), o.mapCommand(), o.showCommand(), o.watchCommand()},
	}
	server.Doctor = func(ctx context.Context) []app.Check { return o.checks(ctx, server) }
	return server
}

// flags declares the flags of the command line.
func (o *options) flags(flags *flag.FlagSet) {
	*o = options{}
	flags.Var(&o.roots, "root", "`directory` with source files; may be given several times. The first is the project; relative paths begin there (default the folder that the client has open, or the git repository around the current directory, or the current directory)")
	flags.BoolVar(&o.readOnly, "read-only", false, "offer no tool that changes source files, and write no index into the project")
	flags.StringVar(&o.profile, "profile", profileFull, "`profile` of tools: "+profileFull+", or "+profileStrict+" for the tools of the specification of chunks only")
	app.Choices(flags, "profile", profileFull, profileStrict)
	flags.StringVar(&o.store, "store", storeJSON, "`store` of the index: "+storeJSON+", files below -data; "+storeSQLite+", a database in the user's cache directory; or "+storeMemory)
	app.Choices(flags, "store", storeJSON, storeSQLite, storeMemory)
	flags.StringVar(&o.data, "data", "", "`directory` of the JSON index, relative to the project or absolute (default data/chunks)")
	flags.StringVar(&o.languages, "languages", "", "comma-separated `names` of the languages that are indexed (default all)")
	flags.BoolVar(&o.graph, "graph", false, "keep a graph of calls and imports, and offer find_callers and find_dependencies")
	flags.BoolVar(&o.watch, "watch", true, "follow changes of the files while serving, from the first analyze_project on")
	flags.BoolVar(&o.servers, "language-servers", false, "use installed language servers: find_callers returns exact callers, and sourcekit-lsp reads Swift")
	flags.BoolVar(&o.trusted, "trust-project", false, "also start language servers that run code of the project")
	flags.StringVar(&o.sourceKitten, "sourcekitten", "", "read Swift with this `program`, SourceKitten, where possible")
	flags.BoolVar(&o.precise, "precise", false, "read all languages but Go with grammars instead of the faster scanners")
	flags.BoolVar(&o.outputSchemas, "output-schemas", false, "list tools with the schemas of their results")
}
