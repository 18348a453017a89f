package chunks

import (
	"cmp"
	"context"
	_ "embed"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"

	"github.com/dougu-go/dougu/internal/projectfile"
	"github.com/dougu-go/dougu/mcp"
	"github.com/dougu-go/dougu/mcp/protocol"
	"github.com/dougu-go/dougu/security"
	"github.com/dougu-go/dougu/security/audit"
	"github.com/dougu-go/dougu/security/auth"
	"github.com/dougu-go/dougu/tools"
	"github.com/dougu-go/dougu/tools/app/internal/strict"
	"github.com/dougu-go/dougu/tools/chunking"
	"github.com/dougu-go/dougu/tools/chunking/graph"
	"github.com/dougu-go/dougu/tools/chunking/index"
	"github.com/dougu-go/dougu/tools/chunking/sqlite"
	"github.com/dougu-go/dougu/tools/editor"
	"github.com/dougu-go/dougu/tools/editor/adapter"
	"github.com/dougu-go/dougu/tools/editor/emacs"
	"github.com/dougu-go/dougu/tools/editor/neovim"
	"github.com/dougu-go/dougu/tools/editor/vscode"
	"github.com/dougu-go/dougu/tools/source"
	"github.com/dougu-go/dougu/tools/source/builtin"
	"github.com/dougu-go/dougu/tools/source/sourcekitten"
	"github.com/dougu-go/dougu/tools/source/symbols"
)

// instructions tell a model how to use the server as a whole.
const instructions = "Read functions, not files: list_functions_in_file or search_symbols give ids, get_chunk reads one, edit_chunk changes a part of it. " +
	"analyze_project is needed once for search_symbols and get_repo_map. Paths are relative to the project's root or absolute."

// strictInstructions are those of the profile of the specification.
const strictInstructions = "Read functions, not files: list_functions_in_file and find_function give ids, get_chunk reads one. " +
	"Paths are absolute or relative to the project's root."

// strictDocument has the interfaces of strictTools.
//
//go:embed strict.json
var strictDocument []byte

// service is the server with the files and the index that the flags select.
type service struct {
	root      *security.Root
	chunks    *chunking.Chunks
	parsers   *source.Parsers
	db        *sqlite.DB
	graph     graph.Graph       // nil without -graph
	servers   *references       // language servers; nil without -language-servers
	swift     *swiftSymbols     // the Swift language server; nil if it is not installed
	rest      *source.Parsers   // finds imports and calls of Swift files, which the Swift server does not list; or nil
	editors   []adapter.Adapter // running editors, whose unsaved text the tools read
	detach    func()            // ends the use of editors; nil without them
	server    *mcp.Server
	installed *tools.Installation
	kept      string // path of the index: a directory of JSON files, or the database; or the name of an added store
	temporary string // directory of a database that is removed by close; empty for none
}

// attachEditors makes the tools read unsaved text in VS Code, Neovim and Emacs, and change open documents through these editors.
func (s *service) attachEditors(log *slog.Logger) {
	dirs := s.root.Dirs()
	s.editors = []adapter.Adapter{
		vscode.New(vscode.Options{Root: dirs[0], Dirs: dirs[1:], Name: "chunks", Version: version, Log: log}),
		neovim.New(neovim.Options{Root: dirs[0], Dirs: dirs[1:], Name: "chunks", Log: log}),
		emacs.New(emacs.Options{Log: log}),
	}
	s.detach = editor.Attach(s.root, log, s.editors...)
}

// purpose is the use for which a service is opened.
type purpose struct {
	log        *slog.Logger
	limits     tools.Limits
	serves     bool                 // true for a server, which with -watch follows changes of files
	tasks      protocol.TaskRunner  // runs calls as tasks; nil disables tasks
	structured mcp.StructuredPolicy // value of -structured; empty for commands without clients
	audit      *audit.Log           // records changes; nil for no record
}

// openService opens the project and the tools. The caller closes the service.
func openService(ctx context.Context, o *options, p purpose) (_ *service, err error) {
	s := new(service)
	defer func() {
		if err != nil {
			err = errors.Join(err, s.close(context.WithoutCancel(ctx)))
		}
	}()
	if err := o.check(); err != nil {
		return nil, err
	}
	s.root, err = security.OpenRoot(security.RootOptions{Dirs: o.dirs(), ReadOnly: o.readOnly, RemovedInState: true, Audit: p.audit, Logger: p.log, Blocked: security.DefaultBlocked()})
	if err != nil {
		return nil, err
	}
	if p.serves {
		s.attachEditors(p.log)
	}
	chosen, err := o.choose(ctx, s, p.log)
	if err != nil {
		return nil, err
	}
	if p.serves && o.store == storeJSON && o.data == "" && !chosen.InMemory {
		store, err := index.NewJSONStore(s.root, index.JSONOptions{Log: p.log})
		if err != nil {
			p.log.WarnContext(ctx, "the index is kept in memory and not saved; -data or -store sqlite keep it elsewhere", "error", err)
			chosen.InMemory = true
		} else {
			chosen.Store = store
		}
	}
	if open := o.extended.Stores[o.store]; open != nil {
		if chosen.Store, err = open(ctx, s.root, p.log); err != nil {
			return nil, fmt.Errorf("open the store %s: %w", o.store, err)
		}
		s.kept = "the store " + o.store
	}
	chosen.Watch = o.watch && p.serves
	chosen.ShortLists = o.profile != profileStrict
	chosen.Outlines = chosen.ShortLists
	if o.profile == profileStrict { // the specification has no way to continue a long answer
		p.limits.Answer = p.limits.WithDefaults().MaxAnswer
	}
	s.chunks, err = chunking.New(ctx, tools.Env{Root: s.root, Log: p.log, Audit: p.audit, Limits: p.limits}, chosen)
	if err != nil {
		return nil, o.storeAdvice(err)
	}
	text := instructions
	if o.profile == profileStrict {
		text = strictInstructions
	}
	s.server = mcp.NewServer(mcp.Implementation{
		Name: "chunks", Title: "Chunks", Version: version, Description: "Finds, reads and replaces single functions in more than thirty languages.",
	}, &mcp.ServerOptions{Instructions: text, Log: p.log, Tasks: p.tasks, Authorize: auth.Authorize, Structured: p.structured})
	s.server.Use(auth.RequireRead)
	profile := tools.Profile{ReadOnly: o.readOnly, OtherSpelling: true, NoOutputSchemas: !o.outputSchemas}
	if o.profile == profileStrict {
		own, err := strict.Parse(strictDocument)
		if err != nil {
			return nil, err
		}
		profile.Allow, profile.Adapt = strictTools(), own.Adapt
	}
	s.installed, err = tools.Install(s.server, "chunks", profile, s.chunks)
	return s, err
}

// choose returns the options of the tools. It opens the parsers, the language servers and the
// database that the flags select, and stores them in s.
func (o *options) choose(ctx context.Context, s *service, log *slog.Logger) (chunking.Options, error) {
	chosen := chunking.Options{Data: o.data}
	first := o.parsers() // parsers that are tried before the built-in ones, in this order
	if o.sourceKitten != "" {
		first = append(first, sourcekitten.New(sourcekitten.Options{Program: o.sourceKitten}))
	}
	grammars, _ := s.root.CacheDir("grammars")
	if o.servers {
		servers := languageServers(s.root, o.trusted, log)
		s.servers, chosen.References = &servers, servers
		if program := swiftServer(s.root); program != "" {
			var err error
			if s.swift, err = openSwiftSymbols(s.root, program, log); err != nil {
				return chosen, err
			}
			s.rest = builtin.Parsers(builtin.Options{CacheDir: grammars, Precise: o.precise})
			first = append(first, symbols.New(symbols.Options{List: s.swift.list, Languages: []source.Language{source.Swift}, Rest: s.rest}))
		}
	}
	s.parsers = builtin.Parsers(builtin.Options{CacheDir: grammars, First: first, Precise: o.precise})
	chosen.Parsers = s.parsers
	for name := range strings.SplitSeq(o.languages, ",") {
		if name = strings.TrimSpace(name); name == "" {
			continue
		}
		lang, _ := o.language(name)
		chosen.Languages = append(chosen.Languages, lang)
	}
	chosen.InMemory = o.store == storeMemory
	if o.data == "" && o.store == storeJSON && !projectfile.Accepts(s.root.Dirs()[0]) {
		chosen.InMemory = true // the directory is no project
	}
	s.kept = cmp.Or(o.data, index.DefaultDir)
	if o.store != storeSQLite && !o.graph {
		return chosen, nil
	}
	dir, ok := s.root.ProjectCacheDir("chunks")
	if !ok {
		return chosen, errors.New("there is no cache directory for the database outside of what tools can write to; leave out -store sqlite and -graph")
	}
	file := filepath.Join(dir, "chunks.db")
	var err error
	if s.db, err = sqlite.Open(ctx, file); err != nil && ctx.Err() == nil {
		log.WarnContext(ctx, "the database cannot be kept in the cache directory, so it ends with this server", "error", err)
		if s.temporary, err = os.MkdirTemp("", "dougu-chunks-"); err == nil {
			file = filepath.Join(s.temporary, filepath.Base(file))
			s.db, err = sqlite.Open(ctx, file)
		}
	}
	if err != nil {
		return chosen, fmt.Errorf("%w; leave out -store sqlite and -graph to do without a database", err)
	}
	if o.store == storeSQLite {
		chosen.Store, s.kept = s.db.Store(), file
	}
	if o.graph {
		s.graph = s.db.Graph()
		chosen.Graph = s.graph
	}
	return chosen, nil
}

// close waits for running calls and closes all parts.
func (s *service) close(ctx context.Context) error {
	var failed []error
	if s.detach != nil {
		s.detach()
	}
	for _, a := range s.editors {
		failed = append(failed, a.Close(ctx))
	}
	switch {
	case s.installed != nil:
		failed = append(failed, s.installed.Close(ctx))
	case s.chunks != nil:
		failed = append(failed, s.chunks.Close(ctx))
	}
	if s.parsers != nil {
		failed = append(failed, s.parsers.Close())
	}
	if s.rest != nil {
		failed = append(failed, s.rest.Close())
	}
	if s.swift != nil {
		failed = append(failed, s.swift.close(ctx))
	}
	if s.servers != nil {
		failed = append(failed, s.servers.Close(ctx))
	}
	if s.db != nil {
		failed = append(failed, s.db.Close())
	}
	if s.temporary != "" {
		failed = append(failed, os.RemoveAll(s.temporary))
	}
	if s.root != nil {
		failed = append(failed, s.root.Close())
	}
	return errors.Join(failed...)
}
