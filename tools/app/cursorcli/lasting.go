package cursorcli

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"slices"

	"github.com/dougu-go/dougu/mcp"
	"github.com/dougu-go/dougu/security"
	"github.com/dougu-go/dougu/security/sandbox"
	"github.com/dougu-go/dougu/tools"
	"github.com/dougu-go/dougu/tools/app"
	"github.com/dougu-go/dougu/tools/app/internal/agentservice"
	"github.com/dougu-go/dougu/tools/app/internal/commandsandbox"
	"github.com/dougu-go/dougu/tools/app/internal/searchservice"
	"github.com/dougu-go/dougu/tools/app/internal/syntaxcheck"
	"github.com/dougu-go/dougu/tools/chunking"
	"github.com/dougu-go/dougu/tools/command"
	"github.com/dougu-go/dougu/tools/editor/adapter"
	"github.com/dougu-go/dougu/tools/editor/syntax"
	"github.com/dougu-go/dougu/tools/git"
	"github.com/dougu-go/dougu/tools/search"
	"github.com/dougu-go/dougu/tools/terminal"
)

// lasting are the sets whose work must not end with a change of the settings:
// processes that run, agents, indexes. They use the files that the settings allow
// when the server starts, and have time limits of their own.
type lasting struct {
	sets         []tools.Set
	closers      []func(context.Context) error // of what the sets use
	instructions []string
	extensions   map[string]json.RawMessage // of the protocol, which the sets need
	root         *security.Root             // nil: the profile has no such sets
	search       *search.Search             // nil: the profile has none
	installed    *tools.Installation
	sandbox      *sandbox.Sandbox      // nil: the profile starts no programs
	syntax       adapter.SyntaxChecker // likewise
}

// searches reports whether the profile has tools that search, as all with lasting sets have.
func (v *service) searches() bool {
	return slices.Contains([]string{profileCoding, profileOrchestrator, profileAll}, v.options.profile)
}

// runsAgents reports whether the profile has tools that run agents.
func (v *service) runsAgents() bool {
	return v.searches() && v.options.profile != profileCoding && !v.options.readOnly
}

// startsPrograms reports whether the profile has tools that start commands or language servers.
func (v *service) startsPrograms() bool {
	return slices.Contains([]string{profileEditor, profileCoding, profileAll}, v.options.profile)
}

// openLasting makes the sandbox and the sets that the profile has.
func (v *service) openLasting(ctx context.Context, c Config) error {
	if !v.searches() && !v.startsPrograms() {
		return nil
	}
	root, err := v.openRoot(c)
	if err != nil {
		return err
	}
	l := &v.lasting
	l.closers = append(l.closers, func(context.Context) error { return root.Close() })
	l.root = root
	env := tools.Env{Root: root, Log: v.logging.log, Seen: v.seen, Limits: tools.Limits{MaxFile: c.Tools.FileOperations.MaxFileSize}, Audit: v.options.start.Audit}
	if v.startsPrograms() {
		if err := v.openSandbox(ctx, root, c); err != nil {
			return err
		}
		cache, _ := root.CacheDir("grammars")
		grammars := syntaxcheck.New(cache)
		l.syntax = syntax.New(grammars)
		l.closers = append(l.closers, func(context.Context) error { return grammars.Close() })
	}
	if !v.searches() {
		return nil
	}
	if v.options.profile != profileOrchestrator {
		chunks, err := chunking.New(ctx, env, chunking.Options{Watch: v.serves})
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
		// What a project's file of settings says must not keep the other tools away.
		v.logging.log.Error("there are no tools to search with", slog.Any("error", err))
	}
	return v.openAgents(ctx)
}

// openSandbox makes the sandbox for commands, language servers and formatters.
func (v *service) openSandbox(ctx context.Context, root *security.Root, c Config) (err error) {
	l := &v.lasting
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

// searchOptions name the project for the service that searches it.
func (v *service) searchOptions() *searchservice.Options {
	o := searchservice.NewOptions(version, v.options.environ)
	o.Directory, o.Program = v.at.project(), programName
	return o
}

// agentOptions name the project for the service that runs agents.
func (v *service) agentOptions() *agentservice.Options {
	o := agentservice.NewOptions(version, func() []string { return agentservice.Inherit(v.options.environ()) })
	o.Directory, o.Program, o.Args = v.at.project(), programName, []string{"-profile", v.options.profile}
	return o
}

// lastingSettings are the settings of the project for the services of the profile.
func (v *service) lastingSettings(ctx context.Context) ([]app.ProjectSettings, error) {
	var all []app.ProjectSettings
	if v.searches() {
		if settings, err := v.searchOptions().ProjectSettings(ctx); err == nil { // else there are no tools that search
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

// openSearch opens the service that searches the project, with settings of its own.
func (v *service) openSearch(ctx context.Context, root *security.Root) error {
	s, err := searchservice.Open(ctx, v.searchOptions(), searchservice.Purpose{Log: v.logging.log, Stderr: v.stderr, Serves: v.serves, Root: root})
	if err != nil {
		return err
	}
	v.lasting.search = s.Set()
	v.lasting.add(s.Set(), s.Close, s.Instructions())
	return nil
}

// openAgents opens the service that runs agents, with settings of its own.
func (v *service) openAgents(ctx context.Context) error {
	if !v.runsAgents() {
		return nil
	}
	s, err := agentservice.Open(ctx, v.agentOptions(), agentservice.Purpose{Log: v.logging.log, Stderr: v.stderr, Serves: v.serves, Token: v.options.start.Token, NoToken: v.options.start.NoToken})
	if err != nil {
		return err
	}
	v.lasting.add(s.Set(), s.Close, s.Instructions())
	v.lasting.extensions = s.Extensions()
	return nil
}

// add takes a set of a service, which ends with close.
func (l *lasting) add(set tools.Set, end func(context.Context) error, instructions string) {
	l.sets = append(l.sets, set)
	l.closers = append(l.closers, end)
	l.instructions = append(l.instructions, instructions)
}

// install offers those of the allowed tools that the sets have, as the profile of
// the others says, but without its time limit.
func (l *lasting) install(s *mcp.Server, p tools.Profile, allowed []string) (err error) {
	if len(l.sets) == 0 {
		return nil
	}
	p.Allow, p.Timeout = allowed, 0
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

// close ends everything, the newest first. It waits for calls that are running.
func (l *lasting) close(ctx context.Context) error {
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

// noteChange tells that a change of what tools may use does not reach the sets
// that last.
func (v *service) noteChange(changed []string) {
	if len(v.lasting.sets) == 0 {
		return
	}
	for _, key := range changed {
		if slices.Contains([]string{"tools.fileOperations.allowedDirectories", "tools.fileOperations.blockedPatterns", "tools.fileOperations.maxFileSize", "security.enforceProjectRoot"}, key) {
			v.logging.log.Warn("tools for commands, chunks, searches and agents follow this setting when the server is started again", slog.String("setting", key))
		}
	}
}
