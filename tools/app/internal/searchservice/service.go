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

// Service is the search with the parts that its settings select.
type Service struct {
	loaded  *Loaded
	log     *slog.Logger
	logging *logging
	root    *security.Root
	parsers *source.Parsers
	files   *filesystem.Filesystem // nil if the plugin is not enabled
	set     *search.Search
	plugins []plugin.Plugin
	kept    string // where the index is; empty: in memory
	unkept  error  // why it is in memory, though it should be kept

	temporary string // a directory that goes with the Service
}

// Purpose is the use for which a Service is opened.
type Purpose struct {
	Log    *slog.Logger // nil: as the settings have it
	Stderr io.Writer
	Person bool // who looks on, and wants to see no more than what is wrong
	Serves bool // and follows changes of the files
	// Root are the files; nil: those of the project.
	Root *security.Root
	// Tasks runs the calls that are tasks; nil: none is.
	Tasks mcp.TaskRunner
}

// Open opens the parts that the settings name. The caller closes the Service.
func Open(ctx context.Context, o *Options, p Purpose) (_ *Service, err error) {
	s := new(Service)
	defer func() {
		if err != nil {
			err = errors.Join(err, s.Close(context.WithoutCancel(ctx)))
		}
	}()
	if s.loaded, err = o.Load(); err != nil {
		return nil, fmt.Errorf("the settings are wrong:\n%w", err)
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
	s.parsers = builtin.Parsers(builtin.Options{CacheDir: grammars})
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
		Ignore: s.ignored(), Embedding: embedding, NoIssues: s.loaded.noIssues,
	})
	return s, err
}

func milliseconds(n int) time.Duration { return time.Duration(n) * time.Millisecond }

// ignored are the patterns of files that are not searched.
func (s *Service) ignored() []string {
	return append(filesystem.DefaultIgnore(), s.loaded.Config.Plugins.Config.Filesystem.Ignore...)
}

// openFiles makes the plugin filesystem with its index.
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

// openIndex opens the index of a project.
func (s *Service) openIndex(ctx context.Context, root *security.Root) (index.Index, error) {
	if s.kept = s.loaded.Config.Index.Path; s.kept == memoryIndex {
		s.kept = ""
		return segment.NewMemory(), nil
	}
	named := s.kept != ""
	if !named {
		dir, ok := root.ProjectCacheDir("search")
		if !ok {
			s.log.Warn("there is no cache directory outside of the project, so the index is kept in memory; set index.path")
			return segment.NewMemory(), nil
		}
		s.kept = dir
	}
	kept, err := segment.Open(ctx, s.kept, segment.Options{Log: s.log})
	if err != nil && !named && ctx.Err() == nil {
		s.log.Warn("the cache directory cannot be used, so the index is kept in memory; set index.path", "error", err)
		s.kept, s.unkept = "", err
		return segment.NewMemory(), nil
	}
	if err != nil {
		return nil, fmt.Errorf("%w; see what stands there, or keep the index elsewhere with -index-path", err)
	}
	return kept, nil
}

// openGitHub makes the plugin github.
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

// remoteOf is the repository on GitHub that a project comes from, if its remote
// "origin" says so.
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

// Instructions tell a model how to use the tools as a whole.
func (s *Service) Instructions() string { return instructions }

// Config are the settings.
func (s *Service) Config() Config { return s.loaded.Config }

// Loaded are the settings with where they come from.
func (s *Service) Loaded() *Loaded { return s.loaded }

// Root is the files of the project; nil if Purpose.Root was given.
func (s *Service) Root() *security.Root { return s.root }

// Log is where everything of the service logs to.
func (s *Service) Log() *slog.Logger { return s.log }

// Set returns the tools. Service.Close closes them.
func (s *Service) Set() *search.Search { return s.set }

// Files is the plugin filesystem; nil if it is not enabled.
func (s *Service) Files() *filesystem.Filesystem { return s.files }

// Kept is the directory of the index; empty if it is in memory.
func (s *Service) Kept() string { return s.kept }

// Unkept is why the index is in memory, though it should be kept; nil otherwise.
func (s *Service) Unkept() error { return s.unkept }

// Close ends everything. It waits for calls that are running.
func (s *Service) Close(ctx context.Context) error {
	var failed []error
	if s.set != nil {
		failed = append(failed, s.set.Close(ctx)) // and the plugins
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
