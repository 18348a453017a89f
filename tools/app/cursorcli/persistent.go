package cursorcli

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"os"
	"slices"

	"github.com/dougu-go/dougu/mcp"
	"github.com/dougu-go/dougu/security"
	"github.com/dougu-go/dougu/security/sandbox"
	"github.com/dougu-go/dougu/tools"
	"github.com/dougu-go/dougu/tools/app"
	"github.com/dougu-go/dougu/tools/app/internal/agentservice"
	"github.com/dougu-go/dougu/tools/app/internal/commandsandbox"
	"github.com/dougu-go/dougu/tools/app/internal/searchservice"
	"github.com/dougu-go/dougu/tools/chunking"
	"github.com/dougu-go/dougu/tools/command"
	"github.com/dougu-go/dougu/tools/editor/adapter"
	"github.com/dougu-go/dougu/tools/editor/syntax"
	"github.com/dougu-go/dougu/tools/git"
	"github.com/dougu-go/dougu/tools/search"
	"github.com/dougu-go/dougu/tools/source"
	"github.com/dougu-go/dougu/tools/source/builtin"
	"github.com/dougu-go/dougu/tools/terminal"
)

// persistent holds the tool sets that survive a change of the settings. They run processes, agents and indexes, so a change
// of the settings must not close them. They use the directories that were allowed at the
// start, and have their own time limits.
type persistent struct {
	sets []tools.Set
	// closers release what the sets use, in reverse order.
	closers      []func(context.Context) error
	instructions []string
	// extensions are the protocol extensions that the sets need.
	extensions map[string]json.RawMessage
	// root is nil if the profile has no persistent sets.
	root *security.Root
	// search is nil if the profile does not search.
	search    *search.Search
	installed *tools.Installation
	// sandbox and syntax are nil if the profile starts no programs.
	sandbox *sandbox.Sandbox
	syntax  adapter.SyntaxChecker
	parsers *source.Parsers // of the symbol tools; nil without the flag -symbols
}

// searches reports whether the profile has search tools. Every profile with persistent sets
// has them.
func (v *service) searches() bool {
	return slices.Contains([]string{profileCoding, profileBeside, profileOrchestrator, profileAll}, v.options.profile)
}

// runsAgents reports whether the profile has tools that run agents.
func (v *service) runsAgents() bool {
	return v.searches() && !slices.Contains([]string{profileCoding, profileBeside}, v.options.profile) && !v.options.readOnly
}

// startsPrograms reports whether the profile has tools that start commands or language servers.
func (v *service) startsPrograms() bool {
	return slices.Contains([]string{profileEditor, profileCoding, profileBeside, profileAll}, v.options.profile)
}

// openPersistent opens the sandbox and the persistent sets of the profile. A failed search is
// logged and left out.
func (v *service) openPersistent(ctx context.Context, c Config) error {
	if !v.searches() && !v.startsPrograms() {
		return nil
	}
	root, err := v.openRoot(c)
	if err != nil {
		return err
	}
	l := &v.persistent
	l.closers = append(l.closers, func(context.Context) error { return root.Close() })
	l.root = root
	env := tools.Env{Root: root, Log: v.logging.log, Seen: v.seen, Limits: tools.Limits{MaxFile: c.Tools.FileOperations.MaxFileSize}, Audit: v.options.start.Audit}
	if v.startsPrograms() {
		if err := v.openSandbox(ctx, root, c); err != nil {
			return err
		}
		cache, _ := root.CacheDir("grammars")
		grammars := v.newParsers(cache, true)
		l.syntax = syntax.New(syntax.FromSource(grammars))
		l.closers = append(l.closers, func(context.Context) error { return grammars.Close() })
		if v.options.symbols {
			l.parsers = v.newParsers(cache, false)
			l.closers = append(l.closers, func(context.Context) error { return l.parsers.Close() })
		}
	}
	if !v.searches() {
		return nil
	}
	if v.options.profile != profileOrchestrator {
		data, ok := root.ProjectCacheDir("index")
		ok = ok && os.MkdirAll(data, 0o700) == nil // without a cache the index ends with the server
		cache, _ := root.CacheDir("grammars")
		parsers := v.newParsers(cache, false)
		l.closers = append(l.closers, func(context.Context) error { return parsers.Close() })
		chunks, err := chunking.New(ctx, env, chunking.Options{Parsers: parsers, Watch: v.serves, Data: data, InMemory: !ok, AnalyzeOnDemand: true, ShortLists: true, Outlines: true})
		if err != nil {
			return err
		}
		l.sets = append(l.sets, chunks)
		repository, err := git.New(ctx, env, git.Options{})
		if err != nil {
			return err
		}
		l.sets = append(l.sets, repository)
		if !v.options.readOnly {
			commands, err := terminal.New(ctx, env, terminal.Options{Policy: &command.Policy{Dirs: root.Dirs()}, Sandbox: l.sandbox, Offers: v.offers})
			if err != nil {
				return err
			}
			l.sets = append(l.sets, commands)
		}
	}
	if err := v.openSearch(ctx, root); err != nil {
		// A wrong settings file of the project must not disable the other tools.
		v.logging.log.Error("the search tools are not available", slog.Any("error", err))
	}
	return v.openAgents(ctx)
}

// openSandbox opens the sandbox for commands, language servers and formatters.
func (v *service) openSandbox(ctx context.Context, root *security.Root, c Config) (err error) {
	l := &v.persistent
	own := commandsandbox.Files{
		Hidden:    []string{absolute(v.at.project(), c.Logging.LogFile) + "*"}, // older files have a longer name
		Protected: []string{v.options.statsFile, v.options.pricesFile},
	}
	if audit := v.options.start.AuditFile; audit != "" {
		own.Hidden = append(own.Hidden, audit+"*")
	}
	if l.sandbox, err = v.options.sandbox.Open(ctx, root, v.options.helper, own, v.logging.log); err != nil {
		return err
	}
	l.closers = append(l.closers, func(context.Context) error { return l.sandbox.Close() })
	return nil
}

// searchOptions returns the options of the search service.
func (v *service) searchOptions() *searchservice.Options {
	o := searchservice.NewOptions(version, v.options.environ)
	o.Directory, o.Program, o.Parsers = v.at.project(), programName, v.options.parsers
	return o
}

// newParsers returns the additional parsers and the built-in ones. cacheDir is the directory of compiled grammars.
func (v *service) newParsers(cacheDir string, precise bool) *source.Parsers {
	o := builtin.Options{CacheDir: cacheDir, Precise: precise}
	if v.options.parsers != nil {
		o.First = v.options.parsers()
	}
	return builtin.Parsers(o)
}

// agentOptions returns the options of the agent service.
func (v *service) agentOptions() *agentservice.Options {
	o := agentservice.NewOptions(version, func() []string { return agentservice.Inherit(v.options.environ()) }, v.options.executors)
	o.Directory, o.Program, o.Args = v.at.project(), programName, []string{"-profile", v.options.profile}
	return o
}

// serviceSettings returns the project settings of the services of the profile.
func (v *service) serviceSettings(ctx context.Context) ([]app.ProjectSettings, error) {
	var all []app.ProjectSettings
	if v.searches() {
		if settings, err := v.searchOptions().ProjectSettings(ctx); err == nil { // on an error the search tools are left out
			all = append(all, settings...)
		}
	}
	if v.runsAgents() {
		settings, err := v.agentOptions().ProjectSettings(ctx)
		if err != nil {
			return nil, err
		}
		all = append(all, settings...)
	}
	return all, nil
}

// openSearch opens the search service, which has its own settings file.
func (v *service) openSearch(ctx context.Context, root *security.Root) error {
	s, err := searchservice.Open(ctx, v.searchOptions(), searchservice.Purpose{Log: v.logging.log, Stderr: v.stderr, Serves: v.serves, Root: root, CompactResults: true})
	if err != nil {
		return err
	}
	v.persistent.search = s.Set()
	v.persistent.add(s.Set(), s.Close, s.Instructions())
	return nil
}

// openAgents opens the agent service, which has its own settings file.
func (v *service) openAgents(ctx context.Context) error {
	if !v.runsAgents() {
		return nil
	}
	s, err := agentservice.Open(ctx, v.agentOptions(), agentservice.Purpose{Log: v.logging.log, Stderr: v.stderr, Serves: v.serves, Token: v.options.start.Token, NoToken: v.options.start.NoToken, Structured: v.options.start.Structured})
	if err != nil {
		return err
	}
	v.persistent.add(s.Set(), s.Close, s.Instructions())
	v.persistent.extensions = s.Extensions()
	return nil
}

// defaultDocuments is the default of the argument limit of searchDocuments. The default of package search is that of the
// specification of cqm, 20, which costs a model about twice as much.
const defaultDocuments = 8

// add adds the tool set of a service. end closes the service.
func (l *persistent) add(set tools.Set, end func(context.Context) error, instructions string) {
	l.sets = append(l.sets, set)
	l.closers = append(l.closers, end)
	l.instructions = append(l.instructions, instructions)
}

// install registers the allowed tools of the persistent sets with the profile p, without
// its timeout. Later calls update the registration.
func (l *persistent) install(s *mcp.Server, p tools.Profile, allowed []string) (err error) {
	if len(l.sets) == 0 {
		return nil
	}
	p.Allow, p.Timeout = allowed, 0
	if slices.Contains(allowed, "searchDocuments") {
		p.Defaults = map[string]map[string]any{"searchDocuments": {"limit": defaultDocuments}}
	}
	if l.installed == nil {
		if l.installed, err = tools.Install(s, "cursorcli-lasting", p, l.sets...); err != nil {
			l.installed = nil
			return err
		}
		if l.search != nil {
			stop := l.search.Updated(s.ResourceUpdated)
			l.closers = append(l.closers, func(context.Context) error { stop(); return nil })
		}
		return nil
	}
	return l.installed.Update(p, l.sets...)
}

// close closes the sets and services in reverse order. It waits for running calls.
func (l *persistent) close(ctx context.Context) error {
	var failed []error
	if l.installed != nil {
		failed = append(failed, l.installed.Close(ctx))
	} else {
		for _, set := range slices.Backward(l.sets) {
			failed = append(failed, set.Close(ctx))
		}
	}
	for _, end := range slices.Backward(l.closers) {
		failed = append(failed, end(ctx))
	}
	return errors.Join(failed...)
}

// noteChange logs a warning for each changed setting that the persistent sets do not
// follow.
func (v *service) noteChange(changed []string) {
	if len(v.persistent.sets) == 0 {
		return
	}
	for _, key := range changed {
		if slices.Contains([]string{"tools.fileOperations.allowedDirectories", "tools.fileOperations.blockedPatterns", "tools.fileOperations.maxFileSize", "security.enforceProjectRoot"}, key) {
			v.logging.log.Warn("tools for commands, chunks, searches and agents follow this setting when the server is started again", slog.String("setting", key))
		}
	}
}
