package searchservice

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/dougu-go/dougu/mcp"
	"github.com/dougu-go/dougu/mcp/protocol"
	"github.com/dougu-go/dougu/security"
	"github.com/dougu-go/dougu/tools"
	"github.com/dougu-go/dougu/tools/internal/git"
	"github.com/dougu-go/dougu/tools/search"
	"github.com/dougu-go/dougu/tools/search/filesystem"
	"github.com/dougu-go/dougu/tools/search/github"
	"github.com/dougu-go/dougu/tools/search/index"
	"github.com/dougu-go/dougu/tools/search/plugin"
	"github.com/dougu-go/dougu/tools/search/segment"
	"github.com/dougu-go/dougu/tools/source"
	"github.com/dougu-go/dougu/tools/source/builtin"
)

// Service is the search with the plugins that the settings enable.
type Service struct {
	loaded  *Loaded
	log     *slog.Logger
	logging *logging
	root    *security.Root
	parsers *source.Parsers
	files   *filesystem.Filesystem // nil if the plugin is not enabled
	set     *search.Search
	plugins []plugin.Plugin
	kept    string // directory of the index; "" if it is in memory
	unkept  error  // error of the default index directory, because of which the index is in memory; or nil

	temporary string // directory of the vectors of an index in memory, set by embedding and removed by Close; or ""
}

// Purpose describes the use for which a Service is opened.
type Purpose struct {
	// Log receives all messages. Default: the log of the settings.
	Log *slog.Logger
	// Stderr is standard error of the program.
	Stderr io.Writer
	// Person is true for a command of a user, which logs only warnings and errors.
	Person bool
	// Serves is true for a server: it watches files, writes the log file and sends alerts.
	Serves bool
	// Root has the files to search. Default: the directory of the project, read-only.
	Root *security.Root
	// Tasks runs calls as tasks. nil disables tasks.
	Tasks protocol.TaskRunner
	// Structured decides which clients receive structured content. Default: all.
	Structured mcp.StructuredPolicy
	// CompactResults shortens results; see search.Options.
	CompactResults bool
}

// Open loads the settings and opens the parts that they enable. The caller must call Close on the
// Service.
func Open(ctx context.Context, o *Options, p Purpose) (_ *Service, err error) {
	s := new(Service)
	defer func() {
		if err != nil {
			err = errors.Join(err, s.Close(context.WithoutCancel(ctx)))
		}
	}()
	if s.loaded, err = o.Load(); err != nil {
		return nil, fmt.Errorf("invalid settings:\n%w", err)
	}
	if s.log = p.Log; s.log == nil {
		if s.logging, err = openLogging(s.loaded.Config, p); err != nil {
			return nil, err
		}
		s.log = s.logging.log
	}
	if p.Serves {
		for _, warning := range s.loaded.Warnings {
			s.log.Warn(warning)
		}
	}
	if p.Serves || p.Person {
		o.projectSettings(s.loaded).Warn(s.log, cmp.Or(o.Program, "cqm"))
	}
	root := p.Root
	if root == nil {
		// Nothing of this server writes to a project.
		if s.root, err = security.OpenRoot(security.RootOptions{Dirs: []string{o.Project()}, ReadOnly: true, Logger: s.log, Blocked: security.DefaultBlocked()}); err != nil {
			return nil, err
		}
		root = s.root
	}
	grammars, _ := root.CacheDir("grammars")
	var first []source.Parser
	if o.Parsers != nil {
		first = o.Parsers()
	}
	s.parsers = builtin.Parsers(builtin.Options{CacheDir: grammars, First: first})
	env := tools.Env{Root: root, Log: s.log}
	if err := s.openFiles(ctx, env, p); err != nil {
		return nil, err
	}
	if err := s.openGitHub(ctx, root); err != nil {
		return nil, err
	}
	embedding, err := s.embedding()
	if err != nil {
		return nil, err
	}
	s.set, err = search.New(env, search.Options{
		Plugins: s.plugins, Parsers: s.parsers, Timeout: milliseconds(s.loaded.Config.Connection.Timeout),
		Ignore: s.ignored(), Embedding: embedding, NoIssues: s.loaded.noIssues, CompactResults: p.CompactResults,
	})
	return s, err
}

func milliseconds(n int) time.Duration { return time.Duration(n) * time.Millisecond }

// ignored returns the patterns of files that are not searched.
func (s *Service) ignored() []string {
	return append(filesystem.DefaultIgnore(), s.loaded.Config.Plugins.Config.Filesystem.Ignore...)
}

// openFiles opens the plugin filesystem with its index.
func (s *Service) openFiles(ctx context.Context, env tools.Env, p Purpose) error {
	c := s.loaded.Config.Plugins
	if !slices.Contains(c.Enabled, pluginFilesystem) {
		return nil
	}
	kept, err := s.openIndex(ctx, env.Root)
	if err != nil {
		return err
	}
	o := filesystem.Options{Index: kept, Parsers: s.parsers, Ignore: s.ignored()}
	for _, path := range c.Config.Filesystem.WatchPaths {
		o.Watch = append(o.Watch, filepath.ToSlash(filepath.Clean(path)))
	}
	if slices.Contains(o.Watch, ".") {
		o.Watch = nil // everything
	}
	if !p.Serves {
		o.Interval = -1
	}
	if s.files, err = filesystem.New(env, o); err != nil {
		return errors.Join(err, kept.Close(ctx))
	}
	s.plugins = append(s.plugins, s.files)
	return nil
}

// openIndex opens the index of the project. If the default directory is not usable, the index is
// kept in memory.
func (s *Service) openIndex(ctx context.Context, root *security.Root) (index.Index, error) {
	if s.kept = s.loaded.Config.Index.Path; s.kept == memoryIndex {
		s.kept = ""
		return segment.NewMemory(), nil
	}
	named := s.kept != ""
	if !named {
		dir, ok := root.ProjectCacheDir("search")
		if !ok {
			s.log.Warn("no cache directory outside of the project; the index is kept in memory; set index.path to keep it")
			return segment.NewMemory(), nil
		}
		s.kept = dir
	}
	kept, err := segment.Open(ctx, s.kept, segment.Options{Log: s.log})
	if err != nil && !named && ctx.Err() == nil {
		s.log.Warn("the cache directory is not usable; the index is kept in memory; set index.path to keep it", "error", err)
		s.kept, s.unkept = "", err
		return segment.NewMemory(), nil
	}
	if err != nil {
		return nil, fmt.Errorf("%w; check this directory, or choose another with -index-path", err)
	}
	return kept, nil
}

// openGitHub opens the plugin github.
func (s *Service) openGitHub(ctx context.Context, root *security.Root) error {
	c := s.loaded.Config.Plugins
	if !slices.Contains(c.Enabled, pluginGitHub) {
		return nil
	}
	g := c.Config.GitHub
	if g.Owner == "" || g.Repo == "" {
		owner, repo := remoteOf(ctx, root.Dirs()[0])
		g.Owner, g.Repo = cmp.Or(g.Owner, owner), cmp.Or(g.Repo, repo)
	}
	hub, err := github.New(github.Options{Token: g.Token, Owner: g.Owner, Repo: g.Repo, Repos: g.Repos, BaseURL: g.URL, Log: s.log})
	if err != nil {
		return fmt.Errorf("plugins.config.github: %w", err)
	}
	s.plugins = append(s.plugins, hub)
	return nil
}

// remoteOf returns owner and name of the GitHub repository in the remote "origin" of a project, or
// empty strings.
func remoteOf(ctx context.Context, dir string) (owner, repo string) {
	r, err := git.Open(ctx, dir)
	if err != nil {
		return "", ""
	}
	url := r.Remote(ctx, "origin")
	for _, prefix := range []string{"https://github.com/", "git@github.com:", "ssh://git@github.com/"} {
		if path, ok := strings.CutPrefix(url, prefix); ok {
			owner, repo, _ = strings.Cut(strings.TrimSuffix(strings.TrimSuffix(path, "/"), ".git"), "/")
			return owner, repo
		}
	}
	return "", ""
}

// Instructions returns the instructions for models, for a program that adds them to its own.
func (s *Service) Instructions() string { return sharedInstructions }

// Config returns the merged settings.
func (s *Service) Config() Config { return s.loaded.Config }

// Loaded returns the merged settings with their sources.
func (s *Service) Loaded() *Loaded { return s.loaded }

// Root returns the files of the project, or nil if Purpose.Root was given.
func (s *Service) Root() *security.Root { return s.root }

// Log returns the log of the service.
func (s *Service) Log() *slog.Logger { return s.log }

// Set returns the tools. Service.Close closes them.
func (s *Service) Set() *search.Search { return s.set }

// Files returns the plugin filesystem, or nil if it is not enabled.
func (s *Service) Files() *filesystem.Filesystem { return s.files }

// Kept returns the directory of the index, or "" if it is in memory.
func (s *Service) Kept() string { return s.kept }

// Unkept returns the error of the default index directory, because of which the index is in memory.
// Otherwise it returns nil, also if there is no cache directory at all.
func (s *Service) Unkept() error { return s.unkept }

// Close waits for running calls and closes all parts.
func (s *Service) Close(ctx context.Context) error {
	var failed []error
	if s.set != nil {
		failed = append(failed, s.set.Close(ctx)) // also closes the plugins
	} else {
		for _, p := range s.plugins {
			failed = append(failed, p.Close(ctx))
		}
	}
	if s.parsers != nil {
		failed = append(failed, s.parsers.Close())
	}
	if s.root != nil {
		failed = append(failed, s.root.Close())
	}
	if s.temporary != "" {
		failed = append(failed, os.RemoveAll(s.temporary))
	}
	if s.logging != nil {
		failed = append(failed, s.logging.close())
	}
	return errors.Join(failed...)
}
