package search

import (
	"context"
	"errors"
	"fmt"
	"hash/maphash"
	"log/slog"
	"runtime"
	"sync/atomic"
	"time"

	"github.com/hashicorp/go-multierror"

	"github.com/dougu-go/dougu/internal/group"
	"github.com/dougu-go/dougu/mcp"
	"github.com/dougu-go/dougu/security"
	"github.com/dougu-go/dougu/security/audit"
	"github.com/dougu-go/dougu/security/ratelimit"
	"github.com/dougu-go/dougu/tools"
	"github.com/dougu-go/dougu/tools/search/embed"
	"github.com/dougu-go/dougu/tools/search/plugin"
	"github.com/dougu-go/dougu/tools/source"
	"github.com/dougu-go/dougu/tools/source/builtin"

	"golang.org/x/sync/semaphore"
)

// Options say what is searched. The zero value finds nothing, since it has no plugins, but tells of the project and of git.
type Options struct {
	// Plugins are the sources, of different names: any number with documents, at most one with issues. They are closed with the
	// set; when New fails they stay the caller's.
	Plugins []plugin.Plugin
	// Project is what getProjectContext says of the project. What is empty is taken from its manifest: package.json, go.mod …
	Project Project
	// NoGit leaves git alone.
	NoGit bool
	// GitAge is how old what git has said may be when getProjectContext is called: many ask at once, and each asking starts
	// processes. Default 1 s; negative: git is asked for every call.
	GitAge time.Duration
	// Parsers cut files that are not indexed, or have changed since. nil is builtin.Parsers, closed with the set; others stay the
	// caller's.
	Parsers *source.Parsers
	// Embedding finds documents by meaning as well; nil: by words alone.
	Embedding *Embedding
	// Ignore are patterns, in the syntax of .gitignore, of files that are not searched while there is no index of them yet: those
	// that the plugin was given.
	Ignore []string
	// LiveTime bounds how long such files are looked through for one question; half as long those that fit are then cut. Default
	// 1.2 s: the processors are busy, since an index is being built.
	LiveTime time.Duration
	// Timeout bounds a call of a plugin. Default 30 s.
	Timeout time.Duration
	// Concurrency is how many calls of searchDocuments and findSimilarCode work at once. Default 4 for each processor. Others wait, as
	// many as eight times that, two seconds at most; more are refused with RATE_LIMITED: come back later.
	Concurrency int
	// NoIssues is the error of calls that need a plugin with issues, while there is none: the setting that the plugin lacks, and how to set
	// it. nil: an error that tells to enable the plugin github.
	NoIssues error
	// Breaker says when a plugin that fails is left alone, Cache what is kept of answers.
	Breaker BreakerOptions
	Cache   CacheOptions
	// CreationsPerMinute bounds how often createIssue is called in earnest, by all callers. Default 5; negative: no bound.
	CreationsPerMinute int
}

func (o Options) withDefaults() Options {
	if o.Timeout <= 0 {
		o.Timeout = 30 * time.Second
	}
	if o.LiveTime <= 0 {
		o.LiveTime = 1200 * time.Millisecond
	}
	if o.GitAge == 0 {
		o.GitAge = time.Second
	}
	if o.Concurrency <= 0 {
		o.Concurrency = 4 * runtime.GOMAXPROCS(0)
	}
	if o.CreationsPerMinute == 0 {
		o.CreationsPerMinute = 5
	}
	return o
}

// Search is the set of tools that find things in the project. Its methods may be called from several goroutines at once.
type Search struct {
	root       *security.Root
	limits     tools.Limits
	log        *slog.Logger
	audit      *audit.Log
	options    Options
	own        *source.Parsers // closed with the set
	documents  []*documents
	issues     *issues // nil without
	meaning    *guard  // of Options.Embedding
	cache      *cache
	creations  ratelimit.Limiter[string]
	made       atomic.Uint64 // attempts to make issues
	subscribed subscribers
	renewing   renewing
	judged     judgments
	git        gitMoments
	turns      *turns
	seed       maphash.Seed // of the texts that answers are from
	features   mcp.Features

	life  context.Context // ends with the set
	end   context.CancelFunc
	work  group.Group
	stops []func() // end the watching of plugins
}

// documents is a plugin with documents and what stands before it.
type documents struct {
	plugin.Documents
	*guard
	meant   *embed.Corpus // nil without Options.Embedding
	damaged atomic.Bool   // the index has failed and is being repaired
}

// issues is the plugin with issues and what stands before it.
type issues struct {
	plugin.Issues
	*guard
}

// New makes the set. The environment needs a Root, which stays the caller's to close.
func New(env tools.Env, o Options) (*Search, error) {
	if env.Root == nil {
		return nil, errors.New("making the search tools: the environment has no root")
	}
	s := &Search{
		root: env.Root, limits: env.Limits.WithDefaults(), log: env.Logger(), audit: env.Audit, options: o.withDefaults(),
		cache: newCache(o.Cache), git: gitMoments{turn: semaphore.NewWeighted(1)},
	}
	s.seed = maphash.MakeSeed()
	s.turns = newTurns(s.options.Concurrency)
	s.meaning = newGuard("semantic", codeIndexUnavailable, s.options.Timeout, s.options.Breaker)
	defined, definition := s.define()
	if err := multierror.Append(nil, s.enable(o.Plugins), o.Embedding.check(), definition).ErrorOrNil(); err != nil {
		return nil, fmt.Errorf("making the search tools: %w", err)
	}
	if s.options.Parsers == nil {
		grammars, _ := env.Root.CacheDir("grammars")
		s.own = builtin.Parsers(builtin.Options{CacheDir: grammars})
		s.options.Parsers = s.own
	}
	s.life, s.end = context.WithCancel(context.Background())
	s.work.OnPanic = func(value any, stack []byte) {
		s.log.Error("a background task of the search tools ended", slog.Any("panic", value), slog.String("stack", string(stack)))
	}
	s.features = defined
	for _, d := range s.documents {
		s.learn(d)
		s.stops = append(s.stops, d.Changed(func(paths []string) { s.changed(d, paths) }))
	}
	return s, nil
}

// enable sorts the plugins by what they can do.
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
			problems = multierror.Append(problems, fmt.Errorf("the name %q of a plugin is empty or taken", name))
		}
		names[name] = true
		d, hasDocuments := p.(plugin.Documents)
		i, hasIssues := p.(plugin.Issues)
		if hasDocuments {
			s.documents = append(s.documents, &documents{Documents: d, guard: newGuard(name, codeIndexUnavailable, s.options.Timeout, s.options.Breaker)})
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

// Close implements tools.Set: it ends what runs, and closes the plugins and the built-in parsers.
func (s *Search) Close(ctx context.Context) error {
	s.end()
	for _, stop := range s.stops {
		stop()
	}
	s.work.Wait()
	var failed *multierror.Error
	for _, d := range s.documents {
		if d.meant != nil {
			if err := d.meant.Close(ctx); err != nil {
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
