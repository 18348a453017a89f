package search

import (
	"context"
	"errors"
	"fmt"
	"hash/maphash"
	"log/slog"
	"runtime"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"github.com/hashicorp/go-multierror"

	"github.com/dougu-go/dougu/internal/group"
	"github.com/dougu-go/dougu/mcp"
	"github.com/dougu-go/dougu/security"
	"github.com/dougu-go/dougu/security/audit"
	"github.com/dougu-go/dougu/security/ratelimit"
	"github.com/dougu-go/dougu/tools"
	"github.com/dougu-go/dougu/tools/internal/unsaved"
	"github.com/dougu-go/dougu/tools/search/embed"
	"github.com/dougu-go/dougu/tools/search/plugin"
	"github.com/dougu-go/dougu/tools/source"
	"github.com/dougu-go/dougu/tools/source/builtin"

	"golang.org/x/sync/semaphore"
)

// Options configure a Search. The zero value has no plugins: only getProjectContext works, without issues.
type Options struct {
	// Plugins are the sources, with distinct names: any number with documents, at most one with issues. Search.Close closes
	// them. If New fails, they remain open.
	Plugins []plugin.Plugin
	// Project sets fields of the project in getProjectContext. Empty fields are read from manifests: package.json, go.mod and
	// others.
	Project Project
	// NoGit disables git: no git process is started, and getProjectContext has no git state.
	NoGit bool
	// GitMaxAge is the age up to which getProjectContext returns a cached git state. Reading it starts several processes.
	// Default 1 s; negative disables the cache.
	GitMaxAge time.Duration
	// Parsers parse files that are not indexed or have changed. nil means builtin.Parsers, which Search.Close closes; others
	// are closed by the caller.
	Parsers *source.Parsers
	// Embedding enables semantic search. nil means search by words only.
	Embedding *Embedding
	// Ignore are patterns in .gitignore syntax for files that are not searched while there is no index. Pass the patterns that
	// the plugin uses.
	Ignore []string
	// LiveScanTimeout limits the time for reading files without an index in one query. The parsing of matching files, which
	// follows, is limited to another half of this time. Default 1.2 s, because indexing uses the processors at the same time.
	LiveScanTimeout time.Duration
	// Timeout limits each call of a plugin. Default 30 s.
	Timeout time.Duration
	// Concurrency is the maximum number of running calls of searchDocuments and findSimilarCode. Default 4 per processor. Up to
	// eight times as many calls wait for up to two seconds and then fail with RATE_LIMITED. More calls fail at once.
	Concurrency int
	// NoIssues is the error of issue tools without an issue plugin. It can name the missing setting. nil means an error that
	// asks to enable the plugin github.
	NoIssues error
	// Breaker configures the circuit breakers of the plugins.
	Breaker BreakerOptions
	// Cache limits the cache of search results.
	Cache CacheOptions
	// CompactResults shortens the results of searchDocuments: after the first result the next two have up to 6 lines and all
	// others up to 2, and the text has no scores, no search time, and no signature above lines of code. Default: up to 8 lines of
	// every result but the first.
	CompactResults bool
	// CreationsPerMinute limits the createIssue calls of all callers, without dry runs. Default 5; negative means no limit.
	CreationsPerMinute int
}

func (o Options) withDefaults() Options {
	if o.Timeout <= 0 {
		o.Timeout = 30 * time.Second
	}
	if o.LiveScanTimeout <= 0 {
		o.LiveScanTimeout = 1200 * time.Millisecond
	}
	if o.GitMaxAge == 0 {
		o.GitMaxAge = time.Second
	}
	if o.Concurrency <= 0 {
		o.Concurrency = 4 * runtime.GOMAXPROCS(0)
	}
	if o.CreationsPerMinute == 0 {
		o.CreationsPerMinute = 5
	}
	return o
}

// Search is the tool set. It implements tools.Set. It is safe for concurrent use.
type Search struct {
	root             *security.Root
	limits           tools.Limits
	log              *slog.Logger
	audit            *audit.Log
	options          Options
	own              *source.Parsers // default parsers, closed with the set
	documents        []*documents
	issues           *issues // nil without an issue plugin
	embeddingGuard   *guard  // limits and rejects calls of Options.Embedding, as the guards of plugins do
	cache            *cache
	creations        ratelimit.Limiter[string]
	creationAttempts atomic.Uint64 // number of real createIssue calls
	subscribed       subscribers   // of Updated
	refreshing       refreshing
	unsaved          unsaved.Tracker // unsaved texts in the indexes
	generatedFiles   generatedCache
	git              gitCache
	limiter          *concurrencyLimiter
	seed             maphash.Seed // hashes the texts that cached results depend on
	features         mcp.Features

	life  context.Context // ends with the set
	end   context.CancelFunc
	work  group.Group
	stops []func() // unsubscribe from the plugins
}

// documents is a plugin with an index, its guard and its embeddings. A guard limits the time of calls and rejects calls with
// CIRCUIT_OPEN after repeated failures.
type documents struct {
	plugin.Documents
	*guard
	external  plugin.External // the plugin if its documents are not files of the project; nil otherwise
	corpus    *embed.Corpus   // nil without Options.Embedding
	repairing atomic.Bool     // whether the index has failed and is being repaired
}

// owns reports whether the plugin is external and has the path: such paths begin with its name.
func (d *documents) owns(path string) bool {
	return d.external != nil && (path == d.name+":" || strings.HasPrefix(path, d.name+":/"))
}

// owners returns the plugins to which a path can belong: an external one, or all that have files of the project.
func (s *Search) owners(path string) []*documents {
	var files []*documents
	for _, d := range s.documents {
		if d.owns(path) {
			return []*documents{d}
		}
		if d.external == nil {
			files = append(files, d)
		}
	}
	return files
}

// external reports whether a path belongs to a plugin whose documents are not files of the project.
func (s *Search) external(path string) bool {
	return slices.ContainsFunc(s.documents, func(d *documents) bool { return d.owns(path) })
}

// issues is the plugin with issues and its guard.
type issues struct {
	plugin.Issues
	*guard
}

// New returns the tool set. env.Root is required and remains owned by the caller. The error lists all problems of the options;
// the plugins remain open then.
func New(env tools.Env, o Options) (*Search, error) {
	if env.Root == nil {
		return nil, errors.New("making the search tools: the environment has no root")
	}
	s := &Search{
		root: env.Root, limits: env.Limits.WithDefaults(), log: env.Logger(), audit: env.Audit, options: o.withDefaults(),
		cache: newCache(o.Cache), git: gitCache{lock: semaphore.NewWeighted(1)},
	}
	s.seed = maphash.MakeSeed()
	s.limiter = newConcurrencyLimiter(s.options.Concurrency)
	s.embeddingGuard = newGuard("semantic", codeIndexUnavailable, s.options.Timeout, s.options.Breaker)
	plugins := s.enable(o.Plugins)
	defined, definition := s.define()
	defined.Tools = env.WithNotices(defined.Tools...)
	if err := multierror.Append(nil, plugins, o.Embedding.check(), definition).ErrorOrNil(); err != nil {
		return nil, fmt.Errorf("making the search tools: %w", err)
	}
	if s.options.Parsers == nil {
		grammars, _ := env.Root.CacheDir("grammars")
		s.own = builtin.Parsers(builtin.Options{CacheDir: grammars})
		s.options.Parsers = s.own
	}
	s.life, s.end = context.WithCancel(context.Background())
	s.work.OnPanic = func(value any, stack []byte) {
		s.log.Error("a background task of the search tools panicked", slog.Any("panic", value), slog.String("stack", string(stack)))
	}
	s.features = defined
	for _, d := range s.documents {
		s.openCorpus(d)
		s.stops = append(s.stops, d.Changed(func(paths []string) { s.changed(d, paths) }))
	}
	return s, nil
}

// enable assigns the plugins to documents and issues by the interfaces that they implement.
func (s *Search) enable(plugins []plugin.Plugin) error {
	var problems *multierror.Error
	names := make(map[string]bool)
	for _, p := range plugins {
		if p == nil {
			problems = multierror.Append(problems, errors.New("a plugin is nil"))
			continue
		}
		name := p.Name()
		if name == "" || names[name] {
			problems = multierror.Append(problems, fmt.Errorf("the plugin name %q is empty or duplicate", name))
		}
		names[name] = true
		d, hasDocuments := p.(plugin.Documents)
		i, hasIssues := p.(plugin.Issues)
		if hasDocuments {
			external, _ := p.(plugin.External)
			s.documents = append(s.documents, &documents{Documents: d, external: external, guard: newGuard(name, codeIndexUnavailable, s.options.Timeout, s.options.Breaker)})
		}
		switch {
		case hasIssues && s.issues != nil:
			problems = multierror.Append(problems, fmt.Errorf("the plugins %s and %s both have issues", s.issues.name, name))
		case hasIssues:
			s.issues = &issues{i, newGuard(name, codeIssuesUnavailable, s.options.Timeout, s.options.Breaker)}
		case !hasDocuments:
			problems = multierror.Append(problems, fmt.Errorf("the plugin %s has neither documents nor issues", name))
		}
	}
	return problems.ErrorOrNil()
}

// Features implements tools.Set.
func (s *Search) Features() mcp.Features { return s.features }

// Close implements tools.Set. It stops background work, then closes the embeddings, the plugins and the default parsers.
func (s *Search) Close(ctx context.Context) error {
	s.end()
	for _, stop := range s.stops {
		stop()
	}
	s.work.Wait()
	var failed *multierror.Error
	for _, d := range s.documents {
		if d.corpus != nil {
			if err := d.corpus.Close(ctx); err != nil {
				failed = multierror.Append(failed, err)
			}
		}
	}
	for _, p := range s.options.Plugins {
		if err := p.Close(ctx); err != nil {
			failed = multierror.Append(failed, fmt.Errorf("closing the plugin %s: %w", p.Name(), err))
		}
	}
	if s.own != nil {
		if err := s.own.Close(); err != nil {
			failed = multierror.Append(failed, err)
		}
	}
	return failed.ErrorOrNil()
}
