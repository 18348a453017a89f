// Package chunks is the program chunks, which serves functions instead of files: an MCP client lists, reads
// and replaces single functions of a project, searches its symbols and sees a map
// of it. Run on a terminal it explains itself.
//
// "chunks index", "map", "show" and "watch" do the same for a person.
package chunks

import (
	"cmp"
	"context"
	"flag"
	"log/slog"

	"github.com/dougu-go/dougu/security"
	"github.com/dougu-go/dougu/tools/app"
	"github.com/dougu-go/dougu/tools/chunking/index"
	"github.com/dougu-go/dougu/tools/source"
)

var version = app.Version()

// Options extend the program. The zero value is the program as it is released.
type Options struct {
	// Stores are additional stores of the index, by their values of the flag -store. The program calls a function once for each
	// project that it opens, and closes the store. The names json, sqlite and memory belong to this library's stores.
	Stores map[string]func(ctx context.Context, root *security.Root, log *slog.Logger) (index.Store, error)
	// DefaultStore is the default of the flag -store. Default: json.
	DefaultStore string
	// Parsers returns additional parsers, which precede the built-in ones. The program calls it for each service that it opens, and
	// closes the parsers. A parser that adds a language is a source.Definer. Default: nil, the built-in parsers.
	Parsers func() []source.Parser
}

// New returns the program.
func New(extended Options) *app.App {
	o := &options{extended: extended}
	server := &app.App{
		Name: "chunks", Version: version, Tasks: true, Audit: true,
		Summary:   "the functions of a project, one by one, for MCP clients",
		MainFlags: []string{"root", "profile", "read-only", "languages", "graph", "language-servers", "store", "http", "audit", "log-level"},
		Flags:     o.flags,
		New:       func() *app.App { return New(extended) },
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
	*o = options{extended: o.extended}
	flags.Var(&o.roots, "root", "`directory` with source files; may be given several times. The first is the project; relative paths begin there (default the folder that the client has open, or the git repository around the current directory, or the current directory)")
	flags.BoolVar(&o.readOnly, "read-only", false, "offer no tool that changes source files, and write no index into the project")
	flags.StringVar(&o.profile, "profile", profileFull, "`profile` of tools: "+profileFull+", or "+profileStrict+" for the tools of the specification of chunks only")
	app.Choices(flags, "profile", profileFull, profileStrict)
	added := o.addedStores()
	known := storeJSON + ", files below -data; " + storeSQLite + ", a database in the user's cache directory; "
	for _, name := range added {
		known += name + "; "
	}
	flags.StringVar(&o.store, "store", cmp.Or(o.extended.DefaultStore, storeJSON), "`store` of the index: "+known+"or "+storeMemory)
	app.Choices(flags, "store", append([]string{storeJSON, storeSQLite, storeMemory}, added...)...)
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
